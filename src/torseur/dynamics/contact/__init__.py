"""Contacts and dry friction: complementarity problem, Delassus matrix, impacts, Coulomb cones."""
