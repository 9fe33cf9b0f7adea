"""Runs many named jobs in worker processes, each with a time limit. Finished jobs are saved and not repeated.

A worker is a command that takes names as its last arguments. It prints a line `MARK {"begin": NAME}` before a job, and
`MARK {"end": NAME, ...}` with the results after it. All other output belongs to the job."""
import json
import os
import queue
import signal
import subprocess
import threading
import time

MARK = "\x1e"


def begin(name):
    print(MARK + json.dumps({"begin": name}), flush=True)


def end(name, result):
    print(MARK + json.dumps({"end": name, **result}), flush=True)


def read_results(path):
    """Returns the last result of each name in a file of JSON lines."""
    if not path.exists():
        return {}
    return {result["name"]: result for result in map(json.loads, path.read_text().splitlines())}


def run(command, names, seconds, report, environment=None, most=1000):
    """Runs all names, at most `most` per worker, and calls `report(name, result)` for each.

    A job that takes longer than `seconds`, or that ends its worker, has the result {"died": REASON}. A new worker then
    runs the remaining jobs."""
    left = list(names)
    while left:
        done = _one_worker(command, left[:most], seconds, report, environment)
        left = [name for name in left if name not in done]


def _one_worker(command, names, seconds, report, environment):
    worker = subprocess.Popen([*command, *names], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", start_new_session=True, env={**os.environ, **(environment or {})})
    lines = queue.Queue()
    threading.Thread(target=_read, args=(worker.stdout, lines), daemon=True).start()
    done, current, said, deadline = set(), None, [], time.monotonic() + seconds

    def finish(name, result):
        done.add(name)
        report(name, result)

    try:
        while True:
            try:
                line = lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                finish(current or names[0], {"died": f"more than {seconds} s"})
                return done
            if line is None:
                break
            if not line.startswith(MARK):
                said = said[-40:] + [line]
                continue
            told = json.loads(line[1:])
            deadline = time.monotonic() + seconds
            if "begin" in told:
                current, said = told["begin"], []
            else:
                finish(told.pop("end"), told)
                current = None
        code = worker.wait()
        if current or (code and not done):
            last = next((line.strip() for line in reversed(said) if line.strip()), "")
            finish(current or names[0], {"died": f"{_how(code)}: {last}"[:400]})
        elif not done:
            raise RuntimeError(f"a worker did nothing: {' '.join(map(str, command))}")
    finally:
        _kill(worker)
    return done


def _read(stream, lines):
    for line in stream:
        lines.put(line)
    lines.put(None)


def _how(code):
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"


def _kill(worker):
    try:
        os.killpg(worker.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    worker.wait()
