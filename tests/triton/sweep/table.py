"""All cases, by name."""
import fnmatch

import collective
import elementwise
import language
import memory

FAMILIES = [elementwise, memory, collective, language]


def chosen(patterns=(), fast=False):
    cases = [case for family in FAMILIES for case in family.cases()]
    cases = [case for case in cases
             if not patterns or any(fnmatch.fnmatch(case.name, p) for p in patterns)]
    return one_of_each(cases) if fast else cases


def one_of_each(cases):
    """Of each operation one case, whose types differ from operation to operation."""
    operations = {}
    for case in cases:
        operations.setdefault(tuple(case.name.split("/")[:2]), []).append(case)
    return [group[number % len(group)] for number, group in enumerate(operations.values())]
