"""Writes the metadata of an installed package, from pyproject.toml, into a build folder.

    describe-package.py pyproject.toml VERSION FOLDER
"""
import pathlib
import shutil
import sys
import tomllib

project = tomllib.loads(pathlib.Path(sys.argv[1]).read_text())["project"]
version = sys.argv[2]
folder = pathlib.Path(sys.argv[3], f"{project['name']}-{version}.dist-info")
for other in folder.parent.glob(f"{project['name']}-*.dist-info"):
    if other != folder:
        shutil.rmtree(other)  # belongs to another version
folder.mkdir(parents=True, exist_ok=True)
(folder / "METADATA").write_text(
    f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n")
(folder / "entry_points.txt").write_text("".join(
    f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
    for group, entries in project["entry-points"].items()))
