"""How long large files take, beside the program: `cargo xtask python --figures`.

    python figures.py REFIT ANIMATIONS WORLD
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pyrefit as refit

ROUNDS = 5


def one_by_one(path: str) -> object:
    file = refit.open(path)
    for document in file.documents():
        file[document]
    return None


def all_kept(path: str) -> object:
    file = refit.open(path)
    return {document: file[document] for document in file.documents()}


def took(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    kept = work()
    seconds = time.perf_counter() - began
    del kept
    return seconds


def main(program: str, animations: str, world: str) -> None:
    def run(*arguments: str) -> object:
        return subprocess.run([program, *arguments], check=True, capture_output=True)

    with tempfile.TemporaryDirectory() as folder:
        unpack = ("unpack", animations, "--no-proof", "--quiet", "--force", "-o", f"{folder}/tree")
        rows: dict[str, list[tuple[str, Callable[[], object]]]] = {
            animations: [
                ("refit unpack --no-proof", lambda: run(*unpack)),
                ("documents, load()", lambda: refit.open(animations).load()),
                ("documents, one by one", lambda: one_by_one(animations)),
                ("documents, one by one, all kept", lambda: all_kept(animations)),
            ],
            world: [
                ("refit info", lambda: run("info", world)),
                ("scene()", lambda: refit.open(world).scene()),
                ("scene(), with its nodes and models", lambda: (s := refit.open(world).scene(), s.nodes, s.models)),
            ],
        }
        for path, works in rows.items():
            print(f"{Path(path).name}, {Path(path).stat().st_size / 1e6:.1f} MB, medians of {ROUNDS} by turns")
            times: dict[str, list[float]] = {what: [] for what, _ in works}
            for _ in range(ROUNDS):
                for what, work in works:
                    times[what].append(took(work))
            first = median(times[works[0][0]])
            for what, seconds in times.items():
                print(f"  {what:<36} {median(seconds):7.3f} s  {median(seconds) / first:5.2f} ×")


if __name__ == "__main__":
    main(*sys.argv[1:])
