"""An evaluation in words, as JSON, as annotations, as JUnit and as a page."""
