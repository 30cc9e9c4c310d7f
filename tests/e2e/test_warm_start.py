"""Warm starts: a process makes a kernel which another one has made before."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.support.user import CALL, HELPERS, KERNELS, User


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


def test_a_second_process_imports_next_to_nothing(user: User) -> None:
    first = user.run(CALL)
    assert "xdsl" in first["imported"]
    second = user.run(CALL)
    assert second["imported"] == []
    assert first["launches"] == second["launches"] == [["application", 2]]


def test_another_signature_is_compiled_then(user: User) -> None:
    user.run(CALL)
    other = CALL.replace("(100", "(112")
    found = user.run(other)
    # What ``make`` found out is known, what the call needs is not.
    assert "xdsl" in found["imported"]
    assert found["launches"] == [["application", 2]]
    assert user.run(other)["imported"] == []


def test_all_of_a_kernel_is_there_behind_a_hit(user: User) -> None:
    program = """
    import kernels
    kernel = kernels.kernel
    found["texts"] = [kernel.ir("arranged"), kernel.source(), str(kernel.report())]
    found["more"] = [str(kernel.configs), repr(kernel), kernel.__name__, str(kernel.interface)]
    """
    first, second = user.run(program), user.run(program)
    assert first["texts"] == second["texts"]
    assert first["more"] == second["more"]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("kernels", "FACTOR = 2", "FACTOR = 3"),
        ("kernels", "x * FACTOR", "FACTOR * x"),
        ("kernels", "\ndef app", "\n\ndef app"),
        ("kernels", '"num_warps": 4', '"num_warps": 8'),
        ("kernels", "Tensor(1), T", "Tensor(1, other=0), T"),
        ("helpers", "OFFSET = 1", "OFFSET = 2"),
        ("helpers", "return 64", "return 32"),
    ],
)
def test_edits_are_noticed(user: User, name: str, before: str, after: str) -> None:
    user.run(CALL)
    text = {"kernels": KERNELS, "helpers": HELPERS}[name]
    assert before in text
    user.write(name, text.replace(before, after))
    assert "xdsl" in user.run(CALL)["imported"]
    user.write(name, text)
    assert user.run(CALL)["imported"] == []


def test_closures_are_noticed(user: User) -> None:
    user.write(
        "kernels",
        KERNELS.replace("kernel = make", "def made(FACTOR):\n    def application(x, y):\n")
        .replace(
            "(arrangement, application, (Tensor(1)", "        y = x * FACTOR\n    return make("
        )
        .replace("make(, Tensor(1)", "make(arrangement, application, (Tensor(1), Tensor(1)"),
    )
    program = """
    import kernels
    for factor in (1, 2, 2, 1.0):
        kernels.made(factor)(Array(100), Array(100, pointer=8192))
    """
    assert "xdsl" in user.run(program)["imported"]
    assert user.run(program)["imported"] == []
    assert "xdsl" in user.run(program.replace("(1, 2,", "(1, 3,"))["imported"]


RACING = """
from ninetoothed import Tensor, make


def application(x, y):
    y = x


def make_kernel(strict=False):
    return make(lambda x, y: (x.tile((64,)), y.tile((64,), strides=(32,))), application,
                (Tensor(1), Tensor(1)), num_warps=4, num_stages=1, strict=strict)
