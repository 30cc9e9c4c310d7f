"""Losses: a number a row, or summed over everything, and their gradients."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.idioms.arranged import BLOCK_SIZE, blocks, row, rows
from tests.support.idioms.idiom import Call, Idiom, gapped, integers, nan, randn, transposed


def targets() -> list[Call]:
    """A prediction, a target of other numbers, and the loss of each row."""
    x = randn(3, 37)
    return [
        (randn(4, 32), randn(4, 32).flip(0) * 1.5, nan(4)),
        (transposed(x), gapped(x.flip(1) * 1.5), gapped(nan(3))),
    ]


def mse(input, target, output):
    difference = input - target
    output = ntl.sum(difference * difference) / input.shape[0]


def mse_reference(input, target, output):
    return torch.from_numpy(((input - target).double().numpy() ** 2).mean(1))


def huber(input, target, delta, output):
    difference = ntl.abs(input - target)
    near = 0.5 * difference * difference
    far = delta * (difference - 0.5 * delta)
    output = ntl.where(difference <= delta, near, far)


def huber_arguments() -> list[Call]:
    return [(input, target, 0.75, gapped(nan(*input.shape))) for input, target, _ in targets()]


def huber_reference(input, target, delta, output):
    return F.huber_loss(input.double(), target.double(), reduction="none", delta=delta)


def bce_with_logits(input, target, output):
    largest = ntl.maximum(input, 0.0)
    output = largest - input * target + ntl.log(1 + ntl.exp(-ntl.abs(input)))


def bce_arguments() -> list[Call]:
    return [(input, target.sigmoid(), nan(*input.shape)) for input, target, _ in targets()]


def bce_reference(input, target, output):
    return F.binary_cross_entropy_with_logits(input.double(), target.double(), reduction="none")


def kl_divergence(input, target, output):
    """``input`` are logarithms; where the target is 0, nothing is added."""
    logarithm = ntl.log(ntl.where(target > 0, target, 1.0))
    output = ntl.sum(ntl.where(target > 0, target * (logarithm - input), 0.0))


def kl_arguments() -> list[Call]:
    return [(input.log_softmax(1), F.relu(target), output) for input, target, output in targets()]


def kl_reference(input, target, output):
    return F.kl_div(input.double(), target.double(), reduction="none").sum(1)


# Classes by number: the row's element that the label names.


def nll(input, label, output):
    lane = ntl.arange(0, input.shape[0])
    output = -ntl.sum(ntl.where(lane == label, input, 0.0))


def labels() -> list[Call]:
    return [
        (randn(4, 32).log_softmax(1), integers(0, 32, 4), nan(4)),
        (transposed(randn(3, 37).log_softmax(1)), gapped(integers(0, 37, 3)), gapped(nan(3))),
    ]


def nll_reference(input, label, output):
    return torch.from_numpy(-input.double().numpy()[np.arange(len(label)), label.numpy()])


IGNORED = -100


def cross_entropy(input, label, output, smoothing):
    """With smoothed labels; rows of an ignored label give 0."""
    shifted = input - ntl.max(input)
    logarithms = shifted - ntl.log(ntl.sum(ntl.exp(shifted)))
    lane = ntl.arange(0, input.shape[0])
    chosen = ntl.sum(ntl.where(lane == label, logarithms, 0.0))
    average = ntl.sum(logarithms) / input.shape[0]
    loss = -(1 - smoothing) * chosen - smoothing * average
    output = loss if label != IGNORED else 0.0


def cross_entropy_arguments() -> list[Call]:
    return [
        (randn(4, 32), torch.tensor([3, IGNORED, 31, 0]), nan(4), 0.0),
        (transposed(randn(3, 37)), gapped(torch.tensor([36, 1, IGNORED])), gapped(nan(3)), 0.1),
    ]


def cross_entropy_reference(input, label, output, smoothing):
    return F.cross_entropy(
        input.double(), label, reduction="none", label_smoothing=smoothing, ignore_index=IGNORED
    )


def cross_entropy_backward(input, label, output):
    exponential = ntl.exp(input - ntl.max(input))
    lane = ntl.arange(0, input.shape[0])
    chosen = (lane == label).to(ntl.float32)
    output = exponential / ntl.sum(exponential) - chosen


def backward_arguments() -> list[Call]:
    return [(input, label, nan(*input.shape)) for input, label, _ in labels()]


def backward_reference(input, label, output):
    result = torch.softmax(input.double(), 1).numpy()
    result[np.arange(len(label)), label.numpy()] -= 1
    return torch.from_numpy(result)


# A triplet of an anchor, one like it and another, of rows that are too long for one block.


def triplet_arrangement(anchor, like, other, margin, output):
    def features(tensor):
        arranged = tensor.tile((1, BLOCK_SIZE)).tile((1, -1)).squeeze(1)
        arranged.dtype = arranged.dtype.squeeze(0)
        return arranged

    return features(anchor), features(like), features(other), margin, row(output)


def triplet(anchor, like, other, margin, output):
    near = ntl.zeros((1,), dtype=ntl.float32)
    far = ntl.zeros((1,), dtype=ntl.float32)
    for i in range(anchor.shape[0]):
        near += ntl.sum((anchor[i] - like[i]) * (anchor[i] - like[i]), axis=1)
        far += ntl.sum((anchor[i] - other[i]) * (anchor[i] - other[i]), axis=1)
    loss = ntl.sqrt(near) - ntl.sqrt(far) + margin
    output = ntl.sum(ntl.maximum(loss, 0.0))


def triplet_arguments() -> list[Call]:
    return [(x, y, x.flip(0), 0.5, output) for x, y, output in targets()]


def triplet_reference(anchor, like, other, margin, output):
    a, p, n = (t.double().numpy() for t in (anchor, like, other))
    distances = np.linalg.norm(a - p, axis=1) - np.linalg.norm(a - n, axis=1)
    return torch.from_numpy(np.maximum(distances + margin, 0))


IDIOMS = (
    Idiom("mean_squared_error", rows, mse, targets, mse_reference),
    Idiom("huber_loss", blocks, huber, huber_arguments, huber_reference),
    Idiom("bce_with_logits", blocks, bce_with_logits, bce_arguments, bce_reference),
    Idiom("kl_divergence", rows, kl_divergence, kl_arguments, kl_reference),
    Idiom("nll_loss", rows, nll, labels, nll_reference),
    Idiom(
        "cross_entropy_of_smoothed_labels",
        rows,
        cross_entropy,
        cross_entropy_arguments,
        cross_entropy_reference,
        outputs=(2,),
    ),
    Idiom(
        "cross_entropy_backward",
        rows,
        cross_entropy_backward,
        backward_arguments,
        backward_reference,
    ),
    Idiom(
        "triplet_margin",
        triplet_arrangement,
        triplet,
        triplet_arguments,
        triplet_reference,
        tensors=(*(Tensor(2, other=0) for _ in range(3)), Tensor(0), Tensor(1)),
    ),
)
