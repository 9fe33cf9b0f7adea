"""Processes that end while their threads launch kernels.

    PYTHONPATH=... python python/test/test_ending.py
"""
import os
import pathlib
import subprocess
import sys
import unittest

from test_triton import REQUESTS

CODE = """
import sys, threading, time, numpy, pumice
pumice.use({request!r})
import triton_kernels as kernels
{launch}
begun = threading.Semaphore(0)
def work(x):
    while True:
        launch(x)
        begun.release()
for x in (numpy.ones(1, numpy.float32), pumice.full(1, 1)):
    launch(x)
    threading.Thread(target=work, args=[x], daemon=True).start()
    begun.acquire()
time.sleep(0.1)
print("ends", flush=True)
"""
LAUNCHES = {"long": "launch = lambda x: kernels.spin[(1,)](x, 20000, SAYS=False)",
            "with output": "launch = lambda x: kernels.spin[(1,)](x, 100, SAYS=True)",
            "waiting": "launch = lambda x: (kernels.spin[(1,)](x, 20000, SAYS=False), pumice.synchronize())"}


class Ending(unittest.TestCase):
    def test_daemon_threads(self):
        """Python ends such a thread when it asks for Python's lock, but must not abort the process."""
        here = str(pathlib.Path(__file__).resolve().parent)
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]))
        for request in REQUESTS:
            for launches, launch in LAUNCHES.items():
                with self.subTest(request=request, launches=launches):
                    code = CODE.format(request=request, launch=launch)
                    done = subprocess.run([sys.executable, "-c", code], env=environment, timeout=60,
                                          capture_output=True, text=True)
                    self.assertEqual((done.returncode, done.stderr[-800:]), (0, ""))
                    # Other threads may print before the end of that line.
                    self.assertTrue("ends" in done.stdout, done.stdout[-800:])


if __name__ == "__main__":
    unittest.main()
