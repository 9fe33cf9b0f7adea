"""Reports kernels that need more of a resource than there is, in the form that Triton's autotuner expects."""
from __future__ import annotations

import re
from typing import Any


def raise_out_of_resources(error: Exception) -> None:
    """Raises Triton's OutOfResources if `error` says that a kernel needs more of a resource than there is.

    Args:
        error: What the compiler or the runtime raised. Returns quietly if it reports something else.

    Raises:
        triton.runtime.errors.OutOfResources: With the needed and the available amount. The autotuner then tries its
            next configuration.
    """
    text = str(error)
    needs = re.search(r"(\d+) (?:bytes of )?(workgroup memory|private memory|stack|turns of loops|"
                      r"bits for places of elements)(?: at least)?[;,] "
                      r"(?:there are|but maxComputeSharedMemorySize is) (\d+)", text)
    gives_up = "the driver's compiler gives up on it" in text
    if not needs and not gives_up:
        return
    from triton.runtime.errors import OutOfResources
    if needs:
        raise OutOfResources(int(needs[1]), int(needs[3]), needs[2]) from error

    class DriverGivesUp(OutOfResources):
        """OutOfResources without numbers: no driver reports the available amount."""

        def __str__(self) -> str:
            return f"out of resource: {text} (num_warps)"

        def __reduce__(self) -> tuple[Any, ...]:
            return OutOfResources, (self.required, self.limit, self.name)

    kept = re.search(r"keeps (\d+) bytes in each lane", text)
    raise DriverGivesUp(int(kept[1]) if kept else 0, 0, "private memory") from error
