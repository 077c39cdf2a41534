"""Models for ONNX runtimes: the same predictions, without Harmony.

The graph has an input for each column that features read, of n rows and one column: `double` for a
number (NaN where it is missing), `string`, `int64` or `bool` for a value.  A value that the feature
does not list, a missing one as well, counts as the feature's `unlisted`, or adds nothing; so does
a pair of which one is missing.  Outputs are `label`
(the number, or the class) and, for classes, `scores` and `probabilities` (logistic loss).
Everything is computed in doubles, in the order of the features.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..attributes import Attribute, Categorical, Numeric
from ..errors import HarmonyError
from .crosses import Binned, Cross
from .score import Score
from .training import Training

if TYPE_CHECKING:
    from onnx import ModelProto

OPSET, IR_VERSION = 19, 9
"""Old enough for runtimes in use; from this opset on texts can be compared."""


def to_onnx(training: Training, scores: Sequence[Score]) -> ModelProto:
    """Return the model with one score, or one for each class."""
    try:
        import onnx
    except ImportError:
        raise HarmonyError("to_onnx needs onnx: pip install 'harmony-ldp[onnx]'") from None
    graph = _Graph()
    total = graph.constant(np.array([[score.intercept for score in scores]]))
    for place, feature in enumerate(training.features):
        blocks = [score.blocks[place] for score in scores]
        if isinstance(feature, Numeric):
            seen = [score.features[place] for score in scores]
            added = _number(graph, feature, seen, blocks)
        else:
            weights = graph.constant(np.column_stack(blocks))
            added = graph.node("MatMul", _levels(graph, feature), weights)
        total = graph.node("Add", total, added)
    _outputs(graph, training, total)
    helper = onnx.helper
    model = helper.make_model(
        helper.make_graph(graph.nodes, training.name, graph.inputs, graph.outputs, graph.constants),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="harmony",
    )
    onnx.checker.check_model(model)
    return model


class _Graph:
    """The parts of a graph, and names for what flows between them."""

    def __init__(self) -> None:
        import onnx

        self._onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []

    def node(self, operator: str, *inputs: str, output: str = "", **options: Any) -> str:
        name = output or f"value {len(self.nodes)}"
        make = self._onnx.helper.make_node
        self.nodes.append(make(operator, list(inputs), [name], **options))
        return name

    def constant(self, values: NDArray[Any]) -> str:
        name = f"constant {len(self.constants)}"
        self.constants.append(self._onnx.numpy_helper.from_array(values, name))
        return name

    def input(self, column: Attribute, values: NDArray[Any]) -> str:
        """Take n rows and one column of values of this type; once, unless it has two types."""
        known = {one.name: one for one in self.inputs}
        for name in (column.source, column.name):
            asked = self._of_type(name, values, ["rows", 1])
            if name not in known:
                self.inputs.append(asked)
            if known.get(name, asked) == asked:
                return name
        raise HarmonyError(f"{column.name}: a feature reads this as another type")

    def output(self, name: str, values: NDArray[Any], columns: int) -> None:
        self.outputs.append(self._of_type(name, values, ["rows", columns]))

    def double(self, name: str) -> str:
        return self.node("Cast", name, to=self._onnx.TensorProto.DOUBLE)

    def number(self, column: Attribute, missing: NDArray[Any]) -> str:
        """Take a number, and what counts where it is missing."""
        number = self.input(column, missing)
        return self.node("Where", self.node("IsNaN", number), self.constant(missing), number)

    def _of_type(self, name: str, values: NDArray[Any], shape: list[Any]) -> Any:
        kind = self._onnx.helper.np_dtype_to_tensor_dtype(values.dtype)
        return self._onnx.helper.make_tensor_value_info(name, kind, shape)


def _number(
    graph: _Graph, feature: Attribute, seen: Sequence[Attribute], blocks: Sequence[Any]
) -> str:
    """Add a number, clipped and scaled in the range in which each score sees it."""
    low, high = (np.array([[getattr(one, end) for one in seen]]) for end in ("low", "high"))
    half = (high - low) / 2
    middle = low + half
    missing = np.array(
        [
            [
                at if one.missing is None else one.missing
                for one, at in zip(seen, middle[0], strict=True)
            ]
        ]
    )
    centred = graph.node("Sub", graph.number(feature, missing), graph.constant(middle))
    scaled = graph.node("Div", centred, graph.constant(half))
    ends = graph.constant(np.array(-1.0)), graph.constant(np.array(1.0))
    clipped = graph.node("Clip", scaled, *ends)
    return graph.node("Mul", clipped, graph.constant(np.array(blocks).T.reshape(1, -1)))


def _levels(graph: _Graph, feature: Attribute) -> str:
    """Return a row of zeros with a one at the place of the value, bin or pair; zeros for none."""
    if isinstance(feature, Cross):
        first, second = (_levels(graph, part) for part in feature.parts)
        rows = graph.node("Unsqueeze", first, graph.constant(np.array([2])))
        columns = graph.node("Unsqueeze", second, graph.constant(np.array([1])))
        shape = graph.constant(np.array([0, len(feature.values)]))  # as many rows as there are
        return graph.node("Reshape", graph.node("Mul", rows, columns), shape)
    if isinstance(feature, Binned):
        return _bins(graph, feature.number)
    assert isinstance(feature, Categorical)
    values = _array(feature.values)
    given = graph.input(feature, values)
    if values.dtype == np.bool_:  # which not every runtime compares
        values, given = values.astype(np.float64), graph.double(given)
    is_listed = graph.double(graph.node("Equal", given, graph.constant(values[None, :])))
    if feature.unlisted is None:
        return is_listed
    ones = graph.constant(np.ones((len(values), 1)))
    unlisted = graph.node(
        "Sub", graph.constant(np.ones((1, 1))), graph.node("MatMul", is_listed, ones)
    )
    place = np.eye(len(values))[[list(feature.values).index(feature.unlisted)]]
    return graph.node("Add", is_listed, graph.node("MatMul", unlisted, graph.constant(place)))


def _bins(graph: _Graph, number: Numeric) -> str:
    """Return a row with a one for the bin; a missing number lies in none, or counts as it says."""
    missing = np.array([[np.nan if number.missing is None else number.missing]])
    known = graph.number(number, missing)
    edges = np.array([[-np.inf, *number.edges[1:-1], np.inf]])
    above = graph.node("GreaterOrEqual", known, graph.constant(edges[:, :-1]))
    below = graph.node("Less", known, graph.constant(edges[:, 1:]))
    return graph.double(graph.node("And", above, below))


def _outputs(graph: _Graph, training: Training, total: str) -> None:
    label = training.label
    if isinstance(label, Numeric):
        ends = graph.constant(np.array(-1.0)), graph.constant(np.array(1.0))
        half = (label.high - label.low) / 2
        longer = graph.node("Mul", graph.node("Clip", total, *ends), graph.constant(np.array(half)))
        graph.node("Add", longer, graph.constant(np.array(label.low + half)), output="label")
        graph.output("label", np.zeros(0), 1)
        return
    values = _array(label.values)
    if len(values) == 2:
        zeros = graph.node("Sub", total, total)
        total = graph.node("Concat", zeros, total, axis=1)
    graph.node("Identity", total, output="scores")
    best = graph.node("ArgMax", total, axis=1, keepdims=1)
    graph.node("Gather", graph.constant(values), best, output="label")
    graph.output("label", values, 1)
    graph.output("scores", np.zeros(0), len(values))
    if training.loss == "logistic":
        graph.node("Softmax", total, axis=1, output="probabilities")
        graph.output("probabilities", np.zeros(0), len(values))


def _array(values: Sequence[Any]) -> NDArray[Any]:
    """Return values of a feature or a label in the type that ONNX has for them."""
    if isinstance(values[0], str):
        return np.array(values, object)
    return np.array(values, np.bool_ if isinstance(values[0], bool) else np.int64)
