"""What to write instead of torch's names that the language does not have."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
import torch

import ninetoothed
from ninetoothed import Tensor
from ninetoothed.errors import UndefinedNameError, did_you_mean
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.language import torch_names
from ninetoothed.language.methods import NAMES

_ELEMENTWISE = ("relu", "gelu", "silu", "leaky_relu", "softplus", "neg", "square", "reciprocal")
_FUNCTIONS = (*_ELEMENTWISE, "prod", "amax", "amin", "flatten")


def _arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x.tile((16,)), y.tile((16,))


def _make(body: str, folder: Path) -> Kernel:
    text = "import ninetoothed.language as ntl\n\n\ndef application(x, y):\n    y = " + body + "\n"
    path = folder / f"application_{len(list(folder.iterdir()))}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return ninetoothed.make(_arrangement, module.application, (Tensor(1), Tensor(1)))


def _line(name: str) -> str:
    return torch_names.instead_of_function(name).removeprefix("write ")


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_a_line_that_does_it_is_shown_and_works(name: str, tmp_path: Path) -> None:
    for body in (f"x.{name}()", f"ntl.{name}(x)"):
        with pytest.raises(UndefinedNameError) as found:
            _make(body, tmp_path)
        hint = torch_names.instead_of_function(name)
        assert found.value.message.endswith(f"; {hint}")
    _make(_line(name), tmp_path)


@pytest.mark.parametrize("name", _ELEMENTWISE)
def test_the_line_computes_what_torch_does(name: str, tmp_path: Path) -> None:
    x = torch.tensor([-1e4, -100.0, -1.5, -1e-3, 1e-3, 0.5, 20.0, 100.0, 1e4])
    function = getattr(torch, name, None) or getattr(torch.nn.functional, name)
    kernel, y = _make(_line(name), tmp_path), torch.empty_like(x)
    kernel(x, y)
    torch.testing.assert_close(y, function(x))


def test_a_mean_is_of_elements(tmp_path: Path) -> None:
    """A block may have lanes outside of the tensor."""
    with pytest.raises(UndefinedNameError) as found:
        _make("x.mean()", tmp_path)
    assert found.value.message.endswith(
        "; write ntl.sum(x, 0) / n for n elements; x.shape[0] counts lanes outside the tensor, too"
    )
    kernel, y = _make("ntl.sum(x, 0) / x.source.shape[0]", tmp_path), torch.empty(1)
    kernel(torch.arange(5.0), y)
    assert y.tolist() == [2.0]


@pytest.mark.parametrize("name", ["size", "dim", "float", "int", "half"])
def test_methods_have_lines_of_their_own(name: str, tmp_path: Path) -> None:
    with pytest.raises(UndefinedNameError) as found:
        _make(f"x.{name}()", tmp_path)
    hint = torch_names.instead_of_method(name)
    assert hint
    assert found.value.message.endswith(f"; {hint}")
    _make(f"x + {hint.removeprefix('write ')}", tmp_path)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("relu", ""),
        ("var", ""),
        ("mean", ""),
        ("summ", "did you mean sum?"),
        ("reshap", "did you mean reshape?"),
        ("tahn", ""),
        ("broadcast", "did you mean broadcast_to?"),
    ],
)
def test_only_what_is_close_is_suggested(name: str, hint: str) -> None:
    assert did_you_mean(name, sorted(NAMES)) == hint
