"""Plain English in documents, comments and messages (CONTRIBUTING.md): advice, since no tool reads as people do."""
import ast
import io
import itertools
import re
import tokenize

from . import literals, markdown
from .tree import Finding

MOST_WORDS = 25  # the limit for a sentence

# Phrases that read as if translated, and what to write instead.
PHRASES = [(re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in [
    (r"\b(?:is|are|was|were) told\b", "name who reports what"),
    (r"\bstands? (?!for\b|alone\b)", "'is', or the field's verb"),
    (r"\bso many\b", "'that many', or the number"),
    (r"\banew\b", "'again'"),
    (r"\bbeside\b", "'compared with', or 'next to'"),
    (r"(?<!there )\bis no (?!longer|more)\w+", "'is not a ...'"),
    (r"\bgoes by\b", "'depends on', or 'uses'"),
    (r"\bwhat of\b", "'which parts of'"),
]]
FRAGMENT = re.compile(r"(?:Of|What) (?!is|are|does|do|if)\w")
CPP_COMMENT = re.compile(r"^\s*///?(?:<)? ?(.*)$")
SCRIPT_COMMENT = re.compile(r"^\s*(?:#+(?!!)|//) ?(.*)$")
IR = re.compile(r"\s{2,}(?:before:|after:|.*[%{};=])")  # an indented line of a comment that shows code
LIT_LINE = re.compile(r"(?:#|//|;)?\s*(?:[A-Z][A-Z0-9_]*(?:-[A-Z0-9]+)*(?:\{[A-Z,]+\})?:|%)")  # RUN:, CHECK-NEXT:, %{...}
SPLIT = re.compile(r"\s*(?:#|//|;)?---\s")  # the parts of a test, which split-file writes to files of their own


SETTINGS = (".json", ".cmake", "CMakeLists.txt", ".toml", ".yml")


def plain_english(tree):
    """Reports sentences of more than 25 words, phrases to avoid, and fragments."""
    for path in tree.under(suffixes=[".md", ".h", ".hpp", ".cpp", ".td", ".py", ".sh", ".test", *SETTINGS]):
        for line, text in paragraphs(tree, path):
            for message in judge(text):
                yield Finding(path, line, message, advice=True)


def paragraphs(tree, path):
    """Yields (line, text) of each paragraph of prose in a file."""
    text = tree.text(path)
    if path.endswith(".md"):
        return joined(markdown.parse(text)[1], breaks=re.compile(r"\s*(?:[-*|#>]|\d+\.) ?"))
    if path.endswith(".py"):
        return python_prose(text)
    if path.endswith(SETTINGS):
        return itertools.chain(joined(script_comments(text), breaks=re.compile(r"(?!)")), literals.in_quotes(text))
    if path.endswith(".sh"):
        return joined(script_comments(text), breaks=re.compile(r"(?!)"))
    if path.endswith(".test"):
        own = test_lines(text)
        return itertools.chain(joined(script_comments(own), breaks=re.compile(r"(?!)")), bare_prose(own))
    comments = joined(comment_lines(text), breaks=re.compile(r"(?!)"))
    return itertools.chain(comments, literals.in_cpp(text) if path.endswith((".h", ".hpp", ".cpp")) else ())


def joined(lines, breaks):
    """Joins neighbouring lines to one text. An empty line, or one that `breaks` matches, starts another text."""
    first, last, words = 0, 0, []
    for number, line in lines:
        starts = breaks.match(line)
        if words and (number != last + 1 or not line.strip() or starts):
            yield first, " ".join(words)
            words = []
        if line.strip():
            first = first if words else number
            words.append(line[starts.end() if starts else 0:].strip())
        last = number
    if words:
        yield first, " ".join(words)


def test_lines(text):
    """Returns the text of a test without lines for lit and FileCheck, which become empty, and without its further files."""
    lines = itertools.takewhile(lambda line: not SPLIT.match(line), text.splitlines())
    return "\n".join("" if LIT_LINE.match(line) else line for line in lines)


def script_comments(text):
    """Yields (number, text) of lines that are comments of a shell script or a test."""
    for number, line in enumerate(text.splitlines(), 1):
        if comment := SCRIPT_COMMENT.match(line):
            yield number, comment[1]


def bare_prose(text):
    """Yields paragraphs of a test that are not comments. They are prose if they begin and end as a sentence does."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if not SCRIPT_COMMENT.match(line)]
    for number, paragraph in joined(lines, breaks=re.compile(r"(?!)")):
        if re.match(r"[A-Z].*[.:?]$", paragraph):
            yield number, paragraph


def comment_lines(text):
    """Yields (number, text) of the lines of comments in C++ and TableGen, without titles of files and code."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if inside or line.lstrip().startswith("/*"):
            inside = "*/" not in line
            yield number, re.sub(r"^\s*/?\*+/?|\*/.*$", "", line).strip(" -")
        elif (comment := CPP_COMMENT.match(line)) and not comment[1].startswith(("===", "---")):
            yield number, "" if IR.match(comment[1]) else comment[1]


def python_prose(text):
    """Yields docstrings, comments and messages."""
    try:
        tree = ast.parse(text)
        nodes = list(ast.walk(tree))
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, tokenize.TokenError):
        return
    for node in nodes:
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            start = node.body[0].lineno
            yield from joined(enumerate(ast.get_docstring(node).splitlines(), start), re.compile(r"\s{4}|(?!)"))
    comments = [(token.start[0], token.string.lstrip("# ")) for token in tokens
                if token.type == tokenize.COMMENT and not token.string.startswith("#!")]
    yield from joined(comments, re.compile(r"(?!)"))
    yield from literals.in_python(tree)


def judge(text):
    """Yields one message for each problem of a paragraph."""
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "Code", text))
    for cell in text.split(" | "):
        for sentence in re.split(r"(?<=[.!?])[)\"']*\s+(?=[A-Z`\"'(\[])", cell):
            words = re.findall(r"\w(?:[\w'.,-]*\w)?", sentence)
            if len(words) > MOST_WORDS:
                yield f"a sentence of {len(words)} words, at most {MOST_WORDS}: {' '.join(words[:6])} ..."
            if FRAGMENT.match(sentence) and not sentence.rstrip().endswith("?"):
                yield f"starts with '{words[0]}': write a subject and a verb: {' '.join(words[:6])} ..."
    for phrase, instead in PHRASES:
        for found in phrase.finditer(text):
            yield f"'{found[0].strip()}': {instead}"
