"""How wrong may the numbers be before the answer changes?"""
