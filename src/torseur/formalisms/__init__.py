"""Formalisms: the equations of motion, each as one short text over any scalar."""
