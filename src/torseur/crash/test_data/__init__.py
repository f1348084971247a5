"""Crash tests as laboratories record them."""
