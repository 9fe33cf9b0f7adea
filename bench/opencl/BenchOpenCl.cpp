//===- BenchOpenCl.cpp - the runtime compared with a bare OpenCL loop -------===//
// Both run the same kernel on the same device in turn, with the same size of work and the same
// binary. Times are wall time on the host. The bare loop sets the arguments that change, enqueues,
// and waits by clFinish, as a program without Pumice does. It runs with a buffer object, and with
// unified shared memory if the device has it, because drivers need different times for these. The
// limit is for the memory that the runtime uses. With `--kernels`, it also compares the speed of
// the kernels of bench-cpu (Kernels.h).
//===-------------------------------------------------------------------------===//
#include "bench/opencl/Kernels.h"
#include "runtime/drivers/opencl/Driver.h"
#include "runtime/drivers/opencl/Loader.h"
#include "runtime/hal/conformance/kernels/Mix.cl.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

using namespace pumice;
using namespace pumice::bench;
using namespace pumice::opencl_driver;

namespace {

constexpr uint32_t batch = 1000, count = 64; // launches of one workgroup

void need(const Status &status) {
  if (status.isOk())
    return;
  std::fprintf(stderr, "bench-opencl: %s\n", status.toString().c_str());
  std::exit(EXIT_FAILURE);
}
template <typename T> T need(Result<T> result) {
  need(result.status());
  return std::move(result).value();
}
void need(cl_int result, const char *call) {
  if (result != CL_SUCCESS)
    need(Status(StatusCode::Internal, std::string(call) + " returned " + std::to_string(result)));
}

std::span<const uint8_t> code() {
  return {reinterpret_cast<const uint8_t *>(MixOpenCl), sizeof MixOpenCl};
}

/// The runtime's side.
struct PumiceSide {
  explicit PumiceSide(const Ref<hal::Device> &device) : queue(need(device->createQueue())) {
    words = need(device->allocate(count * 4));
    hal::KernelSource source;
    source.kind = executable::VariantKind::OpenclSpirv;
    source.code = code();
    source.symbol = "run";
    source.pushConstantBytes = 36;
    kernel = need(device->createKernel(source));
    need(queue->fill({words.get()}, 1));
    need(queue->finish());
  }
  void launch(uint32_t factor) {
    struct {
      uint64_t addresses[3];
      uint32_t numbers[3];
    } block{{words->deviceAddress(), words->deviceAddress(), words->deviceAddress()},
            {count, factor, 0}};
    const hal::BufferUse uses[] = {{words.get()}};
    hal::Dispatch work;
    work.kernel = kernel.get();
    work.pushConstants = std::as_bytes(std::span(&block, 1)).first(36);
    work.uses = uses;
    need(queue->dispatch(work));
  }
  std::vector<uint32_t> values() {
    std::vector<uint32_t> received(count);
    need(queue->download(std::as_writable_bytes(std::span(received)), {words.get()}));
    need(queue->finish());
    return received;
  }

  Ref<hal::Queue> queue;
  Ref<hal::Buffer> words;
  Ref<hal::Kernel> kernel;
};

/// The same through OpenCL alone.
struct BareSide {
  BareSide(const Functions &functions, size_t wanted, bool shares) : cl(functions) {
    cl_int result = CL_SUCCESS;
    findDevice(wanted);
    if (shares)
      usm = findUsm(cl, platform);
    context = cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &result);
    need(result, "clCreateContext");
    queue = cl.clCreateCommandQueueWithProperties(context, device, nullptr, &result);
    need(result, "clCreateCommandQueueWithProperties");
    makeMemory();
    cl_program program = cl.clCreateProgramWithIL(context, code().data(), code().size(), &result);
    need(result, "clCreateProgramWithIL");
    need(cl.clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    kernel = cl.clCreateKernel(program, "run", &result);
    need(result, "clCreateKernel");
    const uint32_t spin = 0;
    for (cl_uint i = 0; i < 3; ++i)
      need(usm ? usm->clSetKernelArgMemPointerINTEL(kernel, i, shared)
               : cl.clSetKernelArg(kernel, i, sizeof words, &words),
           "clSetKernelArg");
    need(cl.clSetKernelArg(kernel, 3, 4, &count), "clSetKernelArg");
    need(cl.clSetKernelArg(kernel, 5, 4, &spin), "clSetKernelArg");
  }
  void makeMemory() {
    cl_int result = CL_SUCCESS;
    const std::vector<uint32_t> ones(count, 1);
    if (usm) {
      shared = usm->clSharedMemAllocINTEL(context, device, nullptr, count * 4, 0, &result);
      need(result, "clSharedMemAllocINTEL");
      std::memcpy(shared, ones.data(), count * 4);
      return;
    }
    words = cl.clCreateBuffer(context, CL_MEM_READ_WRITE, count * 4, nullptr, &result);
    need(result, "clCreateBuffer");
    need(cl.clEnqueueWriteBuffer(queue, words, CL_TRUE, 0, count * 4, ones.data(), 0, nullptr,
                                 nullptr),
         "clEnqueueWriteBuffer");
  }
  void findDevice(size_t wanted) {
    cl_platform_id platforms[16];
    cl_uint platformCount = 0;
    need(cl.clGetPlatformIDs(16, platforms, &platformCount), "clGetPlatformIDs");
    for (cl_uint i = 0; i < platformCount; ++i) {
      cl_device_id devices[16];
      cl_uint deviceCount = 0;
      if (cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 16, devices, &deviceCount) != 0)
        continue;
      for (cl_uint d = 0; d < deviceCount; ++d) {
        Result<DeviceFacts> facts = readFacts(cl, platforms[i], devices[d]);
        if (facts.isOk() && isUsable(*facts).isOk() && wanted-- == 0) {
          platform = platforms[i];
          device = devices[d];
          return;
        }
      }
    }
    need(Status(StatusCode::NotFound, "the bare loop does not find the device"));
  }
  void launch(uint32_t factor) {
    const size_t global[] = {count, 1, 1}, local[] = {64, 1, 1};
    need(cl.clSetKernelArg(kernel, 4, 4, &factor), "clSetKernelArg");
    need(cl.clEnqueueNDRangeKernel(queue, kernel, 3, nullptr, global, local, 0, nullptr, nullptr),
         "clEnqueueNDRangeKernel");
  }
  void finish() { need(cl.clFinish(queue), "clFinish"); }
  std::vector<uint32_t> values() {
    std::vector<uint32_t> received(count);
    if (usm)
      std::memcpy(received.data(), shared, count * 4);
    else
      need(cl.clEnqueueReadBuffer(queue, words, CL_TRUE, 0, count * 4, received.data(), 0, nullptr,
                                  nullptr),
           "clEnqueueReadBuffer");
    return received;
  }

