"""Kernels with planted faults: the findings that a checked launch must report, and their lines.

A case is a function that launches a kernel, with the fault only if `wrong` is true. The faulty line ends with the
comment `# fault`. In a race between two lines both have it, since either may come second and be reported.
"""
import dataclasses
import inspect


@dataclasses.dataclass
class Case:
    name: str
    launch: object
    kernel: object  # or the helper function that contains the line
    kind: str
    argument: str
    program: tuple  # None if several programs may be the first
    text: str  # a regular expression
    host_only: bool

    @property
    def lines(self):
        """The line of a fault, or the two lines of a race, either of which may access an element second."""
        lines, first = inspect.getsourcelines(self.kernel)
        return {first + i for i, line in enumerate(lines) if line.rstrip().endswith("# fault")}


CASES = []


def planted(kernel, kind, argument="", program=None, text=".", host_only=None):
    """Registers a case. `host_only` means that only the CPU device detects it; others only check bounds."""
    def add(launch):
        CASES.append(Case(launch.__name__, launch, _function(kernel), kind, argument, program, text,
                          kind != "bounds" if host_only is None else host_only))
        return launch
    return add


def _function(kernel):
    """Returns the Python function, which autotuners and heuristics wrap."""
    while hasattr(kernel, "fn"):
        kernel = kernel.fn
    return kernel
