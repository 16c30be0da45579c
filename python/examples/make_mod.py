"""Makes a mod: all sounds that a game declares, at half their volume.

    python make_mod.py GAME QUIET.refitmod

The game itself stays unchanged; the mod contains the changes and nothing of the game.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import pyrefit as refit


def halve(values: list[refit.Document]) -> int:
    """Halves each number after the word VOLUME, at any depth; returns how many."""
    changed = 0
    for at, value in enumerate(values):
        if isinstance(value, list):
            changed += halve(value)
        elif value == "VOLUME" and at + 1 < len(values) and isinstance(values[at + 1], float):
            values[at + 1] /= 2
            changed += 1
    return changed


def main(folder: str, output: str) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        edited = Path(temporary) / "edited"
        for row in refit.Game(folder).files:
            if row.format != "reader":
                continue
            copy = edited / row.path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path(folder) / row.path, copy)
            file = refit.open(copy)
            for path in file.documents():
                document = file[path]
                if path.endswith("sounds.zrd.json") and halve(document):
                    file[path] = document
            file.save()
        changes = refit.make_mod(output, folder, edited, about="Half as loud", force=True)
        print(f"{output}: {changes} changes")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(arguments[0] if arguments else "docs/example/recoil", arguments[1] if len(arguments) > 1 else "quiet.refitmod")
