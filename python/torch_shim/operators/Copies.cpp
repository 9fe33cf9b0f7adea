//===- Copies.cpp - copies between devices, layouts and types ---------------===//
#include "python/torch_shim/device/Allocator.h"
#include "python/torch_shim/operators/HostImage.h"
#include "python/torch_shim/plans/Store.h"

#include <ATen/Functions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

namespace pumice::vk {
namespace {

uint64_t bytesOf(const at::Tensor &tensor) {
  return static_cast<uint64_t>(tensor.numel()) * tensor.element_size();
}

/// Returns whether both tensors' memory has the same bytes in the same order once copied.
bool isPlain(const at::Tensor &from, const at::Tensor &to) {
  return from.scalar_type() == to.scalar_type() && from.sizes() == to.sizes() &&
         from.strides() == to.strides() && isDense(from) && from.is_conj() == to.is_conj() &&
         from.is_neg() == to.is_neg();
}

/// Returns a tensor of the CPU with the elements of `from`, as `to` has them in memory.
at::Tensor arranged(const at::Tensor &from, const at::Tensor &to) {
  if (isPlain(from, to))
    return from;
  at::Tensor made = at::empty_strided(to.sizes(), to.strides(), to.options().device(at::kCPU));
  made._set_conj(to.is_conj());
  made._set_neg(to.is_neg());
  return made.copy_(from);
}

void upload(const at::Tensor &from, const at::Tensor &to, bool nonBlocking) {
  c10::DeviceIndex index = to.device().index();
  StreamState &stream = currentState(index);
  Place target = placeOf(index, to.data_ptr());
  std::optional<Place> pinned =
      nonBlocking ? findPinned(index, from.const_data_ptr()) : std::nullopt;
  if (!pinned)
    return check(pumice_queue_upload(stream.queue, target.buffer, target.offset,
                                     from.const_data_ptr(), bytesOf(to)),
                 "copying to vk");
  check(pumice_queue_copy(stream.queue, target.buffer, target.offset, pinned->buffer,
                          pinned->offset, bytesOf(to)),
        "copying to vk");
  recordPinned(from.const_data_ptr(), currentStream(index));
}

void download(const at::Tensor &from, const at::Tensor &to, bool nonBlocking) {
  c10::DeviceIndex index = from.device().index();
  StreamState &stream = currentState(index);
  Place source = placeOf(index, from.data_ptr());
  std::optional<Place> pinned = nonBlocking ? findPinned(index, to.const_data_ptr()) : std::nullopt;
  if (pinned) {
    check(pumice_queue_copy(stream.queue, pinned->buffer, pinned->offset, source.buffer,
                            source.offset, bytesOf(from)),
          "copying from vk");
    return recordPinned(to.const_data_ptr(), currentStream(index));
  }
  stream.expectNoCapture("copying from vk");
  check(pumice_queue_download(stream.queue, to.mutable_data_ptr(), source.buffer, source.offset,
                              bytesOf(from)),
        "copying from vk");
  stream.finish();
}

/// Copies by the plan of `copy_`, which converts types and rearranges. Returns false if it has
/// none.
bool copyByPlan(const at::Tensor &from, const at::Tensor &to) {
  static const c10::OperatorHandle op =
      c10::Dispatcher::singleton().findSchemaOrThrow("aten::copy_", "");
  c10::Stack stack{to, from, false};
  return runByPlan(op, stack);
}

/// Copies between two tensors of a device.
void copyWithin(const at::Tensor &from, const at::Tensor &to) {
  c10::DeviceIndex index = to.device().index();
  if (isPlain(from, to)) {
    if (from.data_ptr() == to.data_ptr())
      return;
    Place source = placeOf(index, from.data_ptr()), target = placeOf(index, to.data_ptr());
    uint64_t bytes = bytesOf(to);
    bool isApart = source.buffer != target.buffer || source.offset + bytes <= target.offset ||
                   target.offset + bytes <= source.offset;
    if (isApart)
      return check(pumice_queue_copy(currentState(index).queue, target.buffer, target.offset,
                                     source.buffer, source.offset, bytes),
                   "copying within vk");
  }
  if (copyByPlan(from, to))
    return;
  HostImages images(index);
  images.add(from);
  images.add(to);
  at::Tensor source = images.show(from);
  at::Tensor target = images.show(to, !isDense(to));
  target.copy_(source);
  images.writeBack(to, target);
}

/// Returns a tensor of the same device with the sizes of `like`, and its layout if it has no gaps.
at::Tensor denseLike(const at::Tensor &like, c10::TensorOptions options) {
  return isDense(like) ? at::empty_strided(like.sizes(), like.strides(), options)
                       : at::empty(like.sizes(), options);
}

/// Copies to another device. Types and layouts change on this one, or on the CPU if both are equal.
void copyAcross(const at::Tensor &from, const at::Tensor &to, bool nonBlocking) {
  if (from.device().type() != deviceType) {
    if (isDense(to))
      return upload(arranged(from, to), to, nonBlocking);
    at::Tensor dense = denseLike(to, to.options());
    upload(arranged(from, dense), dense, nonBlocking);
    return copyWithin(dense, to);
  }
  if (isPlain(from, to) && to.device().is_cpu())
    return download(from, to, nonBlocking);
  at::Tensor dense = from;
  if (!isDense(from) || from.is_conj() || from.is_neg()) {
    dense = denseLike(from, from.options());
    copyWithin(from, dense);
  }
  // An upload or a download, whose other end is of the same layout, and a copy there.
  at::Tensor host = at::empty_strided(dense.sizes(), dense.strides(),
                                      dense.options().device(at::kCPU).pinned_memory(false));
  download(dense, host, false);
  to.copy_(host, nonBlocking);
}

at::Tensor copyFrom(const at::Tensor &self, const at::Tensor &to, bool nonBlocking) {
  TORCH_CHECK(to.defined(), "expected a tensor to copy to");
  if (to.numel() == 0)
    return to;
  if (self.sizes() != to.sizes())
    return copyFrom(self.expand_as(to), to, nonBlocking);
  c10::OptionalDeviceGuard guard(self.device().type() == deviceType ? self.device() : to.device());
  if (self.device() == to.device())
    copyWithin(self, to);
  else
    copyAcross(self, to, nonBlocking);
  return to;
}

at::Tensor copyFromAndResize(const at::Tensor &self, const at::Tensor &to) {
  to.resize_(self.sizes());
  return copyFrom(self, to, false);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_copy_from", TORCH_FN(copyFrom));
  m.impl("_copy_from_and_resize", TORCH_FN(copyFromAndResize));
}

// The copies above handle conjugated and negated tensors. Without this, torch would first resolve
// such a tensor by a copy, which it would again resolve by a copy, and so on.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

} // namespace
} // namespace pumice::vk
