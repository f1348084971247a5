"""Output-error fits of models to tests."""
