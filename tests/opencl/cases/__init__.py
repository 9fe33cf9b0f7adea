"""All cases, by feature."""
from . import edges, flow, floats, groups, integers, memory, printing, programs, vectors

ALL = [case for module in (integers, floats, edges, vectors, memory, flow, groups, programs, printing)
       for case in module.cases()]
