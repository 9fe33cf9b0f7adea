//===- Hooks.cpp - answers torch's questions about an accelerator -----------===//
#include "python/torch_shim/device/Allocator.h"
#include "python/torch_shim/device/Device.h"
#include "python/torch_shim/device/Generator.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/DeviceGuard.h>

namespace pumice::vk {
namespace {

class Hooks final : public at::PrivateUse1HooksInterface {
public:
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return vk::deviceCount() > 0; }
  bool hasPrimaryContext(c10::DeviceIndex index) const override {
    return deviceAt(orCurrent(index)).isOpen();
  }
  c10::DeviceIndex deviceCount() const override { return vk::deviceCount(); }
  void setCurrentDevice(c10::DeviceIndex index) const override { vk::setCurrentDevice(index); }
  c10::DeviceIndex getCurrentDevice() const override { return currentDevice(); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
    c10::DeviceIndex before = currentDevice();
    vk::setCurrentDevice(index);
    return before;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override {
    return index < 0 ? currentDevice() : exchangeDevice(index);
  }

  const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override {
    return defaultGenerator(index);
  }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    return newGenerator(index);
  }

  bool isPinnedPtr(const void *data) const override { return isPinned(data); }
  at::Allocator *getPinnedMemoryAllocator() const override { return pinnedAllocator(); }
  at::Device getDeviceFromPtr(void *data) const override {
    for (c10::DeviceIndex i = 0; i < vk::deviceCount(); ++i)
      if (findPlace(i, data))
        return {deviceType, i};
    TORCH_CHECK(false, "expected memory of vk, got address ", data);
  }

  void resizePrivateUse1Bytes(const c10::Storage &storage, size_t bytes) const override {
    c10::StorageImpl &impl = *storage.unsafeGetStorageImpl();
    TORCH_CHECK(impl.resizable(), "expected a storage that can be resized");
    c10::DeviceGuard guard(storage.device());
    c10::DataPtr next = allocator()->allocate(bytes);
    if (size_t kept = std::min(bytes, impl.nbytes()); kept > 0)
      allocator()->copy_data(next.get(), impl.data(), kept);
    impl.set_data_ptr_noswap(std::move(next));
    impl.set_nbytes(bytes);
  }
};

[[maybe_unused]] const bool isRegistered = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  c10::SetAllocator(deviceType, allocator());
  at::setHostAllocator(deviceType, pinnedAllocator());
  return true;
}();

} // namespace
} // namespace pumice::vk
