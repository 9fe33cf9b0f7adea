//===- buffers.h - a part of pumice.h: buffers, DLPack -----------------------===//
#pragma once

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 6 Buffers ---------------------------------------------------------------------------------
 * Contents of a new buffer are undefined.
 */
typedef enum pumice_memory PUMICE_INT32_ENUM {
  PUMICE_MEMORY_DEVICE = 0,  /* where the device reads fastest */
  PUMICE_MEMORY_HOST = 1,    /* the host's; mapped, coherent, and read by the device over its bus */
  PUMICE_MEMORY_IMPORTED = 2 /* the caller's, used in place (pumice_buffer_import_host) */
} pumice_memory;

/* Makes a buffer. */
PUMICE_API pumice_status pumice_buffer_create(pumice_device *device, uint64_t bytes,
                                              pumice_memory memory, pumice_buffer **buffer);

/* Uses the caller's memory in place, without a copy. It must stay valid until `release` (may be
 * NULL) is called with `user`: when the buffer and all work that uses it are gone. Any address and
 * size will do: whole pages around them are made visible to the device. Kernels take it only where
 * the address is a multiple of their elements' alignment; those that are bound to descriptors
 * (SPIR-V with bindings, executables for descriptors), of the device's
 * minStorageBufferOffsetAlignment, 256 at most. When this fails, `release` is not called.
 * PUMICE_UNSUPPORTED where the device cannot: create a buffer and upload. */
PUMICE_API pumice_status pumice_buffer_import_host(pumice_device *device, void *memory,
                                                   uint64_t bytes, pumice_release_callback release,
                                                   void *user, pumice_buffer **buffer);

/* Returns the size; 0 for NULL. */
PUMICE_API uint64_t pumice_buffer_bytes(const pumice_buffer *buffer);
/* Returns where the memory is. */
PUMICE_API pumice_memory pumice_buffer_memory(const pumice_buffer *buffer);
/* Returns PUMICE_OK, or PUMICE_DEVICE_LOST: the contents went with the device; when, and why. */
PUMICE_API pumice_status pumice_buffer_health(const pumice_buffer *buffer);
/* Returns where the host sees the bytes; NULL if it does not. Memory of the device may be visible
 * too (a CPU, an integrated GPU). Host and device must not write what the other one uses at that
 * time. */
PUMICE_API void *pumice_buffer_map(const pumice_buffer *buffer);
/* Returns what kernels take as the buffer's address; 0 if the device gives none. */
PUMICE_API uint64_t pumice_buffer_address(const pumice_buffer *buffer);

/* ---- 7 DLPack ----------------------------------------------------------------------------------
 * Tensors of other libraries, shared without a copy. These structures have the layout of DLPack's
 * own (dlpack.h of version 1; DLManagedTensor and DLManagedTensorVersioned), under names that do
 * not collide with it: cast the pointers.
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

/* Makes a buffer over the tensor's elements, from the first to the last. Success takes the tensor
 * over: its deleter is called when the buffer, and all work that uses it, are gone; until then its
 * shape and strides may be read. Uploads, copies and fills to a tensor with PUMICE_DL_READ_ONLY,
 * and launches of kernels whose access to it may write, are PUMICE_INVALID_ARGUMENT; given back by
 * pumice_buffer_to_dlpack_versioned, it says so again. Tensors of the CPU's memory, and those that
 * came from pumice_buffer_to_dlpack on the same device; others are PUMICE_UNSUPPORTED. */
PUMICE_API pumice_status pumice_buffer_from_dlpack(pumice_device *device, pumice_dl_managed *tensor,
                                                   pumice_buffer **buffer);
PUMICE_API pumice_status pumice_buffer_from_dlpack_versioned(pumice_device *device,
                                                             pumice_dl_managed_versioned *tensor,
                                                             pumice_buffer **buffer);

/* Makes a tensor over the buffer's memory, which it keeps alive until its deleter is called. Where
 * the host sees the buffer it is one of the CPU's; else of Vulkan's, which only Pumice reads back.
 * The caller sees to it that the device has done its work (pumice_queue_finish). `strides` may be
 * NULL.
 */
typedef struct pumice_tensor_layout {
  size_t struct_size;
  uint64_t byte_offset;
  pumice_dl_type type;
  int32_t rank;
  const int64_t *shape, *strides;
} pumice_tensor_layout;

PUMICE_API pumice_status pumice_buffer_to_dlpack(pumice_buffer *buffer,
                                                 const pumice_tensor_layout *layout,
                                                 pumice_dl_managed **tensor);
PUMICE_API pumice_status pumice_buffer_to_dlpack_versioned(pumice_buffer *buffer,
                                                           const pumice_tensor_layout *layout,
                                                           pumice_dl_managed_versioned **tensor);

#ifdef __cplusplus
}
#endif
