//===- FakeOpenCl.cpp - an OpenCL of host memory, for tests -----------------===//
#include "runtime/drivers/opencl/FakeOpenCl.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace pumice::opencl_driver {

// The objects behind OpenCL's handles.
struct ContextObject {};
struct QueueObject {};
struct MemoryObject {
  std::byte *bytes = nullptr;
  size_t size = 0;
  bool isPart = false;
};
struct ProgramObject {
  std::string code;
  bool fromBinary = false;
  uint32_t constant = 0;
  size_t constantBytes = 0;
};
struct KernelObject {
  std::byte *first = nullptr; // the memory of the first argument
};
struct EventObject {
  int references = 1;
};

} // namespace pumice::opencl_driver

namespace pumice::opencl_driver::test {
namespace {

FakeOptions options;
std::mutex mutex; // guards the members below
int live = 0;
std::map<std::string, int> calls;
std::map<void *, size_t> memory; // unified and shared memory
BuildRecord built;

void note(const char *function, int objects = 0) {
  std::lock_guard lock(mutex);
  ++calls[function];
  live += objects;
}

template <typename T> T *made(const char *function, T *object, cl_int *result) {
  note(function, 1);
  if (result)
    *result = CL_SUCCESS;
  return object;
}

template <typename T> cl_int released(const char *function, T *object) {
  note(function, -1);
  delete object;
  return CL_SUCCESS;
}

void giveEvent(cl_event *event) {
  if (event)
    *event = made("event", new EventObject, nullptr);
}

cl_int answer(const void *bytes, size_t size, size_t room, void *to, size_t *needed) {
  if (needed)
    *needed = size;
  if (!to)
    return CL_SUCCESS;
  if (room < size)
    return CL_INVALID_VALUE;
  std::memcpy(to, bytes, size);
  return CL_SUCCESS;
}
cl_int answer(const std::string &text, size_t room, void *to, size_t *needed) {
  return answer(text.c_str(), text.size() + 1, room, to, needed);
}
template <typename T> cl_int answerNumber(T number, size_t room, void *to, size_t *needed) {
  return answer(&number, sizeof number, room, to, needed);
}

cl_int getPlatformIds(cl_uint room, cl_platform_id *to, cl_uint *count) {
  note("clGetPlatformIDs");
  if (count)
    *count = 1;
  if (to && room)
    *to = reinterpret_cast<cl_platform_id>(16);
  return CL_SUCCESS;
}

cl_int getPlatformInfo(cl_platform_id, cl_uint, size_t room, void *to, size_t *needed) {
  return answer(std::string("Fake OpenCL"), room, to, needed);
}

cl_int getDeviceIds(cl_platform_id, cl_bitfield, cl_uint room, cl_device_id *to, cl_uint *count) {
  note("clGetDeviceIDs");
  if (count)
    *count = 1;
  if (to && room)
    *to = reinterpret_cast<cl_device_id>(32);
  return CL_SUCCESS;
}

cl_int getDeviceText(cl_uint what, size_t room, void *to, size_t *needed) {
  switch (what) {
  case CL_DEVICE_NAME:
    return answer(std::string("Fake device"), room, to, needed);
  case CL_DEVICE_VENDOR:
    return answer(std::string("Nobody"), room, to, needed);
  case CL_DRIVER_VERSION:
    return answer(std::string("1.0"), room, to, needed);
  case CL_DEVICE_VERSION:
    return answer(std::string("OpenCL 3.0 fake"), room, to, needed);
  case CL_DEVICE_EXTENSIONS:
    return answer(std::string(options.addressing == Addressing::Usm
                                  ? "cl_khr_il_program cl_intel_unified_shared_memory"
                                  : "cl_khr_il_program"),
                  room, to, needed);
  case CL_DEVICE_IL_VERSION:
    return answer(options.spirvVersions, room, to, needed);
  default:
    return CL_INVALID_VALUE;
  }
}

cl_int getDeviceInfo(cl_device_id, cl_uint what, size_t room, void *to, size_t *needed) {
  note("clGetDeviceInfo");
  const size_t sizes[] = {256, 256, 64};
  switch (what) {
  case CL_DEVICE_TYPE:
    return answerNumber(options.type, room, to, needed);
  case CL_DEVICE_AVAILABLE:
  case CL_DEVICE_ENDIAN_LITTLE:
    return answerNumber(CL_TRUE, room, to, needed);
  case CL_DEVICE_ADDRESS_BITS:
    return answerNumber(cl_uint{64}, room, to, needed);
  case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
    return answerNumber(cl_uint{1024}, room, to, needed);
  case CL_DEVICE_GLOBAL_MEM_SIZE:
  case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
    return answerNumber(cl_ulong{1} << 30, room, to, needed);
  case CL_DEVICE_LOCAL_MEM_SIZE:
    return answerNumber(cl_ulong{65536}, room, to, needed);
  case CL_DEVICE_MAX_WORK_GROUP_SIZE:
    return answerNumber(size_t{256}, room, to, needed);
  case CL_DEVICE_MAX_PARAMETER_SIZE:
    return answerNumber(size_t{1024}, room, to, needed);
  case CL_DEVICE_MAX_WORK_ITEM_SIZES:
    return answer(sizes, sizeof sizes, room, to, needed);
  case CL_DEVICE_SVM_CAPABILITIES:
    return answerNumber(cl_bitfield{options.addressing == Addressing::FineSvm     ? 3u
                                    : options.addressing == Addressing::CoarseSvm ? 1u
                                                                                  : 0u},
                        room, to, needed);
  case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
  case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
    return answerNumber(cl_bitfield{1}, room, to, needed);
  default:
    return getDeviceText(what, room, to, needed);
  }
}

cl_context createContext(const intptr_t *, cl_uint, const cl_device_id *, Notify, void *,
                         cl_int *result) {
  return made("clCreateContext", new ContextObject, result);
}
cl_int releaseContext(cl_context object) { return released("clReleaseContext", object); }

cl_command_queue createQueue(cl_context, cl_device_id, const cl_properties *, cl_int *result) {
  return made("clCreateCommandQueueWithProperties", new QueueObject, result);
}
cl_int releaseQueue(cl_command_queue object) { return released("clReleaseCommandQueue", object); }
cl_int flush(cl_command_queue) {
  note("clFlush");
  return CL_SUCCESS;
}
cl_int finish(cl_command_queue) {
  note("clFinish");
  return CL_SUCCESS;
}

// Memory

cl_mem createBuffer(cl_context, cl_bitfield, size_t size, void *, cl_int *result) {
  return made("clCreateBuffer",
              new MemoryObject{static_cast<std::byte *>(std::calloc(size, 1)), size, false},
              result);
}
cl_mem createSubBuffer(cl_mem from, cl_bitfield, cl_uint, const void *region, cl_int *result) {
  const auto *part = static_cast<const cl_buffer_region *>(region);
  return made("clCreateSubBuffer", new MemoryObject{from->bytes + part->origin, part->size, true},
              result);
}
cl_int releaseMemory(cl_mem object) {
  if (!object->isPart)
    std::free(object->bytes);
  return released("clReleaseMemObject", object);
}
cl_int readBuffer(cl_command_queue, cl_mem from, cl_bool, size_t at, size_t size, void *to, cl_uint,
                  Events, cl_event *event) {
  note("clEnqueueReadBuffer");
  std::memcpy(to, from->bytes + at, size);
  giveEvent(event);
  return CL_SUCCESS;
}
cl_int writeBuffer(cl_command_queue, cl_mem to, cl_bool, size_t at, size_t size, const void *from,
                   cl_uint, Events, cl_event *event) {
  note("clEnqueueWriteBuffer");
  std::memcpy(to->bytes + at, from, size);
  giveEvent(event);
  return CL_SUCCESS;
}
cl_int copyBuffer(cl_command_queue, cl_mem from, cl_mem to, size_t at, size_t target, size_t size,
                  cl_uint, Events, cl_event *event) {
  note("clEnqueueCopyBuffer");
  std::memcpy(to->bytes + target, from->bytes + at, size);
  giveEvent(event);
  return CL_SUCCESS;
}

cl_int fill(void *to, const void *pattern, size_t patternBytes, size_t size, cl_event *event) {
  for (size_t at = 0; at < size; at += patternBytes)
    std::memcpy(static_cast<std::byte *>(to) + at, pattern, patternBytes);
  giveEvent(event);
  return CL_SUCCESS;
}
cl_int fillBuffer(cl_command_queue, cl_mem to, const void *pattern, size_t patternBytes, size_t at,
                  size_t size, cl_uint, Events, cl_event *event) {
  note("clEnqueueFillBuffer");
  return fill(to->bytes + at, pattern, patternBytes, size, event);
}

void *allocate(const char *function, size_t size, cl_int *result) {
  void *bytes = std::calloc(size, 1);
  std::lock_guard lock(mutex);
  ++calls[function];
  ++live;
  memory[bytes] = size;
  if (result)
    *result = CL_SUCCESS;
  return bytes;
}
cl_int freeMemory(const char *function, void *bytes) {
  {
    std::lock_guard lock(mutex);
    ++calls[function];
    --live;
    memory.erase(bytes);
  }
  std::free(bytes);
  return CL_SUCCESS;
}
void *svmAlloc(cl_context, cl_bitfield, size_t size, cl_uint) {
  return allocate("clSVMAlloc", size, nullptr);
}
void svmFree(cl_context, void *bytes) { (void)freeMemory("clSVMFree", bytes); }
cl_int svmCopy(cl_command_queue, cl_bool, void *to, const void *from, size_t size, cl_uint, Events,
               cl_event *event) {
  note("clEnqueueSVMMemcpy");
  std::memcpy(to, from, size);
  giveEvent(event);
  return CL_SUCCESS;
}
cl_int svmFill(cl_command_queue, void *to, const void *pattern, size_t patternBytes, size_t size,
               cl_uint, Events, cl_event *event) {
  note("clEnqueueSVMMemFill");
  return fill(to, pattern, patternBytes, size, event);
}
cl_int svmMap(cl_command_queue, cl_bool, cl_bitfield, void *, size_t, cl_uint, Events,
              cl_event *event) {
  note("clEnqueueSVMMap");
  giveEvent(event);
  return CL_SUCCESS;
}
cl_int svmUnmap(cl_command_queue, void *, cl_uint, Events, cl_event *event) {
  note("clEnqueueSVMUnmap");
  giveEvent(event);
  return CL_SUCCESS;
}

void *hostAlloc(cl_context, const cl_properties *, size_t size, cl_uint, cl_int *result) {
  return allocate("clHostMemAllocINTEL", size, result);
}
void *deviceAlloc(cl_context, cl_device_id, const cl_properties *, size_t size, cl_uint,
                  cl_int *result) {
  return allocate("clDeviceMemAllocINTEL", size, result);
}
void *sharedAlloc(cl_context, cl_device_id, const cl_properties *, size_t size, cl_uint,
                  cl_int *result) {
  return allocate("clSharedMemAllocINTEL", size, result);
}
cl_int usmFree(cl_context, void *bytes) { return freeMemory("clMemFreeINTEL", bytes); }
cl_int usmFill(cl_command_queue, void *to, const void *pattern, size_t patternBytes, size_t size,
               cl_uint, Events, cl_event *event) {
  note("clEnqueueMemFillINTEL");
  return fill(to, pattern, patternBytes, size, event);
}
cl_int usmCopy(cl_command_queue, cl_bool, void *to, const void *from, size_t size, cl_uint, Events,
               cl_event *event) {
  note("clEnqueueMemcpyINTEL");
  std::memcpy(to, from, size);
  giveEvent(event);
  return CL_SUCCESS;
}

// Programs and kernels

cl_program programFrom(const void *code, size_t size, bool binary) {
  return new ProgramObject{std::string(static_cast<const char *>(code), size), binary, 0, 0};
}
cl_program createProgram(cl_context, const void *code, size_t size, cl_int *result) {
  return made("clCreateProgramWithIL", programFrom(code, size, false), result);
}
cl_program createFromBinary(cl_context, cl_uint, const cl_device_id *, const size_t *sizes,
                            const unsigned char **code, cl_int *status, cl_int *result) {
  *status = CL_SUCCESS;
  return made("clCreateProgramWithBinary", programFrom(code[0], sizes[0], true), result);
}
cl_int setConstant(cl_program program, cl_uint id, size_t size, const void *) {
  note("clSetProgramSpecializationConstant");
  program->constant = id;
  program->constantBytes = size;
  return CL_SUCCESS;
}
cl_int buildProgram(cl_program program, cl_uint, const cl_device_id *, const char *, void *,
                    void *) {
  note("clBuildProgram");
  std::lock_guard lock(mutex);
  built = {program->code, program->constant, program->constantBytes, program->fromBinary};
  return options.buildLog.empty() ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}
cl_int getProgramInfo(cl_program program, cl_uint what, size_t room, void *to, size_t *needed) {
  note("clGetProgramInfo");
  if (what == CL_PROGRAM_BINARY_SIZES)
    return answerNumber(program->code.size(), room, to, needed);
  std::memcpy(*static_cast<unsigned char **>(to), program->code.data(), program->code.size());
  return CL_SUCCESS;
}
cl_int getBuildInfo(cl_program, cl_device_id, cl_uint, size_t room, void *to, size_t *needed) {
  return answer(options.buildLog, room, to, needed);
}
cl_int releaseProgram(cl_program object) { return released("clReleaseProgram", object); }
cl_kernel createKernel(cl_program, const char *, cl_int *result) {
  return made("clCreateKernel", new KernelObject, result);
}
cl_int releaseKernel(cl_kernel object) { return released("clReleaseKernel", object); }
cl_int getKernelInfo(cl_kernel, cl_uint, size_t room, void *to, size_t *needed) {
  note("clGetKernelInfo");
  return answerNumber(cl_uint{1}, room, to, needed);
}
cl_int getKernelGroupInfo(cl_kernel, cl_device_id, cl_uint, size_t room, void *to, size_t *needed) {
  note("clGetKernelWorkGroupInfo");
  return answerNumber(size_t{256}, room, to, needed);
}
cl_int setArg(cl_kernel kernel, cl_uint index, size_t, const void *value) {
  note("clSetKernelArg");
  if (index == 0 && value)
    kernel->first = (*static_cast<const cl_mem *>(value))->bytes;
  return CL_SUCCESS;
}
cl_int setPointer(cl_kernel kernel, cl_uint index, const void *value) {
  note("clSetKernelArgPointer");
  if (index == 0)
    kernel->first = static_cast<std::byte *>(const_cast<void *>(value));
  return CL_SUCCESS;
}
cl_int setExecInfo(cl_kernel, cl_uint, size_t, const void *) {
  note("clSetKernelExecInfo");
  return CL_SUCCESS;
}
cl_int enqueueGrid(cl_command_queue, cl_kernel kernel, cl_uint, const size_t *,
                   const size_t *global, const size_t *, cl_uint, Events, cl_event *event) {
  note("clEnqueueNDRangeKernel");
  for (size_t i = 0; i < global[0]; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, kernel->first + i * 4, 4);
    ++word;
    std::memcpy(kernel->first + i * 4, &word, 4);
  }
  giveEvent(event);
  return CL_SUCCESS;
}

// Events

cl_int marker(cl_command_queue, cl_uint, Events, cl_event *event) {
  note("clEnqueueMarkerWithWaitList");
  giveEvent(event);
  return CL_SUCCESS;
}
cl_int barrier(cl_command_queue, cl_uint, Events, cl_event *event) {
  note("clEnqueueBarrierWithWaitList");
  giveEvent(event);
  return CL_SUCCESS;
}
cl_int waitForEvents(cl_uint, Events) {
  note("clWaitForEvents");
  return CL_SUCCESS;
}
cl_int getEventInfo(cl_event, cl_uint, size_t room, void *to, size_t *needed) {
  note("clGetEventInfo");
  return answerNumber(cl_int{options.finishes ? CL_COMPLETE : 1}, room, to, needed);
}
cl_int getProfile(cl_event, cl_uint what, size_t room, void *to, size_t *needed) {
  note("clGetEventProfilingInfo");
  return answerNumber(cl_ulong{what == CL_PROFILING_COMMAND_START ? 100u : 200u}, room, to, needed);
}
cl_int retainEvent(cl_event event) {
  std::lock_guard lock(mutex);
  ++event->references;
  return CL_SUCCESS;
}
cl_int releaseEvent(cl_event event) {
  std::lock_guard lock(mutex);
  if (--event->references == 0) {
    --live;
    delete event;
  }
  return CL_SUCCESS;
}

void *findExtension(cl_platform_id, const char *name) {
  if (options.addressing != Addressing::Usm)
    return nullptr;
  const std::map<std::string_view, void *> known = {
      {"clHostMemAllocINTEL", reinterpret_cast<void *>(hostAlloc)},
      {"clDeviceMemAllocINTEL", reinterpret_cast<void *>(deviceAlloc)},
      {"clSharedMemAllocINTEL", reinterpret_cast<void *>(sharedAlloc)},
      {"clMemFreeINTEL", reinterpret_cast<void *>(usmFree)},
      {"clSetKernelArgMemPointerINTEL", reinterpret_cast<void *>(setPointer)},
      {"clEnqueueMemFillINTEL", reinterpret_cast<void *>(usmFill)},
      {"clEnqueueMemcpyINTEL", reinterpret_cast<void *>(usmCopy)}};
  auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

} // namespace

Functions fakeOpenCl(const FakeOptions &wanted) {
  std::lock_guard lock(mutex);
  options = wanted;
  live = 0;
  calls.clear();
  built = {};
  Functions cl;
  cl.clGetPlatformIDs = getPlatformIds;
  cl.clGetPlatformInfo = getPlatformInfo;
  cl.clGetDeviceIDs = getDeviceIds;
  cl.clGetDeviceInfo = getDeviceInfo;
  cl.clGetExtensionFunctionAddressForPlatform = findExtension;
  cl.clCreateContext = createContext;
  cl.clReleaseContext = releaseContext;
  cl.clCreateCommandQueueWithProperties = createQueue;
  cl.clReleaseCommandQueue = releaseQueue;
  cl.clFlush = flush;
  cl.clFinish = finish;
  cl.clCreateBuffer = createBuffer;
  cl.clCreateSubBuffer = createSubBuffer;
  cl.clReleaseMemObject = releaseMemory;
  cl.clEnqueueReadBuffer = readBuffer;
  cl.clEnqueueWriteBuffer = writeBuffer;
  cl.clEnqueueCopyBuffer = copyBuffer;
  cl.clEnqueueFillBuffer = fillBuffer;
  cl.clSVMAlloc = svmAlloc;
  cl.clSVMFree = svmFree;
  cl.clEnqueueSVMMemcpy = svmCopy;
  cl.clEnqueueSVMMemFill = svmFill;
  cl.clEnqueueSVMMap = svmMap;
  cl.clEnqueueSVMUnmap = svmUnmap;
  cl.clCreateProgramWithIL = createProgram;
  cl.clCreateProgramWithBinary = createFromBinary;
  cl.clSetProgramSpecializationConstant = setConstant;
  cl.clBuildProgram = buildProgram;
  cl.clGetProgramInfo = getProgramInfo;
  cl.clGetProgramBuildInfo = getBuildInfo;
  cl.clReleaseProgram = releaseProgram;
  cl.clCreateKernel = createKernel;
  cl.clReleaseKernel = releaseKernel;
  cl.clGetKernelInfo = getKernelInfo;
  cl.clGetKernelWorkGroupInfo = getKernelGroupInfo;
  cl.clSetKernelArg = setArg;
  cl.clSetKernelArgSVMPointer = setPointer;
  cl.clSetKernelExecInfo = setExecInfo;
  cl.clEnqueueNDRangeKernel = enqueueGrid;
  cl.clEnqueueMarkerWithWaitList = marker;
  cl.clEnqueueBarrierWithWaitList = barrier;
  cl.clWaitForEvents = waitForEvents;
  cl.clGetEventInfo = getEventInfo;
  cl.clGetEventProfilingInfo = getProfile;
  cl.clRetainEvent = retainEvent;
  cl.clReleaseEvent = releaseEvent;
  return cl;
}

int liveObjects() {
  std::lock_guard lock(mutex);
  return live;
}

int callsOf(const std::string &function) {
  std::lock_guard lock(mutex);
  return calls[function];
}

BuildRecord lastBuild() {
  std::lock_guard lock(mutex);
  return built;
}

} // namespace pumice::opencl_driver::test
