"""Writes a C++ header as a page: its classes and functions without their bodies.

Each class is shown as code, with the comments of its public members. Private members are left out.
Everything public needs a comment, above it or at the end of its line, except deleted functions and
using declarations of constructors.
"""
import re

import c_header

TOKEN = re.compile(r'(?P<comment>//[^\n]*)|(?P<string>"(?:[^"\\]|\\.)*")|(?P<macro>^#(?:\\\n|[^\n])*)|(?P<other>.)',
                   re.DOTALL | re.MULTILINE)
NAMESPACE = re.compile(r"^namespace (\w+) \{\n((?:(?:inline )?namespace \w+ \{\n)*)(.*?)^\} // (?:inline )?namespace",
                       re.DOTALL | re.MULTILINE)
NEEDS_NO_COMMENT = re.compile(r"using (\w+)::\1;|friend\b|static_assert\b|.*=\s*delete\s*;", re.DOTALL)
KIND = re.compile(r"(?:template <[^{;]*?>\s*)?(class|struct)\b(?:\s*\[\[\w+\]\])?\s+(\w+)[^;{(]*\{", re.DOTALL)


def entities(text):
    """Yields top-level pieces of the text as (comments before it, code, trailing comment)."""
    comments, code, depth, pieces, at_line = [], "", 0, [], False
    for token in TOKEN.finditer(text):
        kind, word = token.lastgroup, token[0]
        if kind == "comment" and not code.strip():
            if at_line and pieces:
                pieces[-1][2] = word
            else:
                comments.append(word)
            code = ""
            continue
        if kind == "macro":
            comments = comments if code.strip() else []  # a comment above a macro is about the macro
            continue
        code += word
        if kind != "other":
            continue
        if word == "\n" and not code.strip():
            if code.count("\n") > 1:
                comments = []  # an empty line separates the comment from what follows
            at_line = False
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(word, 0)
        label = re.fullmatch(r"\s*(public|private|protected):", code)
        if depth == 0 and (word == ";" or label or word == "}" and is_function(code)):
            pieces.append([comments, re.sub(r"\A(?:[ \t]*\n)+", "", code), ""])
            comments, code, at_line = [], "", True
    return pieces


def masked(code):
    """Returns code of the same length, with every string's contents replaced."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', lambda match: '"' * len(match[0]), code)


def is_function(code):
    """Returns whether code that ends with a brace is a function with its body, which no `;` follows."""
    plain, depth = masked(code), 0
    if KIND.match(plain.strip()) or "(" not in plain.split("{")[0]:
        return False
    for place in range(len(plain) - 1, -1, -1):
        depth += {"}": 1, "{": -1}.get(plain[place], 0)
        if plain[place] == "{" and depth == 0:  # an identifier before the brace: a member that is initialized
            return re.search(r"(?:[)}&]|const|noexcept|override)\s*$", plain[:place]) is not None
    return False


def declaration(code):
    """Returns a piece of code without the bodies of functions."""
    plain = masked(code)
    if "(" not in plain.split("{")[0] or code.rstrip().endswith(";") and "{" not in plain:
        return code
    head = code[:plain.find("{")]
    head = re.sub(r"\)(\s*(?:const|noexcept)*)\s*:\s.*", r")\1", head, flags=re.DOTALL)  # no member initializers
    return head.rstrip() + ";"


def undocumented(name, code, comments):
    """Returns the declaration as a list for an error if it needs a comment and has none."""
    if comments or NEEDS_NO_COMMENT.fullmatch(code.strip()) or re.match(r"friend|static_assert", code.strip()):
        return []
    return [f"{name}: {' '.join(declaration(code).split())}"]


def members(name, is_struct, body, missing):
    """Returns the public members of a class's body as lines. Appends those without a comment to `missing`."""
    public, lines = is_struct, []
    for comments, code, trailing in entities(body):
        if label := re.fullmatch(r"\s*(public|private|protected):", code):
            public = label[1] == "public"
        elif public and not code.strip().startswith(("using Handle", "friend", "static_assert")):
            missing += undocumented(name, code, comments or trailing)
            lines += [f"  {comment}" for comment in comments]
            lines.append(declaration(code) + (f" {trailing}" if trailing else ""))
    return lines


def shown(code, is_class, missing):
    """Returns the declaration of a class with its public members, or of a function."""
    if not is_class:
        return declaration(code).strip()
    head, body = code.strip().split("{", 1)
    public = head.rstrip() + " {" + ("\npublic:" if is_class[1] == "class" else "")
    inside = members(is_class[2], is_class[1] == "struct", body[:body.rindex("}")], missing)
    return "\n".join([public, *inside, "};"])


def page(text, title, source, manual="[C API](c-api.md)"):
    """Returns the header as Markdown. `manual` is a link to the page that explains the calls."""
    blocks = list(NAMESPACE.finditer(text))
    if not blocks:
        raise c_header.BadHeader(f"{source} has no namespace that a comment `// namespace` ends")
    introduction = re.match(r"(?://[^\n]*\n)+", text)[0].splitlines()[1:-1]
    space = "::".join([blocks[-1][1], *re.findall(r"^namespace (\w+)", blocks[-1][2], re.MULTILINE)])
    lines = [f"# {title}\n", f"Written from [{source}](../../{source}) while the site is built. Everything is in the "
             f"namespace `{space}`. The {manual} explains each call.\n",
             c_header.paragraphs(c_header.plain("\n".join(introduction)), set()), ""]
    known, missing = set(), []
    for comments, code, _ in (entity for block in blocks for entity in entities(block[3])):
        is_class = KIND.match(code.strip())
        name = is_class[2] if is_class else (re.search(r"(\w+)\s*(?:\(| =)", code) or [None, None])[1]
        if not name or code.strip().startswith("static_assert"):
            continue
        if name not in known:
            lines.append(f"## `{name}` {{#{name}}}\n")
        known.add(name)
        if not comments:
            missing.append(name)
        document = " ".join(comment.lstrip("/ ") for comment in comments)
        lines += [re.sub(r"([*<\[\]|_])", r"\\\1", document), ""] if document else []
        lines += ["```cpp", shown(code, is_class, missing), "```", ""]
    classes = r"^(?:template <[^>{;]*> )?(?:class|struct)(?: \[\[\w+\]\])? (\w+)[^;{]*\{"
    lost = set(re.findall(classes, "".join(block[3] for block in blocks), re.MULTILINE)) - known
    if lost:
        raise c_header.BadHeader(f"no entry for {', '.join(sorted(lost))}")
    if missing:
        raise c_header.BadHeader(f"{source}: no comment documents\n  " + "\n  ".join(missing))
    return "\n".join(lines)
