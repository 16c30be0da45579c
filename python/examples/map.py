"""Draws a map of a world: a dot for each node, from above, with north up.

    python map.py WORLD.zbd [MAP.png]

With matplotlib it is a picture, without it a table.
"""

import sys

import pyrefit as refit


def main(world: str, picture: str = "map.png") -> None:
    scene = refit.open(world).scene()
    places = scene.world_matrices[:, :3, 3]
    shown = [at for at, node in enumerate(scene.nodes) if node.model is not None]
    try:
        import matplotlib.pyplot  # type: ignore[import-not-found, unused-ignore]
    except ModuleNotFoundError:
        for at in shown:
            x, y, z = places[at].tolist()
            print(f"{scene.nodes[at].name:<30} {x:10.1f} {y:10.1f} {z:10.1f}")
        return
    matplotlib.pyplot.figure(figsize=(12, 12))
    matplotlib.pyplot.scatter(places[shown, 0], -places[shown, 2], s=4)
    for at in shown[:200]:
        matplotlib.pyplot.annotate(scene.nodes[at].name, (float(places[at, 0]), -float(places[at, 2])), fontsize=6)
    matplotlib.pyplot.axis("equal")
    matplotlib.pyplot.savefig(picture, dpi=150)


if __name__ == "__main__":
    main(*(sys.argv[1:3] or ["golden/gamez/mw_typical_gamez.zbd"]))
