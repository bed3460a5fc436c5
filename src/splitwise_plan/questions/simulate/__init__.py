"""How does one design fare under one load?"""
