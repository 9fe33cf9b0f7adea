"""Loses a GPU on purpose, and checks that work continues. Needs a GPU, `pumice` and `triton`.

    python tests/devices/lost-device.py [--device vulkan] [--processes 12]

Prints PASS, FAIL or SKIP for each check, and exits with status 1 if one failed. The device is lost several times, which
other programs that use the GPU may notice. If a driver reports no loss and a launch never ends, the time limit loses
the device: after 4 s, or as PUMICE_VULKAN_TIMEOUT_MS says."""
import argparse
import os
import re
import subprocess
import sys
import threading
import time

import numpy as np
import triton
import triton.language as tl

os.environ.setdefault("PUMICE_VULKAN_TIMEOUT_MS", "4000")

import pumice  # noqa: E402


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


@triton.jit
def stray_read(x, out, first, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.load(x + first + at))


@triton.jit
def stray_write(x, first, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(x + first + at, at * 0.0 + 77.0)


@triton.jit
def wild_write(x, far, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(x + far + at, at * 0.0 + 1.0)


@triton.jit
def rows_beyond(x, out, rows, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    """Sums each column over a block of rows. Loads rows beyond the end of the array without a mask."""
    row, column = tl.arange(0, BLOCK)[:, None], tl.arange(0, COLUMNS)[None, :]
    values = tl.load(x + row * COLUMNS + column)
    tl.store(out + tl.arange(0, COLUMNS), tl.sum(tl.where(row < rows, values, 0.0), 0))


failures = []


def check(name, passed, told=""):
    print(("PASS " if passed else "FAIL ") + name + (f": {told}" if told and not passed else ""), flush=True)
    if not passed:
        failures.append(name)


def note(text):
    print("     " + text, flush=True)


def adds(n=100_000):
    x, y, out = np.arange(n, dtype=np.float32), np.ones(n, np.float32), np.zeros(n, np.float32)
    add[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    return bool((out == x + 1).all())


def adds_arrays(n=100_000):
    x, y, out = pumice.full(n, 3), pumice.full(n, 4), pumice.zeros(n)
    add[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    return bool((out.numpy() == 7).all())


def check_slack():
    """Checks that accesses slightly out of bounds do not lose the device, and change no memory."""
    n = 4096  # 16 KiB
    for kind, make in (("a tensor of the host", lambda v: np.full(1000, v, np.float32)),
                       ("an array", lambda v: pumice.full(1000, v))):
        try:
            tensors = [make(i) for i in range(8)]
            found = np.ones(n, np.float32) if kind != "an array" else pumice.full(n, 1)
            zeros = True
            for first in (-n, 1000):
                stray_read[(1,)](tensors[3], found, first, N=n)
                values = np.array(found)
                zeros &= bool((values[:-16] == 0).all() if first < 0 else (values == 0).all())
            check(f"slack: reads 16 KiB around {kind}", True)
            check(f"slack: they find zeros around {kind}", zeros)
            for first in (-n, 1000):
                stray_write[(1,)](tensors[3], first, N=n)
            same = all((np.array(one) == i).all() for i, one in enumerate(tensors))
            check(f"slack: writes around {kind} change no other one", same)
        except pumice.Error as error:
            check(f"slack: strays around {kind}", False, str(error))
    for rows, columns in ((100, 64), (1000, 64), (40, 1024)):
        block = triton.next_power_of_2(rows)
        x, out = np.ones((rows, columns), np.float32), np.zeros(columns, np.float32)
        try:
            rows_beyond[(1,)](x, out, rows, COLUMNS=columns, BLOCK=block)
            check(f"slack: a block of {block} rows over {rows} x {columns}", bool((out == rows).all()))
        except pumice.Error as error:
            check(f"slack: a block of {block} rows over {rows} x {columns}", False, str(error))


def loses(work):
    """Returns the error that `work` raises, or None."""
    begin = time.perf_counter()
    try:
        work()
        return None
    except pumice.Error as error:
        note(f"after {time.perf_counter() - begin:.2f} s: {error.status}: {error}")
        return error


FAR = {"1 GiB behind": 1 << 28, "16 MiB before": -(1 << 22), "4 GiB before": -(1 << 30)}


def check_loss(device):
    """Stores far out of bounds. Returns the offset that loses the device, for the other checks, or None."""
    before = pumice.full((20, 50), 5)
    pumice.synchronize()
    for where, far in FAR.items():
        error = loses(lambda: wild_write[(1,)](np.zeros(1024, np.float32), far, N=1024))
        if error is not None:
            check_after(device, before, far, error)
            return far
        print(f"SKIP loss: a store {where} a tensor loses nothing here", flush=True)
    return None


def check_after(device, before, far, error):
    """Checks the state after `error` ended a launch, and the next launches."""
    check("loss: the launch raises DeviceLostError", isinstance(error, pumice.DeviceLostError), type(error).__name__)
    check("loss: its kernel is named", "'wild_write'" in str(error), str(error))
    if re.search(r"at 0x[0-9a-f]+", str(error)):
        check("loss: the nearest argument is named", "argument 'x'" in str(error) and " past the end of its storage of "
              in str(error), str(error))
    elif "PUMICE_VULKAN_TIMEOUT_MS" in str(error):
        print("SKIP loss: the launch never ended, and the time limit lost the device", flush=True)
    else:
        print("SKIP loss: the driver tells no address (VK_EXT_device_fault)", flush=True)
    for name, work in (("tensors of the host", adds), ("arrays", adds_arrays)):
        begin = time.perf_counter()
        try:
            check(f"loss: the next launch, with {name}, is right", work())
        except pumice.Error as again:
            check(f"loss: the next launch, with {name}, is right", False, str(again))
        note(f"it took {time.perf_counter() - begin:.2f} s")
    check("loss: the device is the same object", pumice.device(device.id) is device)
    try:
        before.numpy()
        check("loss: arrays are gone and say so", False, "no error")
    except pumice.Error as gone:
        check("loss: arrays are gone and say so", isinstance(gone, pumice.DeviceLostError)
              and "Array((20, 50), float32" in str(gone) and "was lost with the device at" in str(gone), str(gone))
    # Launches on arrays lose the device as well, although nothing waits for them.
    x = pumice.zeros(1024)
    error = loses(lambda: (wild_write[(1,)](x, far, N=1024), pumice.synchronize()))
    if error is None:
        print("SKIP loss: the same store outside an array loses nothing here", flush=True)
    else:
        check("loss: of a launch with arrays is reported", isinstance(error, pumice.DeviceLostError), type(error).__name__)
    check("loss: the launch after that one is right", adds() and adds_arrays())


def check_threads(far):
    """Launches on several threads while another thread loses the device."""
    wrong, lost, right = [], [], []

    def work():
        for _ in range(20):
            try:
                (right if adds(5000) else wrong).append("a wrong sum")
            except pumice.Error as error:
                (lost if isinstance(error, pumice.DeviceLostError) else wrong).append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    loses(lambda: wild_write[(1,)](np.zeros(1024, np.float32), far, N=1024))
    for thread in threads:
        thread.join(120)
    check("threads: none waits for ever", not any(thread.is_alive() for thread in threads))
    check("threads: each launch is right or told to be lost", not wrong, "; ".join(wrong[:3]))
    note(f"{len(right)} launches were right, {len(lost)} lost")
    check("threads: the next launch is right", adds())


OPENS = """
import sys, time
import pumice
while time.time() < {moment}:
    pass
begin = time.time()
device = pumice.use({request!r})
x = pumice.full(1000, 3)
assert (x.numpy() == 3).all()
print(f"{{time.time() - begin:.2f}}")
"""


def check_processes(request, count):
    code = OPENS.format(moment=time.time() + 5, request=request)
    started = [subprocess.Popen([sys.executable, "-c", code], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE) for _ in range(count)]
    took, failed = [], []
    for one in started:
        out, err = one.communicate(timeout=300)
        (took.append(float(out)) if one.returncode == 0 else failed.append(err.strip().splitlines()[-1:]))
    check(f"processes: {count} open the device at once", not failed, f"{len(failed)} failed: {failed[:2]}")
    if took:
        note(f"they took {min(took):.2f} to {max(took):.2f} s")


TIMES = """
import time, numpy as np, pumice, importlib.util, sys
spec = importlib.util.spec_from_file_location("lost_device", {path!r})
kernels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernels)
pumice.use({request!r})
for n in (1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 26):
    x, y, out = (np.ones(n, np.float32) for _ in range(3))
    spent = []
    for i in range(12 if n < 1 << 24 else 4):
        begin = time.perf_counter()
        kernels.add[((n + 1023) // 1024,)](x, y, out, n, BLOCK=1024)
        spent.append(time.perf_counter() - begin)
    print(f"{{n}}: {{sorted(spent[1:])[len(spent) // 2 - 1] * 1e3:.3f}} ms", end="  ")
print()
"""


def time_tensors(request):
    """Prints times, for a human reader, of additions of host tensors that are imported or copied."""
    for how in ("import", "copy", "auto"):
        done = subprocess.run([sys.executable, "-c", TIMES.format(path=os.path.abspath(__file__), request=request)],
                              env=dict(os.environ, PUMICE_HOST_MEMORY=how), capture_output=True, text=True)
        note(f"PUMICE_HOST_MEMORY={how}: {(done.stdout or done.stderr[-300:]).strip()}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--device", default="vulkan")
    options.add_argument("--processes", type=int, default=12)
    chosen = options.parse_args()
    check_processes(chosen.device, chosen.processes)
    device = pumice.use(chosen.device)
    print(device, device.info["driver_version"], flush=True)
    check("a launch is right", adds() and adds_arrays())
    check_slack()
    if device.info["kind"] == "cpu":
        print("SKIP loss: kernels of a CPU run in this process, which a wild store would end", flush=True)
    else:
        far = check_loss(device)
        if far is not None:
            check_threads(far)
    time_tensors(chosen.device)
    print(f"{len(failures)} failed" if failures else "all passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
