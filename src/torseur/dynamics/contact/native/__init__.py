"""Native loops of the contact problem, in restricted Python."""
