//===- Dlpack.cpp - tensors of other libraries, shared without a copy -------===//
#include "runtime/c-api/ImportHost.h"

#include "support/EnglishText.h"

#include <limits>
#include <memory>

using namespace pumice;
using namespace pumice::capi;

namespace {

Status unsupported(std::string message) {
  return Status(StatusCode::Unsupported, std::move(message));
}

/// Owns the objects that an exported tensor keeps alive. The tensor's managed structure points back
/// to it.
template <typename Managed> struct Export {
  Managed managed{};
  std::vector<int64_t> shape, strides;
  pumice_buffer *buffer = nullptr;

  static void destroy(Managed *managed) {
    if (!managed)
      return;
    auto *self = static_cast<Export *>(managed->context);
    releaseHandle(self->buffer);
    delete self;
  }
};

/// Returns whether a tensor is read-only. Unversioned tensors cannot say so.
bool isReadOnly(const pumice_dl_managed &) { return false; }
bool isReadOnly(const pumice_dl_managed_versioned &tensor) {
  return tensor.flags & PUMICE_DL_READ_ONLY;
}
Status exportReadOnly(pumice_dl_managed &) {
  return unsupported(
      "buffer: its memory was lent for reading only, which unversioned tensors cannot express; "
      "use pumice_buffer_to_dlpack_versioned");
}
Status exportReadOnly(pumice_dl_managed_versioned &tensor) {
  tensor.flags |= PUMICE_DL_READ_ONLY;
  return Status::ok();
}

/// Computes the number of bytes of `elements` elements. Returns false if it does not fit in 64
/// bits.
bool bytesOf(uint64_t elements, const pumice_dl_type &type, uint64_t &bytes) {
  uint64_t bits = uint64_t(type.bits) * type.lanes, all = 0;
  if (__builtin_mul_overflow(elements, bits, &all) || all > UINT64_MAX - 7)
    return false;
  bytes = (all + 7) / 8;
  return true;
}

constexpr int mostDimensions = 64;

/// Returns the number of bytes from the first element to the end of the last one. Errors:
/// InvalidArgument, Unsupported.
Result<uint64_t> spanOf(const pumice_dl_type &type, int32_t rank, const int64_t *shape,
                        const int64_t *strides) {
  if (type.bits == 0 || type.lanes == 0)
    return invalid("tensor: bits and lanes must be at least 1, got " + std::to_string(type.bits) +
                   " bits and " + std::to_string(type.lanes) + " lanes");
  if (rank < 0 || rank > mostDimensions || (rank > 0 && !shape))
    return invalid("tensor: " + (rank > 0 && rank <= mostDimensions
                                     ? "shape is NULL, but rank is " + std::to_string(rank)
                                     : "rank must be from 0 to " + std::to_string(mostDimensions) +
                                           ", got " + std::to_string(rank)));
  uint64_t last = 0, dense = 1; // in elements
  bool empty = false, overflow = false;
  for (int32_t d = rank - 1; d >= 0; --d) {
    int64_t extent = shape[d];
    uint64_t step = dense;
    if (extent < 0)
      return invalid("tensor: shape[" + std::to_string(d) + "] must not be negative, got " +
                     std::to_string(extent));
    if (strides && strides[d] < 0 && extent > 1)
      return unsupported("tensor: strides[" + std::to_string(d) + "] is " +
                         std::to_string(strides[d]) +
                         ", but negative strides are not supported; make a copy");
    if (strides)
      step = static_cast<uint64_t>(std::max<int64_t>(strides[d], 0));
    empty |= extent == 0;
    uint64_t reach = 0;
    overflow |= extent > 1 && __builtin_mul_overflow(uint64_t(extent - 1), step, &reach);
    overflow |= __builtin_add_overflow(last, reach, &last);
    overflow |= extent > 0 && __builtin_mul_overflow(dense, uint64_t(extent), &dense);
  }
  uint64_t bytes = 0;
  if (empty)
    return bytes;
  if (overflow || last == UINT64_MAX || !bytesOf(last + 1, type, bytes))
    return invalid("tensor: its size in bytes, from shape and strides, exceeds 64 bits");
  return bytes;
}

/// If this library made the tensor from a buffer, returns that buffer again.
template <typename Managed>
Result<pumice_buffer *> reimport(pumice_device *device, Managed *tensor, uint64_t bytes) {
  pumice_buffer *origin = static_cast<Export<Managed> *>(tensor->context)->buffer;
  PUMICE_RETURN_IF_ERROR(origin->object->health());
  if (&origin->object->device() != device->latest().get())
    return unsupported("tensor: its buffer belongs to " + origin->object->device().info().id +
                       ", not to " + device->info.id + "; download it there, and upload it here");
  if (isReadOnly(*tensor) && !origin->object->isReadOnly())
    return unsupported(
        "tensor: it is read-only, but the buffer that it was made from can be written; make the "
        "tensor from a buffer whose memory was lent for reading only");
  const auto *start = static_cast<const char *>(tensor->tensor.data);
  uint64_t offset = tensor->tensor.byte_offset;
  if (tensor->tensor.device_type == PUMICE_DL_CPU)
    offset += static_cast<uint64_t>(start - static_cast<const char *>(pumice_buffer_map(origin)));
  PUMICE_RETURN_IF_ERROR(rangeOf(origin, offset, bytes, "tensor").status());
  return new pumice_buffer(origin->object, origin->base + offset, bytes,
                           [tensor] { tensor->deleter(tensor); });
}

/// Makes a buffer for a tensor that has no memory to share.
template <typename Managed>
Result<pumice_buffer *> emptyBuffer(pumice_device *device, Managed *tensor) {
  PUMICE_TRY(Ref<hal::Device> working, device->working());
  PUMICE_TRY(Ref<hal::Buffer> made, working->allocate(4, hal::MemoryKind::Host));
  return new pumice_buffer(std::move(made), 0, 0, [tensor] {
    if (tensor->deleter)
      tensor->deleter(tensor);
  });
}

template <typename Managed>
Status fromDlpack(pumice_device *device, Managed *tensor, pumice_buffer **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "buffer"));
  PUMICE_RETURN_IF_ERROR(check(device, "device"));
  if (!tensor)
    return invalid("tensor is NULL");
  const pumice_dl_tensor &view = tensor->tensor;
  PUMICE_TRY(uint64_t bytes, spanOf(view.type, view.rank, view.shape, view.strides));
  auto *data = static_cast<char *>(view.data);
  if (bytes == 0) {
    PUMICE_TRY(*place, emptyBuffer(device, tensor));
    return Status::ok();
  }
  if (tensor->deleter == &Export<Managed>::destroy) {
    PUMICE_TRY(*place, reimport(device, tensor, bytes));
    return Status::ok();
  }
  if (view.device_type != PUMICE_DL_CPU)
    return unsupported(
        "tensor: its DLPack device type is " + std::to_string(view.device_type) +
        ", but only memory of the CPU (type 1) can be shared; copy it to the CPU first");
  if (!data)
    return invalid("tensor: data is NULL, but the tensor has " + counted(bytes, "byte"));
  if (view.byte_offset > UINTPTR_MAX - reinterpret_cast<uintptr_t>(data))
    return invalid("tensor: byte_offset " + std::to_string(view.byte_offset) +
                   " reaches beyond the address space");
  auto release = [tensor] {
    if (tensor->deleter)
      tensor->deleter(tensor);
  };
  PUMICE_TRY(*place,
             importHost(device, data + view.byte_offset, bytes, release, isReadOnly(*tensor)));
  return Status::ok();
}

