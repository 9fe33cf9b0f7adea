//===- Copies.cpp - copies between devices, layouts and types ----------------===//
#include "python/torch_shim/Allocator.h"
#include "python/torch_shim/HostImage.h"

#include <ATen/Functions.h>
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
  check(pumice_queue_download(stream.queue, to.mutable_data_ptr(), source.buffer, source.offset,
                              bytesOf(from)),
        "copying from vk");
  stream.finish();
}

/// Copies between two tensors of a device, through the host if their bytes differ.
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
  HostImages images(index);
  images.add(from);
  images.add(to);
  at::Tensor source = images.show(from);
  at::Tensor target = images.show(to, !isDense(to));
  target.copy_(source);
  images.writeBack(to, target);
}

/// Writes a tensor of the CPU's to one of vk's whose elements have gaps or overlap.
void scatter(const at::Tensor &from, const at::Tensor &to) {
  HostImages images(to.device().index());
  images.add(to);
  at::Tensor target = images.show(to);
  target.copy_(from);
  images.writeBack(to, target);
}

at::Tensor gather(const at::Tensor &from) {
  HostImages images(from.device().index());
  images.add(from);
  return images.show(from);
}

void copyAcross(const at::Tensor &from, const at::Tensor &to, bool nonBlocking) {
  if (from.device().type() == deviceType) {
    if (isPlain(from, to) && to.device().is_cpu())
      return download(from, to, nonBlocking);
    // Unless the memory is lent, the image is a copy already.
    at::Tensor host = gather(from);
    to.copy_(host);
    return;
  }
  if (isDense(to))
    upload(arranged(from, to), to, nonBlocking);
  else
    scatter(from, to);
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

// The copies above conjugate and negate themselves. Without this, torch would copy a conjugate
// before it copies it, without end.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

} // namespace
} // namespace pumice::vk