"""


def test_a_warning_is_repeated(user: User) -> None:
    user.write("kernels", RACING)
    program = """
    import kernels
    try:
        kernel = kernels.make_kernel()
        found["first"] = len(caught)
        kernel(Array(228), Array(129, pointer=8192))
    except Exception as error:
        found["error"] = str(error)
    """
    first, second = user.run(program), user.run(program)
    (warning,) = first["warnings"]
    assert warning[0].startswith("two programs write one element of y: ")
    assert (warning[1], warning[2]) == (str(user.folder / "kernels.py"), 10)
    assert second["warnings"] == [warning]
    assert second["first"] == first["first"] == 1
    assert "xdsl" not in second["imported"]
    strict = "import kernels\ntry:\n    kernels.make_kernel(True)\nexcept Exception as e:\n"
    strict += "    found['error'] = type(e).__name__\n"
    for _ in range(2):
        assert user.run(strict)["error"] == "RaceError"
    assert user.run(program, NINETOOTHED_STRICT="1")["error"].startswith("two programs write")


WITH_FLAG = (
    RACING.replace("def application(x, y):", "def application(x, y, flag):")
    .replace(
        "lambda x, y: (x.tile((64,)), y.tile((64,), strides=(32,)))",
        "lambda x, y, f: (x.tile((64,)), y.tile((64,), strides=(32,)), f)",
    )
    .replace("Tensor(1)),", "Tensor(1), Tensor(0, constexpr=True)),")
)
"""An application specialized by a compile-time number, of which ``make`` does not warn."""


def test_a_warning_of_the_first_call_is_repeated(user: User) -> None:
    user.write("kernels", WITH_FLAG)
    program = """
    import kernels
    kernel = kernels.make_kernel()
    found["first"] = len(caught)
    for size in (228, 240, 228):
        kernel(Array(size), Array(129, pointer=8192), True)
    """
    first, second = user.run(program), user.run(program)
    assert first["first"] == second["first"] == 0
    assert len(first["warnings"]) == 1
    assert first["warnings"] == second["warnings"]
    assert second["imported"] == []


AGREEING = """
from ninetoothed import Tensor, block_size, make


def tiled(*tensors):
    found = [tensor.tile((1, 64)) for tensor in tensors]
    for tensor in found:
        tensor.dtype = tensor.dtype.squeeze(0)
    return tuple(found)


def application(x, y):
    y = x


def chosen(x, y):
    return x.tile((block_size(lower_bound=32, upper_bound=128),)), y.tile((1,))


def first(x, y):
    y = x[0]


