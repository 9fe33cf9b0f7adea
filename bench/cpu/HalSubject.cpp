//===- HalSubject.cpp - kernels through Pumice's runtime --------------------===//
#include "bench/cpu/Subject.h"
#include "runtime/hal/Registry.h"

namespace pumice::bench {
namespace {

class HalSubject final : public Subject {
public:
  HalSubject(Ref<hal::Device> device, Ref<hal::Queue> queue)
      : device(std::move(device)), queue(std::move(queue)) {}
  /// Waits, since work in flight may still write to memory of the host.
  ~HalSubject() override { ended = queue->finish(); }

  std::string describe() const override {
    const hal::DeviceInfo &info = device->info();
    return info.id + ", " + info.name + ", " + info.driverName + " " + info.driverVersion;
  }

  Status makeBuffers(const Problem &problem) override {
    kernel = nullptr;
    buffers.clear();
    bindings.clear();
    uses.clear();
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      PUMICE_TRY(Ref<hal::Buffer> buffer, device->allocate(problem.buffers[i].size()));
      bindings.push_back({buffer.get()});
      uses.push_back({buffer.get(), i == problem.output ? executable::Access::ReadWrite
                                                        : executable::Access::Read});
      buffers.push_back(std::move(buffer));
    }
    return reset(problem);
  }

  Status compile(const Problem &problem) override {
    hal::KernelSource source;
    source.code = {reinterpret_cast<const uint8_t *>(problem.spirv.data()),
                   problem.spirv.size_bytes()};
    source.symbol = "main";
    source.label = problem.name;
    source.pushConstantBytes = uint32_t(problem.launch.push.size() * sizeof(uint32_t));
    for (uint32_t i = 0; i < problem.buffers.size(); ++i)
      source.bindings.push_back({.binding = i});
    PUMICE_TRY(kernel, device->createKernel(source));
    return Status::ok();
  }

  Status reset(const Problem &problem) override {
    for (size_t i = 0; i < buffers.size(); ++i)
      PUMICE_RETURN_IF_ERROR(queue->upload({buffers[i].get()}, problem.buffers[i]));
    return queue->finish();
  }

  Status launch(const Problem &, const Launch &launch) override {
    hal::Dispatch dispatch;
    dispatch.kernel = kernel.get();
    dispatch.groups = launch.groups;
    dispatch.pushConstants = std::as_bytes(std::span(launch.push));
    dispatch.bindings = bindings;
    dispatch.uses = uses;
    return queue->dispatch(dispatch);
  }

  Status finish() override { return queue->finish(); }

  Result<Bytes> output(const Problem &problem) override {
    Bytes bytes(problem.buffers.empty() ? 0 : problem.buffers[problem.output].size());
    if (!bytes.empty())
      PUMICE_RETURN_IF_ERROR(queue->download(bytes, {buffers[problem.output].get()}));
    PUMICE_RETURN_IF_ERROR(queue->finish());
    return bytes;
  }

private:
  Ref<hal::Device> device;
  Ref<hal::Queue> queue;
  Ref<hal::Kernel> kernel;
  std::vector<Ref<hal::Buffer>> buffers;
  std::vector<hal::BufferRange> bindings;
  std::vector<hal::BufferUse> uses;
  Status ended;
};

} // namespace

Result<std::unique_ptr<Subject>> makeHalSubject(const std::string &request) {
  PUMICE_TRY(Ref<hal::Device> device, hal::Registry::global().open(request));
  PUMICE_TRY(Ref<hal::Queue> queue, device->createQueue());
  return std::unique_ptr<Subject>(new HalSubject(std::move(device), std::move(queue)));
}

} // namespace pumice::bench
