"""The transformer of the examples learns the same eagerly, compiled, and with torch's functions."""

from __future__ import annotations

import pytest
import torch

from examples import transformer


# Of torch's own functions: the losses are compared in fp32.
@pytest.mark.filterwarnings("ignore:TensorFloat32 tensor cores")
def test_losses(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformer, "STEPS", 4)
    losses = [
        torch.tensor(
            transformer.train(transformer.SMALL, functions, device, torch.float32, is_compiled)[0]
        )
        for functions in (transformer.OURS, transformer.TORCHS)
        for is_compiled in (False, True)
    ]
    assert losses[0][-1] < losses[0][0]
    for other in losses[1:]:
        torch.testing.assert_close(other, losses[0], rtol=1e-4, atol=1e-5)
