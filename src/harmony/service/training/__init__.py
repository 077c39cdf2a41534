"""Live trainings: steps that open, fill and close until the model is there."""
