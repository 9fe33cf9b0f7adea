//===- HostImage.h - tensors of vk as the host sees them --------------------===//
#pragma once

#include "python/torch_shim/device/Device.h"
#include "python/torch_shim/plans/Layouts.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <span>

namespace pumice::vk {

/// Shows tensors of one device to the CPU. The images use the same memory if the device computes in
/// the host's, and copies otherwise. Tensors that share a storage share it here, too.
class HostImages {
public:
  explicit HostImages(c10::DeviceIndex device);

  /// Announces a tensor. All are announced before the first is shown.
  void add(const at::Tensor &tensor);
  /// Returns the CPU's tensor. If no call for the storage sets `isRead`, the elements are
  /// undefined.
  at::Tensor show(const at::Tensor &tensor, bool isRead = true);
  /// Copies back what the CPU wrote to `image`, and resizes the tensor if the CPU resized that.
  void writeBack(const at::Tensor &tensor, const at::Tensor &image);

private:
  struct Image {
    c10::Storage original;
    int64_t begin = INT64_MAX, end = 0; // the bytes of the storage that are shown
    c10::Storage shown;
    const void *firstAddress = nullptr; // the address of `shown` when it was made
    bool isRead = false;
  };
  void make(Image &image, bool isRead);

  Device &device;
  std::map<c10::StorageImpl *, Image> images;
};

} // namespace pumice::vk
