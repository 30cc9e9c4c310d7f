"""``ninetoothed.testing``, and ``NINETOOTHED_INTERPRET_CONFIGS``: every configuration is run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size
from ninetoothed.errors import ArgumentError, ConfigurationError, MismatchError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.testing import check_kernel

SETTING = "NINETOOTHED_INTERPRET_CONFIGS"


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    size = block_size(lower_bound=16, upper_bound=1024)
    return tuple(tensor.tile((size,)) for tensor in tensors)


def steps(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Each row is one program's, in blocks."""
    size = block_size(lower_bound=16, upper_bound=1024)
    return tuple(tensor.tile((1, size)).tile((1, -1)) for tensor in tensors)


def all_of_z(x: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
    """Every program has one block of ``x``, and all of ``z``."""
    tiles = x.tile((block_size(lower_bound=16, upper_bound=64),))
    return tiles, z.tile((-1,)).expand(tiles.shape)


def sum_of(x, y, z):
    z = x + y


def scan(x, z):
    for i in range(x.shape[1]):
        z[0, i] = ntl.cumsum(x[0, i], 1)


def carried_scan(x, z):
    before = ntl.zeros((1, 1), dtype=ntl.float32)
    for i in range(x.shape[1]):
        z[0, i] = before + ntl.cumsum(x[0, i], 1)
        before += ntl.sum(x[0, i], 1, keep_dims=True)


def last_block(x, z):
    """Right where one block holds a row."""
    top = ntl.zeros((1, 1), dtype=ntl.float32)
    for i in range(x.shape[1]):
        top = ntl.max(x[0, i], 1, keep_dims=True)
    for i in range(x.shape[1]):
        z[0, i] = x[0, i] - top


def total(x, z):
    ntl.atomic_add(z.data_ptr(), ntl.sum(x))


def sum_in(x, z):
    z = ntl.sum(x)


def made(
    arrangement: Callable[..., object], application: Callable[..., object], *ndims: int
) -> Kernel:
    return ninetoothed.make(arrangement, application, tuple(Tensor(ndim) for ndim in ndims))


ADD = made(blocks, sum_of, 1, 1, 1)
SCAN = made(steps, scan, 2, 2)
CARRIED = made(steps, carried_scan, 2, 2)
LAST = made(steps, last_block, 2, 2)


def rows(count: int = 2, length: int = 100) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.rand(count, length), torch.empty(count, length)


def cumulated(x: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    return x.cumsum(1)


@pytest.mark.parametrize("levels", [("nt",), "tt", ("nt", "tt")])
def test_every_block_size_is_run(levels: str | Sequence[str]) -> None:
    x, z = rows()
    ran = check_kernel(CARRIED, (x, z), cumulated, levels=levels)
    assert {dict(one.values).popitem()[1] for one in ran} == {16 << k for k in range(7)}


def test_arguments_are_left_as_they_are() -> None:
    x, z = rows()
    before = z.fill_(7).clone()
    check_kernel(CARRIED, (x, z), cumulated)
    assert torch.equal(z, before)


NOT_CARRIED = (
    "48 of 80 elements differ by more than 1e-05 + 1.3e-06 * |expected|, first\n"
    "  at (0, 16): 1.0 and 17.0\n"
    "  at (0, 17): 2.0 and 18.0\n"
    "  at (0, 18): 3.0 and 19.0"
)
"""How ``SCAN`` differs, by blocks of 16, of two rows of 40 ones."""


@pytest.mark.parametrize("levels", [("nt",), ("tt",)])
def test_a_scan_without_a_carry(levels: Sequence[str]) -> None:
    x, z = torch.ones(2, 40), torch.empty(2, 40)
    SCAN(x, z)
    # One block holds a row.
    assert torch.equal(z, x.cumsum(1))
    with pytest.raises(MismatchError) as caught:
        check_kernel(SCAN, (x, z), cumulated, levels=levels)
    (name,) = SCAN.interface.meta
    lowered = ", lowered to tt," if levels == ("tt",) else ""
    assert caught.value.message == (
        f"kernel 'scan' with {name}=16{lowered} gives z other elements than the reference: "
        f"{NOT_CARRIED}"
    )
    assert caught.value.loc is not None
    assert caught.value.loc.file == __file__


@pytest.mark.parametrize("setting", ["all", "2", "random:3"])
def test_a_call_compares_configurations(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, setting)
    x, z = torch.ones(2, 40), torch.empty(2, 40)
    with pytest.raises(MismatchError) as caught:
        SCAN(x, z)
    (name,) = SCAN.interface.meta
    assert caught.value.message == (
        f"kernel 'scan' gives z other elements with {name}=16 than with {name}=64: "
        f"{NOT_CARRIED}\n"
        "results must not depend on block sizes: carry from block to block what a loop needs of "
        "the ones before, give lanes outside of a tensor the value that does not count, with "
        "other=, or declare Tensor(..., allow_races=True) if any program's value will do"
    )
    assert caught.value.loc is not None
    assert caught.value.loc.file == __file__
    monkeypatch.delenv(SETTING)
    SCAN(x, z)


def test_right_for_one_block_only(monkeypatch: pytest.MonkeyPatch) -> None:
    x, z = rows()
    expected = x - x.amax(1, keepdim=True)
    LAST(x, z)
    assert torch.equal(z, expected)
    with pytest.raises(MismatchError, match="gives z other elements than the reference"):
        check_kernel(LAST, (x, z), expected)
    monkeypatch.setenv(SETTING, "all")
    with pytest.raises(MismatchError, match="gives z other elements with"):
        LAST(x, z)


@pytest.mark.parametrize("setting", ["all", "1", "3", "random:0"])
def test_results_that_agree(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, setting)
    x, z = rows()
    CARRIED(x, z)
    torch.testing.assert_close(z, x.cumsum(1))
    x = torch.rand(1000, dtype=torch.float16)
    # In place, and with memory shared by two arguments.
    expected = x + x
    ADD(x, x, x)
    assert torch.equal(x, expected)


def test_one_configuration_is_only_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "1")
    x, z = torch.ones(2, 40), torch.empty(2, 40)
    SCAN(x, z)
    assert torch.equal(z, x.cumsum(1))


def test_sums_of_other_orders_are_close(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = ninetoothed.make(all_of_z, total, (Tensor(1), Tensor(1)))
    monkeypatch.setenv(SETTING, "all")
    x, z = torch.rand(1000), torch.zeros(1)
    kernel(x, z)
    torch.testing.assert_close(z, x.sum().reshape(1))


def test_races_that_are_allowed_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "all")
    x, z = torch.rand(60), torch.zeros(1)
    allowed = ninetoothed.make(all_of_z, sum_in, (Tensor(1), Tensor(1, allow_races=True)))
    allowed(x, z)
    with pytest.warns(ninetoothed.RaceWarning):
        racing = ninetoothed.make(all_of_z, sum_in, (Tensor(1), Tensor(1)))
    with pytest.raises(MismatchError):
        racing(x, z)


def test_an_error_of_one_configuration_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def asserted(x, z):
        ntl.device_assert(ntl.sum(x) > 20, "few")
        z = x + 0

    kernel = made(blocks, asserted, 1, 1)
    x, z = torch.ones(64), torch.empty(64)
    kernel(x, z)
    monkeypatch.setenv(SETTING, "all")
    (name,) = kernel.interface.meta
    with pytest.raises(ninetoothed.errors.AssertionFailedError, match=rf"few.* \(with {name}=16\)"):
        kernel(x, z)


@pytest.mark.parametrize("text", ["", " ", "All", "0", "-1", "random", "random:x", "1.5"])
def test_setting(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, text)
    x, z = rows()
    if not text.strip():
        CARRIED(x, z)
        return
    with pytest.raises(ConfigurationError) as caught:
        CARRIED(x, z)
    assert caught.value.message == (
        f"{SETTING} must be all, a number of configurations, or random:SEED, as random:0, for 8 of "
        f"them, not {text!r}"
    )


@pytest.mark.parametrize(
    ("configs", "sizes"),
    [(1, [128]), (2, [128, 16]), ("3", [128, 16, 1024]), (100, None), ("random:1", None)],
)
def test_samples(configs: Any, sizes: list[int] | None) -> None:
    x, z = rows()
    ran = check_kernel(CARRIED, (x, z), cumulated, configs=configs)
    found = [dict(one.values).popitem()[1] for one in ran]
    # A row of 100 elements is one block of 128.
    assert found == (sizes or [128, 16, 32, 64, 256, 512, 1024])


def test_references() -> None:
    x, y, z = torch.rand(100), torch.rand(100), torch.empty(100)

    def in_place(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> None:
        torch.add(x, y, out=z)

    for reference in (
        lambda x, y, z: x + y,
        lambda x, y, z: {"z": x.double() + y.double()},
        lambda x, y, z: [x + y],
        in_place,
        x + y,
        (x + y,),
        {"z": x + y, "x": x},
    ):
        check_kernel(ADD, (x, y, z), reference, configs=2)
    check_kernel(ADD, (x,), lambda x, y, z: x + y, kwargs={"y": y, "z": z}, configs=2)
    with pytest.raises(MismatchError, match="gives y other elements"):
        check_kernel(ADD, (x, y, z), {"z": x + y, "y": x})

    def elsewhere(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> None:
        torch.add(x, y, out=x)

    with pytest.raises(MismatchError, match="gives x other elements"):
        check_kernel(ADD, (x, y, z), elsewhere)


def test_tolerances() -> None:
    x, y, z = torch.rand(100), torch.rand(100), torch.empty(100)
    near = (x + y) * (1 + 1e-4)
    with pytest.raises(MismatchError):
        check_kernel(ADD, (x, y, z), near)
    check_kernel(ADD, (x, y, z), near, rtol=1e-3)
    numbers = torch.arange(100)
    with pytest.raises(
        MismatchError, match="1 of 100 elements differs, first\n  at \\(99,\\): 198"
    ):
        check_kernel(ADD, (numbers, numbers, numbers), torch.where(numbers == 99, 199, 2 * numbers))


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.bfloat16, torch.uint64, torch.bool])
def test_element_types(dtype: torch.dtype) -> None:
    def itself(x, z):
        z = x

    kernel = made(blocks, itself, 1, 1)
    x = torch.randint(0, 2, (100,)).to(dtype)
    check_kernel(kernel, (x, torch.zeros_like(x)), x.clone())


X = torch.zeros(4)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"reference": (X, X)},
            "the kernel writes to 1 argument (z), but the reference gives 2; give one for each in "
            "this order, a dict of some by name, or a function that writes into its arguments and "
            "returns None",
        ),
        (
            {"reference": {"out": X}},
            "out is no tensor of the kernel, which has x, y, z",
        ),
        ({"reference": [1.0]}, "the reference gives z a float; give a torch tensor"),
        (
            {"reference": torch.zeros(3)},
            "z has the shape (4,), and the reference gives it (3,); give it the argument's shape",
        ),
        (
            {"reference": None},
            "the reference is None; give a function, or a tensor for each argument that the kernel "
            "writes to",
        ),
        ({"levels": ("ttir",)}, 'levels must be "nt", "tt" or both, not (\'ttir\',)'),
        ({"levels": "ttir"}, 'levels must be "nt", "tt" or both, not (\'ttir\',)'),
        (
            {"configs": 0},
            "configs must be all, a number of configurations, or random:SEED, as random:0, for 8 "
            "of them, not 0",
        ),
        ({"kernel": sum_of}, "check_kernel takes a kernel, which make returns, not a function"),
    ],
)
def test_errors(given: dict[str, Any], message: str) -> None:
    asked: dict[str, Any] = {"kernel": ADD, "args": (X, X, X), "reference": X, **given}
    with pytest.raises((ArgumentError, ConfigurationError)) as caught:
        check_kernel(**asked)
    assert caught.value.message == message
    assert caught.value.loc is not None
    assert caught.value.loc.file == __file__


