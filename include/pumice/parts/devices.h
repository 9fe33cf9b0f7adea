//===- devices.h - a part of pumice.h: devices ------------------------------===//
#pragma once

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 5 Devices ---------------------------------------------------------------------------------
 * A list describes the devices at the time of the call. Listing devices opens none of them.
 */
typedef enum pumice_device_kind PUMICE_INT32_ENUM {
  PUMICE_DEVICE_OTHER = 0,
  PUMICE_DEVICE_INTEGRATED = 1,
  PUMICE_DEVICE_DISCRETE = 2,
  PUMICE_DEVICE_VIRTUAL = 3,
  PUMICE_DEVICE_CPU = 4
} pumice_device_kind;

typedef struct pumice_device_info {
  size_t struct_size;
  const char *id;             /* "vulkan:0": accepted by pumice_device_open and PUMICE_DEVICE */
  const char *driver;         /* "vulkan" */
  const char *name;           /* "NVIDIA H200" */
  const char *vendor;         /* "NVIDIA" */
  const char *driver_name;    /* "NVIDIA" */
  const char *driver_version; /* "580.159.04" */
  pumice_device_kind kind;
  uint32_t version_major, version_minor, version_patch; /* of the driver's API: Vulkan 1.4.312 */
  uint64_t memory_bytes;          /* size of the largest heap of the device's own memory */
  uint64_t max_buffer_bytes;      /* the most bytes of one buffer */
  uint64_t host_import_alignment; /* for pumice_buffer_import_host; 0: unsupported */
  uint32_t has_buffer_addresses;  /* 1 if pumice_buffer_address returns addresses */
  uint32_t max_groups[3];         /* limit of one command; larger grids are split */
  uint32_t max_workgroup_size[3], max_workgroup_invocations;
  uint32_t max_workgroup_memory_bytes;
  uint32_t subgroup_size, min_subgroup_size, max_subgroup_size;
} pumice_device_info;

/* Lists all devices of all drivers, with the best driver first. The list may be empty. */
PUMICE_API pumice_status pumice_list_devices(pumice_device_list **list);
/* Returns the number of devices; 0 for NULL. */
PUMICE_API size_t pumice_device_list_count(const pumice_device_list *list);
/* Describes a device of the list. The strings live as long as the list. */
PUMICE_API pumice_status pumice_device_list_info(const pumice_device_list *list, size_t index,
                                                 pumice_device_info *info);
/* Returns why built-in drivers have no devices on this machine, or an empty text if all drivers
 * started. */
PUMICE_API const char *pumice_device_list_failures(const pumice_device_list *list);

/* Opens the device that `request` names. A request is an id ("vulkan:1"), an index in
 * pumice_list_devices ("0"), a driver ("vulkan": its best device), or a part of a name
 * ("llvmpipe"). Such a part has at least three characters, including a letter, and begins at the
 * start of a word.
 *
 * NULL or "" means the device that the environment variable PUMICE_DEVICE names, or else the best
 * device. Vulkan on a CPU is the best only if the machine has nothing else. Opening a device twice
 * returns the same handle, with one more reference to release. So two handles are equal if and only
 * if they refer to the same device. */
PUMICE_API pumice_status pumice_device_open(const char *request, pumice_device **device);
/* Opens the named device, like pumice_device_open. If none is named, opens the best device that can
 * run the whole executable. */
PUMICE_API pumice_status pumice_device_open_for(const void *executable, size_t bytes,
                                                const char *request, pumice_device **device);
/* Describes an open device. The strings live as long as the device. */
PUMICE_API pumice_status pumice_device_get_info(const pumice_device *device,
                                                pumice_device_info *info);
/* Returns PUMICE_OK, or PUMICE_DEVICE_LOST with the driver's message. If the driver reports a bad
 * address, the message names the kernel argument that is nearest to it.
 *
 * A handle outlives the loss of its device. Unfinished work fails, and the device's queues,
 * timelines and buffers stay lost: they return PUMICE_DEVICE_LOST. The next call that makes an
 * object from the handle (a queue, buffer, executable or function) opens the device again. From
 * then on the handle is healthy. Executables and functions need no new handles: a launch on a new
 * queue makes them again. */
PUMICE_API pumice_status pumice_device_health(const pumice_device *device);
/* Sets an option of the driver, for later work. The CPU device has "threads", the number of threads
 * that run workgroups, including the waiting thread. It also has "timeout_ms", the longest time
 * that a launch may take; 0 means no limit. Vulkan devices have "timeout_ms": a device that
 * completes no work for that time is lost. If the option does not exist, PUMICE_NOT_FOUND lists
 * those that the device has. */
PUMICE_API pumice_status pumice_device_set_option(pumice_device *device, const char *name,
                                                  int64_t value);
/* Returns the target environment of the device as JSON text. pumice_compile and
 * `pumice compile --target` accept this text, even on machines without the device. */
PUMICE_API pumice_status pumice_device_target(const pumice_device *device, pumice_blob **json);

#ifdef __cplusplus
}
#endif
