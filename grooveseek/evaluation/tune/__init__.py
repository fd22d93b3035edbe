"""Sweeping the constants of fusion over golden queries, and saying whether any other setting has earned its place."""
