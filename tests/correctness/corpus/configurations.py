"""The ways in which each kernel is compiled, and the driver that runs it."""
import dataclasses

# Lacks narrow types, narrow storage, subgroup operations, float atomics and buffer addresses. The compiler emulates
# what a kernel needs of these.
LEAN = """#vk.target_env<v1.1, r(0), [], {shaderInt64, shaderFloat64,
  maxPerStageDescriptorStorageBuffers = 32 : i32, maxDescriptorSetStorageBuffers = 256 : i32,
  maxComputeSharedMemorySize = 32768 : i32, maxComputeWorkGroupInvocations = 1024 : i32,
  maxComputeWorkGroupSize = dense<1024> : vector<3xi32>, subgroupSize = 8 : i32,
  subgroupFeatures = 1 : i32, subgroupSupportedStages = 32 : i32}>"""

# Like LEAN, but kernels reach buffers by address, and use Vulkan's memory model.
LEAN_PHYSICAL = """#vk.target_env<v1.3, r(0), [], {shaderInt64, shaderFloat64, bufferDeviceAddress,
  vulkanMemoryModel, vulkanMemoryModelDeviceScope,
  maxPerStageDescriptorStorageBuffers = 32 : i32, maxDescriptorSetStorageBuffers = 256 : i32,
  maxComputeSharedMemorySize = 32768 : i32, maxComputeWorkGroupInvocations = 1024 : i32,
  maxComputeWorkGroupSize = dense<1024> : vector<3xi32>, subgroupSize = 8 : i32,
  subgroupFeatures = 1 : i32, subgroupSupportedStages = 32 : i32}>"""

# Stores narrow types, but cannot compute with them. Has shuffles, but no subgroup arithmetic.
STORAGE_ONLY = """#vk.target_env<v1.2, r(0), [], {shaderInt64, shaderFloat64,
  storageBuffer8BitAccess, storageBuffer16BitAccess, uniformAndStorageBuffer8BitAccess,
  uniformAndStorageBuffer16BitAccess, vulkanMemoryModel, vulkanMemoryModelDeviceScope,
  maxPerStageDescriptorStorageBuffers = 32 : i32, maxDescriptorSetStorageBuffers = 256 : i32,
  maxComputeSharedMemorySize = 32768 : i32, maxComputeWorkGroupInvocations = 1024 : i32,
  maxComputeWorkGroupSize = dense<1024> : vector<3xi32>, subgroupSize = 8 : i32,
  subgroupFeatures = 25 : i32, subgroupSupportedStages = 32 : i32}>"""

# Pumice's CPU device also runs modules for OpenCL. This is what it can do in them.
OPENCL = """#vk.target_env<opencl v3.0, r(0), [cl_khr_fp16, cl_khr_fp64, cl_khr_int64_base_atomics,
  cl_khr_int64_extended_atomics, cl_khr_subgroups, cl_khr_subgroup_extended_types,
  cl_khr_subgroup_non_uniform_vote, cl_khr_subgroup_ballot, cl_khr_subgroup_non_uniform_arithmetic,
  cl_khr_subgroup_shuffle, cl_khr_subgroup_shuffle_relative, cl_khr_subgroup_clustered_reduce,
  cl_khr_subgroup_rotate, cl_intel_required_subgroup_size, cl_ext_float_atomics,
  __opencl_c_ext_fp32_global_atomic_add, __opencl_c_ext_fp32_local_atomic_add,
  __opencl_c_ext_fp64_global_atomic_add, __opencl_c_ext_fp64_local_atomic_add,
  __opencl_c_kernel_clock_scope_device, __opencl_c_kernel_clock_scope_sub_group],
  {spirvMinor = 5 : i32, maxComputeSharedMemorySize = 32768 : i32,
  maxComputeWorkGroupInvocations = 1024 : i32,
  maxComputeWorkGroupSize = dense<1024> : vector<3xi32>, maxPushConstantsSize = 4096 : i32,
  subgroupSize = 8 : i32, minSubgroupSize = 4 : i32, maxSubgroupSize = 64 : i32}>"""

# An OpenCL device with the sizes of the other targets, but without any extension except for f64.
OPENCL_LEAN = """#vk.target_env<opencl v3.0, r(0), [cl_khr_fp64],
  {maxComputeSharedMemorySize = 32768 : i32, maxComputeWorkGroupInvocations = 1024 : i32,
  maxComputeWorkGroupSize = dense<1024> : vector<3xi32>, maxPushConstantsSize = 1024 : i32}>"""


@dataclasses.dataclass
class Configuration:
    name: str
    target: str
    addressing: str
    index_bits: int
    quick: bool = False
    driver: str = "lavapipe"
    lanes: int = 8  # in a subgroup
    lacks_features: bool = False  # leaves out kernels that need missing features, and counts them
    requires_lanes: bool = False  # runs only cases that are written for `lanes`
    via: str = "spirv"  # the route of modules for OpenCL


