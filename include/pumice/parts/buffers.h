//===- buffers.h - a part of pumice.h: buffers, DLPack ----------------------===//
#pragma once

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 6 Buffers ---------------------------------------------------------------------------------
 * The contents of a new buffer are undefined.
 */
typedef enum pumice_memory PUMICE_INT32_ENUM {
  PUMICE_MEMORY_DEVICE = 0,  /* where the device reads fastest */
  PUMICE_MEMORY_HOST = 1,    /* host memory: mapped, coherent, read by the device over its bus */
  PUMICE_MEMORY_IMPORTED = 2 /* the caller's memory, used in place (pumice_buffer_import_host) */
} pumice_memory;

/* Makes a buffer. */
PUMICE_API pumice_status pumice_buffer_create(pumice_device *device, uint64_t bytes,
                                              pumice_memory memory, pumice_buffer **buffer);

/* Uses the caller's memory in place, without a copy. The memory must stay valid until `release` is
 * called with `user`, which happens when the buffer and all work that uses it are gone. `release`
 * may be NULL. If this function fails, `release` is not called.
 *
 * Any address and size are accepted: the pages around them become visible to the device. A kernel
 * accepts the buffer only if its address is a multiple of the elements' alignment. A kernel that is
 * bound to descriptors (SPIR-V with bindings, executables for descriptors) needs a multiple of the
 * device's minStorageBufferOffsetAlignment, which is at most 256. Returns PUMICE_UNSUPPORTED if the
 * device cannot import: then create a buffer and upload. */
PUMICE_API pumice_status pumice_buffer_import_host(pumice_device *device, void *memory,
                                                   uint64_t bytes, pumice_release_callback release,
                                                   void *user, pumice_buffer **buffer);

/* Returns the size in bytes; 0 for NULL. */
PUMICE_API uint64_t pumice_buffer_bytes(const pumice_buffer *buffer);
/* Returns the kind of the buffer's memory. */
PUMICE_API pumice_memory pumice_buffer_memory(const pumice_buffer *buffer);
/* Returns PUMICE_OK, or PUMICE_DEVICE_LOST if the contents were lost with the device. The message
 * says when and why. */
PUMICE_API pumice_status pumice_buffer_health(const pumice_buffer *buffer);
/* Returns the address at which the host sees the bytes, or NULL if it cannot see them. The host may
 * also see device memory, on a CPU or an integrated GPU. Host and device must not write bytes that
 * the other side is using. */
PUMICE_API void *pumice_buffer_map(const pumice_buffer *buffer);
/* Returns the address that kernels use for the buffer; 0 if the device has no buffer addresses. */
PUMICE_API uint64_t pumice_buffer_address(const pumice_buffer *buffer);

/* ---- 7 DLPack ----------------------------------------------------------------------------------
 * These functions share tensors with other libraries without a copy. The structures have the layout
 * of DLManagedTensor and DLManagedTensorVersioned in dlpack.h, version 1. Their names differ, so
 * that both headers can be included: cast the pointers.
 */
enum { PUMICE_DL_CPU = 1, PUMICE_DL_VULKAN = 7 }; /* device types */
enum {
  PUMICE_DL_INT = 0,
  PUMICE_DL_UINT = 1,
  PUMICE_DL_FLOAT = 2,
  PUMICE_DL_BFLOAT = 4,
  PUMICE_DL_COMPLEX = 5,
  PUMICE_DL_BOOL = 6
}; /* type codes */
enum { PUMICE_DL_READ_ONLY = 1 }; /* flags */

typedef struct pumice_dl_type {
  uint8_t code, bits;
  uint16_t lanes;
} pumice_dl_type;

typedef struct pumice_dl_tensor {
  void *data;
  int32_t device_type, device_id;
  int32_t rank;
  pumice_dl_type type;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL: row-major without gaps */
  uint64_t byte_offset;
} pumice_dl_tensor;

typedef struct pumice_dl_managed {
  pumice_dl_tensor tensor;
  void *context;
  void (*deleter)(struct pumice_dl_managed *self);
} pumice_dl_managed;

typedef struct pumice_dl_managed_versioned {
  uint32_t version_major, version_minor;
  void *context;
  void (*deleter)(struct pumice_dl_managed_versioned *self);
  uint64_t flags;
  pumice_dl_tensor tensor;
} pumice_dl_managed_versioned;

/* Makes a buffer over the tensor's elements, from the first to the last. If this succeeds, the
 * buffer owns the tensor: its deleter is called when the buffer, and all work that uses it, are
 * gone. Until then the library may read the tensor's shape and strides.
 *
 * Accepts tensors in CPU memory, and tensors that pumice_buffer_to_dlpack made on the same device.
 * For other tensors, returns PUMICE_UNSUPPORTED. */
PUMICE_API pumice_status pumice_buffer_from_dlpack(pumice_device *device, pumice_dl_managed *tensor,
                                                   pumice_buffer **buffer);
/* Does the same for a versioned tensor. If the tensor has the flag PUMICE_DL_READ_ONLY, the buffer
 * is read-only. Uploads, copies and fills to it return PUMICE_INVALID_ARGUMENT. So do launches of
 * kernels that may write it. pumice_buffer_to_dlpack_versioned sets that flag again. */
PUMICE_API pumice_status pumice_buffer_from_dlpack_versioned(pumice_device *device,
                                                             pumice_dl_managed_versioned *tensor,
                                                             pumice_buffer **buffer);

/* Describes a tensor in a buffer. */
typedef struct pumice_tensor_layout {
  size_t struct_size;
  uint64_t byte_offset;
  pumice_dl_type type;
  int32_t rank;
  const int64_t *shape, *strides; /* in elements; strides may be NULL: row-major without gaps */
} pumice_tensor_layout;

/* Makes a tensor over the buffer's memory, which it keeps alive until its deleter is called. If the
 * host sees the buffer, the device type of the tensor is CPU. Otherwise, it is Vulkan, and only
 * Pumice can import the tensor. The caller must first wait until the device has done its work
 * (pumice_queue_finish). */
PUMICE_API pumice_status pumice_buffer_to_dlpack(pumice_buffer *buffer,
                                                 const pumice_tensor_layout *layout,
                                                 pumice_dl_managed **tensor);
/* Does the same. A flag of the tensor says whether its memory is read-only. */
PUMICE_API pumice_status pumice_buffer_to_dlpack_versioned(pumice_buffer *buffer,
                                                           const pumice_tensor_layout *layout,
                                                           pumice_dl_managed_versioned **tensor);

#ifdef __cplusplus
}
#endif
