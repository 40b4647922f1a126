"""What other programs load from here; each module needs the program it is named after."""
