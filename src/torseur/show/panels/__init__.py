"""Panels of the report, one module for each tab."""
