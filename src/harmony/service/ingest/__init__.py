"""Taking reports in: from the socket to the commit, each once."""
