//===- Staging.cpp - lends or copies memory of vk to gloo -------------------===//
#include "python/torch_shim/distributed/Staging.h"

#include "python/torch_shim/device/Allocator.h"

#include <ATen/Functions.h>
#include <ATen/ops/from_blob.h>

namespace pumice::vk {

CopyScope::CopyScope(c10::Stream stream)
    : deviceBefore(currentDevice()), streamBefore(currentStream(stream.device_index())) {
  setCurrentDevice(stream.device_index());
  exchangeStream(stream);
}

CopyScope::~CopyScope() {
  exchangeStream(streamBefore);
  setCurrentDevice(deviceBefore);
}

at::Tensor bytesOf(const at::Tensor &image) { return image.reshape({-1}).view(at::kByte); }

Staging::Staging(c10::DeviceIndex device, c10::Stream copies)
    : device(device), copies(copies), user(currentState(device)), userPoint(user.record()) {
  StreamState &own = stateOf(copies);
  if (&own != &user)
    own.waitFor(user, userPoint);
}

at::Tensor Staging::pinned(c10::IntArrayRef sizes, at::ScalarType type) {
  CopyScope scope(copies);
  return at::empty(sizes, at::TensorOptions(type).device(at::kCPU).pinned_memory(true));
}

/// Copies a tensor to its image if it is read, and remembers to copy it back if it is written.
void Staging::stage(const at::Tensor &tensor, const at::Tensor &image, Use use) {
  if (tensor.numel() == 0)
    return;
  if (use & Read) {
    CopyScope scope(copies);
    // The stream of copies also computes the contiguous copy, so the host need not wait for it.
    image.copy_(tensor.resolve_conj().resolve_neg().contiguous(), /*non_blocking=*/true);
    kept.push_back(tensor);
    hasRead = true;
  }
  if (use & Write)
    written.push_back({tensor, image});
}

at::Tensor Staging::image(const at::Tensor &tensor, Use use) {
  bool isLent = deviceAt(device).computesInHostMemory() && tensor.is_contiguous() &&
                !tensor.is_conj() && !tensor.is_neg() && tensor.numel() > 0;
  if (isLent) {
    hasLent = true;
    kept.push_back(tensor);
    return at::from_blob(tensor.data_ptr(), tensor.sizes(),
                         at::TensorOptions(tensor.scalar_type()).device(at::kCPU));
  }
  at::Tensor made = pinned(tensor.sizes(), tensor.scalar_type());
  stage(tensor, made, use);
  return made;
}

at::Tensor Staging::flatImage(at::TensorList tensors, Use use) {
  int64_t count = 0;
  for (const at::Tensor &tensor : tensors)
    count += tensor.numel();
  at::Tensor made = pinned({count}, tensors[0].scalar_type());
  int64_t first = 0;
  for (const at::Tensor &tensor : tensors) {
    stage(tensor, made.narrow(0, first, tensor.numel()).view(tensor.sizes()), use);
    first += tensor.numel();
  }
  return made;
}

void Staging::seal() {
  if (hasRead)
    copiesPoint = stateOf(copies).record();
}

void Staging::awaitImages() {
  if (hasRead)
    stateOf(copies).wait(copiesPoint);
  if (hasLent)
    user.wait(userPoint);
}

bool Staging::writeBack() {
  if (written.empty())
    return false;
  CopyScope scope(copies);
  for (const Pair &pair : written) {
    pair.tensor.copy_(pair.image, /*non_blocking=*/true);
    allocator()->recordStream(pair.tensor.storage().data_ptr(), copies);
  }
  return true;
}

} // namespace pumice::vk
