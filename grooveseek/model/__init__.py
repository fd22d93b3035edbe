"""Values without I/O: what the parts of groove hand to one another."""
