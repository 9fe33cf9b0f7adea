#!/usr/bin/env python3
"""Makes everything that a release publishes, into one folder (`make release`).

    tools/make-release.py [--build build] [--allow-changes]

The folder is build/release. It holds a wheel for Python 3.11, a wheel for Python 3.12 and later,
and the source distribution. It also holds the C and C++ library as an archive, the changes since
the last release, and SHA256SUMS. Before the build, the tool checks that git has no uncommitted
changes. It also checks that CHANGELOG.md has a section for this version. At the end, twine checks
the metadata.
"""
import argparse
import hashlib
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ROOT / "include/pumice/pumice.h"

# Versions of PyTorch for which the wheels have a library of torch.device("vk"). For others, users compile it.
TORCH = ("2.11.0", "2.12.1", "2.13.0", "2.14.0")


def give_up(reason):
    sys.exit(f"make-release: {reason}")


def run(command, what, **options):
    """Returns the command's output. If the command fails, shows its output and ends the tool."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        give_up(f"{what} failed:\n{done.stdout[-8000:]}")
    return done.stdout


def version_of(header):
    """Returns the version that the C API's header names, as "0.2.0"."""
    numbers = dict(re.findall(r"#define PUMICE_VERSION_(MAJOR|MINOR|PATCH) (\d+)", header))
    if len(numbers) != 3:
        give_up(f"{HEADER} does not define PUMICE_VERSION_MAJOR, _MINOR and _PATCH")
    return ".".join(numbers[part] for part in ("MAJOR", "MINOR", "PATCH"))


def changes_of(changelog, version):
    """Returns the changelog's section for a version, or nothing if the section is missing or empty."""
    sections = re.split(r"^## ", changelog, flags=re.M)[1:]
    for section in sections:
        title, _, text = section.partition("\n")
        if title.split(" ")[0] == version:
            return text.strip()
    return ""


def check_ready(allow_changes):
    """Returns the version and its changes, if the tree can be released."""
    changed = run(["git", "status", "--porcelain"], "git status", cwd=ROOT).strip()
    if changed and not allow_changes:
        give_up("expected a clean checkout, got changes that are not committed:\n"
                f"{changed}\ncommit them, or pass --allow-changes for a trial")
    version = version_of(HEADER.read_text())
    changes = changes_of((ROOT / "CHANGELOG.md").read_text(), version)
    if not changes:
        give_up(f"CHANGELOG.md has no section '## {version}' with text; write what changed")
    return version, changes


def make_torch_libraries(build):
    """Compiles the library of torch.device("vk") for each version of PyTorch."""
    folders = run([ROOT / "setup/torch-headers.sh", build / "torch-headers", *TORCH], "fetching PyTorch's headers")
    run(["cmake", build, f"-DPUMICE_TORCH={';'.join(folders.split())}"], "cmake")
    try:
        run(["cmake", "--build", build, "--target", "pumice_torch"], "compiling the libraries for PyTorch")
    finally:
        run(["cmake", build, "-DPUMICE_TORCH="], "cmake")


def make_wheels(build, folder):
    headers = run([ROOT / "setup/python-headers.sh", build / "python-headers"], "fetching headers").strip()
    for arguments in ([], ["--headers", headers]):
        tool = [sys.executable, ROOT / "tools/make-wheel.py", "--build", build, *arguments]
        said = run(tool, "tools/make-wheel.py")
        wheel = pathlib.Path(next(line for line in said.splitlines() if line.endswith(".whl")))
        shutil.copy(wheel, folder)
        print(f"  {wheel.name}", flush=True)


def make_source_distribution(build, folder):
    """Makes the archive from which pip builds a wheel, with the tool that pyproject.toml names."""
    inside = next((build / "wheel").glob("python*/venv/bin/python"))
    script = f"import scikit_build_core.build as build; print(build.build_sdist({str(folder)!r}))"
    name = run([inside, "-c", script], "the source distribution", cwd=ROOT).splitlines()[-1]
    with tarfile.open(folder / name) as archive:
        paths = {path.partition("/")[2] for path in archive.getnames()}
    known = set(run(["git", "ls-files"], "git ls-files", cwd=ROOT).splitlines()) | {"PKG-INFO", ""}
    if strange := sorted(paths - known):
        give_up(f"expected only files that git tracks in {name}, got {', '.join(strange[:5])}: see sdist.include "
                "in pyproject.toml")
    print(f"  {name}", flush=True)


def make_library(build, folder, version):
    """Packs the library, its headers, the compiler and the command, as `cmake --install` lays them
    out.
    """
    name = f"pumice-{version}-{platform.system().lower()}-{platform.machine()}"
    prefix = folder / name
    for component in ("runtime", "compiler"):
        run(["cmake", "--install", build, "--component", component, "--prefix", prefix, "--strip"],
            "cmake --install")
    shutil.copy(ROOT / "LICENSE", prefix)
    with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as archive:
        archive.add(prefix, name)
    shutil.rmtree(prefix)
    print(f"  {name}.tar.gz", flush=True)


def judge(build, folder, version):
    """Checks the metadata of the wheels and of the source distribution."""
    environment = build / "release-venv"
    if not (environment / "bin/twine").exists():
        run([sys.executable, "-m", "venv", environment], "python -m venv")
        run([environment / "bin/python", "-m", "pip", "install", "--quiet", "--no-input", "--requirement",
             ROOT / "setup/requirements-release.txt"], "pip install twine")
    archives = sorted([*folder.glob("*.whl"), folder / f"pumice-{version}.tar.gz"])
    print(run([environment / "bin/twine", "--no-color", "check", "--strict", *archives], "twine check"), end="")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options.add_argument("--allow-changes", action="store_true", help="also with changes that are not committed")
    given = options.parse_args()
    version, changes = check_ready(given.allow_changes)
    build = given.build.resolve()
    folder = build / "release"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"make-release: Pumice {version}, into {folder}", flush=True)
    make_torch_libraries(build)
    make_wheels(build, folder)
    make_source_distribution(build, folder)
    make_library(build, folder, version)
    (folder / "CHANGES.md").write_text(changes + "\n")
    judge(build, folder, version)
    sums = [f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.name}\n" for one in sorted(folder.iterdir())]
    (folder / "SHA256SUMS").write_text("".join(sums))


if __name__ == "__main__":
    main()