template <typename Managed>
Status toDlpack(pumice_buffer *buffer, const pumice_tensor_layout *layout, Managed **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "tensor"));
  PUMICE_RETURN_IF_ERROR(check(buffer, "buffer"));
  if (!layout)
    return invalid("layout is NULL; the tensor's type and shape are needed");
  PUMICE_TRY(pumice_tensor_layout given, readStruct(layout, "layout"));
  PUMICE_TRY(uint64_t bytes, spanOf(given.type, given.rank, given.shape, given.strides));
  PUMICE_RETURN_IF_ERROR(rangeOf(buffer, given.byte_offset, bytes, "tensor").status());

  auto made = std::make_unique<Export<Managed>>();
  if (buffer->object->isReadOnly())
    PUMICE_RETURN_IF_ERROR(exportReadOnly(made->managed));
  made->shape.assign(given.shape, given.shape + given.rank);
  if (given.strides)
    made->strides.assign(given.strides, given.strides + given.rank);
  int64_t dense = 1;
  if (!given.strides) { // before DLPack 1.2, these may be null
    made->strides.resize(static_cast<size_t>(given.rank));
    for (int32_t d = given.rank - 1; d >= 0; dense *= std::max<int64_t>(given.shape[d], 1), --d)
      made->strides[static_cast<size_t>(d)] = dense;
  }
  retainHandle(buffer);
  made->buffer = buffer;
  Managed &managed = made->managed;
  void *seen = pumice_buffer_map(buffer);
  // If the host cannot access the buffer, the data pointer of the tensor is the buffer's handle.
  managed.tensor.data = seen ? seen : buffer;
  managed.tensor.device_type = seen ? PUMICE_DL_CPU : PUMICE_DL_VULKAN;
  managed.tensor.rank = given.rank;
  managed.tensor.type = given.type;
  managed.tensor.shape = made->shape.data();
  managed.tensor.strides = made->strides.data();
  managed.tensor.byte_offset = given.byte_offset;
  managed.context = made.get();
  managed.deleter = &Export<Managed>::destroy;
  *place = &made.release()->managed;
  return Status::ok();
}

constexpr uint32_t dlpackMajor = 1, dlpackMinor = 0;

} // namespace

pumice_status pumice_buffer_from_dlpack(pumice_device *device, pumice_dl_managed *tensor,
                                        pumice_buffer **buffer) {
  return answer(fromDlpack(device, tensor, buffer));
}

pumice_status pumice_buffer_from_dlpack_versioned(pumice_device *device,
                                                  pumice_dl_managed_versioned *tensor,
                                                  pumice_buffer **buffer) {
  Status status = clear(buffer, "buffer");
  if (status.isOk() && tensor && tensor->version_major != dlpackMajor)
    status = unsupported("tensor: DLPack version " + std::to_string(tensor->version_major) + "." +
                         std::to_string(tensor->version_minor) + "; this library reads version 1");
  return answer(status.isOk() ? fromDlpack(device, tensor, buffer) : std::move(status));
}

pumice_status pumice_buffer_to_dlpack(pumice_buffer *buffer, const pumice_tensor_layout *layout,
                                      pumice_dl_managed **tensor) {
  return answer(toDlpack(buffer, layout, tensor));
}

pumice_status pumice_buffer_to_dlpack_versioned(pumice_buffer *buffer,
                                                const pumice_tensor_layout *layout,
                                                pumice_dl_managed_versioned **tensor) {
  Status status = toDlpack(buffer, layout, tensor);
  if (status.isOk()) {
    (*tensor)->version_major = dlpackMajor;
    (*tensor)->version_minor = dlpackMinor;
  }
  return answer(std::move(status));
}
