"""Equations as text, LaTeX, MathML."""
