"""Which one plan serves several loads?"""
