"""Kinds of scalars: floats, graphs, polynomials, columns, dual numbers, jets."""
