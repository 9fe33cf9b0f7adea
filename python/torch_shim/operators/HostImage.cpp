//===- HostImage.cpp - lends or copies memory of vk to the CPU --------------===//
#include "python/torch_shim/operators/HostImage.h"

#include "python/torch_shim/device/Allocator.h"

#include <ATen/Functions.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>

namespace pumice::vk {

HostImages::HostImages(c10::DeviceIndex index) : device(deviceAt(index)) {}

void HostImages::add(const at::Tensor &tensor) {
  Image &image = images[tensor.storage().unsafeGetStorageImpl()];
  if (!image.original)
    image.original = tensor.storage();
  auto [begin, end] = spanOf(tensor);
  // The CPU's views keep the alignment that the elements have on the device.
  image.begin = std::min(image.begin, begin / 64 * 64);
  image.end = std::max(image.end, end);
}

void HostImages::make(Image &image, bool isRead) {
  auto bytes = static_cast<size_t>(std::max<int64_t>(image.end - image.begin, 0));
  StreamState &stream = currentState(device.index);
  auto *address = static_cast<std::byte *>(image.original.mutable_data());
  if (device.computesInHostMemory()) {
    stream.finish();
    c10::DataPtr lent(address ? address + image.begin : nullptr, c10::DeviceType::CPU);
    image.shown = c10::Storage(c10::Storage::use_byte_size_t(), bytes, std::move(lent),
                               c10::GetCPUAllocator(), /*resizable=*/true);
  } else {
    image.shown = c10::Storage(c10::Storage::use_byte_size_t(), bytes, c10::GetCPUAllocator(),
                               /*resizable=*/true);
    if (isRead && bytes > 0) {
      Place from = placeOf(device.index, address);
      stream.expectNoCapture("copying from vk");
      check(pumice_queue_download(stream.queue, image.shown.mutable_data(), from.buffer,
                                  from.offset + static_cast<uint64_t>(image.begin), bytes),
            "copying from vk");
      stream.finish();
    }
  }
  image.firstAddress = image.shown.data();
  image.isRead = isRead;
}

at::Tensor HostImages::show(const at::Tensor &tensor, bool isRead) {
  Image &image = images.at(tensor.storage().unsafeGetStorageImpl());
  if (!image.shown || (isRead && !image.isRead))
    make(image, isRead);
  auto bytes = static_cast<int64_t>(tensor.element_size());
  at::Tensor shown = at::empty({0}, tensor.options().device(at::kCPU).pinned_memory(false));
  shown.unsafeGetTensorImpl()->set_storage_keep_dtype(image.shown);
  shown.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(),
                                                     tensor.storage_offset() - image.begin / bytes);
  shown._set_conj(tensor.is_conj());
  shown._set_neg(tensor.is_neg());
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number())
    shown.unsafeGetTensorImpl()->set_wrapped_number(true);
  return shown;
}

void HostImages::writeBack(const at::Tensor &tensor, const at::Tensor &image) {
  Image &known = images.at(tensor.storage().unsafeGetStorageImpl());
  StreamState &stream = currentState(device.index);
  // Some operators, such as linalg_lu_solve, only set the conjugate bit of their result.
  tensor._set_conj(image.is_conj());
  tensor._set_neg(image.is_neg());
  bool isSame = image.storage().data() == known.firstAddress && image.sizes() == tensor.sizes() &&
                image.strides() == tensor.strides();
  if (isSame) {
    if (device.computesInHostMemory() || tensor.numel() == 0)
      return;
    auto [begin, end] = spanOf(tensor);
    Place to = placeOf(device.index, known.original.data());
    check(pumice_queue_upload(stream.queue, to.buffer, to.offset + static_cast<uint64_t>(begin),
                              static_cast<const std::byte *>(image.storage().data()) + begin -
                                  known.begin,
                              static_cast<uint64_t>(end - begin)),
          "copying to vk");
    return;
  }
  tensor.resize_(image.sizes());
  if (!isDense(image) || tensor.strides() != image.strides())
    tensor.as_strided_(image.sizes(), at::empty_like(image).strides());
  tensor.copy_(image);
}

} // namespace pumice::vk
