//===- pumice_vulkan.h - Pumice on an application's own Vulkan objects ------===//
/* An application that has a VkDevice runs kernels on it, and shares buffers with them, without a
 * copy. This header is the manual; pumice_vulkan.hpp is a thin C++ layer over it.
 *
 *   1  Devices         3  Timelines
 *   2  Buffers         4  Memory by file descriptor
 *
 * First get the extensions and features that Pumice wants (pumice_vulkan_wishes_create). Make the
 * VkDevice with these and your own, and lend it to Pumice (pumice_vulkan_device_create). Wrap your
 * VkBuffers (pumice_vulkan_buffer_wrap), and order both sides' work by timeline semaphores
 * (pumice_vulkan_timeline_create). All other functions are those of pumice.h.
 *
 * Handles of Vulkan that you pass stay yours. Pumice never destroys them, and they must live until
 * the objects that were made from them, and all work that uses these, are gone.
 */
#pragma once

#include "pumice.h"

#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1 Devices ---------------------------------------------------------------------------------
 * Pumice needs Vulkan 1.1, a compute queue, and the feature timelineSemaphore. Everything else is
 * optional. A kernel that requires a disabled feature is rejected with the feature's name. The
 * variants of an executable are chosen by the enabled features.
 */

/* The VkPhysicalDevice that a VkDevice is made from. */
typedef struct pumice_vulkan_physical_device {
  VkInstance instance;
  VkPhysicalDevice physical_device;
  uint32_t api_version; /* VkApplicationInfo::apiVersion of the instance; 1.1 or newer */
  PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* your own loader's; NULL: libvulkan's */
} pumice_vulkan_physical_device;

/* The extensions, features and queue family to make a VkDevice with. */
typedef struct pumice_vulkan_wishes pumice_vulkan_wishes;

typedef struct pumice_vulkan_wishes_info {
  size_t struct_size;
  const char *const *extensions; /* device extensions to enable */
  uint32_t extension_count;
  uint32_t queue_family; /* the best family for compute; other compute families work too */
  void *features;        /* a chain of feature structures for VkDeviceCreateInfo::pNext, or NULL */
  void *last_feature;    /* its last structure, whose pNext you may set */
} pumice_vulkan_wishes_info;

/* Lists the extensions and features of a VkPhysicalDevice that Pumice uses. `own_features` is your
 * chain of feature structures, or NULL. Vulkan allows each structure only once in a chain. So
 * Pumice enables its features in your structures if they are there, and `features` holds the other
 * structures: link both. If these include a VkPhysicalDeviceFeatures2, then
 * VkDeviceCreateInfo::pEnabledFeatures must be NULL. */
PUMICE_API pumice_status pumice_vulkan_wishes_create(const pumice_vulkan_physical_device *from,
                                                     void *own_features,
                                                     pumice_vulkan_wishes **wishes);
/* Gets the lists, which live as long as `wishes`. */
PUMICE_API pumice_status pumice_vulkan_wishes_get_info(const pumice_vulkan_wishes *wishes,
                                                       pumice_vulkan_wishes_info *info);
/* Releases the lists. */
PUMICE_API void pumice_vulkan_wishes_release(pumice_vulkan_wishes *wishes);

typedef void (*pumice_vulkan_queue_callback)(void *user);

typedef struct pumice_vulkan_device_options {
  size_t struct_size;
  pumice_vulkan_physical_device from;
  VkDevice device;
  const VkDeviceCreateInfo *create_info; /* that made `device`; read during the call */
  uint32_t queue_family, queue_index;    /* the queue that Pumice submits to */
  /* Called before and after each use of the VkQueue, on any thread. Set them if your own threads
   * use the queue too. Do not call Pumice while you hold that lock. If both are NULL, nobody else
   * may use the queue while a function of Pumice runs. */
  pumice_vulkan_queue_callback lock_queue, unlock_queue;
  void *queue_user;
  /* Called when no object of Pumice uses the device any more; you may then destroy it. May be NULL.
   * Not called if the creation fails. */
  pumice_release_callback released;
  void *released_user;
} pumice_vulkan_device_options;

/* Makes a device on the application's VkDevice. It has one VkQueue, which all its queues share, and
 * its id begins with "vulkan:application". After a loss it stays lost, since the VkDevice is yours.
 * PUMICE_UNSUPPORTED names a required feature that is disabled. */
PUMICE_API pumice_status pumice_vulkan_device_create(const pumice_vulkan_device_options *options,
                                                     pumice_device **device);

/* ---- 2 Buffers ---------------------------------------------------------------------------------
 * A buffer of Pumice is a range of a VkBuffer. Before one side uses it, the other side's work must
 * be done: wait with a timeline (section 3) or with pumice_queue_finish. If the VkDevice was made
 * with queues of several families, Pumice's buffers are VK_SHARING_MODE_CONCURRENT among these. A
 * VkBuffer of yours with exclusive ownership must belong to Pumice's queue family while Pumice uses
 * it.
 */
