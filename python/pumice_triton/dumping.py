"""PUMICE_DUMP=FOLDER: writes every stage of every kernel, as files that sort in the order of the stages.

    add-0123456789ab.0.ttir          Triton's text
    add-0123456789ab.1.tiles.mlir    whole tensors, with their layouts
    add-0123456789ab.2.loops.mlir    the same, in loops over pieces that registers hold
    add-0123456789ab.3.lanes.mlir    what one lane computes
    add-0123456789ab.4.gpu.mlir      after every lowering except the one to SPIR-V
    add-0123456789ab.5.spirv.mlir    the spirv dialect
    add-0123456789ab.6.pumice        the executable
    add-0123456789ab.7.spirv         its SPIR-V, as text
    add-0123456789ab.8.llir, .9.asm  the code that this machine's CPU runs

The digits are a hash of the text and its target, so they are the same in each run. If a kernel is rejected, the files
show the stages that it reached.
"""
from __future__ import annotations

import hashlib
import pathlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pumice.programs import Program

MLIR = ("tiles", "loops", "lanes", "gpu", "spirv")  # keys of `stages` of `pumice.compile`
TEXTS = ("spirv", "llir", "asm")  # forms that `Program.text` takes


def compile_and_write(folder: str, arch: str, name: str, ttir: str,
                      compile: Callable[[str, str, dict[str, str]], Program]) -> Program:
    """Compiles a kernel, and writes its stages into a folder.

    Args:
        folder: Where the files go. It is made if it is missing.
        arch: The target, in the form of `Backend.arch`.
        name: The kernel's name.
        ttir: Triton's text.
        compile: Compiles `(ttir, name, stages)`, and adds the text of each stage to `stages`.

    Returns:
        The program that `compile` returned.

    Raises:
        OSError: If the folder cannot be written.
    """
    digits = hashlib.sha256(f"{arch}\n{ttir}".encode()).hexdigest()[:12]
    write = _Writer(folder, f"{name}-{digits}")
    write("0.ttir", ttir)
    stages: dict[str, str] = {}
    try:
        program = compile(ttir, name, stages)
    finally:
        for number, stage in enumerate(MLIR, 1):
            if stage in stages:
                write(f"{number}.{stage}.mlir", stages[stage])
    write("6.pumice", program.data)
    for number, form in enumerate(TEXTS, 7):
        write(f"{number}.{form}", _text(program, form))
    return program


class _Writer:
    """Writes the files of one kernel."""

    def __init__(self, folder: str, name: str) -> None:
        self._folder, self._name = pathlib.Path(folder), name

    def __call__(self, ending: str, content: bytes | str) -> None:
        path = self._folder / f"{self._name}.{ending}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        except OSError as error:
            raise OSError(f"PUMICE_DUMP is '{self._folder}', where nothing can be written: {error}") from error


def _text(program: Program, form: str) -> str:
    """Returns a text of the executable, or a comment with the reason why it is missing."""
    import pumice
    try:
        return program.text(form)
    except pumice.Error as error:  # this build's tools are too old for the code
        return f"; {error}\n"
