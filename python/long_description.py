"""Makes the package's long description, which package indexes show: README.md with absolute links.

scikit-build-core loads this module while it builds a package (`tool.dynamic-metadata` in pyproject.toml).

    long_description.py        prints the text
"""
from __future__ import annotations

import pathlib
import re
import tomllib
from collections.abc import Mapping
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)


def absolute(text: str, source: str) -> str:
    """Replaces relative links in Markdown by addresses below `source`. Code stays as it is.

    Raises:
        ValueError: If a link names a file that does not exist.
    """
    def address(match: re.Match[str]) -> str:
        path = match[1].partition("#")[0]
        if not (ROOT / path).exists():
            raise ValueError(f"README.md links to {path}, which does not exist")
        return f"]({source}/{match[1]})"

    parts, end = [], 0
    for code in CODE.finditer(text):
        parts += [LINK.sub(address, text[end:code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, LINK.sub(address, text[end:])])


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the metadata that this module provides."""
    source = project["urls"]["Source"]
    return {"readme": {"content-type": "text/markdown", "text": absolute((ROOT / "README.md").read_text(), source)}}


if __name__ == "__main__":
    about = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    print(dynamic_metadata({}, about)["readme"]["text"], end="")
