//===- Api.h - the part of OpenCL 3.0 that the driver uses ------------------===//
// Names, numbers and types of OpenCL, declared here. So neither its headers nor its loader need be
// installed to build Pumice: wheels are built on systems that have neither. The functions are found
// at run time (Loader.h). Tests replace them by their own.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace pumice::opencl_driver {

using cl_int = int32_t;
using cl_uint = uint32_t;
using cl_bool = uint32_t;
using cl_ulong = uint64_t;
using cl_bitfield = uint64_t;
using cl_properties = uint64_t; // ends a list when it is 0

using cl_platform_id = struct PlatformObject *;
using cl_device_id = struct DeviceObject *;
using cl_context = struct ContextObject *;
using cl_command_queue = struct QueueObject *;
using cl_mem = struct MemoryObject *;
using cl_program = struct ProgramObject *;
using cl_kernel = struct KernelObject *;
using cl_event = struct EventObject *;

struct cl_buffer_region {
  size_t origin = 0, size = 0;
};

constexpr size_t CL_NAME_VERSION_MAX_NAME_SIZE = 64;
struct cl_name_version {
  cl_uint version = 0;
  char name[CL_NAME_VERSION_MAX_NAME_SIZE] = {};
};

constexpr cl_bool CL_FALSE = 0, CL_TRUE = 1;

// Results (Status.cpp describes all of them)
constexpr cl_int CL_SUCCESS = 0, CL_DEVICE_NOT_FOUND = -1, CL_DEVICE_NOT_AVAILABLE = -2,
                 CL_MEM_OBJECT_ALLOCATION_FAILURE = -4, CL_OUT_OF_RESOURCES = -5,
                 CL_OUT_OF_HOST_MEMORY = -6, CL_BUILD_PROGRAM_FAILURE = -11,
                 CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST = -14, CL_INVALID_VALUE = -30,
                 CL_INVALID_BUFFER_SIZE = -61, CL_PLATFORM_NOT_FOUND_KHR = -1001;

// Platforms
constexpr cl_uint CL_PLATFORM_VERSION = 0x0901, CL_PLATFORM_NAME = 0x0902;

// Devices
constexpr cl_bitfield CL_DEVICE_TYPE_CPU = 1 << 1, CL_DEVICE_TYPE_GPU = 1 << 2,
                      CL_DEVICE_TYPE_ACCELERATOR = 1 << 3, CL_DEVICE_TYPE_ALL = 0xffffffff;
constexpr cl_uint CL_DEVICE_TYPE = 0x1000, CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
                  CL_DEVICE_MAX_WORK_ITEM_SIZES = 0x1005, CL_DEVICE_ADDRESS_BITS = 0x100d,
                  CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010, CL_DEVICE_MAX_PARAMETER_SIZE = 0x1017,
                  CL_DEVICE_MEM_BASE_ADDR_ALIGN = 0x1019, CL_DEVICE_GLOBAL_MEM_SIZE = 0x101f,
                  CL_DEVICE_LOCAL_MEM_SIZE = 0x1023, CL_DEVICE_PROFILING_TIMER_RESOLUTION = 0x1025,
                  CL_DEVICE_ENDIAN_LITTLE = 0x1026, CL_DEVICE_AVAILABLE = 0x1027,
                  CL_DEVICE_NAME = 0x102b, CL_DEVICE_VENDOR = 0x102c, CL_DRIVER_VERSION = 0x102d,
                  CL_DEVICE_VERSION = 0x102f, CL_DEVICE_EXTENSIONS = 0x1030,
                  CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032, CL_DEVICE_HALF_FP_CONFIG = 0x1033,
                  CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035, CL_DEVICE_SVM_CAPABILITIES = 0x1053,
                  CL_DEVICE_OPENCL_C_FEATURES = 0x106f, CL_DEVICE_IL_VERSION = 0x105b,
                  CL_DEVICE_MAX_NUM_SUB_GROUPS = 0x105c,
                  CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT = 0x4231,
                  CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT = 0x4232,
                  CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT = 0x4233,
                  CL_DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108,
                  CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL = 0x4190,
                  CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL = 0x4191,
                  CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL = 0x4192;

constexpr cl_bitfield CL_DEVICE_SVM_COARSE_GRAIN_BUFFER = 1, CL_DEVICE_SVM_FINE_GRAIN_BUFFER = 2,
                      CL_DEVICE_SVM_FINE_GRAIN_SYSTEM = 4, CL_DEVICE_SVM_ATOMICS = 8;
