"""Bringing the index in step with the folder: what changed, what that costs, and writing it safely."""
