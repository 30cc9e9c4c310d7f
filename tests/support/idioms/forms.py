"""Ways to write an arrangement and to give it what it takes."""

from __future__ import annotations

import copy
import enum
import functools

import torch

import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor, block_size
from tests.support.idioms.idiom import Call, Idiom, gapped, nan, randn, transposed

BLOCK_SIZE = block_size(lower_bound=16, upper_bound=128)


def vectors() -> list[Call]:
    """Calls with two inputs and an output."""
    return [
        (randn(256), randn(256) + 1, nan(256)),
        (randn(77), gapped(randn(77)), gapped(nan(77))),
        (randn(1), randn(1), nan(1)),
    ]


def subtract_application(input, other, output):
    output = input - other


def difference(input, other, output):
    return input.double() - other.double()


# Tensors dropped and reordered.


def reordered_arrangement(output, unused, other, input):
    return tuple(tensor.tile((BLOCK_SIZE,)) for tensor in (input, other, output))


# The order of the arguments is that of what is returned, whatever the names say.


def swapped_arrangement(input, other, output):
    return other.tile((BLOCK_SIZE,)), input.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))


# A name that is nearly the output's: nothing is stored.


def misspelled_application(input, other, output):
    ouput = input - other


# Partials, static methods, tensors as *tensors, lists.


def blocks_arrangement(*tensors, block_size=32):
    return [tensor.tile((block_size,)) for tensor in tensors]


class Arrangements:
    """A namespace of arrangements."""

    @staticmethod
    def blocks(input, other, output, block_size=BLOCK_SIZE):
        return [tensor.tile((block_size,)) for tensor in (input, other, output)]


# A tensor in two arrangements: the call gives it twice.


def neighbours_arrangement(input, output):
    return input[1:].tile((BLOCK_SIZE,)), input[:-1].tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))


def neighbours_arguments() -> list[Call]:
    inputs = (randn(65), randn(78), gapped(randn(78)))
    return [(input, input, nan(input.shape[0] - 1)) for input in inputs]


def neighbours_reference(input, same, output):
    return input.double().diff()


# A copy of an arranged tensor, arranged on: the same argument, in another form.


def copied_arrangement(input):
    rows = input.tile((1, BLOCK_SIZE))
    copied = copy.deepcopy(rows)
    copied.dtype = copied.dtype.squeeze(0)
    return rows, copied


def double_application(rows, copied):
    copied = ntl.sum(rows, axis=0) * 2


def copied_arguments() -> list[Call]:
    inputs = (randn(4, 32), randn(3, 37), transposed(randn(3, 37)), gapped(randn(2, 130)))
    return [(input, input) for input in inputs]


# Sizes that the author fixes, and options of sizes.


def fixed_arrangement(*tensors):
    for tensor in tensors:
        tensor.shape = (*tensor.shape[:-1], 64)
    return tuple(tensor.tile((1, -1)) for tensor in tensors)


def normalize_application(input, output):
    average = ntl.sum(input, axis=1, keep_dims=True) / input.shape[1]
    output = input - average


def normalized(input, output):
    return input.double() - input.double().mean(1, keepdim=True)


def matrices(*rows: int, columns: int) -> list[Call]:
    exact, ragged = ((randn(count, columns), nan(count, columns)) for count in rows)
    return [exact, ragged, (transposed(ragged[0]), gapped(ragged[1]))]


def rows_arrangement(*tensors):
    return tuple(tensor.tile((1, -1)) for tensor in tensors)


# Scalars: first, known when compiling, of enumerations and bools.


def scalar_first_arrangement(alpha, input, beta, output):
    return alpha, input.tile((BLOCK_SIZE,)), beta, output.tile((BLOCK_SIZE,))


def linear_application(alpha, input, beta, output):
    output = alpha * input + beta


def linear_arguments() -> list[Call]:
    return [
        (2.5, randn(128), -1, nan(128)),
        (torch.tensor(0.5), randn(33), torch.tensor(3), gapped(nan(33))),
    ]


class Activation(enum.IntEnum):
    """Activation of the result."""

    NONE = 0
    RELU = 1
    SQUARE = 2


def choice_arrangement(input, activation, negated, output):
    return input.tile((BLOCK_SIZE,)), activation, negated, output.tile((BLOCK_SIZE,))


def choice_application(input, activation, negated, output):
    result = input
    if activation == Activation.RELU:
        result = ntl.maximum(result, 0.0)
    elif activation == Activation.SQUARE:
        result = result * result
    output = -result if negated else result


def choice_reference(input, activation, negated, output):
    result = input.double()
    if activation == Activation.RELU:
        result = result.clamp_min(0)
    elif activation == Activation.SQUARE:
        result = result * result
    return -result if negated else result


def choice_arguments() -> list[Call]:
    return [
        (randn(100 + 50 * int(activation)), activation, negated, nan(100 + 50 * int(activation)))
        for activation in Activation
        for negated in (False, True)
    ]


class Border(enum.Enum):
    """Treatment of numbers beyond a border."""

    KEEP = "keep"
    CLIP = 3
    ZERO = 5


def border_arrangement(input, output, border, negated):
    return input.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,)), border, negated


