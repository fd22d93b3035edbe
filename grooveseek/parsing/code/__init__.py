"""Source code cut at its definitions."""

CHUNKING_POLICY = "1"
"""Changes whenever the same source file would be cut differently."""
