"""How do designs compare at one rate, and over rates?"""
