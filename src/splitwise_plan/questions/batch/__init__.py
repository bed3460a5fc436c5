"""How many requests does a dollar do where no SLO has to be met?"""
