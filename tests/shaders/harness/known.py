"""Judges results by the failures of other drivers that the table in README.md lists."""
import dataclasses
import re

import processor


@dataclasses.dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    known: int = 0
    lacking: int = 0

    def __str__(self):
        return (f"{self.passed} passed, {self.failed} failed, {self.known} known to fail, "
                f"{self.lacking} need what the device lacks")


def known_failures(readme, driver, lacks=processor.lacks):
    """Returns the expressions in the second column of the table, for the rows that apply.

    A row applies if its first column names the driver. If it also names a feature, the processor must lack that."""
    rows = re.findall(r"^\| `([\w, ]+)`(?: without `(\w+)`)? \| `(.+?)` \|", readme.read_text(), re.M)
    return [re.compile(expression.replace("\\|", "|")) for drivers, flag, expression in rows
            if driver in drivers.split(", ") and (not flag or lacks(flag))]


def judge(results, driver, readme):
    """Prints every unexpected result. Our own device has no known failures and lacks nothing."""
    failures, counts = known_failures(readme, driver), Counts()
    for label, error in sorted(results):
        plain = re.sub(r"\.Os?$", "", label)
        expected = any(failure.fullmatch(plain) for failure in failures)
        if error.startswith("skipped: ") and driver != "cpu":
            counts.lacking += 1
        elif error and expected:
            counts.known += 1
        elif error or (expected and label == plain):  # spirv-opt may remove the code that fails
            counts.failed += 1
            print(f"FAIL {label}: {error or 'passed, but is known to fail'}")
        else:
            counts.passed += 1
    return counts
