"""Frontmatter against ``groove-schema.toml``, which also declares the keys that a search can filter on."""
