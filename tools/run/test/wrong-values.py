"""wrong-values.py SCHEMA PUMICE MODULE LAUNCH...: makes each value of launch files wrong, one at a time.

Each value in turn gets another kind, is out of range, or has 20 digits. Each key is left out, misspelt and repeated.
An error must have a place inside the launch, at or around the change. If the value itself is wrong, the schema must
reject it, too.
"""
import concurrent.futures
import copy
import json
import pathlib
import re
import subprocess
import sys

import fastjsonschema

VALUES = [None, True, "", "strange", -1, 2.5, 10**20, {}]
schema = fastjsonschema.compile(json.load(open(sys.argv[1])))


def nodes(value, path=()):
    """Yields the path of every value inside this one."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield path + (key,)
        yield from nodes(inner, path + (key,))


def text(path):
    """Returns the path as errors write it: $.buffers.x.data[1]."""
    out = "$"
    for key in path:
        plain = isinstance(key, str) and re.fullmatch(r"\w+", key)
        out += f".{key}" if plain else f"[{json.dumps(key)}]"
    return out


def changed(launch, path, change):
    """Returns the launch with `change` applied to the container of the value at `path`."""
    copied = copy.deepcopy(launch)
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    change(inner, path[-1])
    return copied


def variants(launch):
    """Yields a name, the changed launch, and the path of the wrong value, or None if a key is wrong."""
    def put(value):
        return lambda inner, key: inner.__setitem__(key, value)

    for path in nodes(launch):
        for value in VALUES:
            yield f"{text(path)} = {json.dumps(value)}", changed(launch, path, put(value)), path
        yield f"{text(path)} left out", changed(launch, path, lambda i, k: i.pop(k)), None
        if isinstance(path[-1], str):
            misspelt = path[:-1] + (path[-1] + "_",)
            yield f"{text(misspelt)}", changed(
                launch, path, lambda i, k: i.__setitem__(k + "_", i.pop(k))), None


def is_valid(launch):
    try:
        schema(launch)
    except fastjsonschema.JsonSchemaValueException:
        return False
    return True


def judge(number, launch, path):
    """Returns how `pumice run` handles `launch` wrongly, or None."""
    file = pathlib.Path(f"wrong-{number}.json")
    file.write_text(json.dumps(launch))
    done = subprocess.run([sys.argv[2], "run", sys.argv[3], "--launch", file, "--device", "cpu:0"],
                          capture_output=True, text=True, timeout=120)
    file.unlink()
    if done.returncode not in (0, 1, 2):
        return f"ended with {done.returncode}: {done.stderr}"
    if done.returncode != 2:
        return None if is_valid(launch) else "the schema refuses it, the reader does not"
    found = re.search(r"error: [^ ]*\.json:\d+:\d+: (\$\S*): (.+)", done.stderr)
    if not found:
        # If the file names no module, the error is about the command line's module.
        return None if sys.argv[3] in done.stderr else f"no place: {done.stderr}"
    where, said = found.groups()
    if where == "$":
        return f"no place inside the launch: {done.stderr}"
    if path is None:
        return None
    if not (where.startswith(text(path)) or text(path).startswith(where)):
        # Errors may also be about a buffer's name, size or place that a binding relies
        # on.
        if not re.search(r"buffer|bytes|bound|dispatches|iota|min is more|constant|workgroup|local|"
                         r"elements|arguments|opencl", said, re.I):
            return f"told elsewhere: {done.stderr}"
    if where == text(path) and re.search(r"expected .*; found", said) and is_valid(launch):
        return f"the schema takes it: {done.stderr}"
    return None


def main():
    tried = []
    for name in sys.argv[4:]:
        launch = json.load(open(name))
        assert is_valid(launch), name
        tried += variants(launch)
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        verdicts = pool.map(lambda item: judge(item[0], *item[1][1:]), enumerate(tried))
        for (name, _, _), verdict in zip(tried, verdicts):
            if verdict:
                print(f"{name}: {verdict}")
                wrong += 1
    print(f"{len(tried)} launches, {wrong} taken wrongly")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
