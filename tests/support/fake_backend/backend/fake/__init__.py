"""The compile half."""
