"""Reference cases of every row of the language, by topic, run by ``tests/e2e/test_rows.py``.

To add a case, write in the file of its topic (a new topic: a file here with ``CASES``)

1. an application: a plain function, its inputs first, then its outputs; one that covers several
   rows costs less than several;
2. a :class:`~tests.rows.case.Case` in ``CASES``: the rows that it covers, the application, an
   oracle over NumPy arrays (floats come as ``float64``, integers in their own type) and a
   :class:`~tests.rows.case.Values` an input; where they differ from the defaults, the element
   types, the layouts (arrangements and shapes, see :mod:`tests.rows.layouts`) and the outputs.

.. code-block:: python

    def rsqrt(x, out):
        out = ntl.rsqrt(x)

    Case("rsqrt", rsqrt, lambda x: 1 / np.sqrt(x), (NUMBERS,), ("fp32", "fp64"), ulps=2)

Each case runs on the CPU at ``nt`` and at ``tt``, goes through Triton offline as TTIR and as
Triton-Python, and runs on a GPU through both. Inputs hold NaN, infinities and extremes in every
combination unless their ``Values`` say otherwise.

Tolerances follow from the output's element type: ``ulps`` times its epsilon. A larger number than 1
needs a reason, said beside it: how the hardware computes the function, or how many additions round.
"""
