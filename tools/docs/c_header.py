"""Reads a C header as a list of sections with documented declarations, and writes it as a page.

The header's form: a section begins with a comment `---- 5 Devices ----`, whose text introduces it. A
comment documents the declaration below it, and declarations that follow without an empty line belong
to the same comment. Members of structures and enums have a comment above them or on their line.
"""
import re
from dataclasses import dataclass, field

SECTION = re.compile(r"-{4} *(?:\d+ +)?(.*?) *-{4,} *\n?")
NAME = re.compile(r"\b(pumice_\w+|PUMICE_\w+)\b(?!\.h)")
TOKEN = re.compile(r"(?P<comment>/\*.*?\*/|(?://[^\n]*(?:\n[ \t]*(?=//))?)+)|(?P<macro>^[ \t]*#(?:\\\n|[^\n])*)"
                   r"|(?P<space>\s+)|(?P<other>.)", re.DOTALL | re.MULTILINE)


@dataclass
class Entry:
    """Declarations that share one comment."""
    document: str
    declarations: list = field(default_factory=list)


@dataclass
class Section:
    title: str
    introduction: str
    entries: list = field(default_factory=list)


class BadHeader(ValueError):
    """Reports a header that does not have the form above."""


def plain(comment):
    """Returns a comment's text without the marks around it."""
    if comment.startswith("//"):
        return "\n".join(re.sub(r"^\s*///? ?", "", line) for line in comment.splitlines()).strip()
    lines = comment[2:-2].lstrip("*!").splitlines()
    return "\n".join(re.sub(r"^\s*\* ?", "", line).rstrip() for line in lines).strip("\n ")


def for_c(text):
    """Returns the text as a C compiler on Linux sees it: only the branches of #if that are taken."""
    kept, stack = [], []
    for line in text.replace("\\\n", "\\\0").splitlines():
        words = line.split()
        first = words[0] if words else ""
        if first in ("#if", "#ifdef", "#ifndef"):
            taken = not re.search(r"__cplusplus|_WIN32|_MSC_VER", line)
            stack.append([taken, taken])
        elif first in ("#elif", "#else") and stack:
            taken = not stack[-1][1] and not (first == "#elif" and "_WIN32" in line)
            stack[-1] = [taken, stack[-1][1] or taken]
        elif first == "#endif" and stack:
            stack.pop()
        elif all(taken for taken, _ in stack):
            kept.append(line)
    return "\n".join(kept).replace("\\\0", "\\\n") + "\n"


def items(text):
    """Yields (kind, text) of the header's comments, macros, declarations and empty lines, in order."""
    text, position = for_c(text), 0
    declaration, depth = "", 0
    while position < len(text):
        match = TOKEN.match(text, position)
        position = match.end()
        if match.lastgroup == "other" or declaration:
            declaration += match[0]
            if match.lastgroup == "other":
                depth += {"{": 1, "}": -1}.get(match[0], 0)
                body = match[0] == "}" and re.match(r"[^{;]*\)\s*\{", declaration)
                if depth == 0 and (match[0] == ";" or body):
                    yield "declaration", declaration
                    declaration = ""
        elif match.lastgroup == "space":
            if match[0].count("\n") > 1:
                yield "gap", ""
            elif "\n" in match[0]:
                yield "newline", ""
        else:
            yield match.lastgroup, match[0].strip()
    if declaration.strip():
        raise BadHeader(f"a declaration does not end: {declaration.strip().splitlines()[0]}")


def parse(text):
    """Returns the header's first comment, and its sections."""
    manual, sections, comment, entry, on_line = "", [], None, None, False
    for kind, text_of in items(text):
        if kind == "comment":
            body = plain(text_of)
            if title := SECTION.match(body):
                sections.append(Section(title[1], body[title.end():].strip()))
                entry = comment = None
            elif on_line and entry:
                entry.declarations[-1] += f" /* {' '.join(body.split())} */"
            else:
                manual = manual or (body if text_of.startswith("/*") and not sections else "")
                comment, entry = body, None
        elif kind in ("declaration", "macro"):
            on_line = True
            if not sections or kind == "macro" and not text_of.startswith("#define"):
                continue
            if entry is None:
                entry = Entry(comment or "")
                sections[-1].entries.append(entry)
            entry.declarations.append(text_of)
            comment = None
            continue
        elif kind == "gap":
            comment = entry = None
        on_line = False
    return manual, sections


def name_of(declaration):
    """Returns the name that a declaration declares, or an unnamed enum's first enumerator."""
    text = re.sub(r"/\*.*?\*/", "", declaration, flags=re.DOTALL)
    for pattern in (r"#define (\w+)", r"typedef [^{(]*\(\*(\w+)\)", r"typedef [^{(]*?(\w+)\s*;", r"}\s*(\w+)\s*;",
                    r"enum\s*(?:\w+\s*)?\{\s*(\w+)", r"(\w+)\s*\("):
        if match := re.search(pattern, text):
            return match[1]
    raise BadHeader(f"no name in: {declaration.splitlines()[0]}")


