//===- Staging.h - tensors of vk as gloo sees them --------------------------===//
// Copies run on a stream of their own, so that computations go on meanwhile.
//===-------------------------------------------------------------------------===//
#pragma once

#include "python/torch_shim/device/Device.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>

#include <vector>

namespace pumice::vk {

/// The tensors of one collective. Each has an image on the CPU: its own memory if the device
/// computes in the host's, and pinned memory otherwise. Images are contiguous.
class Staging {
public:
  enum Use { Read = 1, Write = 2, Both = 3 };

  /// The images have the elements that the calling thread's stream has computed by now.
  Staging(c10::DeviceIndex device, c10::Stream copies);

  /// Returns a tensor's image. With `Write`, `writeBack` copies its elements to the tensor.
  at::Tensor image(const at::Tensor &tensor, Use use);
  /// Returns one image of several tensors of the same type, one after another.
  at::Tensor flatImage(at::TensorList tensors, Use use);
  /// Lets `awaitImages` wait for the calling thread's stream, even if no image needs it.
  void alsoAwaitStream() { hasLent = true; }
  /// Ends the making of images.
  void seal();

  /// Waits until the host may read and write the images.
  void awaitImages();
  /// Copies the images to the tensors on the stream of copies. Returns whether it copied anything.
  bool writeBack();

  const c10::DeviceIndex device;
  const c10::Stream copies;

private:
  struct Pair {
    at::Tensor tensor, image;
  };
  at::Tensor pinned(c10::IntArrayRef sizes, at::ScalarType type);
  void stage(const at::Tensor &tensor, const at::Tensor &image, Use use);

  StreamState &user; // the calling thread's stream, and how far it must get
  uint64_t userPoint;
  uint64_t copiesPoint = 0;
  bool hasLent = false, hasRead = false;
  std::vector<at::Tensor> kept; // tensors whose memory the images use
  std::vector<Pair> written;
};

/// Sets the calling thread's device and stream, and turns autograd off, while it exists.
class CopyScope {
public:
  explicit CopyScope(c10::Stream stream);
  ~CopyScope();
  CopyScope(const CopyScope &) = delete;
  CopyScope &operator=(const CopyScope &) = delete;

private:
  c10::DeviceIndex deviceBefore;
  c10::Stream streamBefore;
  at::AutoDispatchBelowADInplaceOrView withoutAutograd;
};

/// Returns the elements of a contiguous tensor of the CPU as bytes in one dimension.
at::Tensor bytesOf(const at::Tensor &image);

} // namespace pumice::vk
