"""Functions that the fuzzers of the command line share: the seed, damaged inputs, and findings."""
import argparse
import pathlib
import random
import subprocess
import tempfile

TIMEOUT = 60  # in seconds


def parse(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--pumice", default="pumice")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for inputs that crash")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    return parser.parse_args()


def ending(command):
    """Returns the exit status, or a word for a time-out or a silent failure, and standard error."""
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              timeout=TIMEOUT, errors="replace")
    except subprocess.TimeoutExpired:
        return "time-out", ""
    if done.returncode == 1 and "error:" not in done.stderr:
        return "silent", "it failed without an error"
    return done.returncode, done.stderr


def fuzz(arguments, contents, suffix, mutate, command, verb):
    """Damages (file, bytes) of `contents` by `mutate(rng, bytes)`, and runs `command(rng, input)`.

    Prints the seed, each finding and a summary. Returns the exit status."""
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(2**32)
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    good, findings = 0, 0
    with tempfile.TemporaryDirectory(prefix="pumice-fuzz-") as folder:
        path = pathlib.Path(folder) / f"input{suffix}"
        for number in range(arguments.count):
            file, content = rng.choice(contents)
            damaged = mutate(rng, content)
            path.write_bytes(damaged)
            words = command(rng, path)
            status, said = ending([arguments.pumice, *words])
            good += status == 0
            if status in (0, 1):
                continue
            findings += 1
            print(f"FINDING: input {number} of {file}: status {status}: {' '.join(words[2:])}\n{said[-2000:]}")
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                (arguments.keep / f"{seed}-{number}{suffix}").write_bytes(damaged)
    print(f"{arguments.count} inputs, {good} {verb}, {findings} findings")
    return 1 if findings else 0