kernel = make(tiled, application, (Tensor(2), Tensor(2)), num_warps=4, num_stages=1)
strict = make(tiled, application, (Tensor(2), Tensor(2)), num_warps=2, strict=True)
by_blocks = make(chosen, first, (Tensor(1), Tensor(1)), tune="off")
"""


def test_classes_of_agreement(user: User) -> None:
    """Equal shapes, equal numbers, fewer: the classes that a call is not of, too, are on disk, and
    the warning.
    """
    user.write("kernels", AGREEING)
    program = """
    import kernels
    issued = []
    for rows in (2, 4, 3, 4, 3):
        kernels.kernel(Array(2, 128), Array(rows, 64 + 64 * (rows == 2), pointer=8192))
        issued.append(len(caught))
    found["issued"] = issued
    """
    first, second = user.run(program), user.run(program)
    assert "xdsl" in first["imported"]
    assert second["imported"] == []
    assert first["launches"] == second["launches"] == [["application", 4]] * 5
    assert first["warnings"] == second["warnings"]
    assert first["issued"] == second["issued"] == [0, 0, 1, 1, 1]
    (warning,) = first["warnings"]
    assert warning[0].startswith("a call gives the outermost level of y another number of elements")


def test_a_strict_kernel_has_no_class_of_fewer(user: User) -> None:
    user.write("kernels", AGREEING)
    program = """
    import kernels
    kernels.strict(Array(2, 128), Array(4, 64, pointer=8192))
    try:
        kernels.strict(Array(2, 128), Array(3, 64, pointer=8192))
    except Exception as error:
        found["error"] = type(error).__name__
    """
    for _ in range(2):
        assert user.run(program)["error"] == "ArrangementError"


def test_block_sizes_that_agree(user: User) -> None:
    user.write("kernels", AGREEING)
    program = """
    import kernels
    for count in (32, 16, 8, 16):
        kernels.by_blocks(Array(1000), Array(count, pointer=8192))
    """
    first, second = user.run(program), user.run(program)
    assert "xdsl" in first["imported"]
    assert second["imported"] == []
    programs = [["first", 32], ["first", 16], ["first", 8], ["first", 16]]
    assert first["launches"] == second["launches"] == programs
    assert not first["warnings"]


def test_strict_calls_of_a_kernel_that_was_not_made_so(user: User) -> None:
    user.write("kernels", WITH_FLAG)
    plain = """
    import kernels
    kernel = kernels.make_kernel()
    """
    call = "kernel(Array(228), Array(129, pointer=8192), True)"
    strict = f"""{plain}
    import os
    os.environ["NINETOOTHED_STRICT"] = "1"
    try:
        {call}
    except Exception as error:
        found["error"] = type(error).__name__
    """
    assert user.run(strict)["error"] == "RaceError"
    assert len(user.run(f"{plain}\n    {call}\n")["warnings"]) == 1
    assert user.run(strict)["error"] == "RaceError"


def test_threads_warn_once(user: User) -> None:
    user.write("kernels", WITH_FLAG)
    program = """
    import threading, kernels
    sys.setswitchinterval(1e-5)
    kernel = kernels.make_kernel()
    start = threading.Barrier(6)
    def call(number):
        start.wait()
        kernel(Array(228 + number % 3), Array(129, pointer=8192), True)
    threads = [threading.Thread(target=call, args=(number,)) for number in range(6)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    """
    for _ in range(2):
        found = user.run(program)
        assert len(found["warnings"]) == 1
        assert len(found["launches"]) == 6


def test_calls_in_place_need_no_compiler(user: User) -> None:
    program = """
    import kernels
    kernels.kernel(Array(100), Array(100))
    kernels.kernel(Array(100), Array(100, pointer=4096 + 400))
    """
    first, second = user.run(program), user.run(program)
    assert "xdsl" in first["imported"]
    assert second["imported"] == []
    assert first["launches"] == second["launches"]


@pytest.mark.parametrize("content", ["", "{", "null", '{"content": "{}"}', "[[[["])
def test_records_that_are_broken_are_written_anew(user: User, content: str) -> None:
    user.run(CALL)
    for path in user.records:
        path.write_text(content, encoding="utf-8")
    assert "xdsl" in user.run(CALL)["imported"]
    assert user.run(CALL)["imported"] == []


def test_records_of_another_form_are_written_anew(user: User) -> None:
    program = """
    from ninetoothed.cache import artifact_store
    store, known = artifact_store.store_entry, {}
    artifact_store.store_entry = lambda key, text: store(key, '{"interface": {}}')
    import kernels
    """
    assert "xdsl" in user.run(program)["imported"]
    assert "xdsl" in user.run(CALL)["imported"]
    assert user.run(CALL)["imported"] == []


def test_what_has_no_digest_is_compiled_each_time(user: User) -> None:
    user.write(
        "kernels",
        KERNELS.replace("y = x", "here = helpers\n    y = x").replace(
            "helpers.OFFSET", "here.OFFSET"
        ),
    )
    for _ in range(2):
        assert "xdsl" in user.run(CALL)["imported"]
    assert len(list((user.folder / "cache" / "artifacts").iterdir())) == 1


@pytest.mark.parametrize(
    "change",
    [
        "SIZES.append(64)",
        "size_of.size = 32",
        "import os; x.shape = (100,)",
        "print('arranged', end=' ')",
        "SIZES[0] = __import__('random').random()",
    ],
)
def test_arrangements_may_do_what_they_like(user: User, change: str) -> None:
    """Only their results matter."""
    changed = KERNELS.replace("return x.tile", f"{change}\n    return x.tile").replace(
        "FACTOR = 2\n", "FACTOR = 2\nSIZES = [64]\n"
    )
    user.write("kernels", changed)
    first, second = user.run(CALL), user.run(CALL)
    assert "xdsl" in first["imported"]
    assert second["imported"] == []
    assert first["printed"] == second["printed"]
    assert first["launches"] == second["launches"]


def test_an_arrangement_that_gives_something_else_each_time(user: User) -> None:
    user.write("helpers", HELPERS.replace("64", "int(__import__('os').environ['SIZE'])"))
    assert "xdsl" in user.run(CALL, SIZE="64")["imported"]
    assert "xdsl" in user.run(CALL, SIZE="32")["imported"]
    for size in ("64", "32"):
        assert user.run(CALL, SIZE=size)["imported"] == []


def test_a_mistake_of_the_arrangement_is_raised_each_time(user: User) -> None:
    user.run(CALL)
    program = """
    import helpers
    helpers.size_of = lambda tensor: {}["size"]
    try:
        import kernels
    except KeyError as error:
        found["error"] = str(error)
    """
    for _ in range(2):
        assert user.run(program)["error"] == "'size'"


def test_kernels_in_an_archive(user: User) -> None:
    archive = user.folder / "archive.zip"

    def write(text: str) -> None:
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("kernels.py", text)

    (user.folder / "kernels.py").unlink()
    write(KERNELS)
    program = (
        "sys.path.insert(0, str(__import__('pathlib').Path(__file__).with_name('archive.zip')))"
    )
    first, second = user.run(f"{program}\n{CALL}"), user.run(f"{program}\n{CALL}")
    assert "xdsl" in first["imported"]
    assert second["imported"] == []
    write(KERNELS.replace("x * FACTOR", "x - FACTOR"))
    assert "xdsl" in user.run(f"{program}\n{CALL}")["imported"]


def test_whoever_watches_the_compiler_sees_it_work(user: User) -> None:
    user.run(CALL)
    folder = user.folder / "dump"
    found = user.run(CALL, NINETOOTHED_DUMP_IR=str(folder))
    assert "xdsl" in found["imported"]
    assert list(folder.rglob("*.mlir"))


def test_jit(user: User) -> None:
    user.write(
        "kernels",
        "from ninetoothed import Tensor, block_size, jit\n"
        "BLOCK = block_size(64, 64)\n"
        "x = Tensor(1).tile((BLOCK,))\n"
        "@jit(num_warps=4, num_stages=1)\n"
        "def kernel(x: x, y: Tensor(1).tile((BLOCK,))):\n"
        "    y = x + 1\n",
    )
    first, second = user.run(CALL), user.run("from ninetoothed import Tensor; Tensor(1)\n" + CALL)
    assert "xdsl" in first["imported"]
    assert second["imported"] == []
    assert first["launches"] == second["launches"] == [["kernel", 2]]


def test_jit_with_annotations_as_text(user: User) -> None:
    user.write(
        "kernels",
        "from __future__ import annotations\n"
        "from ninetoothed import Tensor, jit\n"
        "@jit(num_warps=4, num_stages=1)\n"
        "def kernel(x: Tensor(1).tile((64,)), y: Tensor(1).tile((64,))):\n"
        "    y = x + 1\n",
    )
    first, second = user.run(CALL), user.run(CALL)
    assert first["launches"] == second["launches"] == [["kernel", 2]]
    assert "xdsl" not in second["imported"]


SPECIALIZED = """
from ninetoothed import Tensor, block_size, make


def arrangement(x, y):
    size = block_size(lower_bound=32, upper_bound=128)
    return x.tile((size,)), y.tile((size,))


def application(x, y):
    if x.shape[0] > 32:
        x == y
    y = x + 1


kernel = make(arrangement, application, (Tensor(1), Tensor(1)), tune="off")
"""


def test_a_warning_of_some_block_sizes_is_repeated(user: User) -> None:
    """The kernel is built for the least block size first, of which there is none."""
    user.write("kernels", SPECIALIZED)
    first, second = user.run(CALL), user.run(CALL)
    (warning,) = first["warnings"]
    assert warning[0].startswith("this statement does nothing")
    assert second["imported"] == []
    assert second["warnings"] == [warning]


@pytest.mark.parametrize("is_specialized", [False, True])
def test_memory_that_overlaps(user: User, is_specialized: bool) -> None:
    """Which parameters are written with some block sizes is in the cache."""
    if is_specialized:
        size = "block_size(lower_bound=32, upper_bound=128)"
        branch = "if x.shape[0] < 128:\n        y = x"
        text = KERNELS.replace("y = x * FACTOR + helpers.OFFSET", branch)
        text = text.replace("def arrangement(x, y):", f"def arrangement(x, y, size={size}):")
        for name in "xy":
            text = text.replace(f"size_of({name})", "size")
        user.write("kernels", text)
    program = """
    import kernels
    x, y = Array(100), Array(100, pointer=4100)
    kernels.kernel(x, y)
    """
    first, second = user.run(program), user.run(program)
    assert len(first["warnings"]) == 1
    assert "y is written, and other elements of x lie in" in first["warnings"][0][0]
    assert first["warnings"] == second["warnings"]
    assert "xdsl" in first["imported"]
    assert second["imported"] == []
