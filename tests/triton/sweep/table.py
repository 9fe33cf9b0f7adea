"""Selects cases by name."""
import fnmatch

import collective
import elementwise
import language
import memory
import newer

FAMILIES = [elementwise, memory, collective, language, newer]


def chosen(patterns=(), fast=False, version=None):
    """Returns the cases that this version of Triton supports, or all cases without a version."""
    cases = [case for family in FAMILIES for case in family.cases() if not version or case.is_for(version)]
    cases = [case for case in cases
             if not patterns or any(fnmatch.fnmatch(case.name, p) for p in patterns)]
    return one_of_each(cases) if fast else cases


def one_of_each(cases):
    """Returns one case for each operation. Their types differ from operation to operation."""
    operations = {}
    for case in cases:
        operations.setdefault(tuple(case.name.split("/")[:2]), []).append(case)
    return [group[number % len(group)] for number, group in enumerate(operations.values())]
