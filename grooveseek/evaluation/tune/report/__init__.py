"""A study's result in words, as JSON and as a page."""