def border_application(input, output, border, negated):
    if border is Border.CLIP:
        result = ntl.minimum(input, 0.5)
    elif border == Border.ZERO.value:
        result = ntl.where(input < 0.5, input, 0.0)
    else:
        result = input
    output = -result if negated else result


def border_arguments() -> list[Call]:
    return [(randn(128), nan(128)), (gapped(randn(77)), gapped(nan(77)))]


# An operand that a kernel can do without is on the meta device.


def optional_arrangement(input, bias, has_bias, output):
    return input.tile((BLOCK_SIZE,)), bias.tile((BLOCK_SIZE,)), has_bias, output.tile((BLOCK_SIZE,))


def optional_application(input, bias, has_bias, output):
    output = input + bias if has_bias else input


def optional_arguments() -> list[Call]:
    return [
        (randn(64), randn(64) + 1, True, nan(64)),
        (randn(77), torch.empty(77, device="meta"), False, nan(77)),
    ]


def optional_reference(input, bias, has_bias, output):
    return input.double() + bias.double() if has_bias else input.double()


THREE = (Tensor(1), Tensor(1), Tensor(1))
WIDTH = Symbol("WIDTH", constexpr=True)


def options_idiom(name: str, shape_options) -> Idiom:
    return Idiom(
        name,
        rows_arrangement,
        normalize_application,
        lambda: matrices(4, 3, columns=50),
        normalized,
        tensors=(Tensor(2, other=0, shape_options=shape_options), Tensor(2)),
    )


IDIOMS = (
    Idiom(
        "dropped_and_reordered_tensors",
        reordered_arrangement,
        subtract_application,
        vectors,
        difference,
        tensors=tuple(Tensor(1) for _ in range(4)),
    ),
    Idiom(
        "a_partial_of_tensors_in_a_list",
        functools.partial(blocks_arrangement, block_size=BLOCK_SIZE),
        subtract_application,
        vectors,
        difference,
        tensors=list(THREE),
    ),
    Idiom(
        "an_order_that_names_contradict",
        swapped_arrangement,
        subtract_application,
        vectors,
        difference,
        warns="ArgumentOrderWarning",
    ),
    Idiom(
        "a_misspelled_output",
        blocks_arrangement,
        misspelled_application,
        vectors,
        lambda input, other, output: (),
        outputs=(),
        warns="UnusedValueWarning",
    ),
    Idiom("all_tensors_at_once", blocks_arrangement, subtract_application, vectors, difference),
    Idiom("a_static_method", Arrangements.blocks, subtract_application, vectors, difference),
    Idiom(
        "a_number_of_lanes_by_keyword",
        functools.partial(blocks_arrangement, block_size=WIDTH),
        subtract_application,
        vectors,
        difference,
        keywords={"WIDTH": 48},
    ),
    Idiom(
        "one_tensor_twice",
        neighbours_arrangement,
        subtract_application,
        neighbours_arguments,
        neighbours_reference,
        tensors=(Tensor(1), Tensor(1)),
    ),
    Idiom(
        "a_deep_copy",
        copied_arrangement,
        double_application,
        copied_arguments,
        lambda rows, copied: (2 * rows.double(), 2 * rows.double()),
        tensors=(Tensor(2, other=0),),
        outputs=(0, 1),
    ),
    Idiom(
        "a_size_fixed_by_assignment",
        fixed_arrangement,
        normalize_application,
        lambda: matrices(4, 7, columns=64),
        normalized,
    ),
    options_idiom("shape_options_for_all_dims", {"constexpr": True}),
    options_idiom("shape_options_a_dim", (None, {"constexpr": True, "upper_bound": 128})),
    options_idiom("shape_options_of_a_generator", ({"constexpr": dim == 1} for dim in range(2))),
    Idiom(
        "scalars_anywhere",
        scalar_first_arrangement,
        linear_application,
        linear_arguments,
        lambda alpha, input, beta, output: float(alpha) * input.double() + float(beta),
    ),
    Idiom(
        "enumerations_and_bools",
        choice_arrangement,
        choice_application,
        choice_arguments,
        choice_reference,
        tensors=(Tensor(1), Tensor(0, constexpr=True), Tensor(0, constexpr=True), Tensor(1)),
        values={"activation": Activation.RELU, "negated": True},
    ),
    *(
        Idiom(
            f"enumerations_by_keyword_{border.name}".lower(),
            border_arrangement,
            border_application,
            border_arguments,
            lambda input, output, border=border: (
                -torch.where(input < 0.5, input, 0.5 if border is Border.CLIP else 0).double()
            ),
            tensors=(Tensor(1), Tensor(1), Tensor(0, constexpr=True), Tensor(0, constexpr=True)),
            outputs=(1,),
            keywords={"border": border, "negated": True},
        )
        for border in (Border.CLIP, Border.ZERO)
    ),
    Idiom(
        "an_unused_operand_on_the_meta_device",
        optional_arrangement,
        optional_application,
        optional_arguments,
        optional_reference,
        tensors=(Tensor(1), Tensor(1), Tensor(0, constexpr=True), Tensor(1)),
        values={"has_bias": True},
    ),
)
