"""Changes a value in every mission: the cameras see twice as far.

    python every_mission.py GAME

Each original is kept as NAME.orig, and `refit restore GAME` takes the edit back.
"""

import sys

import pyrefit as refit


def main(folder: str) -> None:
    game = refit.Game(folder)
    for row in game.files:
        if row.format != "gamez":
            continue
        world = game.open(row.path)
        for path, kind in world.documents().items():
            if kind != "gamez-nodes":
                continue
            document = world[path]
            cameras = [node["data"]["camera"] for node in document["nodes"] if "camera" in node["data"]]
            for camera in cameras:
                camera["clip_far"] *= 2
            if cameras:
                world[path] = document
                print(f"{row.path}: {len(cameras)} cameras in {path}")
        for finding in world.news():
            print(f"  {finding.severity}: {finding.path}: {finding.message}")
        world.save()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "docs/example/recoil")
