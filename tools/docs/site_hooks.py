"""What mkdocs calls while it builds the site (mkdocs.yml): adapts pages, checks the links of the result."""
import logging
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]

import check_links  # noqa: E402
import repository  # noqa: E402

log = logging.getLogger("mkdocs.pumice")  # with `strict`, its warnings are errors


def on_page_markdown(markdown, page, config, files):
    text, problems = repository.for_site(markdown, page.file.src_uri, config.repo_url.rstrip("/"), ROOT)
    for problem in problems:
        log.warning("%s: %s", page.file.src_uri, problem)
    return text


def on_post_build(config):
    for page, problem in check_links.problems(config.site_dir, config.repo_url.rstrip("/")):
        log.warning("%s: %s", page, problem)
