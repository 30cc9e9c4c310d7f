"""Definitions, the input of the frontend: ``define`` runs the arrangement and names its symbols,
``source`` finds the application's syntax tree, ``definition`` is the result of both.
"""
