//===- HostImage.h - tensors of vk as the host sees them --------------------===//
#pragma once

#include "python/torch_shim/device/Device.h"
#include "python/torch_shim/plans/Layouts.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <span>

namespace pumice::vk {

/// Makes tensors of one device available to the CPU, as images. If the device computes in host
/// memory, images use the memory of their tensors. Otherwise they are copies. Tensors that share a
/// storage have images that share one.
class HostImages {
public:
  explicit HostImages(c10::DeviceIndex device);

  /// Announces a tensor. All tensors must be announced before the first call of `show`.
  void add(const at::Tensor &tensor);
  /// Returns the image of a tensor. Its elements are undefined if no call for the storage sets
  /// `isRead`.
  at::Tensor show(const at::Tensor &tensor, bool isRead = true);
  /// Copies the image back to its tensor. Resizes the tensor if the CPU resized the image.
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
