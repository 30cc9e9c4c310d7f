"""What the tests share: RUN lines in process, golden files, profiles, targets, imports."""
