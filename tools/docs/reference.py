"""Makes the pages that the site has in addition to docs/, as a map from path below docs/ to Markdown."""
import re

import c_header
import cpp_header
import help_text
import repository
import tablegen
import tutorials

PYTHON = {
    "pumice": "The package `pumice`",
    "pumice.torch": "`pumice.torch`",
}


def python():
    """Returns the page that mkdocstrings fills in from the sources in python/."""
    lines = ["# Python API\n", "Written by mkdocstrings from the sources while the site is built. "
             "[Pumice from Python](../python.md) explains the package with examples.\n"]
    for module, title in PYTHON.items():
        lines += [f"## {title}\n", f"::: {module}\n"]
    return "\n".join(lines)


def with_parts(header):
    """Returns the header's text, with the text of each part that it includes in place of the include."""
    def part(match):
        text = (header.parent / match[1]).read_text()
        return re.sub(r'\A(//.*\n)+|^#(pragma once|include "(?!parts/).*)\n', "", text, flags=re.MULTILINE)
    return re.sub(r'^#include "(parts/[\w.]+)"\n', part, header.read_text(), flags=re.MULTILINE)


def pages(root, build):
    """Returns every generated page. Raises tablegen.Missing if a program is missing."""
    header, layer = "include/pumice/pumice.h", "include/pumice/pumice.hpp"
    vulkan, vulkan_layer = "include/pumice/pumice_vulkan.h", "include/pumice/pumice_vulkan.hpp"
    written = {
        "reference/c-api.md": c_header.page(with_parts(root / header), "C API", header),
        "reference/cpp-api.md": cpp_header.page(with_parts(root / layer), "C++ API", layer),
        "reference/c-vulkan-api.md": c_header.page((root / vulkan).read_text(), "C API for Vulkan applications", vulkan),
        "reference/cpp-vulkan-api.md": cpp_header.page(
            (root / vulkan_layer).read_text(), "C++ API for Vulkan applications", vulkan_layer,
            manual="[C API for Vulkan applications](c-vulkan-api.md)"),
        "reference/python-api.md": python(),
        "reference/help.md": help_text.command_line(build),
        "reference/passes.md": tablegen.passes(root) + "\n## Pipelines\n\n" + help_text.pipelines(build),
    }
    for name, folder in tablegen.dialects(root).items():
        written[f"reference/dialect-{name}.md"] = tablegen.dialect(root, name, folder)
    return written | tutorials.pages(root) | repository.root_pages(root)
