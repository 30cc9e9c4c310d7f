"""What is kept on disk: atomic files, entries, artifacts, and the bound of the folder."""