// Which atomics on floats a device has; workgroup memory has the same bits 16 places higher.
constexpr cl_bitfield CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT = 1,
                      CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT = 2,
                      CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT = 4;

// Contexts and queues
constexpr cl_uint CL_QUEUE_PROPERTIES = 0x1093;
constexpr cl_bitfield CL_QUEUE_PROFILING_ENABLE = 1 << 1;

// Memory
constexpr cl_bitfield CL_MEM_READ_WRITE = 1 << 0, CL_MEM_SVM_FINE_GRAIN_BUFFER = 1 << 10;
constexpr cl_bitfield CL_MAP_READ = 1, CL_MAP_WRITE = 2;
constexpr cl_uint CL_BUFFER_CREATE_TYPE_REGION = 0x1220;

// Programs and kernels
constexpr cl_uint CL_PROGRAM_BINARY_SIZES = 0x1165, CL_PROGRAM_BINARIES = 0x1166,
                  CL_PROGRAM_BUILD_LOG = 0x1183, CL_KERNEL_NUM_ARGS = 0x1191,
                  CL_KERNEL_WORK_GROUP_SIZE = 0x11b0, CL_KERNEL_EXEC_INFO_SVM_PTRS = 0x11b6,
                  CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL = 0x4200,
                  CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL = 0x4201,
                  CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL = 0x4202;

// Events
constexpr cl_uint CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11d3, CL_PROFILING_COMMAND_START = 0x1282,
                  CL_PROFILING_COMMAND_END = 0x1283;
constexpr cl_int CL_COMPLETE = 0; // queued, submitted and running are greater; failures are less

// Types of parameters. Callbacks that the driver never passes are `void *`.
using Notify = void (*)(const char *, const void *, size_t, void *);
using Events = const cl_event *;

