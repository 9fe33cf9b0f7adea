"""Writes what an installed package says of itself, from pyproject.toml, into a build folder.

    describe-package.py pyproject.toml FOLDER
"""
import pathlib
import sys
import tomllib

project = tomllib.loads(pathlib.Path(sys.argv[1]).read_text())["project"]
folder = pathlib.Path(sys.argv[2], f"{project['name']}-{project['version']}.dist-info")
folder.mkdir(parents=True, exist_ok=True)
(folder / "METADATA").write_text(
    f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
(folder / "entry_points.txt").write_text("".join(
    f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
    for group, entries in project["entry-points"].items()))
