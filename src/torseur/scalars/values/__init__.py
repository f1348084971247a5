"""Exact values and expressions of named parameters."""
