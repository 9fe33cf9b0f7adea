"""The page of the command line: what the programs print for --help."""
import re
import subprocess

from tablegen import Missing

COMMAND = re.compile(r"^  ([a-z][\w-]*) ", re.MULTILINE)


def printed(build, *words):
    program = build / "bin" / words[0]
    if not program.exists():
        raise Missing(f"{program} is missing: the reference shows what it prints; build it with `make build-products`")
    done = subprocess.run([program, *words[1:]], check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60)
    if done.returncode:
        raise ValueError(f"{' '.join(words)} failed:\n{done.stdout}")
    return done.stdout.rstrip()


def command_line(build):
    """Every command of `pumice`, and the pipelines of `pumice-opt`."""
    text = printed(build, "pumice", "--help")
    commands = COMMAND.findall(text.split("commands:")[1].split("\n\n")[0])
    lines = ["# What --help prints\n", "Written by the programs themselves while the site is built. "
             "[The command line](../command-line.md) explains the commands with examples.\n",
             block("pumice --help", text)]
    for command in commands:
        lines += [f"## `pumice {command}` {{#{command}}}\n",
                  block(f"pumice {command} --help", printed(build, "pumice", command, "--help"))]
    return "\n".join(lines)


def block(command, text):
    return f"```text\n$ {command}\n{text}\n```\n"


def pipelines(build):
    """A table of the pipelines that `pumice-opt` has besides single passes."""
    text = printed(build, "pumice-opt", "--help")
    rows = re.findall(r"^ {6}--(pumice-[\w-]+) +- +(.*)$", text.partition("Pass Pipelines:")[2], re.MULTILINE)
    if not rows:
        raise ValueError("pumice-opt --help names no pipelines")
    return "\n".join(["| pipeline | what it does |", "|---|---|"] +
                     [f"| `{name}` | {what.replace('|', chr(92) + '|')} |" for name, what in rows]) + "\n"
