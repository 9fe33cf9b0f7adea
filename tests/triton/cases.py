"""What a file of kernels says about each of them: the types and constants that it is compiled for."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    kernel: object  # a triton.jit function
    types: tuple  # of its run-time arguments in order, as Triton writes signatures: "*fp32", "i32"
    constants: dict = field(default_factory=dict)  # by the name of the argument
    options: dict = field(default_factory=dict)  # of the backend: see make-ttir.py
    before: tuple = ()  # the first version of Triton that cannot take the kernel, (3, 9); () for none


def case(kernel, types="", options=None, before=(), **constants):
    """A case of `kernel`. `types` are separated by semicolons; a type that ends in "/16" is known to
    be divisible by 16, and so is every pointer unless it ends in "/1"."""
    return Case(kernel, tuple(t.strip() for t in types.split(";") if t.strip()), constants,
                options or {}, before)
