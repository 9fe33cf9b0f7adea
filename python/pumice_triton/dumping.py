"""PUMICE_DUMP=FOLDER: every stage of every kernel, as files that sort in the order of the stages.

    add-0123456789ab.0.ttir          Triton's text
    add-0123456789ab.1.tiles.mlir    whole tensors, with their layouts
    add-0123456789ab.2.loops.mlir    the same, in loops over pieces that registers hold
    add-0123456789ab.3.lanes.mlir    what one lane computes
    add-0123456789ab.4.gpu.mlir      after every lowering but that to SPIR-V
    add-0123456789ab.5.spirv.mlir    the spirv dialect
    add-0123456789ab.6.pumice        the executable
    add-0123456789ab.7.spirv         its SPIR-V, as text
    add-0123456789ab.8.llir, .9.asm  what this machine's CPU makes of that

The digits are those of the text and its target: the same in each run. Of a kernel that is refused, the
stages until then are there.
"""
import hashlib
import pathlib

MLIR = ("tiles", "loops", "lanes", "gpu", "spirv")  # as `pumice.compile` gives them
TEXTS = ("spirv", "llir", "asm")  # as `Program.text` gives them


def compile_and_write(folder, arch, name, ttir, compile):
    """What `compile(ttir, name, stages)` gives."""
    digits = hashlib.sha256(f"{arch}\n{ttir}".encode()).hexdigest()[:12]
    write = _Writer(folder, f"{name}-{digits}")
    write("0.ttir", ttir)
    stages = {}
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
    def __init__(self, folder, name):
        self._folder, self._name = pathlib.Path(folder), name

    def __call__(self, ending, content):
        path = self._folder / f"{self._name}.{ending}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        except OSError as error:
            raise OSError(f"PUMICE_DUMP is '{self._folder}', where nothing can be written: {error}") from error


def _text(program, form):
    import pumice
    try:
        return program.text(form)
    except pumice.Error as error:  # of code that this build's tools are too old for
        return f"; {error}\n"
