"""What an access asks of the caches."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "a cache modifier that reads have not",
        """
        def application(x, output):
            output = ntl.load(x.source.data_ptr() + x.offsets(), cache_modifier=".wt")


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.load: cache_modifier is '', '.ca', '.cg', '.cs' or '.cv', not '.wt'
          File "kernel.py", line 2, column 14, in application
            output = ntl.load(x.source.data_ptr() + x.offsets(), cache_modifier=".wt")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a cache modifier that writes have not",
        """
        def application(x, output):
            ntl.store(output.source.data_ptr() + output.offsets(), x, cache_modifier=".ca")


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.store: cache_modifier is '', '.wb', '.cg', '.cs' or '.wt', not '.ca'
          File "kernel.py", line 2, column 5, in application
            ntl.store(output.source.data_ptr() + output.offsets(), x, cache_modifier=".ca")
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an eviction policy that there is not",
        """
        def application(x, output):
            p = x.source.data_ptr() + x.offsets()
            output = ntl.load(p, eviction_policy="evict_soon")


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.load: eviction_policy is '', 'evict_first' or 'evict_last', not 'evict_soon'
          File "kernel.py", line 3, column 14, in application
            output = ntl.load(p, eviction_policy="evict_soon")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a cache modifier that is not known",
        """
        def application(x, output):
            output = ntl.load(x.source.data_ptr() + x.offsets(), cache_modifier=x)


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.load: cache_modifier is '', '.ca', '.cg', '.cs' or '.cv', not the tensor x
          File "kernel.py", line 2, column 14, in application
            output = ntl.load(x.source.data_ptr() + x.offsets(), cache_modifier=x)
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "volatile that is no bool",
        """
        def application(x, output):
            output = ntl.load(x.source.data_ptr() + x.offsets(), volatile="yes")


        vectors(application).ir()
        """,
        """
        TypeMismatchError: ntl.load: volatile must be True or False, known when compiling, not 'yes'
          File "kernel.py", line 2, column 14, in application
            output = ntl.load(x.source.data_ptr() + x.offsets(), volatile="yes")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a boundary check",
        """
        def application(x, output):
            output = ntl.load(x.source.data_ptr() + x.offsets(), boundary_check=(0,))


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.load: boundary_check is for Triton's block pointers, which the language has not; give a mask, and other
          File "kernel.py", line 2, column 14, in application
            output = ntl.load(x.source.data_ptr() + x.offsets(), boundary_check=(0,))
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "padding",
        """
        def application(x, output):
            output = ntl.load(x.source.data_ptr() + x.offsets(), padding_option="zero")


        vectors(application).ir()
        """,
        """
        ArgumentError: ntl.load: padding_option is for Triton's block pointers, which the language has not; give a mask, and other
          File "kernel.py", line 2, column 14, in application
            output = ntl.load(x.source.data_ptr() + x.offsets(), padding_option="zero")
                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "two wishes of an NVIDIA GPU",
        """
        def application(x, output):
            p = x.source.data_ptr() + x.offsets()
            output = ntl.load(p, cache_modifier=".cg", volatile=True)


        vectors(application).source()
        """,
        """
        DeviceError: an access of an NVIDIA GPU takes one of cache_modifier, eviction_policy and volatile, not '.cg' and 'volatile'; leave the others out
          File "kernel.py", line 3, column 14
            output = ntl.load(p, cache_modifier=".cg", volatile=True)
                     ^
        """,
    ),
)
def test_error(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
