"""Checks that newcomers can find passes and operations, read about them, and see them tested."""
import re

from .tree import Finding

DEFINITION = re.compile(
    r'^def (?P<name>\w+)\s*:\s*(?:\w*Pass|InterfacePass)<\s*"(?P<flag>[\w-]+)".*?^}',
    re.DOTALL | re.MULTILINE)
PIPELINE = re.compile(r'PassPipelineRegistration<[^>]*>\(\s*"([\w-]+)"')
OPERATION = re.compile(r'^def \w+\s*:\s*\w*Op<"(?P<name>[\w.]+)".*?^}', re.DOTALL | re.MULTILINE)
DIALECT = re.compile(r'^def \w+\s*:\s*Dialect\s*\{.*?let\s+name\s*=\s*"(\w+)"',
                     re.DOTALL | re.MULTILINE)


def definitions(tree):
    """Yields (path of the Passes.td, line, class name, command-line name, text) for each of our passes."""
    for path in tree.under(suffixes=["Passes.td"]):
        text = tree.text(path)
        for match in DEFINITION.finditer(text):
            line = 1 + text.count("\n", 0, match.start())
            yield path, line, match["name"], match["flag"], match.group()


def pipelines(tree):
    """Returns the names of pass pipelines, as pumice-opt knows them."""
    return {name for path in tree.under("compiler", suffixes=[".cpp"])
            for name in PIPELINE.findall(tree.text(path))}


def pass_description(tree):
    for path, line, name, flag, text in definitions(tree):
        if not re.search(r'let\s+summary\s*=\s*"[^"]', text):
            yield Finding(path, line, f"{flag} has no summary")
        if not re.search(r"let\s+description\s*=\s*\[\{\s*[^\s}]", text):
            yield Finding(path, line, f"{flag} has no description")
        if not flag.startswith("pumice-"):
            yield Finding(path, line, f"{flag} is not named pumice-…")


def pass_test(tree):
    """Checks that a RUN line of a test in the pass's folder names the pass."""
    for path, line, name, flag, text in definitions(tree):
        folder = path.rsplit("/", 1)[0] + "/test"
        mention = re.compile(rf"RUN:.*\b{re.escape(flag)}\b(?!-)")
        if not any(mention.search(tree.text(test))
                   for test in tree.under(folder, suffixes=[".mlir", ".test"])):
            yield Finding(path, line, f"no test in {folder}/ runs {flag}")


def pass_source(tree):
    """Checks that FooBar is in FooBar.cpp, in the folder of its Passes.td or below.

    The header comment of the source must show the IR before and after."""
    for path, line, name, flag, text in definitions(tree):
        folder = path.rsplit("/", 1)[0]
        source = next(iter(tree.under(folder, suffixes=[f"/{name}.cpp"])), None)
        if source is None:
            yield Finding(path, line, f"{name} has no {name}.cpp in {folder}/ or below it")
            continue
        comment = re.match(r"(//[^\n]*\n)*", tree.text(source)).group()
        if "before" not in comment or "after" not in comment:
            yield Finding(source, 1, "the header comment shows no IR before and after")


def operation_test(tree):
    """Checks that operations have a summary, and that a test of their dialect contains them."""
    for path in tree.under("compiler/dialect", suffixes=[".td"]):
        text, folder = tree.text(path), path.rsplit("/", 1)[0]
        dialect = DIALECT.search(text)
        tests = [tree.text(test) for test in tree.under(f"{folder}/test", suffixes=[".mlir"])]
        for match in OPERATION.finditer(text):
            line = 1 + text.count("\n", 0, match.start())
            name = f"{dialect[1]}.{match['name']}" if dialect else match["name"]
            if not re.search(r'let\s+summary\s*=\s*"[^"]', match.group()):
                yield Finding(path, line, f"{name} has no summary")
            if not any(re.search(rf"\b{re.escape(name)}\b", test) for test in tests):
                yield Finding(path, line, f"no test in {folder}/test/ holds {name}")
