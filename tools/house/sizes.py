"""Limits the length of files and functions."""
import ast
import re

from .tree import Finding

FILE_LINES = 600
HEADER_LINES = 200
FUNCTION_LINES = 80
MEASURED = (".h", ".cpp", ".td", ".def", ".py", ".sh", ".cmake", ".mlir", ".test", "CMakeLists.txt")

# Matches text that is not code: comments, raw strings, strings, characters (but not the
# ' of 1'000).
NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum)\b|^\s*extern\s*$")


def file_length(tree):
    for path in tree.under(suffixes=MEASURED):
        length = len(tree.text(path).splitlines())
        if length > FILE_LINES:
            yield Finding(path, length, f"{length} lines; {FILE_LINES} at most: split it by subject")
        elif path.endswith(".h") and length > HEADER_LINES:
            yield Finding(path, length, f"{length} lines; a header has under {HEADER_LINES}", True)


def function_length(tree):
    for path in tree.under():
        for first, last, name in cpp_functions(tree.text(path)):
            yield from too_long(path, first, last, name)
    for path in tree.under(suffixes=[".py"]):
        for node in ast.walk(ast.parse(tree.text(path))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from too_long(path, node.lineno, node.end_lineno, node.name)


def too_long(path, first, last, name):
    length = last - first + 1
    if length > FUNCTION_LINES:
        yield Finding(path, first, f"'{name}' has {length} lines; {FUNCTION_LINES} at most")


def cpp_functions(text):
    """Yields (first line, last line, name) of each function that is not inside another function.

    Braces are matched. A brace opens a function if its introduction, back to the last ; { or }, has
    parentheses and is not a class, namespace or initializer.
    """
    code = NOT_CODE.sub(lambda match: "\n" * match.group().count("\n"), text)
    code = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", lambda match: "\n" * match.group().count("\n"), code,
                  flags=re.MULTILINE)
    opened = []  # for each open brace: (line of its introduction, name) of a function, or None
    start = 0  # where the introduction of the next brace begins
    for match in re.finditer(r"[;{}]", code):
        if match.group() == "{":
            opened.append(introduces_function(code, start, match.start()))
        elif match.group() == "}" and opened:
            function = opened.pop()
            if function and not any(opened):
                yield function[0], 1 + code.count("\n", 0, match.start()), function[1]
        start = match.end()


def introduces_function(code, start, end):
    head = code[start:end]
    before_parenthesis = head.split("(")[0]
    if "(" not in head or "=" in re.sub(r"operator\W+", "", before_parenthesis):
        return None
    if SCOPE.search(re.sub(r"template\s*<[^{]*?>\s", "", before_parenthesis)):
        return None
    line = 1 + code.count("\n", 0, start + len(head) - len(head.lstrip()))
    return line, (before_parenthesis.split() or ["lambda"])[-1]
