"""Where tensors lie: on several devices, on one that nothing serves, or nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from ninetoothed.runtime.launch import device
from tests.support.messages import Case, check, each


class Fake:
    """What a kernel asks of a tensor before it is launched."""

    def __init__(self, place: str) -> None:
        self.device = torch.device(place)
        self.dtype = torch.float32
        self.shape = (4,)

    def dim(self) -> int:
        return 1

    def stride(self, dim: int | None = None) -> Any:
        return (1,) if dim is None else 1

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def numel(self) -> int:
        return 4

    def element_size(self) -> int:
        return 4

    def data_ptr(self) -> int:
        return 4096

    def is_neg(self) -> bool:
        return False


@each(
    Case(
        "tensors on different devices",
        """
        def application(x, output):
            output = x


        vectors(application)(Fake("cuda:0"), Fake("cuda:1"))
        """,
        """
        DeviceError: x is on cuda:0, but output is on cuda:1; move all tensors to one device, with output.to('cuda:0')
          File "kernel.py", line 5, column 1, in <module>
            vectors(application)(Fake("cuda:0"), Fake("cuda:1"))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a CUDA tensor beside CPU tensors",
        """
        def application(x, y, output):
            output = x + y


        vectors(application)(torch.ones(4), Fake("cuda:0"), torch.ones(4))
        """,
        """
        DeviceError: x is on cpu, but y is on cuda:0; move all tensors to one device, with y.to('cpu')
          File "kernel.py", line 5, column 1, in <module>
            vectors(application)(torch.ones(4), Fake("cuda:0"), torch.ones(4))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a device that nothing serves",
        """
        def application(x, output):
            output = x


        vectors(application)(Fake("mps:0"), Fake("mps:0"))
        """,
        """
        DeviceError: kernel 'application' was called with tensors on 'mps'; pass tensors on a CUDA or HIP device (`tensor.cuda()`)
          File "kernel.py", line 5, column 1, in <module>
            vectors(application)(Fake("mps:0"), Fake("mps:0"))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "tensors without data",
        """
        def application(x, output):
            output = x


        vectors(application)(torch.ones(4, device="meta"), torch.ones(4, device="meta"))
        """,
        """
        DeviceError: x is on the meta device, which holds no data, and the application reads or writes it; pass a tensor with data
          File "kernel.py", line 5, column 1, in <module>
            vectors(application)(torch.ones(4, device="meta"), torch.ones(4, device="meta"))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "CUDA tensors with backend='interpret'",
        """
        def application(x, output):
            output = x


        vectors(application, backend="interpret")(Fake("cuda:0"), Fake("cuda:0"))
        """,
        """
        DeviceError: the tensors are on cuda:0, and backend='interpret' takes CPU tensors; move them with .cpu(), or leave backend out
          File "kernel.py", line 5, column 1, in <module>
            vectors(application, backend="interpret")(Fake("cuda:0"), Fake("cuda:0"))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "CPU tensors with backend='ttir'",
        """
        def application(x, output):
            output = x


        vectors(application, backend="ttir")(torch.ones(4), torch.ones(4))
        """,
        """
        DeviceError: the tensors are on cpu, and backend='ttir' takes GPU tensors; move them with .cuda(), or leave backend out
          File "kernel.py", line 5, column 1, in <module>
            vectors(application, backend="ttir")(torch.ones(4), torch.ones(4))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_message(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path, Fake=Fake)


class NoCuda:
    """``torch.cuda`` of a torch that was built without it."""

    @staticmethod
    def is_available() -> bool:
        return False

    @staticmethod
    def current_device() -> int:
        raise AssertionError("Torch not compiled with CUDA enabled")


def test_no_gpu_backend_works(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(device, "module", NoCuda)
    case = Case(
        "CUDA tensors where no GPU backend works",
        """
        def application(x, output):
            output = x


        vectors(application)(Fake("cuda:0"), Fake("cuda:0"))
        """,
        """
        DeviceError: torch can use no CUDA or HIP device here (Torch not compiled with CUDA enabled); pass CPU tensors (`tensor.cpu()`), which are evaluated without one, or install a torch built for your GPU
          File "kernel.py", line 5, column 1, in <module>
            vectors(application)(Fake("cuda:0"), Fake("cuda:0"))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    )
    check(case, tmp_path, Fake=Fake)
