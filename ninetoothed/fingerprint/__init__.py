"""Fingerprints of applications: ``digest`` hashes a function with all that it reads from outside,
which ``bytecode`` finds, and of which ``snapshot`` keeps copies.
"""
