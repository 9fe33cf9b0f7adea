//===- FaultTest.cpp - calls of OpenCL that fail, without OpenCL ------------===//
// Runs a program on the fake, and makes each of its calls fail in turn. The error must name the
// call, nothing may leak, and unless the device is lost, it must still work.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/opencl/Call.h"
#include "runtime/drivers/opencl/Driver.h"
#include "runtime/drivers/opencl/FakeOpenCl.h"
#include "runtime/hal/Device.h"
#include "runtime/hal/conformance/kernels/Steps.cl.h"
#include "support/DiskCache.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace pumice;
using namespace pumice::opencl_driver;

namespace {

int untilFault = -1; // the number of calls before the one that fails; -1: none fails
cl_int fault = CL_OUT_OF_HOST_MEMORY;
std::string failed; // the function that failed

cl_int failOnce(const char *function) {
  if (untilFault < 0 || untilFault-- > 0)
    return CL_SUCCESS;
  failed = function;
  return fault;
}

cl_int failOf(const char *function) { return failed == function ? fault : CL_SUCCESS; }

hal::KernelSource kernelSource() {
  hal::KernelSource source;
  source.kind = executable::VariantKind::OpenclSpirv;
  source.code = {reinterpret_cast<const uint8_t *>(StepsOpenCl), sizeof StepsOpenCl};
  source.symbol = "run";
  source.label = "steps";
  source.pushConstantBytes = 8;
  source.constants = {{0, 4, 3}};
  return source;
}

/// Uses every part of a device. Returns the first error.
Status runProgram(hal::Device &device) {
  PUMICE_TRY(Ref<hal::Queue> queue, device.createQueue({.profiling = true}));
  PUMICE_TRY(Ref<hal::Timeline> timeline, device.createTimeline());
  PUMICE_TRY(Ref<hal::Buffer> words, device.allocate(256));
  PUMICE_TRY(Ref<hal::Buffer> host, device.allocate(256, hal::MemoryKind::Host));
  PUMICE_TRY(Ref<hal::Kernel> kernel, device.createKernel(kernelSource()));
  std::vector<uint32_t> sent(64, 5), received(64);
  PUMICE_RETURN_IF_ERROR(queue->upload({words.get()}, std::as_bytes(std::span(sent))));
  PUMICE_RETURN_IF_ERROR(queue->fill({words.get(), 0, 6}, 7, 1));
  PUMICE_RETURN_IF_ERROR(queue->copy({host.get()}, {words.get()}));
  uint64_t address = host->deviceAddress();
  const hal::BufferUse uses[] = {{host.get()}};
  hal::Dispatch work;
  work.kernel = kernel.get();
  work.pushConstants = std::as_bytes(std::span(&address, 1));
  work.uses = uses;
  PUMICE_RETURN_IF_ERROR(queue->dispatch(work));
  PUMICE_RETURN_IF_ERROR(queue->signal({timeline.get(), 1}));
  PUMICE_RETURN_IF_ERROR(
      queue->download(std::as_writable_bytes(std::span(received)), {host.get()}));
  Status noted;
  PUMICE_RETURN_IF_ERROR(queue->onDone([&](const Status &status) { noted = status; }));
  Status waited = timeline->wait(1);
  PUMICE_RETURN_IF_ERROR(queue->finish());
  PUMICE_RETURN_IF_ERROR(waited);
  PUMICE_RETURN_IF_ERROR(noted);
  if (received[0] != 0x07070708 || received[1] != 0x0707 + 1 || received[63] != 6)
    return Status(StatusCode::Internal, "the results are wrong: " + std::to_string(received[0]) +
                                            ", " + std::to_string(received[1]) + ", " +
                                            std::to_string(received[63]));
  return Status::ok();
}

class OpenClFaults : public testing::TestWithParam<Addressing> {
protected:
  void SetUp() override {
    setenv("PUMICE_CACHE", "off", 1);
    untilFault = -1;
    failed.clear();
    fault = CL_OUT_OF_HOST_MEMORY;
    faultHook = failOnce;
  }
  void TearDown() override { faultHook = nullptr; }

