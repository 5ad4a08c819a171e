"""Layer tables of Dally's simulator (Sharma et al.) as network profiles."""

from __future__ import annotations

import re
from pathlib import Path

from optsched.contention.profiles import Layer, Profile
from optsched.core.errors import TraceError
from optsched.traces.latency import MAX_PROBLEMS
from optsched.traces.rows import Table, open_trace

__all__ = ["profile_from_layer_csv"]

COLUMNS = ("layer", "forward_ns", "input_grad_ns", "weight_grad_ns", "allreduce_bytes")
#: The batch stands at the end of the file's name: resnet50_B512.
BATCH_IN_NAME = re.compile(r"_B(\d+)$")


def profile_from_layer_csv(path: str | Path, *, scale: float = 1.0) -> Profile:
    r"""Read the layers of a network: times in nanoseconds, and the bytes each all-reduces.

    Parameters
    ----------
    path
        A table with the columns layer, forward_ns, input_grad_ns, weight_grad_ns and
        allreduce_bytes, a row for each layer in forward order.
    scale
        What all times are multiplied by. Dally's simulator has a factor of its own for each
        network; how much a network feels the fabric hangs on it, so sweep it.

    Raises
    ------
    TraceError
        If the table cannot be used; each bad row is named by ``file:line``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix="_B64.csv") as file:
    ...     _ = file.write(",".join(COLUMNS) + "\nfc,100,100,200,4e6\n")
    ...     file.flush()
    ...     profile = profile_from_layer_csv(file.name, scale=1e6)
    >>> profile.gradient_bytes, round(profile.compute_s, 9), profile.batch
    (4000000.0, 0.4, 64)
    """
    if not 0 < scale < float("inf"):
        raise TraceError(f"scale: expected a number above 0, got {scale!r}; 1 leaves times alone")
    problems: list[str] = []
    layers: dict[str, Layer] = {}
    content = "a table of layers"
    with open_trace(path, kind=content, content=content) as text:
        table = Table.of(text)
        if table.columns != COLUMNS:
            raise text.error(
                text.first_line_number,
                f"the columns {','.join(COLUMNS)}",
                f"{','.join(table.columns)!r}",
                "rename or reorder them",
            )

        def complain(line: int, reason: str, got: str) -> None:
            problems.append(f"{text.path}:{line}: {reason}" + (f", got {got!r}" if got else ""))

        for line, row in table.rows(complain):
            if row[0] in layers or not row[0]:
                complain(line, "layer: expected a name of its own", row[0])
                continue
            numbers = [_amount(field) for field in row[1:]]
            for column, field, number in zip(COLUMNS[1:], row[1:], numbers, strict=True):
                if number is None:
                    complain(line, f"{column}: expected a number of at least 0", field)
            forward, inputs, weights, size = (number or 0.0 for number in numbers)
            unit_s = scale * 1e-9
            layers[row[0]] = Layer(
                row[0], unit_s * forward, unit_s * inputs, unit_s * weights, allreduce_bytes=size
            )
        header = text.first_line_number
    if problems:
        shown = problems[:MAX_PROBLEMS]
        if len(problems) > MAX_PROBLEMS:
            shown.append(f"{path}: {len(problems) - MAX_PROBLEMS:,} more rows that are not right")
        raise TraceError("\n".join(shown))
    if not layers:
        raise text.error(header, "rows below the header", "none", "add layers")
    return _profile(Path(path), tuple(layers.values()))


def _profile(path: Path, layers: tuple[Layer, ...]) -> Profile:
    stem = path.name.removesuffix(".gz").removesuffix(".csv")
    batch = BATCH_IN_NAME.search(stem)
    forward = sum(layer.forward_s for layer in layers)
    compute = sum(layer.compute_s for layer in layers)
    return Profile(
        name=stem,
        title=stem,
        gradient_bytes=sum(layer.allreduce_bytes for layer in layers),
        compute_s=compute,
        forward_s=forward,
        backward_s=compute - forward,
        batch=int(batch[1]) if batch else None,
        source={"layers": path.name},
        layers=layers,
    )


def _amount(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    if "_" in text or not text.isascii() or not 0 <= value < float("inf"):
        return None
    return value
