"""Pure functions on text that indexing, full text and match spans must agree on."""
