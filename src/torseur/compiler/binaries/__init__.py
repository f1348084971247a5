"""Object files and shared libraries for other machines."""
