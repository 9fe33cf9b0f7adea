//===- OpenClSubject.cpp - kernels through OpenCL ---------------------------===//
#include "bench/cpu/OpenCl.h"
#include "bench/cpu/Subject.h"

#include <dlfcn.h>

namespace pumice::bench {

Result<cl::Functions> cl::loadFunctions() {
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (!library)
    return Status(StatusCode::NotFound, dlerror());
  Functions f;
  std::string missing;
  auto find = [&](auto &function, const char *name) {
    void *address = dlsym(library, name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
    if (!address)
      missing = name;
  };
  find(f.getPlatformIds, "clGetPlatformIDs");
  find(f.getDeviceIds, "clGetDeviceIDs");
  find(f.getDeviceInfo, "clGetDeviceInfo");
  find(f.createContext, "clCreateContext");
  find(f.createCommandQueue, "clCreateCommandQueue");
  find(f.createBuffer, "clCreateBuffer");
  find(f.createProgramWithSource, "clCreateProgramWithSource");
  find(f.buildProgram, "clBuildProgram");
  find(f.getProgramBuildInfo, "clGetProgramBuildInfo");
  find(f.createKernel, "clCreateKernel");
  find(f.setKernelArg, "clSetKernelArg");
  find(f.enqueueNdRangeKernel, "clEnqueueNDRangeKernel");
  find(f.enqueueWriteBuffer, "clEnqueueWriteBuffer");
  find(f.enqueueReadBuffer, "clEnqueueReadBuffer");
  find(f.finish, "clFinish");
  find(f.releaseMemObject, "clReleaseMemObject");
  find(f.releaseProgram, "clReleaseProgram");
  find(f.releaseKernel, "clReleaseKernel");
  if (!missing.empty())
    return Status(StatusCode::NotFound, "libOpenCL.so.1 has no " + missing);
  return f;
}

namespace {

Status check(int32_t code, const char *call) {
  return code == 0
             ? Status::ok()
             : Status(StatusCode::Internal, std::string(call) + " answers " + std::to_string(code));
}

class OpenClSubject final : public Subject {
public:
  ~OpenClSubject() override { drop(); }
  Status open();

  std::string describe() const override {
    return text(cl::deviceName) + ", " + text(cl::driverVersion);
  }
  Status makeBuffers(const Problem &problem) override;
  Status compile(const Problem &problem) override;
  Status reset(const Problem &problem) override;
  Status launch(const Problem &problem, const Launch &launch) override;
  Status finish() override { return check(f.finish(queue), "clFinish"); }
  Result<Bytes> output(const Problem &problem) override;

private:
  std::string text(uint32_t what) const {
    char buffer[256] = "";
    return f.getDeviceInfo(device, what, sizeof buffer, buffer, nullptr) == 0 ? buffer : "unknown";
  }
  void drop();

  cl::Functions f;
  cl::Device device = nullptr;
  cl::Context context = nullptr;
  cl::Queue queue = nullptr;
  cl::Program program = nullptr;
  cl::Kernel kernel = nullptr;
  std::vector<cl::Memory> buffers;
};

Status OpenClSubject::open() {
  PUMICE_TRY(f, cl::loadFunctions());
  cl::Platform platforms[16];
  uint32_t count = 0;
  // Without a platform, the loader returns its own error code.
  if (f.getPlatformIds(16, platforms, &count) != 0)
    count = 0;
  for (uint32_t i = 0; i < count && i < 16 && !device; ++i)
    if (f.getDeviceIds(platforms[i], cl::deviceTypeCpu, 1, &device, nullptr) != 0)
      device = nullptr;
  if (!device)
    return Status(StatusCode::NotFound, "OpenCL has no CPU device here");
  int32_t code = 0;
  context = f.createContext(nullptr, 1, &device, nullptr, nullptr, &code);
  PUMICE_RETURN_IF_ERROR(check(code, "clCreateContext"));
  queue = f.createCommandQueue(context, device, 0, &code);
  return check(code, "clCreateCommandQueue");
}

void OpenClSubject::drop() {
  for (cl::Memory buffer : buffers)
    f.releaseMemObject(buffer);
  buffers.clear();
  if (kernel)
    f.releaseKernel(kernel);
  if (program)
    f.releaseProgram(program);
  kernel = nullptr, program = nullptr;
}

Status OpenClSubject::makeBuffers(const Problem &problem) {
  drop();
  for (const Bytes &bytes : problem.buffers) {
    int32_t code = 0;
    cl::Memory buffer = f.createBuffer(context, cl::memoryReadWrite, bytes.size(), nullptr, &code);
    PUMICE_RETURN_IF_ERROR(check(code, "clCreateBuffer"));
    buffers.push_back(buffer);
  }
  return reset(problem);
}

Status OpenClSubject::compile(const Problem &problem) {
  const char *source = problem.openCl.data();
  size_t length = problem.openCl.size();
  if (length == 0)
    return Status(StatusCode::NotFound, "'" + problem.name + "' is not written in OpenCL C");
  int32_t code = 0;
  program = f.createProgramWithSource(context, 1, &source, &length, &code);
  PUMICE_RETURN_IF_ERROR(check(code, "clCreateProgramWithSource"));
  if (f.buildProgram(program, 1, &device, "", nullptr, nullptr) != 0) {
    std::string log(4096, 0);
    f.getProgramBuildInfo(program, device, cl::programBuildLog, log.size(), log.data(), nullptr);
    return Status(StatusCode::Internal, "clBuildProgram says: " + log.substr(0, log.find('\0')));
  }
  kernel = f.createKernel(program, problem.name.c_str(), &code);
  PUMICE_RETURN_IF_ERROR(check(code, "clCreateKernel"));
  for (uint32_t i = 0; i < buffers.size(); ++i)
    PUMICE_RETURN_IF_ERROR(
        check(f.setKernelArg(kernel, i, sizeof(cl::Memory), &buffers[i]), "clSetKernelArg"));
  return Status::ok();
}

Status OpenClSubject::reset(const Problem &problem) {
  for (size_t i = 0; i < buffers.size(); ++i)
    PUMICE_RETURN_IF_ERROR(
        check(f.enqueueWriteBuffer(queue, buffers[i], 1, 0, problem.buffers[i].size(),
                                   problem.buffers[i].data(), 0, nullptr, nullptr),
              "clEnqueueWriteBuffer"));
  return Status::ok();
}

Status OpenClSubject::launch(const Problem &problem, const Launch &launch) {
  for (uint32_t i = 0; i < launch.push.size(); ++i)
    PUMICE_RETURN_IF_ERROR(check(
        f.setKernelArg(kernel, uint32_t(buffers.size()) + i, sizeof(uint32_t), &launch.push[i]),
        "clSetKernelArg"));
  size_t global[3], local[3];
  for (size_t d = 0; d < 3; ++d) {
    local[d] = problem.workgroup[d];
    global[d] = local[d] * launch.groups[d];
  }
  return check(
      f.enqueueNdRangeKernel(queue, kernel, 3, nullptr, global, local, 0, nullptr, nullptr),
      "clEnqueueNDRangeKernel");
}

Result<Bytes> OpenClSubject::output(const Problem &problem) {
  if (buffers.empty())
    return Bytes();
  Bytes bytes(problem.buffers[problem.output].size());
  PUMICE_RETURN_IF_ERROR(check(f.enqueueReadBuffer(queue, buffers[problem.output], 1, 0,
                                                   bytes.size(), bytes.data(), 0, nullptr, nullptr),
                               "clEnqueueReadBuffer"));
  return bytes;
}

} // namespace

Result<std::unique_ptr<Subject>> makeOpenClSubject() {
  auto subject = std::make_unique<OpenClSubject>();
  PUMICE_RETURN_IF_ERROR(subject->open());
  return std::unique_ptr<Subject>(std::move(subject));
}

} // namespace pumice::bench
