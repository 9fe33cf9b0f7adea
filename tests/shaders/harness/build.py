"""Compiles shader texts to SPIR-V, optimised in several forms, and caches the modules."""
import concurrent.futures
import functools
import hashlib
import os
import re
import subprocess
import threading

from harness import assembly, glsl

FORMS = {"": None, "O": "-O", "Os": "-Os"}


class Failed(Exception):
    pass


@functools.cache
def tool_versions():
    return "".join(subprocess.run([tool, "--version"], capture_output=True, text=True).stdout
                   for tool in ("glslangValidator", "spirv-as", "spirv-opt"))


def tool(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()
        wrong = [line for line in said if re.search("error.*:", line, re.I)] or said or ["no output"]
        raise Failed(f"{command[0]}: {wrong[0].replace(str(command[-3]) + ':', 'line ')}")


def whole_text(case):
    return (glsl if case.path.suffix == ".comp" else assembly).whole(case)


def make(case, form, folder):
    """Returns the path of the module; builds it if it is not in the cache."""
    text = whole_text(case)
    version = case.target.removeprefix("vulkan")
    key = hashlib.sha256("\0".join([text, case.path.suffix, case.target, form,
                                    tool_versions()]).encode()).hexdigest()[:24]
    module = folder / f"{key}.spv"
    if module.exists():
        return module
    # Threads and processes may compile the same text at once, so each uses its own files.
    own = f"{key}.{os.getpid()}-{threading.get_ident()}"
    partial = folder / own
    if form:
        tool("spirv-opt", FORMS[form], make(case, "", folder), "-o", partial)
    else:
        source = folder / f"{own}{case.path.suffix}"
        source.write_text(text)
        if case.path.suffix == ".comp":
            tool("glslangValidator", "-V", "--quiet", "--target-env", case.target, source, "-o",
                 partial)
        else:
            spirv = {"1.0": "1.0", "1.1": "1.3", "1.2": "1.5", "1.3": "1.6"}[version]
            tool("spirv-as", "--target-env", "spv" + spirv, source, "-o", partial)
        source.rename(folder / f"{key}{case.path.suffix}")
    partial.rename(module)
    return module


def make_all(cases, forms, folder, jobs):
    """Returns, by case name and form, the path of the module or the error.

    Leaves out a form whose module equals that of an earlier form."""
    folder.mkdir(parents=True, exist_ok=True)

    def forms_of(case):
        made, seen = {}, set()
        try:
            for form in forms:
                made[case.name, form] = path = make(case, form, folder)
                content = hashlib.sha256(path.read_bytes()).digest()
                if content in seen:
                    del made[case.name, form]
                seen.add(content)
        except (Failed, subprocess.TimeoutExpired) as error:
            made[case.name, form] = str(error)
        return made

    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        return {k: v for made in pool.map(forms_of, cases) for k, v in made.items()}
