"""Everything SQL: one SQLite file is the truth, and nothing above this package knows it."""
