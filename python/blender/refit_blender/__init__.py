"""refit in Blender: File > Import > Zipper world, File > Export > Zipper world, and a panel in the sidebar."""

from __future__ import annotations

from pathlib import Path

import bpy
import pyrefit as refit
from bpy.props import BoolProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from . import core

REPORT = "refit report"
"""The text with the last report."""


def show(operator: bpy.types.Operator, lines: list[str]) -> None:
    """Shows a report: its first line in the status bar, all of it in the panel and in a text."""
    text = bpy.data.texts.get(REPORT) or bpy.data.texts.new(REPORT)
    text.clear()
    text.write("\n".join(lines))
    bad = ("warning", "left out", "crashes", "refuses", "differs", "ignores")
    worse = [line for line in lines if line.startswith(bad)]
    told = "; ".join(dict.fromkeys(lines[:1] + worse[:2]))
    operator.report({"WARNING" if worse else "INFO"}, told or "nothing to report")


class Guarded(bpy.types.Operator):
    """An operator whose refused work is a message."""

    bl_idname = "refit.guarded"
    bl_label = "refit"

    def work(self, context: bpy.types.Context) -> list[str]:
        """Runs the operation; returns the report."""
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            show(self, self.work(context))
        except refit.Error as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class REFIT_OT_open(Guarded, ImportHelper):
    """Open a world, planes or 'mechs of Recoil, MechWarrior 3, Pirate's Moon or Crimson Skies"""

    bl_idname = "import_scene.refit"
    bl_label = "Import Zipper world"
    bl_options = {"UNDO"}
    filename_ext = ".zbd"
    filter_glob: StringProperty(default="*.zbd;refit.json", options={"HIDDEN"})  # type: ignore[valid-type]
    only: StringProperty(  # type: ignore[valid-type]
        name="Only", description="Part of the name of planes or 'mechs; all without it"
    )
    textures: BoolProperty(  # type: ignore[valid-type]
        name="Textures", description="Find the textures in the game", default=True
    )
    further: BoolProperty(  # type: ignore[valid-type]
        name="Levels of detail", description="Also the further levels, hidden", default=False
    )
    motions: BoolProperty(  # type: ignore[valid-type]
        name="Motions", description="'Mechs with their motions as actions, at their own rate", default=False
    )
    tidy: BoolProperty(  # type: ignore[valid-type]
        name="Weld and make quads", description="One vertex for each place, polygons as in the game", default=True
    )

    def work(self, context: bpy.types.Context) -> list[str]:
        path = Path(self.filepath)
        if path.name == "refit.json":
            path = path.parent
        opened = core.open_file(
            path, only=self.only, textures=self.textures, further=self.further, motions=self.motions, tidy=self.tidy
        )
        if not opened:
            raise refit.Error("nothing in this file has a shape", "unsupported", file=str(path))
        return [f"{path.name}: {', '.join(collection[core.NAME] for collection in opened)}"]


