//===- devices.h - a part of pumice.h: devices -------------------------------===//
#pragma once

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 5 Devices ---------------------------------------------------------------------------------
 * A list is plain data of one moment; making one opens no device.
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
  const char *id;             /* "vulkan:0": what pumice_device_open and PUMICE_DEVICE take */
  const char *driver;         /* "vulkan" */
  const char *name;           /* "NVIDIA H200" */
  const char *vendor;         /* "NVIDIA" */
  const char *driver_name;    /* "NVIDIA" */
  const char *driver_version; /* "580.159.04" */
  pumice_device_kind kind;
  uint32_t version_major, version_minor, version_patch; /* of the driver's API: Vulkan 1.4.312 */
  uint64_t memory_bytes;          /* of the largest heap that is the device's own */
  uint64_t max_buffer_bytes;      /* of one buffer */
  uint64_t host_import_alignment; /* of pumice_buffer_import_host; 0: there is none */
  uint32_t has_buffer_addresses;  /* 1 where pumice_buffer_address gives one */
  uint32_t max_groups[3];         /* of one command; larger grids are split */
  uint32_t max_workgroup_size[3], max_workgroup_invocations;
  uint32_t max_workgroup_memory_bytes;
  uint32_t subgroup_size, min_subgroup_size, max_subgroup_size;
} pumice_device_info;

/* Lists every device of every driver, best driver first; the list may be empty. */
PUMICE_API pumice_status pumice_list_devices(pumice_device_list **list);
/* Returns the number of devices; 0 for NULL. */
PUMICE_API size_t pumice_device_list_count(const pumice_device_list *list);
/* Describes a device of the list. The strings live as long as the list. */
PUMICE_API pumice_status pumice_device_list_info(const pumice_device_list *list, size_t index,
                                                 pumice_device_info *info);
/* Returns why a driver that is built in has no devices here; an empty text if all started. */
PUMICE_API const char *pumice_device_list_failures(const pumice_device_list *list);

/* Opens the device that `request` names: an id ("vulkan:1"), a place in pumice_list_devices ("0"),
 * a driver ("vulkan", its best), or part of a name ("llvmpipe": three characters or more with a
 * letter, from the beginning of a word). NULL or "" means what the environment variable
 * PUMICE_DEVICE names, else the best; Vulkan on a CPU is never the best unless it is all there is.
 * Opening a device twice gives the same handle, with one more reference to release: handles that
 * are equal are one device. */
PUMICE_API pumice_status pumice_device_open(const char *request, pumice_device **device);
/* Opens the named device too; if none is named, the best that can run all of the executable. */
PUMICE_API pumice_status pumice_device_open_for(const void *executable, size_t bytes,
                                                const char *request, pumice_device **device);
/* Describes an open device. The strings live as long as the device. */
PUMICE_API pumice_status pumice_device_get_info(const pumice_device *device,
                                                pumice_device_info *info);
/* Returns PUMICE_OK, or PUMICE_DEVICE_LOST with the driver's words, and the kernel's argument that
 * is nearest to a bad address, where the driver tells one.
 *
 * A handle outlives the loss of its device. What was unfinished fails, and queues, timelines and
 * buffers of the device go on to be lost: they answer PUMICE_DEVICE_LOST. The next call that makes
 * something of the handle (a queue, a buffer, an executable, a function) opens the device again,
 * and from then on the handle is healthy. Executables and functions go on by themselves: launched
 * on a new queue, they are made again. */
PUMICE_API pumice_status pumice_device_health(const pumice_device *device);
/* Sets one of the driver's own options, for work that comes later. The CPU device has "threads"
 * (that run workgroups, the one that waits among them) and "timeout_ms" (the longest that a launch
 * may take; 0: as long as it likes), Vulkan's have "timeout_ms" (a device that ends nothing for so
 * long is lost). PUMICE_NOT_FOUND names those that a device has. */
PUMICE_API pumice_status pumice_device_set_option(pumice_device *device, const char *name,
                                                  int64_t value);
/* Writes the device's target environment as JSON text. pumice_compile and `pumice compile --target`
 * take it, also on machines that lack the device. */
PUMICE_API pumice_status pumice_device_target(const pumice_device *device, pumice_blob **json);

#ifdef __cplusplus
}
#endif
