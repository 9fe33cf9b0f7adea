#!/usr/bin/env python3
"""Runs the corpus of kernels (tests/correctness), compiled for a target of OpenCL, on another OpenCL
runtime that accepts SPIR-V, with a bare loop around clCreateProgramWithIL.

    setup/bench-peers.sh build opencl && setup/bench-peers.sh build intel-opencl
    LD_LIBRARY_PATH=build/opencl/lib:build/intel-opencl/lib OCL_ICD_VENDORS=build/intel-opencl/icd \\
      tests/opencl/run-executables.py [--target intel-cpu] [--only PATTERN] [--via llvm] [--index-bits 64]

Not part of the tests: what differs may be a mistake of the other runtime.
"""
import argparse
import concurrent.futures
import ctypes
import dataclasses
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "correctness")]

import numpy as np  # noqa: E402
from corpus import all_cases  # noqa: E402
from corpus.case import Context  # noqa: E402
from corpus.execute import kernel_lines, without  # noqa: E402


def load(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


elsewhere = load("run-elsewhere")
cl, check, checked = elsewhere.cl, elsewhere.check, elsewhere.checked
cl.clCreateProgramWithIL.restype = ctypes.c_void_p
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def words(field, argument):
    """Yields the (offset, size) of the kernel's parameters that hold a field."""
    unit = field["size"]
    if field["source"] == "scalar" and argument["vectorWidth"] > 1:
        wide = argument["elementBytes"] == 8
        unit = 8 if wide else 4
    for at in range(field["offset"], field["offset"] + field["size"], unit):
        yield at, unit


def scalar_bytes(value, element, count):
    if element in FLOATS:
        return FLOATS[element](value).tobytes()
    return (int(value) & (1 << 8 * count) - 1).to_bytes(count, "little")


class Runtime(elsewhere.Runtime):
    def build(self, code):
        made = checked("clCreateProgramWithIL", self.context, code, ctypes.c_size_t(len(code)))
        built = cl.clBuildProgram(made, 1, ctypes.byref(self.device), None, None, None)
        if built:
            log = ctypes.create_string_buffer(4000)
            cl.clGetProgramBuildInfo(made, self.device, 0x1183, ctypes.c_size_t(4000), log, None)
            raise RuntimeError(f"clBuildProgram: {built}: {log.value.decode(errors='replace')[:600]}")
        return made

    def launch(self, program, entry, interface, launch):
        """Runs one kernel, and returns the contents of its buffers by argument."""
        kernel = checked("clCreateKernel", program, interface["symbol"].encode())
        block, buffers = bytearray(interface["parameterBytes"] + 8), {}
        parameters = []
        for i, argument in enumerate(launch.arguments):
            if hasattr(argument, "data") and not isinstance(argument, np.generic):
                data = np.ascontiguousarray(argument.data)
                padded = np.zeros(data.nbytes + 8, np.uint8)
                padded[:data.nbytes] = data.reshape(-1).view(np.uint8)
                buffers[i] = (checked("clCreateBuffer", self.context,
                                      ctypes.c_uint64(1 | elsewhere.COPY),
                                      ctypes.c_size_t(padded.nbytes),
                                      padded.ctypes.data_as(ctypes.c_void_p)), padded, data)
        for field in interface["fields"]:
            about = entry["arguments"][field["argument"]]
            given = launch.arguments[field["argument"]]
            if field["source"] == "buffer-address":
                parameters.append((field["offset"], buffers[field["argument"]][0], 8))
                continue
            self.fill(block, field, about, given)
            parameters += [(at, None, size) for at, size in words(field, about)]
        if launch.dynamic_bytes:
            parameters.append((len(block), launch.dynamic_bytes, 0))
        for number, (offset, value, size) in enumerate(sorted(parameters, key=lambda p: p[0])):
            if size == 0:
                check(cl.clSetKernelArg(kernel, number, ctypes.c_size_t(value), None), "local")
                continue
            place = ctypes.byref(value) if value is not None else \
                (ctypes.c_char * size).from_buffer(block, offset)
            check(cl.clSetKernelArg(kernel, number, ctypes.c_size_t(size), place),
                  f"clSetKernelArg {number}")
        local = [size or 1 for size in entry["workgroupSize"]]
        if launch.workgroup:
            local = (list(launch.workgroup) + [1, 1])[:3]
        groups = (list(launch.groups) + [1, 1])[:3]
        three = ctypes.c_size_t * 3
        check(cl.clEnqueueNDRangeKernel(self.queue, kernel, 3, None,
                                        three(*(g * s for g, s in zip(groups, local))), three(*local),
                                        0, None, None), "clEnqueueNDRangeKernel")
        check(cl.clFinish(self.queue), "clFinish")
        results = {}
        for i, (made, padded, data) in buffers.items():
            check(cl.clEnqueueReadBuffer(self.queue, made, 1, ctypes.c_size_t(0),
                                         ctypes.c_size_t(padded.nbytes),
                                         padded.ctypes.data_as(ctypes.c_void_p), 0, None, None), "read")
            results[i] = padded[:data.nbytes].view(data.dtype).reshape(data.shape)
            cl.clReleaseMemObject(made)
        cl.clReleaseKernel(kernel)
        return results

    @staticmethod
    def fill(block, field, about, given):
        size, source = field["size"], field["source"]
        element = about["element"]
        if source == "scalar" and isinstance(given, str):  # the bits of a float
            content = int(given, 16).to_bytes(about["elementBytes"], "little")
        elif source == "scalar":
            values = np.ravel(given)
            if about["vectorWidth"] > 1 and element != "index":
                content = np.ascontiguousarray(values).tobytes()
            elif element == "bf16":
                content = np.asarray(values, np.float32).view(np.uint32).tobytes()[2:]
            else:
                content = b"".join(scalar_bytes(v.item(), element, about["elementBytes"]) for v in values)
            content = content[:size]
        else:
            shape = list(given.shape or np.shape(given.data))
            strides = list(given.strides or [int(np.prod(shape[d + 1:])) for d in range(len(shape))])
            number = {"buffer-offset": given.offset}.get(source)
            if number is None:
                number = (shape if source == "buffer-extent" else strides)[field["dimension"]]
            content = int(number).to_bytes(size, "little", signed=True)
        block[field["offset"]:field["offset"] + len(content)] = content


def compile_one(case, options, folder):
    """Returns (executable's description, code of the module), or the error."""
    text = case.text()
    text = without(text, [name for name in kernel_lines(text) if name != case.name])
    stem = re.sub(r"\W", "-", f"{case.file}-{case.name}")
    source, made = folder / f"{stem}.mlir", folder / f"{stem}.pumice"
    source.write_text(text)
    done = subprocess.run(["pumice", "compile", source, "-o", made, "--target", options.target, "--via",
                           options.via, "--index-bits", str(options.index_bits)], capture_output=True,
                          text=True)
    if done.returncode:
        return done.stderr.strip().splitlines()[0] if done.stderr else "no message"
    out = folder / stem
    said = subprocess.run(["pumice", "inspect", made, "--json", "--extract", out],
                          capture_output=True, text=True, check=True).stdout
    return json.loads(said), next(out.glob("*.spv")).read_bytes()


def from_bf16(bits):
    return (np.asarray(bits).astype(np.uint32) << 16).view(np.float32)


def compare(launch, results):
    for i, got in results.items():
        argument = launch.arguments[i]
        if argument.element == "bf16":
            expect = argument.data if argument.expect is None else argument.expect
            argument = dataclasses.replace(argument, expect=from_bf16(expect), ulps=argument.ulps * 65536)
            got = from_bf16(got)
        if wrong := elsewhere.differs(got, argument):
            return f"argument {i}: " + ", ".join(f"[{at}] {a} != {b}" for at, a, b in wrong)
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="intel-cpu")
    parser.add_argument("--via", default="spirv")
    parser.add_argument("--index-bits", type=int, default=32)
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    cases = [c for c in all_cases() if re.search(options.only, f"{c.file}/{c.name}")
             and (c.quick or not options.quick) and c.lanes is None]
    runtime, passed, refused, failed = Runtime(), 0, 0, 0
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = pool.map(lambda c: compile_one(c, options, pathlib.Path(temporary)), cases)
        for case, result in zip(cases, made):
            if isinstance(result, str):
                refused += 1
                print(f"not compiled: {case.name}: {result}", flush=True)
                continue
            description, code = result
            launch = case.make(Context(1, case.name, options.index_bits))
            if launch.printed:
                continue
            try:
                results = runtime.launch(runtime.build(code), description["entryPoints"][0],
                                         description["variants"][0]["interfaces"][0], launch)
                error = compare(launch, results)
            except RuntimeError as problem:
                error = str(problem)
            passed, failed = passed + (not error), failed + bool(error)
            if error:
                print(f"FAIL {case.file}/{case.name}: {error}", flush=True)
    print(f"{passed} passed, {failed} failed, {refused} not compiled")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
