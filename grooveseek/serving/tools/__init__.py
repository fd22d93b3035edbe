"""The tools: one file each, and the table of them all."""
