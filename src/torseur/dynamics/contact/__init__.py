"""What opens and closes, sticks and slips: switches, impacts, cones of friction."""
