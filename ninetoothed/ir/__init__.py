"""The compiler's data: the index algebra, accesses, the two dialects and what each stage may hold."""
