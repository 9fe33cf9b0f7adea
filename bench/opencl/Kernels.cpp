//===- Kernels.cpp - kernels in our SPIR-V and in the driver's own code -----===//
#include "bench/opencl/Kernels.h"

#include "bench/cpu/Subject.h"
#include "runtime/hal/Queue.h"

#include <cstring>
#include <fstream>
#include <iterator>

namespace pumice::bench {
namespace {

/// A problem's kernel in our SPIR-V, through the runtime.
class OurSide {
public:
  static Result<OurSide> create(const Ref<hal::Device> &device, const Problem &problem,
                                const std::string &file) {
    std::ifstream stream(file, std::ios::binary);
    std::vector<uint8_t> code{std::istreambuf_iterator<char>(stream), {}};
    if (code.empty())
      return Status(StatusCode::NotFound, "'" + file + "' is missing or empty");
    OurSide side;
    PUMICE_TRY(side.queue, device->createQueue());
    for (const Bytes &bytes : problem.buffers) {
      PUMICE_TRY(Ref<hal::Buffer> buffer, device->allocate(bytes.size()));
      PUMICE_RETURN_IF_ERROR(side.queue->upload({buffer.get()}, bytes));
      side.uses.push_back({buffer.get()});
      side.append(buffer->deviceAddress());
      side.buffers.push_back(std::move(buffer));
    }
    for (uint32_t scalar : problem.launch.push)
      side.append(scalar);
    hal::KernelSource source;
    source.kind = executable::VariantKind::OpenclSpirv;
    source.code = code;
    source.symbol = problem.name;
    source.pushConstantBytes = static_cast<uint32_t>(side.arguments.size());
    PUMICE_TRY(side.kernel, device->createKernel(source));
    return side;
  }
  Status run(const Problem &problem) {
    hal::Dispatch dispatch;
    dispatch.kernel = kernel.get();
    dispatch.groups = problem.launch.groups;
    dispatch.pushConstants = arguments;
    dispatch.uses = uses;
    PUMICE_RETURN_IF_ERROR(queue->dispatch(dispatch));
    return queue->finish();
  }
  Result<Bytes> output(const Problem &problem) {
    Bytes bytes(problem.buffers[problem.output].size());
    PUMICE_RETURN_IF_ERROR(queue->download(bytes, {buffers[problem.output].get()}));
    PUMICE_RETURN_IF_ERROR(queue->finish());
    return bytes;
  }

private:
  template <typename T> void append(T value) {
    auto bytes = std::as_bytes(std::span(&value, 1));
    arguments.insert(arguments.end(), bytes.begin(), bytes.end());
  }

  Ref<hal::Queue> queue;
  std::vector<Ref<hal::Buffer>> buffers;
  std::vector<hal::BufferUse> uses;
  Bytes arguments;
  Ref<hal::Kernel> kernel;
};

Result<Measurement> compareKernel(const Ref<hal::Device> &device, Subject &driver,
                                  const Problem &problem, const std::string &folder, int rounds) {
  PUMICE_TRY(OurSide ours, OurSide::create(device, problem, folder + "/" + problem.name + ".spv"));
  PUMICE_RETURN_IF_ERROR(driver.makeBuffers(problem));
  PUMICE_RETURN_IF_ERROR(driver.compile(problem));
  auto runDriver = [&]() -> Status {
    PUMICE_RETURN_IF_ERROR(driver.launch(problem, problem.launch));
    return driver.finish();
  };
  // The output is checked after one launch, because some kernels add to it.
  PUMICE_RETURN_IF_ERROR(ours.run(problem));
  PUMICE_RETURN_IF_ERROR(runDriver());
  PUMICE_TRY(Bytes ourOutput, ours.output(problem));
  PUMICE_TRY(Bytes driverOutput, driver.output(problem));
  Status failure;
  auto note = [&](Status status) {
    if (failure.isOk())
      failure = std::move(status);
  };
  std::vector<double> each = medians({[&] { note(ours.run(problem)); }, [&] { note(runDriver()); }},
                                     rounds, {.milliseconds = rounds > 3 ? 100.0 : 0});
  PUMICE_RETURN_IF_ERROR(failure);
  Measurement m;
  m.kernel = problem.name;
  m.size = problem.size;
  m.device = device->info().name;
  m.milliseconds = each[0];
  m.peers = {{"OpenCL C", each[1]}};
  m.limit = 1.05 * each[1];
  m.note = problem.whyWrong(problem, ourOutput);
  if (m.note.empty())
    m.note = problem.whyWrong(problem, driverOutput);
  m.correct = m.note.empty();
  return m;
}

} // namespace

Result<std::vector<Measurement>> compareKernels(const Ref<hal::Device> &device,
                                                const std::string &folder, std::string_view only,
                                                bool quick) {
  PUMICE_TRY(std::unique_ptr<Subject> driver, makeOpenClSubject());
  std::vector<Measurement> results;
  for (std::string_view name : comparedKernels()) {
    if (!only.empty() && name != only)
      continue;
    PUMICE_TRY(Problem problem, makeProblem(name, quick));
    if (problem.openCl.empty())
      continue;
    Result<Measurement> result = compareKernel(device, *driver, problem, folder, quick ? 1 : 11);
    if (!result.isOk())
      return Status(result.status()).at(problem.name);
    results.push_back(std::move(result).value());
  }
  if (results.empty())
    return Status(StatusCode::NotFound, "there is no kernel '" + std::string(only) +
                                            "' in OpenCL C; bench-cpu lists them");
  return results;
}

} // namespace pumice::bench
