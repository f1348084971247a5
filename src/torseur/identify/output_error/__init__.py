"""Output error method: fits of models to measured signals of tests."""
