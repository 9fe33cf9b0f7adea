"""All cases, by feature."""
from . import (edges, flow, floats, groups, integer_edges, integers, memory, printing, programs,
               textbook, vectors)

ALL = [case for module in (integers, integer_edges, floats, edges, vectors, memory, flow, groups,
                           programs, textbook, printing)
       for case in module.cases()]