/// Every function of the loader that the driver calls: its result, its name and its parameters.
#define PUMICE_CL_FUNCTIONS(X)                                                                     \
  X(cl_int, clGetPlatformIDs, (cl_uint, cl_platform_id *, cl_uint *))                              \
  X(cl_int, clGetPlatformInfo, (cl_platform_id, cl_uint, size_t, void *, size_t *))                \
  X(cl_int, clGetDeviceIDs, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id *, cl_uint *))     \
  X(cl_int, clGetDeviceInfo, (cl_device_id, cl_uint, size_t, void *, size_t *))                    \
  X(void *, clGetExtensionFunctionAddressForPlatform, (cl_platform_id, const char *))              \
  X(cl_context, clCreateContext,                                                                   \
    (const intptr_t *, cl_uint, const cl_device_id *, Notify, void *, cl_int *))                   \
  X(cl_int, clReleaseContext, (cl_context))                                                        \
  X(cl_command_queue, clCreateCommandQueueWithProperties,                                          \
    (cl_context, cl_device_id, const cl_properties *, cl_int *))                                   \
  X(cl_int, clReleaseCommandQueue, (cl_command_queue))                                             \
  X(cl_int, clFlush, (cl_command_queue))                                                           \
  X(cl_int, clFinish, (cl_command_queue))                                                          \
  X(cl_mem, clCreateBuffer, (cl_context, cl_bitfield, size_t, void *, cl_int *))                   \
  X(cl_mem, clCreateSubBuffer, (cl_mem, cl_bitfield, cl_uint, const void *, cl_int *))             \
  X(cl_int, clReleaseMemObject, (cl_mem))                                                          \
  X(cl_int, clEnqueueReadBuffer,                                                                   \
    (cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, Events, cl_event *))      \
  X(cl_int, clEnqueueWriteBuffer,                                                                  \
    (cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, Events,             \
     cl_event *))                                                                                  \
  X(cl_int, clEnqueueCopyBuffer,                                                                   \
    (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, Events, cl_event *))       \
  X(cl_int, clEnqueueFillBuffer,                                                                   \
    (cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint, Events, cl_event *)) \
  X(void *, clSVMAlloc, (cl_context, cl_bitfield, size_t, cl_uint))                                \
  X(void, clSVMFree, (cl_context, void *))                                                         \
  X(cl_int, clEnqueueSVMMemcpy,                                                                    \
    (cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, Events, cl_event *))        \
  X(cl_int, clEnqueueSVMMemFill,                                                                   \
    (cl_command_queue, void *, const void *, size_t, size_t, cl_uint, Events, cl_event *))         \
  X(cl_int, clEnqueueSVMMap,                                                                       \
    (cl_command_queue, cl_bool, cl_bitfield, void *, size_t, cl_uint, Events, cl_event *))         \
  X(cl_int, clEnqueueSVMUnmap, (cl_command_queue, void *, cl_uint, Events, cl_event *))            \
  X(cl_program, clCreateProgramWithIL, (cl_context, const void *, size_t, cl_int *))               \
  X(cl_program, clCreateProgramWithBinary,                                                         \
    (cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **, cl_int *,  \
     cl_int *))                                                                                    \
  X(cl_int, clSetProgramSpecializationConstant, (cl_program, cl_uint, size_t, const void *))       \
  X(cl_int, clBuildProgram,                                                                        \
    (cl_program, cl_uint, const cl_device_id *, const char *, void *, void *))                     \
  X(cl_int, clGetProgramInfo, (cl_program, cl_uint, size_t, void *, size_t *))                     \
  X(cl_int, clGetProgramBuildInfo, (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))  \
  X(cl_int, clReleaseProgram, (cl_program))                                                        \
  X(cl_kernel, clCreateKernel, (cl_program, const char *, cl_int *))                               \
  X(cl_int, clReleaseKernel, (cl_kernel))                                                          \
  X(cl_int, clGetKernelInfo, (cl_kernel, cl_uint, size_t, void *, size_t *))                       \
  X(cl_int, clGetKernelWorkGroupInfo,                                                              \
    (cl_kernel, cl_device_id, cl_uint, size_t, void *, size_t *))                                  \
  X(cl_int, clSetKernelArg, (cl_kernel, cl_uint, size_t, const void *))                            \
  X(cl_int, clSetKernelArgSVMPointer, (cl_kernel, cl_uint, const void *))                          \
  X(cl_int, clSetKernelExecInfo, (cl_kernel, cl_uint, size_t, const void *))                       \
  X(cl_int, clEnqueueNDRangeKernel,                                                                \
    (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *,         \
     cl_uint, Events, cl_event *))                                                                 \
  X(cl_int, clEnqueueMarkerWithWaitList, (cl_command_queue, cl_uint, Events, cl_event *))          \
  X(cl_int, clEnqueueBarrierWithWaitList, (cl_command_queue, cl_uint, Events, cl_event *))         \
  X(cl_int, clWaitForEvents, (cl_uint, Events))                                                    \
  X(cl_int, clGetEventInfo, (cl_event, cl_uint, size_t, void *, size_t *))                         \
  X(cl_int, clGetEventProfilingInfo, (cl_event, cl_uint, size_t, void *, size_t *))                \
  X(cl_int, clRetainEvent, (cl_event))                                                             \
  X(cl_int, clReleaseEvent, (cl_event))

/// Functions of cl_intel_unified_shared_memory. A platform has all of them or none.
#define PUMICE_CL_USM_FUNCTIONS(X)                                                                 \
  X(void *, clHostMemAllocINTEL, (cl_context, const cl_properties *, size_t, cl_uint, cl_int *))   \
  X(void *, clDeviceMemAllocINTEL,                                                                 \
    (cl_context, cl_device_id, const cl_properties *, size_t, cl_uint, cl_int *))                  \
  X(void *, clSharedMemAllocINTEL,                                                                 \
    (cl_context, cl_device_id, const cl_properties *, size_t, cl_uint, cl_int *))                  \
  X(cl_int, clMemFreeINTEL, (cl_context, void *))                                                  \
  X(cl_int, clSetKernelArgMemPointerINTEL, (cl_kernel, cl_uint, const void *))                     \
  X(cl_int, clEnqueueMemFillINTEL,                                                                 \
    (cl_command_queue, void *, const void *, size_t, size_t, cl_uint, Events, cl_event *))         \
  X(cl_int, clEnqueueMemcpyINTEL,                                                                  \
    (cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, Events, cl_event *))

struct Functions {
#define PUMICE_CL_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  PUMICE_CL_FUNCTIONS(PUMICE_CL_MEMBER)
};

struct UsmFunctions {
  PUMICE_CL_USM_FUNCTIONS(PUMICE_CL_MEMBER)
#undef PUMICE_CL_MEMBER
};

} // namespace pumice::opencl_driver
