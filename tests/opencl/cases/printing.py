"""The output of kernels that print."""
import numpy as np

from .case import Buffer, Case


def cases():
    yield Case("printing", "greet", [-5, 2.5], (3,), prints=["hello -5  2.50 there y ff %"])
    vector = np.array([1, 2.5, -3, 4], np.float32)
    yield Case("printing", "vectors", [Buffer(vector), Buffer(np.array([2**40], np.int64))], (2,),
               prints=["1.000000,2.500000,-3.000000,4.000000 1099511627776"] * 2)
