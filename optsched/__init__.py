"""Tells how far from optimal a GPU-cluster scheduler is."""
