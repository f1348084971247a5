"""Motors, gearboxes and their sizing."""
