"""Which design is the best for a load?"""
