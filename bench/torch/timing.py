"""Times a step, as the workers of both benchmarks do."""
import time


def run_for(step, seconds, synchronize=lambda: None, clock=time.perf_counter):
    """Runs the step for some seconds, and returns the microseconds of single runs, of which several are timed at once."""
    step()
    synchronize()
    begin = time.perf_counter()
    step()
    synchronize()
    count = max(1, min(100, int(0.02 / max(time.perf_counter() - begin, 1e-6))))
    times = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        begin = clock()
        for _ in range(count):
            step()
        synchronize()
        times.append((clock() - begin) / count * 1e6)
    return times[len(times) // 2:]  # the clock may have been low at first
