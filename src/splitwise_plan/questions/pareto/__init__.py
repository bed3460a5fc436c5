"""What can be traded for what?"""
