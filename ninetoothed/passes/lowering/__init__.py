"""What several passes lower alike: index expressions, elementwise functions, identities."""
