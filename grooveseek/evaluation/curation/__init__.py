"""Making golden sets: checking one, pooling and judging results, writing entries, suggesting queries."""
