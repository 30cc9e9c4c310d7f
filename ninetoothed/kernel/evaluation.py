"""What CPU tensors are evaluated by, and whether they can be."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.calls.arguments import Arguments
from ninetoothed.errors import DeviceError
from ninetoothed.ir import nt
from ninetoothed.passes.interchange_reductions import (
    InterchangeReductionsPass,
    interchange,
    legality,
)


def evaluated(module: ModuleOp) -> ModuleOp:
    """A module in stage ``composed``, or a copy whose flattened reductions are interchanged: lanes
    that run along one dim need no divisions, and a mask of their own only there.
    """
    if legality(nt.kernel_of(module)) is None:
        return module
    found = module.clone()
    kernel = nt.kernel_of(found)
    interchange(kernel, nt.RemarkEmitter(kernel, InterchangeReductionsPass.name))
    return found


def check_data(module: ModuleOp, arguments: Arguments) -> None:
    """Check that the application does not access tensors on the meta device.

    Raises:
        DeviceError: the application reads or writes one.
    """
    kernel = nt.kernel_of(module)
    for param, value, argument in zip(
        arguments.signature.params, arguments.values, kernel.apply.block.args, strict=True
    ):
        if param.kind == "tensor" and value.device.type == "meta" and any(argument.uses):
            raise DeviceError(
                f"{param.name} is on the meta device, which holds no data, and the application "
                "reads or writes it; pass a tensor with data"
            )
