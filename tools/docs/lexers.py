"""Highlights text on the site that Pygments does not know: MLIR, and commands with their output."""
import pygments.lexers
from pygments.lexer import RegexLexer, bygroups, using
from pygments.lexers.shell import BashLexer
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, Punctuation, String, Text

__all__ = ["MlirLexer", "SessionLexer"]
NAME = r"[A-Za-z_$][\w$.-]*"


class MlirLexer(RegexLexer):
    """Recognizes operations, values, types and attributes by their form alone."""

    name = "MLIR"
    aliases = ["mlir"]
    tokens = {
        "root": [
            (r"//.*", Comment.Single),
            (r'"(?:[^"\\]|\\.)*"', String.Double),
            (rf"%(?:{NAME}|\d+)(?:[:#]\d+)?", Name.Variable),
            (rf"@(?:{NAME}|\d+)", Name.Function),
            (rf"\^{NAME}", Name.Label),
            (rf"[#!]{NAME}", Name.Class),
            (r"(?:memref|tensor|vector|tuple)(?=<)", Keyword.Type),
            (r"\b(?:index|none|b?f(?:16|32|64)|f8\w*|[su]?i\d+)\b", Keyword.Type),
            (r"-?\b(?:0x[0-9A-Fa-f]+|\d+\.\d*(?:[eE][-+]?\d+)?|\d+)(?=[^\w]|x)", Number),
            (r"\b(?:true|false|unit|dense|array|attributes|to|step|iter_args|else|kernel|loc)\b", Keyword),
            (r"[A-Za-z_]\w*\.[\w.]+", Name.Builtin),
            (r"->|[=*+<>:?-]", Operator),
            (r"[()\[\]{},]", Punctuation),
            (r"[A-Za-z_]\w*", Text),
            (r"\s+", Text),
            (r".", Text),
        ]
    }


class SessionLexer(RegexLexer):
    """Highlights commands after `$ `, and their output. Pygments' own lexer takes `%` and `#` as prompts, too."""

    name = "Pumice session"
    aliases = ["session"]
    tokens = {
        "root": [
            (r"^(\$ )((?:.*\\\n)*.*\n?)", bygroups(Generic.Prompt, using(BashLexer))),
            (r".*\n", Generic.Output),
            (r".+", Generic.Output),
        ]
    }


def register():
    """Makes Pygments find these lexers by their aliases."""
    for lexer in (MlirLexer, SessionLexer):
        pygments.lexers.LEXERS[lexer.__name__] = (__name__, lexer.name, tuple(lexer.aliases), (), ())
