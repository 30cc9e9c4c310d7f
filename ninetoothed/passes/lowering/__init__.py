"""Lowerings from ``nt`` to ``tt``, and what several passes have in common."""