typedef struct pumice_vulkan_buffer {
  size_t struct_size;
  VkBuffer buffer;
  VkBufferUsageFlags usage; /* as in its VkBufferCreateInfo */
  uint64_t size;            /* as in its VkBufferCreateInfo */
  uint64_t offset, bytes;   /* the range; PUMICE_TO_END: up to the VkBuffer's end */
} pumice_vulkan_buffer;

/* Wraps a range of the application's VkBuffer, to which memory is bound. Its usage must have
 * STORAGE_BUFFER, TRANSFER_SRC and TRANSFER_DST, and SHADER_DEVICE_ADDRESS if the device was made
 * with bufferDeviceAddress. `offset` must be a multiple of minStorageBufferOffsetAlignment (and of
 * minUniformBufferOffsetAlignment for uniform buffers), and `bytes` a multiple of 4. Ranges that
 * are wrapped must not overlap. When the buffer and all work that uses it are gone, `release` is
 * called with `user`, unless `release` is NULL. If this function fails, `release` is not called. */
PUMICE_API pumice_status pumice_vulkan_buffer_wrap(pumice_device *device,
                                                   const pumice_vulkan_buffer *range,
                                                   pumice_release_callback release, void *user,
                                                   pumice_buffer **buffer);
/* Gets the VkBuffer of a buffer, and the range in it. The buffer owns the VkBuffer.
 * PUMICE_UNSUPPORTED for buffers of other devices than Vulkan's. */
PUMICE_API pumice_status pumice_vulkan_buffer_get(const pumice_buffer *buffer,
                                                  pumice_vulkan_buffer *range);

/* ---- 3 Timelines -------------------------------------------------------------------------------
 * These functions share a VkSemaphore of the timeline type, which both sides signal and wait for.
 *
 * pumice_queue_wait makes the device wait for a value that the application signals; the host does
 * not wait. All queues of a device share one VkQueue, which waits in order. So the signal must have
 * been submitted earlier, or come from another VkQueue or the host. Likewise, submit work that
 * waits for Pumice's value after pumice_queue_flush has returned. Only one side signals each value.
 * If Pumice's work fails before it runs, the semaphore is still signaled, so that no queue waits
 * forever; pumice_queue_finish reports the failure.
 */

/* Makes a timeline over the application's timeline semaphore. If `semaphore` is VK_NULL_HANDLE,
 * Pumice makes a semaphore that starts at `initial`. */
PUMICE_API pumice_status pumice_vulkan_timeline_create(pumice_device *device, VkSemaphore semaphore,
                                                       uint64_t initial,
                                                       pumice_timeline **timeline);
/* Gets the semaphore of a timeline. A semaphore that Pumice made lives as long as the timeline.
 * PUMICE_UNSUPPORTED for timelines from pumice_timeline_create, which have no semaphore. */
PUMICE_API pumice_status pumice_vulkan_timeline_get(const pumice_timeline *timeline,
                                                    VkSemaphore *semaphore);

/* ---- 4 Memory by file descriptor ---------------------------------------------------------------
 * Two VkDevices of the same VkPhysicalDevice can share memory, even in different processes. This
 * also works on devices of pumice_device_open. It needs VK_KHR_external_memory_fd. Both sides wait
 * for each other on the host, or with semaphores that the application shares.
 */
typedef struct pumice_vulkan_memory_fd {
  size_t struct_size;
  int32_t fd;
  uint32_t handle_type;      /* VkExternalMemoryHandleTypeFlagBits: OPAQUE_FD, or DMA_BUF */
  uint64_t allocation_bytes; /* VkMemoryAllocateInfo::allocationSize */
  uint32_t memory_type;      /* VkMemoryAllocateInfo::memoryTypeIndex */
  uint32_t dedicated;        /* 1: the memory is dedicated to one VkBuffer */
  uint64_t offset, bytes;    /* the buffer in the memory */
} pumice_vulkan_memory_fd;

/* Makes a buffer whose memory pumice_vulkan_buffer_export_fd can export as handles of that type. */
PUMICE_API pumice_status pumice_vulkan_buffer_create_exportable(pumice_device *device,
                                                                uint64_t bytes,
                                                                pumice_memory memory,
                                                                uint32_t handle_type,
                                                                pumice_buffer **buffer);
/* Opens a file descriptor for the buffer's memory. The caller closes it, or hands it to Vulkan. It
 * may outlive the buffer. */
PUMICE_API pumice_status pumice_vulkan_buffer_export_fd(const pumice_buffer *buffer,
                                                        pumice_vulkan_memory_fd *memory);
/* Makes a buffer over the memory of a file descriptor. Pumice duplicates the descriptor; you keep
 * yours. The other members must equal those of the exporter. */
PUMICE_API pumice_status pumice_vulkan_buffer_import_fd(pumice_device *device,
                                                        const pumice_vulkan_memory_fd *memory,
                                                        pumice_buffer **buffer);

#ifdef __cplusplus
}
#endif
