"""Intermediate representation: straight-line programs, their normal form and their schedule."""
