"""Does a plan still hold?"""