def test_an_output_that_decides_the_block_size() -> None:
    """Block sizes that do not fit the call are left out."""

    def arrangement(x, out):
        size = block_size(lower_bound=32, upper_bound=256)
        return x.tile((size,)), out.tile((1,))

    def sums(x, out):
        out = ntl.sum(x)

    kernel = made(arrangement, sums, 1, 1)
    x, out = torch.ones(1000), torch.empty(16)
    ran = check_kernel(kernel, (x, out), torch.tensor([64.0] * 15 + [40.0]))
    assert [[value for _, value in one.values] for one in ran] == [[64]]


def test_jagged_tensors() -> None:
    def arrangement(x, z):
        size = block_size(lower_bound=16, upper_bound=64)
        return x.tile((1, size)), z.tile((1, size))

    def doubled(x, z):
        z = x + x

    kernel = ninetoothed.make(
        arrangement, doubled, (Tensor(2, jagged_dim=1), Tensor(2, jagged_dim=1))
    )
    x = torch.nested.nested_tensor([torch.rand(5), torch.rand(70)], layout=torch.jagged)
    z = torch.zeros_like(x)
    check_kernel(kernel, (x, z), lambda x, z: x + x)
    with pytest.raises(MismatchError):
        check_kernel(kernel, (x, z), lambda x, z: x)


@pytest.mark.gpu
def test_gpu() -> None:
    x, z = (one.cuda() for one in rows(length=300))
    ran = check_kernel(CARRIED, (x, z), cumulated)
    assert len({one.values for one in ran}) == 7
    assert len({one.num_warps for one in ran}) > 1
    with pytest.raises(MismatchError, match="num_warps="):
        check_kernel(SCAN, (x, z), cumulated, configs="random:0")
    assert len(check_kernel(CARRIED, (x, z), cumulated, configs=2)) == 2


def beside(x, z):
    ntl.store(z.data_ptr() + 300 + ntl.arange(0, 2), 1.0)
    z = x


@pytest.mark.gpu
def test_a_write_beside_a_tensor_is_found() -> None:
    x, z = torch.rand(300, device="cuda"), torch.empty(300, device="cuda")
    with pytest.raises(MismatchError) as caught:
        check_kernel(made(blocks, beside, 1, 1), (x, z), lambda x, z: x, configs=1)
    assert "writes outside of z: 0 bytes behind its memory" in str(caught.value)
