"""What a kernel takes more of than there is, as Triton's autotuner looks for it."""
import re


def raise_out_of_resources(error):
    """Where that is what is wrong."""
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
        """No driver tells what its compiler would have had room for."""

        def __str__(self):
            return f"out of resource: {text} (num_warps)"

        def __reduce__(self):
            return OutOfResources, (self.required, self.limit, self.name)

    kept = re.search(r"keeps (\d+) bytes in each lane", text)
    raise DriverGivesUp(int(kept[1]) if kept else 0, 0, "private memory") from error
