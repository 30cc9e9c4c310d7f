"""The frontend: from two Python functions to a module in dialect ``nt``, in this order:

``definition`` runs the arrangement and names everything; ``arrangement`` writes the arranged
tensors as ops; ``source`` finds the application's syntax tree; ``statements``, ``expressions`` and
``calls`` walk it by handler tables; ``operators`` gives values their types; ``build`` puts the
module together.
"""
