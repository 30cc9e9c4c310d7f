"""Options of ``make`` and ``jit``, and what a kernel is asked."""

from __future__ import annotations

from pathlib import Path

from tests.support.messages import Case, check, each


@each(
    Case(
        "an unknown option of make",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), num_warp=4)
        """,
        """
        ArgumentError: make() got an unexpected keyword argument 'num_warp'
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), num_warp=4)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an unknown option of jit",
        """
        @jit(num_warp=4)
        def application(x: Tensor(1).tile((16,)), output: Tensor(1).tile((16,))):
            output = x
        """,
        """
        ArgumentError: jit() got an unexpected keyword argument 'num_warp'
          File "kernel.py", line 1, column 2, in <module>
            @jit(num_warp=4)
             ^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an unknown backend",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), backend="cuda")
        """,
        """
        ArgumentError: there is no backend 'cuda'; backends are ttir, triton-python, interpret
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), backend="cuda")
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a caller that is not there",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), caller="cuda")
        """,
        """
        ArgumentError: kernels are built for caller='torch' only, without an output_dir; leave both out
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), caller="cuda")
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "an output_dir",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), output_dir="build")
        """,
        """
        ArgumentError: kernels are built for caller='torch' only, without an output_dir; leave both out
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), output_dir="build")
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "no warps",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), num_warps=0)
        """,
        """
        ArgumentError: num_warps must be a positive integer or several, not 0
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), num_warps=0)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a number of warps that no device has",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), num_warps=3)
        """,
        """
        ArgumentError: num_warps must be a power of two, not 3; write 4 or 8
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), num_warps=3)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "warps as text",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), num_warps="4")
        """,
        """
        ArgumentError: num_warps must be a positive integer or several, not '4'
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), num_warps="4")
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "warps of nothing",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), num_warps=())
        """,
        """
        ArgumentError: num_warps must be a positive integer or several, not ()
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), num_warps=())
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "warps of a float",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), num_warps=4.0)
        """,
        """
        ArgumentError: num_warps must be a positive integer or several, not 4.0
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), num_warps=4.0)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "stages of nothing",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), num_stages=[0, 2])
        """,
        """
        ArgumentError: num_stages must be a positive integer or several, not [0, 2]
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), num_stages=[0, 2])
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a limit of no configurations",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), max_num_configs=0)
        """,
        """
        ArgumentError: max_num_configs must be a positive integer, not 0
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), max_num_configs=0)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a name that is no identifier",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), kernel_name="add-kernel")
        """,
        """
        ArgumentError: kernel_name must be a name as Python has them, not 'add-kernel'
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), kernel_name="add-kernel")
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a name that is no text",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), kernel_name=4)
        """,
        """
        ArgumentError: kernel_name must be a name as Python has them, not 4
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), kernel_name=4)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a keyword as a name",
        """
        def application(x, output):
            output = x


        make(blocks, application, (Tensor(1), Tensor(1)), kernel_name="def")
        """,
        """
        ArgumentError: kernel_name must be a name as Python has them, not 'def'
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)), kernel_name="def")
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "tensors left out",
        """
        def application(x, output):
            output = x


        make(blocks, application)
        """,
        """
        ArgumentError: make() missing 1 required positional argument: 'tensors'
          File "kernel.py", line 5, column 1, in <module>
            make(blocks, application)
            ^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a stage that is not there",
        """
        def application(x, output):
            output = x


        vectors(application).ir("ptx")
        """,
        """
        ArgumentError: there is no stage 'ptx'; stages are arranged, composed, specialized, padded, scheduled, addressed, tt
          File "kernel.py", line 5, column 1, in <module>
            vectors(application).ir("ptx")
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a parameter that is not there",
        """
        def application(x, output):
            output = x


        vectors(application).ir(dtypes={"y": "fp16"})
        """,
        """
        ArgumentError: there is no parameter y; parameters are x, output
          File "kernel.py", line 5, column 1, in <module>
            vectors(application).ir(dtypes={"y": "fp16"})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a dtype that is none",
        """
        def application(x, output):
            output = x


        vectors(application).ir(dtypes={"x": "half"})
        """,
        """
        ArgumentError: 'half' is no element type; write for example fp16 or fp32
          File "kernel.py", line 5, column 1, in <module>
            vectors(application).ir(dtypes={"x": "half"})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a language that is not there",
        """
        def application(x, output):
            output = x


        vectors(application).source(language="cuda")
        """,
        """
        ArgumentError: there is no language 'cuda'; write 'ttir' or 'triton-python'
          File "kernel.py", line 5, column 1, in <module>
            vectors(application).source(language="cuda")
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a target that is not there",
        """
        def application(x, output):
            output = x


        vectors(application).source(target="h200")
        """,
        """
        DeviceError: unknown target 'h200'; write for example 'sm_90' or 'gfx942'
          File "kernel.py", line 5, column 1, in <module>
            vectors(application).source(target="h200")
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a constexpr that ir needs",
        """
        def arrangement(x, output, BLOCK=Symbol("BLOCK", constexpr=True)):
            return x.tile((BLOCK,)), output.tile((BLOCK,))


        def application(x, output):
            output = x


        make(arrangement, application, (Tensor(1), Tensor(1))).ir()
        """,
        """
        ArgumentError: application needs a value for BLOCK; give it by keyword, as in BLOCK=64
          File "kernel.py", line 9, column 1, in <module>
            make(arrangement, application, (Tensor(1), Tensor(1))).ir()
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a symbol that ir does not know",
        """
        def application(x, output):
            output = x


        vectors(application).ir(values={"BLOCK": 16})
        """,
        """
        ArgumentError: application has no argument BLOCK; it takes no other keywords
          File "kernel.py", line 5, column 1, in <module>
            vectors(application).ir(values={"BLOCK": 16})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a meta symbol out of bounds",
        """
        def arrangement(x, output, BLOCK=Symbol("BLOCK", meta=True)):
            return x.tile((BLOCK,)), output.tile((BLOCK,))


        def application(x, output):
            output = x


        make(arrangement, application, (Tensor(1), Tensor(1))).ir(values={"BLOCK": "x"})
        """,
        """
        ArgumentError: BLOCK must be an integer, not 'x'
          File "kernel.py", line 9, column 1, in <module>
            make(arrangement, application, (Tensor(1), Tensor(1))).ir(values={"BLOCK": "x"})
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a meta symbol that no program can have",
        """
        def arrangement(x, output, BLOCK=Symbol("BLOCK", meta=True, lower_bound=2**16, upper_bound=2**17)):
            return x.tile((BLOCK,)), output.tile((BLOCK,))


        def application(x, output):
            output = x


        make(arrangement, application, (Tensor(1), Tensor(1))).ir()
        """,
        """
        ConfigurationError: no choice of block sizes fits: the smallest, {'BLOCK': 65536}, has a block of 65536 lanes, and at most 32768 can run; give block_size() a smaller lower_bound
          File "kernel.py", line 9, column 1, in <module>
            make(arrangement, application, (Tensor(1), Tensor(1))).ir()
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "configs without a constexpr",
        """
        def arrangement(x, output, BLOCK=Symbol("BLOCK", constexpr=True)):
            return x.tile((BLOCK,)), output.tile((BLOCK,))


        def application(x, output):
            output = x


        make(arrangement, application, (Tensor(1), Tensor(1))).configs
        """,
        """
        ArgumentError: application needs a value for BLOCK; give it by keyword, as in BLOCK=64
          File "kernel.py", line 9, column 1, in <module>
            make(arrangement, application, (Tensor(1), Tensor(1))).configs
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)