CONFIGURATIONS = [
    Configuration("physical-32", "lavapipe22", "physical", 32, quick=True),
    Configuration("physical-64", "lavapipe22", "physical", 64),
    Configuration("descriptors-32", "lavapipe22", "descriptors", 32),
    Configuration("descriptors-64", "lavapipe22", "descriptors", 64, quick=True),
    Configuration("lean-32", LEAN, "descriptors", 32, quick=True),
    Configuration("lean-64", LEAN, "descriptors", 64),
    Configuration("lean-physical-32", LEAN_PHYSICAL, "physical", 32),
    Configuration("lean-physical-64", LEAN_PHYSICAL, "physical", 64),
    Configuration("storage-only-32", STORAGE_ONLY, "descriptors", 32),
    # Lacks narrow and 64-bit types, so kernels that need i64 or f64 are rejected.
    Configuration("swiftshader-physical", "swiftshader", "physical", 32, True, "swiftshader", 4,
                  True),
    Configuration("swiftshader-descriptors", "swiftshader", "descriptors", 32, False, "swiftshader",
                  4, True),
    # Pumice's own device. Kernels are compiled for the features that it reports. Kernels that are written for a
    # number of lanes require that number, whatever this processor's is.
    Configuration("cpu-physical-32", "device:cpu:0", "physical", 32, True, "cpu", 16),
    Configuration("cpu-descriptors-64", "device:cpu:0", "descriptors", 64, False, "cpu", 16),
    Configuration("cpu-of-8", "device:cpu:0", "physical", 32, True, "cpu", 8, requires_lanes=True),
    Configuration("cpu-of-4", "device:cpu:0", "descriptors", 32, True, "cpu", 4,
                  requires_lanes=True),
    # Modules of OpenCL's flavour.
    Configuration("opencl-32", OPENCL, "physical", 32, True, "cpu", 8),
    Configuration("opencl-64", OPENCL, "physical", 64, False, "cpu", 8),
    # LLVM's backend leaves out the structure of loops. Finding it again takes minutes for `matmul`, so `make test` does
    # not run these.
    Configuration("opencl-llvm-32", OPENCL, "physical", 32, False, "cpu", 8, via="llvm"),
    Configuration("opencl-llvm-64", OPENCL, "physical", 64, False, "cpu", 8, via="llvm"),
    Configuration("opencl-lean-32", OPENCL_LEAN, "physical", 32, True, "cpu", 8,
                  lacks_features=True),
    Configuration("opencl-lean-64", OPENCL_LEAN, "physical", 64, False, "cpu", 8,
                  lacks_features=True),
    # Native code of another processor or system, which an emulator imitates (tests/systems/run-tests.py).
    Configuration("aarch64-physical-32", "aarch64", "physical", 32, True, "aarch64", 16),
    Configuration("aarch64-descriptors-64", "aarch64", "descriptors", 64, False, "aarch64", 16),
    Configuration("windows-physical-32", "x86-64-v3-windows", "physical", 32, True, "windows", 16),
    Configuration("windows-descriptors-64", "x86-64-v3-windows", "descriptors", 64, False, "windows", 16),
    # An OpenCL device, through its driver.
    Configuration("opencl-device-32", "device:opencl:0", "physical", 32, True, "opencl", 8,
                  lacks_features=True),
    Configuration("opencl-device-64", "device:opencl:0", "physical", 64, False, "opencl", 8,
                  lacks_features=True),
    Configuration("opencl-device-llvm-32", "device:opencl:0", "physical", 32, False, "opencl", 8,
                  lacks_features=True, via="llvm"),
    Configuration("opencl-device-llvm-64", "device:opencl:0", "physical", 64, False, "opencl", 8,
                  lacks_features=True, via="llvm"),
    # The mock of Metal, which runs the translated kernels on the host (tests/metal).
    Configuration("metal-physical-32", "device:metal:0", "physical", 32, False, "metal", 32,
                  lacks_features=True),
    Configuration("metal-physical-64", "device:metal:0", "physical", 64, False, "metal", 32,
                  lacks_features=True),
    Configuration("metal-descriptors-32", "device:metal:0", "descriptors", 32, True, "metal", 32,
                  lacks_features=True),
    Configuration("pocl-32", "device:opencl:0", "physical", 32, True, "pocl", 8,
                  lacks_features=True),
    Configuration("pocl-64", "device:opencl:0", "physical", 64, False, "pocl", 8,
                  lacks_features=True),
    Configuration("pocl-llvm-32", "device:opencl:0", "physical", 32, False, "pocl", 8,
                  lacks_features=True, via="llvm"),
    Configuration("pocl-llvm-64", "device:opencl:0", "physical", 64, False, "pocl", 8,
                  lacks_features=True, via="llvm"),
]
