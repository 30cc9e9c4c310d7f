"""What CPU tensors are evaluated by, and whether they can be."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from ninetoothed import config as settings
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.calls.arguments import Arguments
from ninetoothed.compiler.compile import lower, pass_options
from ninetoothed.errors import DeviceError
from ninetoothed.ir import nt
from ninetoothed.passes.interchange_reductions import (
    InterchangeReductionsPass,
    interchange,
    legality,
)
from ninetoothed.passes.pipeline import SPECIALIZED, pipeline_text, steps
from ninetoothed.plugins.edited_pipeline import BoundPipeline

_MOST_MODULES = 128
"""Lowered modules that are kept: one has hundreds of ops."""


@dataclass(frozen=True)
class _Lowering:
    """What :func:`lower` takes; of all that is not compared, the text of the passes tells what
    counts. ``is_verified``: as the settings say.
    """

    module: ModuleOp
    passes: str
    is_verified: bool
    signature: Signature = field(compare=False)
    config: Config = field(compare=False)
    full: bool = field(compare=False)
    pipeline: BoundPipeline | None = field(compare=False)


def lowered(
    module: ModuleOp,
    signature: Signature,
    config: Config,
    full: bool = False,
    pipeline: BoundPipeline | None = None,
) -> ModuleOp:
    """A module in stage ``composed`` as :func:`lower` makes it for the CPU, which nobody changes:
    those that were asked for last are kept, since a test runs a kernel with many sizes, and to
    lower it takes longer than to interpret it.

    Raises:
        NineToothedError: as :func:`lower` does.
    """
    options = pass_options(module, signature, config, full=full, pipeline=pipeline)
    text = pipeline_text(steps(SPECIALIZED, options, pipeline))
    one = _Lowering(module, text, settings.verify_ir(), signature, config, full, pipeline)
    # What is to be dumped is made anew.
    return (_lower if settings.dump_ir() is None else _lower.__wrapped__)(one)


@functools.lru_cache(maxsize=_MOST_MODULES)
def _lower(one: _Lowering) -> ModuleOp:
    return lower(one.module, one.signature, one.config, full=one.full, pipeline=one.pipeline)


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
