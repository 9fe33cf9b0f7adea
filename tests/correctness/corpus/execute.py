"""Compiles sources, writes launch files for `pumice run`, and reads its output."""
import json
import os
import re
import shlex
import subprocess
import threading
import time

import numpy as np

# Seconds without a result after which a kernel counts as hung. Emulators take longer.
TIMEOUT = int(os.environ.get("PUMICE_TEST_SECONDS", 60))

# The program that opens devices. It may be one that runs where other drivers are.
RUNNER = shlex.split(os.environ.get("PUMICE_TEST_RUNNER", "pumice"))


def is_refused(case, way):
    return (case.lanes not in ((way.lanes,) if way.requires_lanes else (None, way.lanes))
            or any(re.match(pattern, way.name) for pattern in case.refused))


def kernel_lines(text):
    """Maps each kernel's name to the lines of its gpu.func, counted from 0."""
    found, lines = {}, text.splitlines()
    for first, line in enumerate(lines):
        if match := re.match(r"    gpu\.func @(\w+)", line):
            last = next(i for i in range(first, len(lines)) if lines[i] == "    }")
            found[match[1]] = range(first, last + 1)
    return found


def without(text, names):
    """Returns the source with these kernels blanked, so that the others keep their line numbers."""
    lines, places = text.splitlines(), kernel_lines(text)
    for i in (i for name in names for i in places.get(name, ())):
        lines[i] = ""
    return "\n".join(lines) + "\n"


def target_of(configuration, folder):
    """Returns the target as the compiler takes it. If another program opens devices, it also describes them."""
    if RUNNER == ["pumice"] or not configuration.target.startswith("device:"):
        return configuration.target
    file = folder / f"{configuration.name}.target.json"
    if not file.exists():
        device = configuration.target.removeprefix("device:")
        done = subprocess.run([*RUNNER, "target-env", "--json", "--device", device],
                              capture_output=True, text=True, check=True)
        written = file.with_suffix(f".{threading.get_ident()}")
        written.write_text(done.stdout)
        written.rename(file)
    return file


def compile_once(text, source, output, configuration):
    source.write_text(text)
    done = subprocess.run(
        ["pumice", "compile", source, "-o", output, "--target", target_of(configuration, source.parent),
         "--addressing", configuration.addressing, "--index-bits", str(configuration.index_bits),
         "--via", configuration.via],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
    if done.returncode == 0:
        return ""
    return done.stderr.strip() or f"pumice ended with status {done.returncode}"


def asking_for_lanes(text, names, lanes):
    """Returns the source with these kernels requiring subgroups of this many lanes."""
    lines = text.splitlines()
    for kernel, places in kernel_lines(text).items():
        first = next((i for i in places if "attributes {" in lines[i]), None)
        if kernel in names and first is not None:
            lines[first] = lines[first].replace(
                "attributes {", f"attributes {{pumice.required_subgroup_size = {lanes} : i32, ", 1)
    return "\n".join(lines) + "\n"


def compile_source(text, name, configuration, refused, asking, folder):
    """The executable's path, and what the compiler said by kernel. Kernels of `asking` require the
    configuration's lanes. Kernels with errors are left out and the rest is compiled again; errors
    that name no kernel are about all of them."""
    source, output = folder / f"{name}.{configuration.name}.mlir", None
    output = source.with_suffix(".pumice")
    errors, text = {}, asking_for_lanes(without(text, refused), asking, configuration.lanes)
    if not kernel_lines(text):
        return output, errors
    while error := compile_once(text, source, output, configuration):
        places, found = kernel_lines(text), {}
        for match in re.finditer(r"\.mlir:(\d+):\d+: (error: .*)", error):
            for kernel, lines in places.items():
                if int(match[1]) - 1 in lines:
                    found.setdefault(kernel, match[2])
        errors |= found or dict.fromkeys(places, error)
        text = without(text, found or places)
        if not kernel_lines(text):
            break
    return output, errors


def save(array, path):
    """Puts each array into a file of its own, which is exact and quick to read."""
    np.ascontiguousarray(array).tofile(path)
    return {"file": path.name}


def describe(case, launch, executable, label, folder):
    """Returns the case in the form of a launch file."""
    stem = re.sub(r"\W", "-", label)
    buffers, arguments = {}, []
    for i, argument in enumerate(launch.arguments):
        if not hasattr(argument, "data") or isinstance(argument, np.generic):
            arguments.append(argument.item() if isinstance(argument, np.generic) else argument)
            continue
        name, data = f"argument{i}", np.asarray(argument.data)
        expect = data if argument.expect is None else np.asarray(argument.expect)
        if expect.dtype != data.dtype or expect.size != data.size:
            raise ValueError(f"{case.name}: argument {i} is {data.dtype}[{data.size}], but "
                             f"{expect.dtype}[{expect.size}] is expected")
        buffers[name] = {
            "type": argument.element,
            **save(data, folder / f"{stem}.{name}.in"),
            "expect": save(expect, folder / f"{stem}.{name}.out"),
            "tolerance": {"ulps": argument.ulps, "relative": argument.relative,
                          "absolute": argument.absolute},
        }
        passed = {"buffer": name, "shape": list(argument.shape or data.shape),
                  "offset": argument.offset}
        if argument.strides:
            passed["strides"] = list(argument.strides)
        arguments.append(passed)
    described = {"name": label, "executable": executable.name, "entry": case.name,
                 "groups": list(launch.groups), "arguments": arguments, "buffers": buffers}
    if launch.workgroup:
        described["workgroup_size"] = (list(launch.workgroup) + [1, 1])[:3]
    if launch.dynamic_bytes:
        described["dynamic_memory_bytes"] = launch.dynamic_bytes
    return described


def run_cases(described, printed, folder, name, device, skip_unsupported=False):
    """Yields (label, error or ""). A case that crashes or hangs does not affect the others. `printed` holds the
    expected output of kernels by label; other kernels must print nothing. With None, any output is right. With `skip_unsupported`, an error about an
    unsupported feature begins with "skipped: "."""
    rest = list(described)
    while rest:
        run_file = folder / f"{name}.json"
        run_file.write_text(json.dumps({"cases": rest}))
        started = time.monotonic()
        process = subprocess.Popen([*RUNNER, "run", "--launch", run_file, "--device", device]
                                   + ["--skip-unsupported"] * skip_unsupported,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate(timeout=TIMEOUT + len(rest))
            reason = f"pumice run ended with status {process.returncode}: {err.strip()}"
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            reason = f"no result after {time.monotonic() - started:.0f} s"
        answered, said = 0, ""
        for line in out.splitlines(keepends=True):
            match = re.match(r"(PASS|FAIL|ERROR|SKIP) (\S+?)(?:: (.*))?$", line)
            if not match:
                said += line
                continue
            answered += 1
            error = "" if match[1] == "PASS" else match[3] or line
            error = "skipped: " * (match[1] == "SKIP") + error
            expected = said if printed is None else printed.get(match[2], "")
            if not error and said != expected:
                error = f"printed {said!r}, expected {expected!r}"
            said = ""
            yield match[2], error
        if answered < len(rest):
            yield rest[answered]["name"], reason
        rest = rest[answered + 1:]


def find_device(wanted):
    """Returns the name of the device with the id `wanted`, or "", and the output of the command."""
    done = subprocess.run([*RUNNER, "devices", "--json"], capture_output=True, text=True)
    devices = json.loads(done.stdout)["devices"] if done.returncode == 0 else []
    found = next((device for device in devices if device["id"] == wanted), None)
    return (found["name"], "") if found else ("", done.stderr.strip() or f"there is no {wanted}")
