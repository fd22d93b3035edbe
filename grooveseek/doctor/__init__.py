"""An examination of a knowledge base and its index. It reports and never repairs."""
