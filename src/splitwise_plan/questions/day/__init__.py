"""What does following the load of a day save?"""
