"""Hooks that mkdocs calls while it builds the site (mkdocs.yml): they add and adapt pages, and check links."""
import logging
import os
import pathlib
import sys

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]

import check_links  # noqa: E402
import lexers  # noqa: E402
import reference  # noqa: E402
import repository  # noqa: E402
import tablegen  # noqa: E402

lexers.register()
log = logging.getLogger("mkdocs.pumice")  # with `strict`, its warnings are errors


def on_files(files, config):
    build = pathlib.Path(os.environ.get("PUMICE_BUILD", ROOT / "build")).resolve()
    try:
        pages = reference.pages(ROOT, build)
    except (tablegen.Missing, ValueError) as error:
        raise PluginError(f"the reference cannot be written: {error}") from error
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    text, problems = repository.for_site(markdown, page.file.src_uri, config.repo_url.rstrip("/"), ROOT)
    for problem in problems:
        log.warning("%s: %s", page.file.src_uri, problem)
    return text


def on_post_build(config):
    for page, problem in check_links.problems(config.site_dir, config.repo_url.rstrip("/")):
        log.warning("%s: %s", page, problem)
