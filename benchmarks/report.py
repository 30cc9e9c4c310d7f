"""Tables and plots of the results.

    python -m benchmarks.report RESULTS.json [--readme README.md] [--out FOLDER]

``RESULTS.json`` is a file of ``python -m benchmarks.kernels``. Beside it may lie files of
``benchmarks.launch``, ``.start`` and ``.compile_time``: ``RESULTS-launch.json`` and so on; they are
read, too. In ``FOLDER`` (``benchmarks/results``), ``RESULTS.md`` gets all tables, and
``RESULTS-speed`` and ``RESULTS-floor`` the plots, as PNG and SVG. In the README, what stands
between the lines ``<!-- benchmarks: begin -->`` and ``<!-- benchmarks: end -->`` is replaced.

The same results give the same files, byte for byte.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks import tables
from benchmarks.host_results import KINDS, HostResults, from_json
from benchmarks.results import Results, ResultsError, read

FOLDER = Path(__file__).resolve().parent / "results"
BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"
PLOTS = ("speed", "floor")


class ReportError(Exception):
    """A file is not as the report needs it."""


@dataclass(frozen=True)
class Report:
    """A run's results, with those of the host's time by name of the benchmark."""

    name: str
    results: Results
    host: dict[str, HostResults]


def load(path: Path) -> Report:
    """The results in a file and in those beside it.

    Raises:
        ResultsError: a file holds no results.
    """
    host: dict[str, HostResults] = {}
    for kind in KINDS:
        beside = path.with_name(f"{path.stem}-{kind}.json")
        if beside.is_file():
            found = from_json(beside.read_text(encoding="utf-8"))
            if not isinstance(found, KINDS[kind]):
                raise ResultsError(f"{beside} holds other results than its name says")
            host[kind] = found
    return Report(path.stem, read(path), host)


def newest(folder: Path = FOLDER) -> Path | None:
    """The file in ``folder`` of the run that began last, or None: there is none.

    Raises:
        ResultsError: a file there holds no results.
    """
    kinds = tuple(f"-{kind}.json" for kind in KINDS)
    paths = [path for path in sorted(folder.glob("*.json")) if not path.name.endswith(kinds)]
    return max(paths, key=lambda path: read(path).environment.date, default=None)


def readme_block(report: Report, folder: str) -> str:
    """What stands between the README's markers; ``folder`` leads from it to tables and plots."""
    results = report.results
    page = f"{folder}/{report.name}.md"
    parts = [tables.measured_on(results, page), tables.overall(results)]
    for plot in PLOTS:
        parts.append(f"![{tables.PLOT_TITLES[plot]}]({folder}/{report.name}-{plot}.svg)")
    parts += tables.host(report.host, short=True)
    return "\n\n".join(parts)


def replaced(text: str, block: str) -> str:
    """``text`` with ``block`` between the markers.

    Raises:
        ReportError: it has not one line of each.
    """
    lines = text.split("\n")
    if lines.count(BEGIN) != 1 or lines.count(END) != 1 or lines.index(END) < lines.index(BEGIN):
        raise ReportError(f"write one line {BEGIN} and, below it, one line {END}")
    before, after = lines[: lines.index(BEGIN) + 1], lines[lines.index(END) :]
    return "\n".join([*before, block, *after])


def write_readme(readme: Path, report: Report, out: Path) -> None:
    """Replace the README's block.

    Raises:
        ReportError: the README has no place for it.
    """
    folder = Path(os.path.relpath(out.resolve(), readme.resolve().parent)).as_posix()
    try:
        text = replaced(readme.read_text(encoding="utf-8"), readme_block(report, folder))
    except ReportError as error:
        raise ReportError(f"{readme}: {error}") from None
    readme.write_text(text, encoding="utf-8")


def write(report: Report, out: Path) -> None:
    """Write tables and plots to a folder.

    Raises:
        ReportError: matplotlib is not installed.
    """
    # Matplotlib is needed for this only.
    try:
        from benchmarks import plots
    except ModuleNotFoundError as error:
        raise ReportError(f"plots need {error.name}: pip install '.[bench]'") from error

    out.mkdir(parents=True, exist_ok=True)
    text = tables.page(report.name, report.results, report.host, PLOTS)
    (out / f"{report.name}.md").write_text(text, encoding="utf-8")
    plots.save(plots.speed(report.results), out / f"{report.name}-speed")
    plots.save(plots.floor(report.results), out / f"{report.name}-floor")


def main() -> None:
    """Write what is asked for; the exit code is 1 where results cannot be read."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report", description="tables and plots of results"
    )
    parser.add_argument("results", type=Path, metavar="RESULTS.json")
    parser.add_argument("--readme", type=Path, metavar="FILE", help="replace the block in it")
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="FOLDER")
    arguments = parser.parse_args()
    try:
        report = load(arguments.results)
        write(report, arguments.out)
        if arguments.readme is not None:
            write_readme(arguments.readme, report, arguments.out)
    except (OSError, ReportError, ResultsError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
