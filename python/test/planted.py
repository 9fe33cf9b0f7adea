"""Kernels with planted faults: what a checked launch has to find, and in which line.

A case is a function that launches a kernel, with the fault if `wrong`, and without it otherwise. The line at
fault ends with the comment `# fault`; in a race of two lines, whichever comes second is found, and both have it.
"""
import dataclasses
import inspect


@dataclasses.dataclass
class Case:
    name: str
    launch: object
    kernel: object  # or the helper function that has the line
    kind: str
    argument: str
    program: tuple  # None where several programs may be the first
    text: str  # a regular expression
    host_only: bool

    @property
    def lines(self):
        """One, or two of which each may be the second to come to an element in a race."""
        lines, first = inspect.getsourcelines(self.kernel)
        return {first + i for i, line in enumerate(lines) if line.rstrip().endswith("# fault")}


CASES = []


def planted(kernel, kind, argument="", program=None, text=".", host_only=None):
    """`host_only`: what other devices do not look for, which is all but bounds."""
    def add(launch):
        CASES.append(Case(launch.__name__, launch, _function(kernel), kind, argument, program, text,
                          kind != "bounds" if host_only is None else host_only))
        return launch
    return add


def _function(kernel):
    """Python's, which autotuners and heuristics have inside of each other."""
    while hasattr(kernel, "fn"):
        kernel = kernel.fn
    return kernel
