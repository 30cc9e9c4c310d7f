"""What ``make`` was given, before any IR: ``define`` runs the arrangement and names its symbols,
``source`` finds the application's syntax tree, ``definition`` is both, as the frontend takes them.
"""
