"""Binding a call's arguments to a signature: positions, alias sets, sequences, guards."""
