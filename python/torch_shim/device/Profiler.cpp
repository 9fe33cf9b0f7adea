//===- Profiler.cpp - events by which torch's profiler measures operators ---===//
#include "python/torch_shim/device/Device.h"

#include <c10/core/Event.h>
#include <c10/util/ApproximateClock.h>
#include <torch/csrc/profiler/stubs/base.h>

namespace pumice::vk {
namespace {

using torch::profiler::impl::ProfilerVoidEventStub;

/// Serves `torch.autograd.profiler.profile(use_device="vk", use_kineto=False)`.
class Profiler final : public torch::profiler::impl::ProfilerStubs {
public:
  void record(c10::DeviceIndex *device, ProfilerVoidEventStub *event,
              int64_t *nanoseconds) const override {
    c10::DeviceIndex current = currentDevice();
    if (device)
      *device = current;
    auto made = std::make_shared<c10::Event>(deviceType, c10::EventFlag::BACKEND_DEFAULT);
    made->record(currentStream(current));
    *event = made;
    if (nanoseconds)
      *nanoseconds = c10::getTime();
  }

  /// Returns microseconds.
  float elapsed(const ProfilerVoidEventStub *first,
                const ProfilerVoidEventStub *second) const override {
    auto *begin = static_cast<const c10::Event *>(first->get());
    auto *end = static_cast<const c10::Event *>(second->get());
    return static_cast<float>(begin->elapsedTime(*end) * 1e3);
  }

  bool enabled() const override { return deviceCount() > 0; }
  void onEachDevice(std::function<void(int)> function) const override {
    for (c10::DeviceIndex i = 0; i < deviceCount(); ++i)
      function(i);
  }
  void synchronize() const override { deviceAt(currentDevice()).synchronize(); }

  // There are no tools that show marks and ranges of vk.
  void mark(const char *) const override {}
  void rangePush(const char *) const override {}
  void rangePop() const override {}
};

[[maybe_unused]] const bool isRegistered = [] {
  torch::profiler::impl::registerPrivateUse1Methods(new Profiler);
  return true;
}();

} // namespace
} // namespace pumice::vk