  Result<Ref<hal::Device>> open() {
    test::FakeOptions options;
    options.addressing = GetParam();
    driver = OpenClDriver::createWith(test::fakeOpenCl(options));
    PUMICE_TRY(std::vector<hal::DeviceInfo> infos, driver->devices());
    if (infos.size() != 1)
      return Status(StatusCode::Internal, std::to_string(infos.size()) + " devices");
    return driver->open(0);
  }

  Ref<hal::Driver> driver;
};

std::string nameOf(const testing::TestParamInfo<Addressing> &info) {
  std::string name(toString(info.param));
  std::erase(name, '-');
  return name;
}

} // namespace

TEST_P(OpenClFaults, NoneFails) {
  Result<Ref<hal::Device>> device = open();
  ASSERT_TRUE(device.isOk()) << device.status().toString();
  Status status = runProgram(**device);
  EXPECT_TRUE(status.isOk()) << status.toString();
  *device = nullptr;
  EXPECT_EQ(test::liveObjects(), 0);
}

TEST_P(OpenClFaults, EachCallFailsOnce) {
  for (cl_int result : {CL_OUT_OF_HOST_MEMORY, CL_DEVICE_NOT_AVAILABLE}) {
    fault = result;
    for (int call = 0; call < 1000; ++call) {
      Result<Ref<hal::Device>> device = open();
      ASSERT_TRUE(device.isOk()) << device.status().toString();
      failed.clear();
      untilFault = call;
      Status status = runProgram(**device);
      bool reached = untilFault < 0;
      untilFault = -1;
      SCOPED_TRACE(failed + ", call " + std::to_string(call) + ", " + describe(result));
      // These calls only make work start, or end, sooner, or measure it.
      bool mayFail = failed == "clSetKernelExecInfo" || failed == "clGetEventProfilingInfo" ||
                     failed == "clWaitForEvents";
      if (reached && !mayFail)
        EXPECT_NE(status.message().find(failed == "clGetEventInfo" ? "work of a queue" : failed),
                  std::string::npos)
            << status.toString();
      bool lost = !(*device)->health().isOk();
      if (reached && !mayFail)
        EXPECT_EQ(lost, result == CL_DEVICE_NOT_AVAILABLE) << status.toString();
      if (!lost) {
        Status again = runProgram(**device);
        EXPECT_TRUE(again.isOk()) << again.toString();
      } else {
        EXPECT_EQ((*device)->allocate(16).status().code(), StatusCode::DeviceLost);
      }
      *device = nullptr;
      EXPECT_EQ(test::liveObjects(), 0);
      if (!reached) {
        EXPECT_GT(call, 25) << "the program reaches too few calls";
        break;
      }
      ASSERT_LT(call, 999) << "the program makes too many calls";
    }
  }
}

TEST_P(OpenClFaults, MemoryIsExhausted) {
  Result<Ref<hal::Device>> device = open();
  ASSERT_TRUE(device.isOk()) << device.status().toString();
  constexpr const char *allocators[] = {"clDeviceMemAllocINTEL", "clSVMAlloc", "clSVMAlloc",
                                        "clCreateBuffer"};
  failed = allocators[static_cast<size_t>(GetParam())];
  fault = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  faultHook = failOf;
  Result<Ref<hal::Buffer>> buffer = (*device)->allocate(12345);
  ASSERT_FALSE(buffer.isOk());
  EXPECT_EQ(buffer.status().code(), StatusCode::ResourceExhausted);
  EXPECT_NE(buffer.status().message().find("12348 bytes"), std::string::npos)
      << buffer.status().toString();
  faultHook = nullptr;
  EXPECT_TRUE((*device)->allocate(12345).isOk());
}

INSTANTIATE_TEST_SUITE_P(, OpenClFaults,
                         testing::Values(Addressing::Usm, Addressing::FineSvm,
                                         Addressing::CoarseSvm, Addressing::Buffers),
                         nameOf);

