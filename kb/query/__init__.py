"""From a pasted log and a question to what is asked, every line number kept."""
