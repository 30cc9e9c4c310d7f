"""Kernels that are copied and pickled, alone and in modules, also for another process."""

from __future__ import annotations

import copy
import io
import multiprocessing
import pickle
from typing import Any

import pytest
import torch

import ninetoothed
from ninetoothed import Tensor
from ninetoothed.errors import SerializationError
from tests.e2e import picklable
from tests.e2e.picklable import TENSORS, Scaled, arrangement, doubled

HIDDEN_ARRANGEMENT, HIDDEN_APPLICATION = picklable.hidden()

KERNELS = {
    "functions": (arrangement, doubled, 2),
    "an arrangement that cannot be imported": (HIDDEN_ARRANGEMENT, doubled, 2),
    "a lambda": (lambda x, output: (x.tile((16,)), output.tile((16,))), doubled, 2),
    "a partial": (arrangement, picklable.half, 0.5),
    "methods": (Scaled(3).arrange, Scaled(3).apply, 3),
    "an object": (arrangement, Scaled(3), 3),
    "a method of a class": (arrangement, Scaled.of_class, 2),
}


def scaled(kernel: Any, device: str = "cpu", **constexprs: int) -> float:
    x, output = torch.arange(1, 65, device=device).float(), torch.zeros(64, device=device)
    kernel(x, output, **constexprs)
    ratio = output / x
    assert torch.equal(ratio, ratio[:1].expand(64))
    return ratio[0].item()


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(device: str, name: str) -> None:
    arrangement, application, factor = KERNELS[name]
    kernel = ninetoothed.make(arrangement, application, TENSORS)
    again = pickled(kernel)
    assert again is not kernel
    # One that was not used yet is pickled, too.
    for found in (again, pickled(pickled(kernel)), pickled(again)):
        assert scaled(found, device) == factor
        assert repr(found) == repr(kernel)


def test_a_kernel_of_jit_is_imported() -> None:
    assert pickled(picklable.by_jit) is picklable.by_jit
    kernel = ninetoothed.jit(picklable.tripled)
    assert scaled(pickled(kernel)) == 3


def test_copies_are_the_kernel() -> None:
    """Also of one that cannot be pickled."""
    kernel = ninetoothed.make(arrangement, HIDDEN_APPLICATION, TENSORS)
    assert copy.copy(kernel) is copy.deepcopy(kernel) is kernel
    again = pickled(ninetoothed.make(arrangement, doubled, TENSORS))
    assert copy.deepcopy(again) is again


def test_options_are_kept() -> None:
    kernel = ninetoothed.make(
        *(picklable.with_symbol, doubled, TENSORS),
        kernel_name="named",
        num_warps=(2, 4),
        backend="interpret",
    )
    again = pickled(kernel)
    assert again.__name__ == "named"
    assert scaled(again, SIZE=8) == 2
    assert again.ir("arranged", values={"SIZE": 8}) == kernel.ir("arranged", values={"SIZE": 8})
    again = pickled(ninetoothed.make(arrangement, doubled, TENSORS, num_warps=2))
    assert {config.num_warps for config in again.configs} == {2}


def test_an_arrangement_that_assigns_to_its_tensors() -> None:
    """It is run again on what it was given."""
    kernel = ninetoothed.make(picklable.assigning, doubled, (Tensor(1), Tensor(1)))
    assert scaled(kernel) == scaled(pickled(kernel)) == 2


def test_arranged_tensors_that_are_changed_later() -> None:
    x, output = Tensor(1), Tensor(1)
    kernel = ninetoothed.make(lambda x, output: (x, output), picklable.doubled, (x, output))
    x.shape = (3,)
    again = pickled(kernel)
    assert again.ir("arranged") == kernel.ir("arranged")


def test_what_is_no_tensor() -> None:
    def rows(x, output, window):
        return x[window].tile((16,)), output.tile((16,))

    tensors = (Tensor(1), Tensor(1), slice(0, 64))
    assert scaled(pickled(ninetoothed.make(rows, doubled, tensors))) == 2


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
def test_modules(device: str, copied: Any) -> None:
    module = picklable.Module(3)
    x = torch.arange(20.0, device=device)
    again = copied(module)
    assert again.weight is not module.weight
    assert torch.equal(again(x), x * 12)


def test_modules_that_torch_saves() -> None:
    file = io.BytesIO()
    torch.save(picklable.Module(5), file)
    file.seek(0)
    x = torch.arange(20.0)
    assert torch.equal(torch.load(file, weights_only=False)(x), x * 20)


def test_another_process() -> None:
    context = multiprocessing.get_context("spawn")
    kernel = ninetoothed.make(HIDDEN_ARRANGEMENT, Scaled(3).apply, TENSORS)
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=picklable.called, args=(kernel, sending))
    process.start()
    assert receiving.recv() == [3.0 * i for i in range(20)]
    process.join()
    assert process.exitcode == 0


def test_an_application_that_cannot_be_imported() -> None:
    kernel = ninetoothed.make(arrangement, HIDDEN_APPLICATION, TENSORS)
    with pytest.raises(SerializationError) as caught:
        pickle.dumps({"kernel": kernel})
    message, place, line, _ = str(caught.value).split("\n")
    assert message == (
        "the kernel of application cannot be pickled, for another process would not find "
        "tests.e2e.picklable.hidden.<locals>.application; define it at the top level of a module, "
        "under that name"
    )
    assert picklable.__file__ in place
    assert line == "    def application(x, output):"


def test_an_object_that_cannot_be_imported() -> None:
    class Local(Scaled):
        pass

    kernel = ninetoothed.make(arrangement, Local(2).apply, TENSORS)
    with pytest.raises(SerializationError, match=r"find .*<locals>\.Local; define it"):
        pickle.dumps(kernel)


def test_an_attribute_that_a_kernel_does_not_have() -> None:
    kernel = ninetoothed.make(arrangement, doubled, TENSORS)
    for found in (kernel, pickled(kernel)):
        with pytest.raises(AttributeError, match="a kernel has no attribute sources"):
            _ = found.sources
