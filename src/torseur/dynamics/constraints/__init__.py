"""Rows of constraints and what holds them: the saddle point, its solutions, mobility, reactions."""
