#!/usr/bin/env python3
"""Checks every link of a built site: pages, anchors, files, and paths of the repository.

    tools/docs/check_links.py SITE [--repository ADDRESS]

Prints each link that leads nowhere as `PAGE: what is wrong`. Addresses of other sites are not opened,
but nothing that a page loads (scripts, styles, pictures) may come from one.
"""
import argparse
import html.parser
import pathlib
import sys
from urllib.parse import unquote, urldefrag

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADED = {"link": "href", "script": "src", "img": "src", "source": "src"}
LOADING = {"stylesheet", "icon", "preload", "modulepreload"}  # other relations load nothing
ELSEWHERE = ("mailto:", "data:", "javascript:")


class Page(html.parser.HTMLParser):
    """The anchors of a page, and the addresses that it links to."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = {"", "__top"}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors.update(attributes[name] for name in ("id", "name") if attributes.get(name))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        loads = tag != "link" or LOADING & set((attributes.get("rel") or "").split())
        if loads and attributes.get(LOADED.get(tag)):
            self.loaded.append(attributes[LOADED[tag]])


def problems(site, repository=None, root=ROOT):
    """Yields (page, problem) for each broken link of the site in a folder."""
    site = pathlib.Path(site).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        if path.name == "404.html":  # this page is shown at any address, so its links are absolute
            continue
        name = path.relative_to(site).as_posix()
        for link in page.loaded:
            if "://" in link or link.startswith("//"):
                yield name, f"loads '{link}' from another site"
        for link in dict.fromkeys(page.links + page.loaded):
            if problem := wrong(link, path, pages, repository, root):
                yield name, problem


def wrong(link, path, pages, repository, root):
    """Returns the problem of one link of the page at `path`, or None."""
    if link.startswith(ELSEWHERE):
        return None
    if "://" in link or link.startswith("//"):
        for kind in ("blob", "tree"):
            prefix = f"{repository}/{kind}/main/"
            if repository and link.startswith(prefix):
                name = unquote(urldefrag(link[len(prefix):])[0])
                return None if (root / name).exists() else f"links to '{name}', which is not in the repository"
        return None
    place, anchor = map(unquote, urldefrag(link))
    target = (path.parent / place.split("?")[0]).resolve() if place else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return f"links to '{link}', which is not there"
    if anchor and target in pages and anchor not in pages[target].anchors:
        return f"links to '{link}': the page has no such anchor"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=pathlib.Path)
    parser.add_argument("--repository", help="the address that stands for the root of the tree")
    arguments = parser.parse_args()
    found = list(problems(arguments.site, arguments.repository))
    for page, problem in found:
        print(f"{page}: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
