# Configures lit, which finds and runs the *.mlir tests next to the code that they test.
#   .venv/bin/lit compiler/lower/test        (PUMICE_BUILD names another build folder)
import glob
import os
import platform
import shutil
import sys

import lit.formats

root = os.path.dirname(os.path.abspath(__file__))
build = os.environ.get("PUMICE_BUILD", os.path.join(root, "build"))
llvm = os.environ.get("LLVM_BIN", "/usr/lib/llvm-22/bin")

config.name = "Pumice"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["build", ".venv", "inputs", "Inputs", "kernels", "examples", "docs"]
config.test_source_root = root
config.test_exec_root = os.path.join(build, "lit")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), llvm, os.environ.get("PATH", "")]
)
for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "PUMICE_BUILD",
             "PUMICE_CORPUS", "PUMICE_CPU_LEVEL", "PUMICE_TEST_CPUINFO"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.substitutions.append(("%root", root))
config.substitutions.append(("%build", build))
python = os.path.join(root, ".venv", "bin", "python")
# Judges SPIR-V from a file or stdin by its target's environment.
config.substitutions.append(
    ("%validate", python + " " + os.path.join(root, "tools", "validate-spirv.py"))
)
config.substitutions.append(("%python", python))
# The features that a test can ask for by `REQUIRES:`. Without one, lit reports the test
# as unsupported, by name.
lavapipe = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
if os.path.exists(lavapipe):
    config.available_features.add("lavapipe")
# Builds with sanitizers have no Python package.
if (glob.glob(os.path.join(root, ".venv/lib/python3*/site-packages/triton"))
        and os.path.exists(os.path.join(build, "python", "pumice"))):
    config.available_features.add("triton")
for folder in glob.glob(os.path.join(build, "triton", "*")):  # setup/triton-wheels.sh
    if os.path.exists(os.path.join(folder, "complete")):
        config.available_features.add("triton-" + os.path.basename(folder))
if os.path.exists(os.path.join(build, "docs-venv", "complete")):  # setup/docs-venv.sh
    config.available_features.add("docs-venv")
if glob.glob(os.path.join(root, ".venv/lib/python3*/site-packages/torch")):
    config.available_features.add("torch")
if os.path.exists("/usr/share/vulkan/icd.d/radeon_icd.x86_64.json"):
    config.available_features.add("radv")
if os.path.exists(os.path.join(build, "mesa25", "complete")):  # setup/mesa25.sh
    config.available_features.add("mesa25")
# The environment of a run on a CPU Vulkan driver: env %lavapipe pumice run --launch run.json. Without
# PUMICE_DEVICE our own CPU device would be taken before it.
config.substitutions.append(
    ("%lavapipe", "VK_ICD_FILENAMES=%s VK_DRIVER_FILES=%s VK_LOADER_LAYERS_DISABLE=all NODEVICE_SELECT=1 "
     "PUMICE_DEVICE=vulkan:0 LP_NATIVE_VECTOR_WIDTH=256"
     % (lavapipe, lavapipe))
)
config.substitutions.append(
    ("%mesa25", "VK_ICD_FILENAMES=%s VK_DRIVER_FILES=%s LD_LIBRARY_PATH=%s "
     "VK_LOADER_LAYERS_DISABLE=all NODEVICE_SELECT=1 PUMICE_DEVICE=vulkan:0 LP_NATIVE_VECTOR_WIDTH=256"
     % ((os.path.join(build, "mesa25", "icd", "lvp_icd.json"),) * 2
        + (os.path.join(build, "mesa25", "lib"),))))
swiftshader = os.path.join(build, "swiftshader", "icd", "swiftshader_icd.json")
if os.path.exists(os.path.join(build, "swiftshader", "complete")):  # setup/swiftshader.sh
    config.available_features.add("swiftshader")
config.substitutions.append(
    ("%swiftshader", "VK_ICD_FILENAMES=%s VK_DRIVER_FILES=%s VK_LOADER_LAYERS_DISABLE=all "
     "NODEVICE_SELECT=1 PUMICE_DEVICE=vulkan:0"
     % (swiftshader, swiftshader))
)
# Intel's OpenCL driver for CPUs: env %opencl pumice devices
if all(os.path.exists(os.path.join(build, name, "complete")) for name in ("opencl", "intel-opencl")):
    config.available_features.add("opencl")
config.substitutions.append(
    ("%opencl", "OCL_ICD_VENDORS={0}/intel-opencl/icd LD_LIBRARY_PATH={0}/opencl/lib:{0}/intel-opencl/lib"
     .format(build))
)
# A Vulkan driver that simulates devices which nobody here has (tests/mock-icd). It is a
# plain driver or a portability driver: env %mock PUMICE_MOCK_DEVICES=h200 pumice
# devices
for name, kind in (("%mock", "plain"), ("%portability", "portability")):
    icd = os.path.join(build, "tests", "mock_%s.json" % kind)
    if os.path.exists(icd):
        config.available_features.add("mock-icd")
    config.substitutions.append(
        (name, "VK_ICD_FILENAMES=%s VK_DRIVER_FILES=%s VK_LOADER_LAYERS_DISABLE=~implicit~ NODEVICE_SELECT=1"
         % (icd, icd))
    )
if platform.machine() == "x86_64":
    config.available_features.add("x86_64")
# The levels that this processor runs: tools/run-tests.py names what depends on them.
sys.path.insert(0, os.path.join(root, "tools"))
import processor  # noqa: E402

if os.path.exists(os.path.join(build, "tests", "pumice_mock_metal.so")):
    config.available_features.add("mock-metal")
with open(os.path.join(build, "build.ninja")) as rules:  # set if setup/spirv-cross.sh had run before
    if "PUMICE_SPIRV_CROSS_MATRICES" in rules.read():
        config.available_features.add("metal-matrices")
config.available_features.update(processor.runs())
if platform.machine() == "x86_64" and shutil.which("qemu-x86_64"):
    config.available_features.add("qemu")
if shutil.which("gdb"):
    config.available_features.add("gdb")
if shutil.which("vulkaninfo"):
    config.available_features.add("vulkaninfo")
# Tests that require `release` run only in the folder `build`, not again in builds with sanitizers. So do tests that
# require `zig`: they build for other systems (cmake/cross/Zig.cmake).
release = os.path.realpath(build) == os.path.join(os.path.realpath(root), "build")
if release:
    config.available_features.add("release")
if release and glob.glob(os.path.join(root, ".venv/lib/python3*/site-packages/ziglang/zig")):
    config.available_features.add("zig")
# zig needs a folder for its caches, and finds none if HOME is unset, as it is here.
config.environment["ZIG_GLOBAL_CACHE_DIR"] = os.environ.get(
    "ZIG_GLOBAL_CACHE_DIR", os.path.join(os.path.expanduser("~"), ".cache", "zig"))
# Emulators of other systems (tests/systems), which setup/test-drivers.sh unpacks.
if os.path.exists(os.path.join(build, "arm64-root", "complete")) and shutil.which("qemu-aarch64"):
    config.available_features.add("emulated-aarch64")
if os.path.exists(os.path.join(build, "wine", "complete")):
    config.available_features.add("wine")
if all(os.path.exists(os.path.join(build, name, "complete")) for name in ("python-headers", "python-source")):
    config.available_features.add("python-headers")
