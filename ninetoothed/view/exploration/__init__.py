"""A page to explore an arrangement: what each program touches, for sizes that are typed into it.

``given_sizes`` reads the sizes that it begins with and builds the kernel's module,
``explored_kernel`` takes the accesses out of it, ``kernel_script`` writes them as JavaScript, and
``exploration_page`` makes the page. Of its scripts ``arithmetic.js`` and ``core.js`` compute and
know no document; ``explore.js`` draws and listens.
"""
