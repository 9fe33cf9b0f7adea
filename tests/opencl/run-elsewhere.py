#!/usr/bin/env python3
"""The same kernels, from source, on another OpenCL runtime: whether what the cases expect is what
others compute too.

    setup/bench-peers.sh build opencl && setup/bench-peers.sh build pocl
    LD_LIBRARY_PATH=build/opencl/lib:build/pocl/lib OCL_ICD_VENDORS=build/pocl/icd \\
      tests/opencl/run-elsewhere.py [--only PATTERN]

Not part of the tests: what differs is either a mistake of a case or of the other runtime.
"""
import argparse
import ctypes
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

import numpy as np  # noqa: E402
from cases import ALL  # noqa: E402
from cases.case import Buffer, Local  # noqa: E402

cl = ctypes.CDLL("libOpenCL.so.1")
for function in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource",
                 "clCreateKernel", "clCreateBuffer"):
    getattr(cl, function).restype = ctypes.c_void_p
COPY = 1 << 5  # CL_MEM_COPY_HOST_PTR


def check(code, what):
    if code != 0:
        raise RuntimeError(f"{what}: {code}")


def checked(function, *arguments):
    code = ctypes.c_int()
    made = getattr(cl, function)(*arguments, ctypes.byref(code))
    check(code.value, function)
    return ctypes.c_void_p(made)


class Runtime:
    def __init__(self):
        platform, self.device = ctypes.c_void_p(), ctypes.c_void_p()
        check(cl.clGetPlatformIDs(1, ctypes.byref(platform), None), "clGetPlatformIDs")
        check(cl.clGetDeviceIDs(platform, ctypes.c_uint64(0xffffffff), 1,
                                ctypes.byref(self.device), None), "clGetDeviceIDs")
        self.context = checked("clCreateContext", None, 1, ctypes.byref(self.device), None, None)
        self.queue = checked("clCreateCommandQueue", self.context, self.device, ctypes.c_uint64(0))
        self.programs = {}

    def program(self, name):
        if name not in self.programs:
            text = ctypes.c_char_p((HERE / "kernels" / f"{name}.cl").read_bytes())
            made = checked("clCreateProgramWithSource", self.context, 1, ctypes.byref(text), None)
            built = cl.clBuildProgram(made, 1, ctypes.byref(self.device), b"-cl-std=CL3.0", None,
                                      None)
            if built:
                log = ctypes.create_string_buffer(4000)
                cl.clGetProgramBuildInfo(made, self.device, 0x1183, ctypes.c_size_t(4000), log, None)
                print(f"{name}.cl is not compiled:", log.value.decode()[:1500])
            self.programs[name] = None if built else made
        return self.programs[name]

    def run(self, case):
        """Returns the contents of the buffers afterwards, or None if the file does not compile."""
        program = self.program(case.file)
        if not program:
            return None
        kernel = checked("clCreateKernel", program, case.kernel.encode())
        buffers = []
        for i, argument in enumerate(case.arguments):
            if isinstance(argument, Local):
                size, value = argument.bytes, None
            elif isinstance(argument, Buffer):
                data = np.ascontiguousarray(argument.data)
                made = checked("clCreateBuffer", self.context, ctypes.c_uint64(1 | COPY),
                               ctypes.c_size_t(data.nbytes), data.ctypes.data_as(ctypes.c_void_p))
                buffers.append((made, data.copy(), argument))
                size, value = 8, ctypes.byref(made)
            elif isinstance(argument, list):
                return None  # the layout of structs is not known here
            else:
                number = ctypes.c_float(argument) if isinstance(argument, float) \
                    else ctypes.c_int(argument)
                size, value = 4, ctypes.byref(number)
            check(cl.clSetKernelArg(kernel, i, ctypes.c_size_t(size), value), "clSetKernelArg")
        sizes = ctypes.c_size_t * len(case.threads)
        offset = sizes(*case.offset) if case.offset else None
        local = sizes(*case.local) if case.local else None
        check(cl.clEnqueueNDRangeKernel(self.queue, kernel, len(case.threads), offset,
                                        sizes(*case.threads), local, 0, None, None), "enqueue")
        for made, data, _ in buffers:
            check(cl.clEnqueueReadBuffer(self.queue, made, 1, ctypes.c_size_t(0),
                                         ctypes.c_size_t(data.nbytes),
                                         data.ctypes.data_as(ctypes.c_void_p), 0, None, None),
                  "read")
        return [(data, argument) for _, data, argument in buffers]


def differs(got, argument):
    if not argument.compared:
        return []
    expect = argument.data if argument.expect is None else argument.expect
    got, expect = got.ravel(), np.ascontiguousarray(expect).ravel()
    same = got == expect
    if np.issubdtype(got.dtype, np.floating):
        with np.errstate(all="ignore"):
            room = np.maximum(np.spacing(np.abs(expect)).astype(float) * argument.ulps,
                              np.abs(expect.astype(float)) * argument.relative)
            same |= np.isnan(got) & np.isnan(expect)
            same |= np.abs(got.astype(float) - expect) <= np.maximum(room, argument.absolute)
    wrong = np.flatnonzero(~same)
    return [(int(i), got[i], expect[i]) for i in wrong[:4]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    runtime, ran, failures = Runtime(), 0, 0
    for case in ALL:
        name = f"{case.file}.{case.kernel}"
        if not re.search(options.only, name):
            continue
        try:
            buffers = runtime.run(case)
        except RuntimeError as error:
            print(f"ERROR {name}: {error}")
            failures += 1
            continue
        if buffers is None:
            print(f"SKIP {name}")
            continue
        ran += 1
        for i, (data, argument) in enumerate(buffers):
            if wrong := differs(data, argument):
                failures += 1
                print(f"FAIL {name}: buffer {i}: (index, got, expected) {wrong}")
    print(f"{ran} cases, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