#if __has_include(<sys/wait.h>)
TEST(OpenClFake, IsLostInTheChildOfAFork) {
  setenv("PUMICE_CACHE", "off", 1);
  Ref<hal::Driver> driver = OpenClDriver::createWith(test::fakeOpenCl());
  ASSERT_TRUE(driver->devices().isOk());
  Ref<hal::Device> device = driver->open(0).value();
  Ref<hal::Queue> queue = device->createQueue().value();
  Ref<hal::Buffer> buffer = device->allocate(64).value();
  ASSERT_TRUE(queue->fill({buffer.get()}, 1).isOk());
  int before = test::liveObjects();
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    Status status = device->allocate(16).status();
    bool says = status.code() == StatusCode::DeviceLost &&
                status.message().find("forked off") != std::string::npos;
    says &= queue->finish().code() == StatusCode::DeviceLost;
    buffer = nullptr;
    queue = nullptr;
    device = nullptr; // releases nothing of the parent's
    _exit(says && test::liveObjects() == before ? 0 : 1);
  }
  int result = 1;
  waitpid(child, &result, 0);
  EXPECT_EQ(result, 0);
  EXPECT_TRUE(queue->finish().isOk());
  EXPECT_TRUE(runProgram(*device).isOk());
}
#endif

TEST(OpenClFake, ADeviceWithoutSpirvIsLeftOut) {
  test::FakeOptions options;
  options.spirvVersions = "";
  Ref<hal::Driver> driver = OpenClDriver::createWith(test::fakeOpenCl(options));
  Result<std::vector<hal::DeviceInfo>> infos = driver->devices();
  ASSERT_TRUE(infos.isOk());
  EXPECT_TRUE(infos->empty());
  ASSERT_EQ(driver->leftOut().size(), 1u);
  EXPECT_NE(driver->leftOut()[0].message().find("Fake device (Fake OpenCL): it takes no SPIR-V"),
            std::string::npos);
}

TEST(OpenClFake, BuildLogsAreInErrors) {
  setenv("PUMICE_CACHE", "off", 1);
  test::FakeOptions options;
  options.buildLog = "error: no such instruction\n";
  Ref<hal::Driver> driver = OpenClDriver::createWith(test::fakeOpenCl(options));
  ASSERT_TRUE(driver->devices().isOk());
  Ref<hal::Device> device = driver->open(0).value();
  Status status = device->createKernel(kernelSource()).status();
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_EQ(status.message(),
            "kernel 'steps': clBuildProgram returned CL_BUILD_PROGRAM_FAILURE (the driver does not "
            "compile the code):\nerror: no such instruction");
}

TEST(OpenClFake, ProgramsAreKeptOnDisk) {
  std::string folder = testing::TempDir() + "pumice-opencl-cache";
  setenv("PUMICE_CACHE", "on", 1);
  setenv("PUMICE_CACHE_DIR", folder.c_str(), 1);
  (void)DiskCache::open().value().clear();
  auto make = [](hal::KernelSource source) {
    Ref<hal::Driver> driver = OpenClDriver::createWith(test::fakeOpenCl());
    EXPECT_TRUE(driver->devices().isOk());
    Status status = driver->open(0).value()->createKernel(source).status();
    EXPECT_TRUE(status.isOk()) << status.toString();
    return test::lastBuild();
  };
  test::BuildRecord first = make(kernelSource());
  EXPECT_FALSE(first.fromBinary);
  EXPECT_EQ(first.constantBytes, 4u);
  EXPECT_TRUE(make(kernelSource()).fromBinary);
  hal::KernelSource other = kernelSource();
  other.constants[0].bits = 4;
  EXPECT_FALSE(make(other).fromBinary);
  other.requiredSubgroupSize = 1; // the only size of the fake
  EXPECT_FALSE(make(other).fromBinary);
  setenv("PUMICE_CACHE", "off", 1);
  unsetenv("PUMICE_CACHE_DIR");
}

TEST(OpenClAbsence, SaysWhyThereAreNoDevices) {
  setenv("PUMICE_OPENCL", "off", 1);
  Result<Ref<hal::Driver>> driver = OpenClDriver::create();
  unsetenv("PUMICE_OPENCL");
  ASSERT_TRUE(driver.isOk());
  EXPECT_TRUE((*driver)->devices()->empty());
  EXPECT_EQ((*driver)->absence().message(), "PUMICE_OPENCL is off");
  Ref<hal::Driver> present = OpenClDriver::createWith(test::fakeOpenCl());
  EXPECT_EQ(present->devices()->size(), 1u);
  EXPECT_TRUE(present->absence().isOk());
}
