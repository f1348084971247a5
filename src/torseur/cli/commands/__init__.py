"""One file a command; its register finds it here."""
