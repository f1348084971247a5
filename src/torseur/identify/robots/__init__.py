"""Identification of robots by linear regression of the inverse dynamics."""