  const Functions cl;
  std::optional<UsmFunctions> usm;
  void *shared = nullptr;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_mem words = nullptr;
  cl_kernel kernel = nullptr;
};

struct Options {
  size_t device = 0;
  int rounds = 41;
  std::string json, kernels, kernel;
};

Options optionsOf(int argumentCount, char **arguments) {
  Options options;
  for (int i = 1; i < argumentCount; ++i) {
    std::string name = arguments[i];
    bool hasValue = i + 1 < argumentCount;
    if (name == "--device" && hasValue)
      options.device = std::strtoul(arguments[++i], nullptr, 10);
    else if (name == "--json" && hasValue)
      options.json = arguments[++i];
    else if (name == "--kernels" && hasValue)
      options.kernels = arguments[++i];
    else if (name == "--kernel" && hasValue)
      options.kernel = arguments[++i];
    else if (name == "--quick")
      options.rounds = 3;
    else
      need(Status(StatusCode::InvalidArgument,
                  "unknown option '" + name +
                      "'; usage: bench-opencl [--device INDEX] [--kernels FOLDER [--kernel NAME]] "
                      "[--quick] [--json FILE]"));
  }
  return options;
}

/// Compares launches with those of a bare loop.
std::vector<Measurement> compareLaunches(const Ref<hal::Device> &device, const Functions &functions,
                                         const Options &options) {
  PumiceSide ours(device);
  BareSide buffers(functions, options.device, false), shared(functions, options.device, true);
  const char *requested = std::getenv("PUMICE_OPENCL_MEMORY");
  bool usesUsm = shared.usm && (!requested || std::string_view(requested) == "usm");

  auto launches = [](auto &side, uint32_t times) {
    for (uint32_t i = 0; i < times; ++i)
      side.launch(2 * i + 1);
  };
  auto compare = [&](const char *name, double most, uint32_t times, auto run) {
    std::vector<double> each = medians({[&] { run(ours, [&] { need(ours.queue->finish()); }); },
                                        [&] { run(buffers, [&] { buffers.finish(); }); },
                                        [&] { run(shared, [&] { shared.finish(); }); }},
                                       options.rounds, {.milliseconds = 200});
    Measurement m;
    m.kernel = name;
    m.size = std::to_string(times);
    m.device = device->info().name;
    m.milliseconds = each[0] / times;
    m.peers = {{"bare", each[1] / times}};
    if (shared.usm)
      m.peers["bare, usm"] = each[2] / times;
    m.limit = most * each[usesUsm ? 2 : 1] / times;
    m.correct = ours.values() == buffers.values() && ours.values() == shared.values();
    m.note = m.correct ? "" : "the results differ";
    return m;
  };
  std::vector<Measurement> results;
  results.push_back(compare("launches, one wait", 1.2, batch, [&](auto &side, auto wait) {
    launches(side, batch);
    wait();
  }));
  results.push_back(compare("launch and wait", 1.1, 100, [&](auto &side, auto wait) {
    for (uint32_t i = 0; i < 100; ++i) {
      side.launch(2 * i + 1);
      wait();
    }
  }));
  return results;
}

} // namespace

int main(int argumentCount, char **arguments) {
  Options options = optionsOf(argumentCount, arguments);
  Functions functions = need(loadFunctions());
  Ref<hal::Driver> driver = OpenClDriver::createWith(functions);
  std::vector<hal::DeviceInfo> infos = need(driver->devices());
  if (options.device >= infos.size())
    need(Status(StatusCode::NotFound,
                "there are " + std::to_string(infos.size()) + " OpenCL devices that take SPIR-V"));
  const hal::DeviceInfo &info = infos[options.device];
  Ref<hal::Device> device = need(driver->open(options.device));
  std::vector<Measurement> results;
  if (options.kernel.empty())
    results = compareLaunches(device, functions, options);
  if (!options.kernels.empty())
    for (Measurement &m :
         need(compareKernels(device, options.kernels, options.kernel, options.rounds == 3)))
      results.push_back(std::move(m));
  std::printf("%s, %s %s\n%s", info.name.c_str(), info.driverName.c_str(),
              info.driverVersion.c_str(), tableOf(results).c_str());
  if (!options.json.empty())
    std::ofstream(options.json) << jsonOf(results);
  for (const Measurement &m : results)
    if (!m.correct)
      return EXIT_FAILURE;
  return EXIT_SUCCESS;
}
