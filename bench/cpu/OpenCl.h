//===- OpenCl.h - the benchmark's OpenCL functions, found at run time -------===//
// OpenCL 1.2's names, numbers and types are declared here, so that neither the headers nor the
// loader need be installed.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstddef>
#include <cstdint>

namespace pumice::bench::cl {

struct PlatformObject;
struct DeviceObject;
struct ContextObject;
struct QueueObject;
struct MemoryObject;
struct ProgramObject;
struct KernelObject;
using Platform = PlatformObject *;
using Device = DeviceObject *;
using Context = ContextObject *;
using Queue = QueueObject *;
using Memory = MemoryObject *;
using Program = ProgramObject *;
using Kernel = KernelObject *;
using Event = void;

constexpr uint64_t deviceTypeCpu = 1 << 1, memoryReadWrite = 1 << 0;
constexpr uint32_t deviceName = 0x102b, driverVersion = 0x102d, programBuildLog = 0x1183;

struct Functions {
  int32_t (*getPlatformIds)(uint32_t, Platform *, uint32_t *);
  int32_t (*getDeviceIds)(Platform, uint64_t type, uint32_t, Device *, uint32_t *);
  int32_t (*getDeviceInfo)(Device, uint32_t what, size_t, void *, size_t *);
  Context (*createContext)(const intptr_t *, uint32_t, const Device *,
                           void (*)(const char *, const void *, size_t, void *), void *, int32_t *);
  Queue (*createCommandQueue)(Context, Device, uint64_t properties, int32_t *);
  Memory (*createBuffer)(Context, uint64_t flags, size_t, void *, int32_t *);
  Program (*createProgramWithSource)(Context, uint32_t, const char **, const size_t *, int32_t *);
  int32_t (*buildProgram)(Program, uint32_t, const Device *, const char *options,
                          void (*)(Program, void *), void *);
  int32_t (*getProgramBuildInfo)(Program, Device, uint32_t what, size_t, void *, size_t *);
  Kernel (*createKernel)(Program, const char *, int32_t *);
  int32_t (*setKernelArg)(Kernel, uint32_t, size_t, const void *);
  int32_t (*enqueueNdRangeKernel)(Queue, Kernel, uint32_t rank, const size_t *offset,
                                  const size_t *global, const size_t *local, uint32_t,
                                  Event *const *, Event **);
  int32_t (*enqueueWriteBuffer)(Queue, Memory, uint32_t blocking, size_t, size_t, const void *,
                                uint32_t, Event *const *, Event **);
  int32_t (*enqueueReadBuffer)(Queue, Memory, uint32_t blocking, size_t, size_t, void *, uint32_t,
                               Event *const *, Event **);
  int32_t (*finish)(Queue);
  int32_t (*releaseMemObject)(Memory);
  int32_t (*releaseProgram)(Program);
  int32_t (*releaseKernel)(Kernel);
};

/// Loads the functions from libOpenCL.so.1, which is never unloaded. Errors: NotFound.
Result<Functions> loadFunctions();

} // namespace pumice::bench::cl
