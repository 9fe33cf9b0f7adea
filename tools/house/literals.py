"""Finds string literals that read like prose, such as messages and help texts."""
import ast
import re

# One match is a comment, a raw string, a character, or neighbouring strings, which the compiler joins.
CPP_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|'(?:[^'\\\n]|\\.)+'|^[ \t]*#[ \t]*include[^\n]*"""
    r"""|(?P<strings>"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*)""", re.DOTALL | re.MULTILINE)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
WORD = re.compile(r"[(\"'`]*[A-Za-z][a-z'-]*[.,:;?!)\"'`]*")
FUNCTION_WORDS = {"a", "an", "the", "is", "are", "was", "of", "to", "for", "in", "on", "by", "with", "and", "or", "not",
                  "no", "that", "which", "it", "its", "this", "must", "cannot", "has", "does", "from", "than", "as", "if"}
LEAST_WORDS = 4


def is_prose(text):
    """Returns whether most of the text's words are plain words, and some of them connect others."""
    words = text.split()
    plain = [word for word in words if WORD.fullmatch(word)]
    return (len(plain) >= LEAST_WORDS and len(plain) >= 0.7 * len(words)
            and not FUNCTION_WORDS.isdisjoint(word.lower() for word in plain))


def texts(line, literal):
    """Yields (line, text) of the clauses of a literal that are prose. An error is what happened; then the way out."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s|- )", literal):
        for text in re.split(r"(?<=[;:])\s+", paragraph):
            if is_prose(text):
                yield line, " ".join(text.split())


def unescaped(literal):
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": " "}.get(match[1], match[1]), literal)


def in_cpp(text):
    """Yields (line, text) of prose in strings of C++."""
    line, position = 1, 0
    for token in CPP_TOKEN.finditer(text):
        if strings := token["strings"]:
            line += text.count("\n", position, token.start())
            position = token.start()
            yield from texts(line, unescaped("".join(STRING.findall(strings))))


def in_quotes(text):
    """Yields (line, text) of prose in strings of JSON, CMake and TOML, which end on their line."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith("#"):
            for literal in STRING.findall(line):
                yield from texts(number, unescaped(literal))


def in_python(tree):
    """Yields (line, text) of prose in strings of a parsed file, except docstrings. Values in f-strings become VALUE."""
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)  # a docstring
        elif isinstance(node, ast.JoinedStr):
            skipped.update(node.values)
            parts = (part.value if isinstance(part, ast.Constant) else "VALUE" for part in node.values)
            yield from texts(node.lineno, "".join(parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            yield from texts(node.lineno, node.value)
