"""From ranked sections to the answer: its text, flags for the version, the launch command."""
