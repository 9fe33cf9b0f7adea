"""Makes the page of the command line from the output of the programs' --help."""
import re
import subprocess

from tablegen import Missing

ROW = re.compile(r"  (\S+(?: \S+)*?)(?:  +|(?<=[a-z]) (?=[a-z]+ [a-z]))(\S.*)$")
COMMAND = re.compile(r"^  ([a-z][\w-]*) ", re.MULTILINE)


def printed(build, *words):
    program = build / "bin" / words[0]
    if not program.exists():
        raise Missing(f"{program} is missing: the reference shows what it prints; build it with `make build`")
    done = subprocess.run([program, *words[1:]], check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60)
    if done.returncode:
        raise ValueError(f"{' '.join(words)} failed:\n{done.stdout}")
    return done.stdout.rstrip()


def command_line(build):
    """Returns the page, with every command of `pumice`, and the pipelines of `pumice-opt`."""
    text = printed(build, "pumice", "--help")
    commands = COMMAND.findall(text.split("commands:")[1].split("\n\n")[0])
    lines = ["# What --help prints\n", "Written by the programs themselves while the site is built. "
             "[The command line](../command-line.md) explains the commands with examples.\n", page(text)]
    for command in commands:
        lines += [f"## `pumice {command}` {{#{command}}}\n", page(printed(build, "pumice", command, "--help"))]
    return "\n".join(lines)


def page(text):
    """Converts the output of --help to Markdown: options become tables, and commands code."""
    lines = []
    for part in text.split("\n\n"):
        first, *rest = part.splitlines()
        rows = list(map(ROW.match, rest))
        indented = rest and all(line.startswith("  ") for line in rest)
        if part.startswith("usage:"):
            usage, *more = part.splitlines()
            lines += ["```text", usage.removeprefix("usage: "), "```", ""]
            rows = list(map(ROW.match, more))
            if more and all(rows):
                lines += table("option", rows)
            elif more:
                lines += [*map(escaped, more), ""]
        elif first.endswith(":") and indented and all(rows):
            lines += table(first[:-1].rstrip("s"), rows)
        elif first.endswith(":") and indented:
            lines += [f"**{first[:-1].capitalize()}**", "", "```text", *(line[2:] for line in rest), "```", ""]
        else:
            lines += [*map(escaped, part.splitlines()), ""]
    return "\n".join(lines)


def table(title, rows):
    return ['<div class="options" markdown>', "", f"| {title} | |", "|---|---|",
            *(f"| `{row[1].replace('|', chr(92) + '|')}` | {escaped(row[2])} |" for row in rows), "", "</div>", ""]


def escaped(text):
    return re.sub(r"([\\*_<\[\]|#`])", r"\\\1", text)


def pipelines(build):
    """Returns a table of the pipelines that `pumice-opt` has in addition to single passes."""
    text = printed(build, "pumice-opt", "--help")
    rows = re.findall(r"^ {6}--(pumice-[\w-]+) +- +(.*)$", text.partition("Pass Pipelines:")[2], re.MULTILINE)
    if not rows:
        raise ValueError("pumice-opt --help names no pipelines")
    return "\n".join(["| pipeline | what it does |", "|---|---|"] +
                     [f"| `{name}` | {what.replace('|', chr(92) + '|')} |" for name, what in rows]) + "\n"
