"""What a kernel takes more of than there is, as Triton's autotuner looks for it."""
import re


def raise_out_of_resources(error):
    """Where that is what is wrong."""
    needs = re.search(r"(\d+) (?:bytes of )?(workgroup memory|private memory|stack|turns of loops)(?: at least)?[;,] "
                      r"(?:there are|but maxComputeSharedMemorySize is) (\d+)", str(error))
    if needs:
        from triton.runtime.errors import OutOfResources
        raise OutOfResources(int(needs[1]), int(needs[3]), needs[2]) from error
