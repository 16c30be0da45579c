"""Lists all textures of a game with their sizes and packages.

    python textures.py GAME
"""

import sys
from collections import defaultdict

import pyrefit as refit


def main(folder: str) -> None:
    game = refit.Game(folder)
    sizes: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in game.files:
        if row.format == "textures":
            for member in game.open(row.path).members():
                size = member.detail.split(",")[0]
                sizes[member.name.lower()][size].append(row.path)
    for name, places in sorted(sizes.items()):
        for size, paths in sorted(places.items()):
            print(f"{name:<20} {size:>11}  {', '.join(paths)}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "docs/example/recoil")
