//===- Tensors.cpp - makes tensors of vk, views of them, and scalars --------===//
// Views are computed by functions of torch's that know no device.
//===-------------------------------------------------------------------------===//
#include "python/torch_shim/device/Allocator.h"
#include "python/torch_shim/device/Device.h"

#include <ATen/EmptyTensor.h>
#include <ATen/NativeFunctions.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

namespace pumice::vk {
namespace {

constexpr c10::DispatchKeySet keys(c10::DispatchKey::PrivateUse1);

c10::Device deviceOf(std::optional<c10::Device> device) {
  return {deviceType, orCurrent(device ? device->index() : -1)};
}

/// Fills new memory if torch.use_deterministic_algorithms asks for it.
void fillIfAsked(at::Tensor made) {
  const at::Context &context = at::globalContext();
  if (context.deterministicAlgorithms() && context.deterministicFillUninitializedMemory() &&
      made.numel() > 0) [[unlikely]]
    at::native::fill_empty_deterministic_(made);
}

void checkOptions(std::optional<c10::Layout> layout, std::optional<bool> pinned) {
  TORCH_CHECK_NOT_IMPLEMENTED(c10::layout_or_default(layout) == c10::kStrided,
                              "tensors of vk are strided, got layout ",
                              c10::layout_or_default(layout), "; make a sparse tensor on the CPU");
  TORCH_CHECK(!c10::pinned_memory_or_default(pinned),
              "only tensors of the CPU can be in pinned memory, got pin_memory=True for vk");
}

at::Tensor empty(c10::IntArrayRef size, std::optional<c10::ScalarType> type,
                 std::optional<c10::Layout> layout, std::optional<c10::Device> device,
                 std::optional<bool> pinned, std::optional<c10::MemoryFormat> format) {
  checkOptions(layout, pinned);
  c10::DeviceGuard guard(deviceOf(device));
  at::Tensor made =
      at::detail::empty_generic(size, allocator(), keys, c10::dtype_or_default(type), format);
  fillIfAsked(made);
  return made;
}

at::Tensor emptyStrided(c10::IntArrayRef size, c10::IntArrayRef stride,
                        std::optional<c10::ScalarType> type, std::optional<c10::Layout> layout,
                        std::optional<c10::Device> device, std::optional<bool> pinned) {
  checkOptions(layout, pinned);
  c10::DeviceGuard guard(deviceOf(device));
  at::Tensor made = at::detail::empty_strided_generic(size, stride, allocator(), keys,
                                                      c10::dtype_or_default(type));
  fillIfAsked(made);
  return made;
}

/// Enlarges a storage for a tensor of this geometry if it is too small. Keeps its contents.
void growStorage(const at::Tensor &self, c10::IntArrayRef size, c10::IntArrayRef stride,
                 int64_t offset) {
  const c10::Storage &storage = self.storage();
  TORCH_CHECK(offset >= 0, "expected a storage offset of 0 or more, got ", offset);
  size_t needed =
      at::detail::computeStorageNbytes(size, stride, self.itemsize(), static_cast<size_t>(offset));
  if (needed > storage.nbytes())
    at::detail::getPrivateUse1Hooks().resizePrivateUse1Bytes(storage, needed);
}

const at::Tensor &resize(const at::Tensor &self, c10::IntArrayRef size,
                         std::optional<c10::MemoryFormat> format) {
  c10::TensorImpl *impl = self.unsafeGetTensorImpl();
  if (self.sizes() != size) {
    impl->set_sizes_contiguous(size);
    growStorage(self, self.sizes(), self.strides(), self.storage_offset());
  }
  if (format) {
    TORCH_CHECK(*format != c10::MemoryFormat::Preserve,
                "expected a memory format of the result, got torch.preserve_format");
    impl->empty_tensor_restride(*format);
  }
  return self;
}

at::Tensor &setStorageAndGeometry(at::Tensor &self, c10::Storage storage, int64_t offset,
                                  c10::IntArrayRef size, c10::IntArrayRef stride) {
  TORCH_CHECK(storage.device_type() == deviceType, "expected a storage of vk, got one of ",
              storage.device());
  std::vector<int64_t> strides = stride.vec();
  if (stride.data() == nullptr || (strides.empty() && !size.empty())) {
    strides.assign(size.size(), 1);
    for (size_t d = size.size(); d-- > 1;)
      strides[d - 1] = strides[d] * std::max<int64_t>(size[d], 1);
  }
  c10::TensorImpl *impl = self.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(std::move(storage));
  impl->set_sizes_and_strides(size, strides, offset);
  growStorage(self, size, strides, offset);
  return self;
}

at::Tensor &setStorage(at::Tensor &self, c10::Storage storage) {
  auto elements = static_cast<int64_t>(storage.nbytes() / self.itemsize());
  return setStorageAndGeometry(self, std::move(storage), 0, {elements}, {1});
}

at::Tensor &setTensor(at::Tensor &self, const at::Tensor &source) {
  return setStorageAndGeometry(self, source.storage(), source.storage_offset(), source.sizes(),
                               source.strides());
}

at::Tensor &setNothing(at::Tensor &self) {
  c10::DeviceGuard guard(self.device());
  c10::Storage storage(c10::Storage::use_byte_size_t(), 0, allocator(), /*resizable=*/true);
  return setStorageAndGeometry(self, std::move(storage), 0, {0}, {1});
}

c10::Scalar localScalar(const at::Tensor &self) {
  TORCH_CHECK(self.numel() == 1, "expected one element, got ", self.numel());
  at::Tensor host = at::empty({}, self.options().device(at::kCPU));
  Place from = placeOf(self.device().index(), self.data_ptr());
  StreamState &stream = currentState(self.device().index());
  stream.expectNoCapture("reading a number of vk");
  check(pumice_queue_download(stream.queue, host.mutable_data_ptr(), from.buffer, from.offset,
                              self.element_size()),
        "reading an element of vk");
  stream.finish();
  return host.item();
}

void recordStream(at::Tensor &self, c10::Stream stream) {
  allocator()->recordStream(self.storage().data_ptr(), stream);
}

/// Fills the tensor with an element's bytes, if the device can. It can for 8 bytes only if both
/// halves are equal.
bool fillFast(const at::Tensor &self, const c10::Scalar &value) {
  if (!self.is_non_overlapping_and_dense() || self.is_conj() || self.is_neg())
    return false;
  at::Tensor one = at::native::scalar_tensor(value, self.scalar_type(), {}, at::kCPU);
  uint64_t bits = 0;
  uint64_t bytes = self.element_size();
  if (bytes > 8)
    return false;
  std::memcpy(&bits, one.const_data_ptr(), bytes);
  if (bytes == 8 && (bits >> 32) != (bits & 0xffffffff))
    return false;
  Place to = placeOf(self.device().index(), self.data_ptr());
  check(pumice_queue_fill(currentState(self.device().index()).queue, to.buffer, to.offset,
                          static_cast<uint64_t>(self.numel()) * bytes, static_cast<uint32_t>(bits),
                          static_cast<uint32_t>(std::min<uint64_t>(bytes, 4))),
        "filling a tensor of vk");
  return true;
}

/// Returns a tensor without the elements that dimensions of stride 0 repeat.
at::Tensor withoutRepeats(const at::Tensor &tensor) {
  at::Tensor made = tensor;
  for (int64_t d = 0; d < made.dim(); ++d)
    if (made.stride(d) == 0 && made.size(d) > 1)
      made = made.narrow(d, 0, 1);
  return made;
}

at::Tensor &fill(at::Tensor &self, const c10::Scalar &value) {
  if (self.numel() == 0 || fillFast(self, value))
    return self;
  at::Tensor into = withoutRepeats(self);
  into.copy_(at::native::full(into.sizes(), value, into.scalar_type(), {}, at::kCPU, {}));
  return self;
}

at::Tensor &zero(at::Tensor &self) { return fill(self, 0); }

/// Returns whether `self.data = from` can give one tensor the memory of the other. Modules that
/// move between the CPU and vk keep their parameters by it.
bool canTakeMemoryOf(const at::Tensor &self, const at::Tensor &from) {
  for (const at::Tensor *tensor : {&self, &from})
    if (tensor->layout() != at::kStrided ||
        !(tensor->is_cpu() || tensor->device().type() == deviceType))
      return false;
  return true;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", TORCH_FN(empty));
  m.impl("empty_strided", TORCH_FN(emptyStrided));
  m.impl("as_strided", TORCH_FN(at::native::as_strided_tensorimpl));
  m.impl("view", TORCH_FN(at::native::view));
  m.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
  m.impl("unfold", TORCH_FN(at::native::unfold));
  m.impl("view_as_real", TORCH_FN(at::native::view_as_real));
  m.impl("view_as_complex", TORCH_FN(at::native::view_as_complex));
  m.impl("resize_", TORCH_FN(resize));
  m.impl("set_.source_Storage", TORCH_FN(setStorage));
  m.impl("set_.source_Storage_storage_offset", TORCH_FN(setStorageAndGeometry));
  m.impl("set_.source_Tensor", TORCH_FN(setTensor));
  m.impl("set_", TORCH_FN(setNothing));
  m.impl("_local_scalar_dense", TORCH_FN(localScalar));
  m.impl("record_stream", TORCH_FN(recordStream));
  m.impl("fill_.Scalar", TORCH_FN(fill));
  m.impl("zero_", TORCH_FN(zero));
  m.impl("_has_compatible_shallow_copy_type", TORCH_FN(canTakeMemoryOf));
}

/// Rejects tensors of other layouts. Without it, the error lists every other back end.
at::Tensor rejectLayout(c10::IntArrayRef, std::optional<c10::ScalarType>,
                        std::optional<c10::Layout> layout, std::optional<c10::Device>,
                        std::optional<bool>, std::optional<c10::MemoryFormat>) {
  checkOptions(layout ? layout : c10::kSparse, {});
  return {};
}

TORCH_LIBRARY_IMPL(aten, SparsePrivateUse1, m) {
  m.impl("empty.memory_format", TORCH_FN(rejectLayout));
}
TORCH_LIBRARY_IMPL(aten, SparseCsrPrivateUse1, m) {
  m.impl("empty.memory_format", TORCH_FN(rejectLayout));
}

} // namespace
} // namespace pumice::vk
