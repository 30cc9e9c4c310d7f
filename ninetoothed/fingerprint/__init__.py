"""Fingerprints of applications: ``digest`` hashes a function with all that it reads from outside,
which ``bytecode`` finds; ``snapshot`` keeps copies of it.
"""