def members(declaration):
    """Returns (member, its comments) for each member of a structure or an enum, or None for anything else."""
    match = re.match(r"(?:typedef\s+)?(struct|enum)\b[^{(]*\{(.*)\}[^}]*$", declaration, re.DOTALL)
    if not match:
        return None
    end = ";" if match[1] == "struct" else ","
    rows, text, said, on_line = [], "", "", False
    for token in TOKEN.finditer(match[2]):
        if token.lastgroup == "comment":
            body = " ".join(plain(token[0]).split())
            if on_line and rows and not text.strip():
                rows[-1][1] = f"{rows[-1][1]} {body}".strip()
            else:
                said = f"{said} {body}".strip()
        elif token[0] == end and text.count("(") == text.count(")"):
            rows.append([" ".join(text.split()), said])
            text, said, on_line = "", "", True
        else:
            text += token[0]
            on_line = on_line and "\n" not in token[0]
    if text.strip():
        rows.append([" ".join(text.split()), said])
    return rows


def names_in(declaration):
    """Returns the names that links may use: the declaration, and the enumerators in it."""
    rows = members(declaration) if re.match(r"(typedef\s+)?enum\b", declaration) else None
    return {name_of(declaration)} | {name.split(" ")[0] for name, _ in rows or ()}


def paragraphs(text, known):
    """Returns a comment's text as Markdown: indented lines are code, and names link to their entries."""
    def link(match):
        name = f"`{match[0]}`"
        return f"[{name}](#{match[0]})" if match[0] in known else name

    result, code, indent = [], False, 0
    for line in text.splitlines():
        indented = re.match(r" {2,}\S", line)
        if indented and (code or not result or not result[-1].strip()):
            if not code:
                result.append("```c")
                indent = len(line) - len(line.lstrip())
            code = True
            result.append(line[min(indent, len(line) - len(line.lstrip())):].rstrip())
            continue
        if code and not line.strip():
            continue
        if code:
            result += ["```", ""]
            code = False
        parts = re.split(r"(`[^`]*`)", line)
        parts[::2] = [NAME.sub(link, re.sub(r"([*<\[\]|])", r"\\\1", part)) for part in parts[::2]]
        result.append("".join(parts))
    return "\n".join(result + ["```"] * code)


def signature(declaration):
    """Returns a declaration as callers see it, without its body and without the export macro."""
    if declaration.startswith("#define"):
        return declaration.splitlines()[0].rstrip("\\ ")
    text = re.sub(r"\)\s*\{.*", ");", declaration, flags=re.DOTALL).replace("static inline ", "")
    lines = text.splitlines()
    cut = len("PUMICE_API ") if text.startswith("PUMICE_API ") else 0
    return "\n".join([lines[0][cut:]] + [re.sub(rf"^ {{{cut}}}", "", line) for line in lines[1:]])


def cell(text):
    return text.replace("|", "\\|")


def write_entry(entry, known):
    names = [name_of(declaration) for declaration in entry.declarations]
    yield f"### `{names[0]}` {{#{names[0]}}}\n"
    anchors = {name for declaration in entry.declarations for name in names_in(declaration)} - {names[0]}
    if anchors:
        yield "".join(f'<a id="{name}"></a>' for name in sorted(anchors)) + "\n"
    shown = [signature(declaration) for declaration in entry.declarations if members(declaration) is None]
    if shown:
        yield "```c\n" + "\n".join(shown) + "\n```\n"
    if entry.document:
        yield paragraphs(entry.document, known) + "\n"
    for declaration in entry.declarations:
        if rows := members(declaration):
            yield "| member | meaning |\n|---|---|"
            yield from (f"| `{cell(name)}` | {paragraphs(said, known)} |" for name, said in rows)
            yield ""


def page(text, title, source):
    """Returns the header as Markdown."""
    manual, sections = parse(text)
    entries = [entry for section in sections for entry in section.entries]
    declarations = [declaration for entry in entries for declaration in entry.declarations]
    known = {name for declaration in declarations for name in names_in(declaration)}
    lost = set(re.findall(r"PUMICE_API [^;]*?\b(pumice_\w+)\s*\(", for_c(text))) - known
    if lost:
        raise BadHeader(f"no entry for {', '.join(sorted(lost))}")
    lines = [f"# {title}\n", f"Written from [{source}](../../{source}) while the site is built.\n"]
    lines.append(paragraphs(re.split(r"\n\n *1 ", manual)[0], known) + "\n")
    for section in sections:
        lines += [f"## {section.title}\n", paragraphs(section.introduction, known) + "\n"]
        for entry in section.entries:
            lines += write_entry(entry, known)
    return "\n".join(lines)
