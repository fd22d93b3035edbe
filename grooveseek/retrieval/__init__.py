"""From a query to an answer, one file a stage."""