class REFIT_OT_write(Guarded, ExportHelper):
    """Bring an opened world, planes or 'mechs back, into a file of your choice"""

    bl_idname = "export_scene.refit"
    bl_label = "Export Zipper world"
    filename_ext = ".zbd"
    check_extension = None
    filter_glob: StringProperty(default="*.zbd;refit.json", options={"HIDDEN"})  # type: ignore[valid-type]
    merge_polygons: BoolProperty(  # type: ignore[valid-type]
        name="Merge triangles", description="New triangles in one plane make polygons"
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        opened = core.opened()
        if opened:
            self.filepath = opened[0][core.FILE]
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def work(self, context: bpy.types.Context) -> list[str]:
        path = Path(self.filepath)
        path = path.parent if path.name == "refit.json" else path
        lines = []
        for collection in core.opened():
            own = Path(collection[core.FILE])
            into = None if own == path.resolve() else path
            changed = core.bring_back(collection, into=into, merge_polygons=self.merge_polygons)
            lines += core.lines(collection, changed)
        if not lines:
            raise refit.Error("nothing here was opened from a file of a game: File > Import > Zipper world first")
        return lines


class OfFile(Guarded):
    """An operator on the opened parts of one file."""

    bl_idname = "refit.of_file"
    file: StringProperty(options={"HIDDEN"})  # type: ignore[valid-type]

    def collections(self) -> list[bpy.types.Collection]:
        """The opened parts of the file."""
        return [collection for collection in core.opened() if collection[core.FILE] == self.file]


class REFIT_OT_changes(OfFile):
    """Show your edits; write nothing"""

    bl_idname = "refit.changes"
    bl_label = "What changed"

    def work(self, context: bpy.types.Context) -> list[str]:
        found = [core.lines(own, core.bring_back(own, dry_run=True)) for own in self.collections()]
        return [line.replace("written:", "would change:") for lines in found for line in lines]


class REFIT_OT_back(OfFile):
    """Bring your edits back into the file. The original is kept next to it, as NAME.orig"""

    bl_idname = "refit.back"
    bl_label = "Write back"

    def work(self, context: bpy.types.Context) -> list[str]:
        return [line for own in self.collections() for line in core.lines(own, core.bring_back(own))]


class REFIT_OT_build(OfFile):
    """Bring your edits back, and put those of the whole project into the game's folder"""

    bl_idname = "refit.build"
    bl_label = "Build into the game"
    directory: StringProperty(subtype="DIR_PATH")  # type: ignore[valid-type]

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def work(self, context: bpy.types.Context) -> list[str]:
        lines = [line for own in self.collections() for line in core.lines(own, core.bring_back(own))]
        root = core.game_of(Path(self.file))
        if root is None:
            raise refit.Error("this file is in no project", "unsupported", file=self.file)
        lines += [f"written: {path}" for path in refit.Game(root).repack(self.directory)]
        context.scene[core.GAME] = self.directory
        return lines


class REFIT_OT_restore(OfFile):
    """Put the original of the file back; for a project, the originals of the game that it was built into"""

    bl_idname = "refit.restore"
    bl_label = "Restore"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        confirmed: set[str] = context.window_manager.invoke_confirm(self, event)
        return confirmed

    def work(self, context: bpy.types.Context) -> list[str]:
        path = Path(self.file)
        lines = [f"restored: {path}" for path in refit.restore(context.scene[core.GAME] if path.is_dir() else path)]
        packages = [] if path.is_dir() else core.Around(path).own_packages()
        edited = [package for package in packages if package.with_name(f"{package.name}.orig").is_file()]
        return lines + [f"still changed, as pictures went there: {package}" for package in edited]


class REFIT_OT_findings(OfFile):
    """Show findings in the file, and their effects in the game"""

    bl_idname = "refit.findings"
    bl_label = "Findings"

    def work(self, context: bpy.types.Context) -> list[str]:
        with refit.open(self.file) as file:
            found = file.lint()
        return [core.of_finding(finding) for finding in found] or [f"{Path(self.file).name}: nothing unusual"]


class REFIT_PT_panel(bpy.types.Panel):
    """The opened parts, and their operators."""

    bl_idname = "REFIT_PT_panel"
    bl_label = "refit"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "refit"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        files = list(dict.fromkeys(collection[core.FILE] for collection in core.opened()))
        if not files:
            layout.operator(REFIT_OT_open.bl_idname)
        for file in files:
            path = Path(file)
            box = layout.box()
            box.label(text=f"{path.parent.name}/{path.name}")
            operators = [REFIT_OT_changes, REFIT_OT_back, REFIT_OT_findings]
            if path.is_dir():
                operators.append(REFIT_OT_build)
            if not path.is_dir() or core.GAME in context.scene:
                operators.append(REFIT_OT_restore)
            for operator in operators:
                box.operator(operator.bl_idname).file = file
        text = bpy.data.texts.get(REPORT)
        if text is not None:
            box = layout.box()
            for line in text.lines[:40]:
                box.label(text=line.body)


CLASSES = (
    REFIT_OT_open,
    REFIT_OT_write,
    REFIT_OT_changes,
    REFIT_OT_back,
    REFIT_OT_build,
    REFIT_OT_restore,
    REFIT_OT_findings,
    REFIT_PT_panel,
)


def menu_import(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    self.layout.operator(REFIT_OT_open.bl_idname, text="Zipper world (.zbd)")


def menu_export(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    self.layout.operator(REFIT_OT_write.bl_idname, text="Zipper world (.zbd)")


def register() -> None:
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.TOPBAR_MT_file_import.append(menu_import)
    bpy.types.TOPBAR_MT_file_export.append(menu_export)


def unregister() -> None:
    bpy.types.TOPBAR_MT_file_import.remove(menu_import)
    bpy.types.TOPBAR_MT_file_export.remove(menu_export)
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
