"""Models from randomised gradients: one report a device."""
