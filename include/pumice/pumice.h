//===- pumice.h - Pumice's C API: run GPU kernels on whatever is there ------===//
// house-allow(file-length): the one header that is the manual of its library.
/*
 * This header is the manual. It is C99 and C++; pumice.hpp is a thin C++ layer over it.
 *
 *   1  Status              8  Executables
 *   2  Versions, the ABI   9  Functions
 *   3  Handles            10  Queues
 *   4  Callbacks          11  Launches
 *   5  Devices            12  Timelines
 *   6  Buffers            13  Profiles
 *   7  DLPack             14  Compiling
 *
 * The way of a kernel: open a device, load an executable (a .pumice file) on it, ask the executable
 * for a function, and launch the function on a queue with buffers and scalars as arguments. A queue
 * takes work and returns at once; pumice_queue_finish waits for it.
 *
 * Every function may be called from several threads at once, also with the same handles.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(_WIN32) && defined(PUMICE_BUILDING)
#define PUMICE_API __declspec(dllexport)
#elif defined(_WIN32)
#define PUMICE_API __declspec(dllimport)
#else
#define PUMICE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1 Status ----------------------------------------------------------------------------------
 * Functions that can fail return a status, and give their results through pointers, which they set
 * to NULL or 0 when they fail. Nothing throws, aborts or prints.
 */
typedef int32_t pumice_status;
enum {
  PUMICE_OK = 0,
  PUMICE_INVALID_ARGUMENT = 1,   /* the value is wrong, whatever the state of the world */
  PUMICE_NOT_FOUND = 2,          /* a named thing does not exist */
  PUMICE_UNSUPPORTED = 3,        /* well formed, but this device, file or build cannot do it */
  PUMICE_DATA_CORRUPT = 4,       /* bytes that are not what they claim to be */
  PUMICE_RESOURCE_EXHAUSTED = 5, /* memory, descriptors, address space */
  PUMICE_DEVICE_LOST = 6,        /* the device stopped answering; other devices keep working */
  PUMICE_DEADLINE_EXCEEDED = 7,  /* a wait ran out of time */
  PUMICE_INTERNAL = 8,           /* a bug of Pumice's */
  PUMICE_INVALID_ACCESS = 9      /* a kernel accessed memory that it may not */
};

/* "invalid argument"; "unknown status" for numbers that this build does not know. */
PUMICE_API const char *pumice_status_name(pumice_status status);

/* What the last function that failed on this thread said: it names the place, the value and the way
 * out. Valid until the next failure on this thread; calls that succeed leave it. Never NULL. */
PUMICE_API const char *pumice_last_error(void);

/* ---- 2 Versions, the ABI -----------------------------------------------------------------------
 * Structures that may grow start with `struct_size`, which must be sizeof the structure.
 * PUMICE_INIT sets it, and all else to zeros, which are the defaults:
 *
 *   pumice_queue_options options = PUMICE_INIT(pumice_queue_options);
 *
 * The library reads, and writes, no more than so many bytes, and takes fields beyond them as zeros:
 * programs that were compiled against an older header go on working. A newer program that sets a
 * field which this library does not have gets PUMICE_UNSUPPORTED. Fields are only added, at the
 * end. Structures without struct_size, and the numbers of enums, never change; pumice_argument,
 * which comes in arrays, may grow, since each launch passes its size. PUMICE_ABI_VERSION changes
 * when that promise is broken.
 */
#ifdef __cplusplus
#define PUMICE_INIT(type)                                                                          \
  ([] {                                                                                            \
    type made{};                                                                                   \
    made.struct_size = sizeof(type);                                                               \
    return made;                                                                                   \
  }())
#else
#define PUMICE_INIT(type) {.struct_size = sizeof(type)}
#endif

/* The version is written here and nowhere else: the build and the Python package read it. */
#define PUMICE_VERSION_MAJOR 0
#define PUMICE_VERSION_MINOR 2
#define PUMICE_VERSION_PATCH 0
/* The header's, as one number: programs compare it with PUMICE_MAKE_VERSION(0, 2, 0). */
#define PUMICE_VERSION                                                                             \
  PUMICE_MAKE_VERSION(PUMICE_VERSION_MAJOR, PUMICE_VERSION_MINOR, PUMICE_VERSION_PATCH)
#define PUMICE_MAKE_VERSION(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))
#define PUMICE_ABI_VERSION 1

PUMICE_API uint32_t pumice_abi_version(void); /* the library's; compare with PUMICE_ABI_VERSION */
PUMICE_API const char *pumice_version(void);  /* the library's: "0.2.0" */

/* ---- 3 Handles ---------------------------------------------------------------------------------
 * Objects are counted. The function that makes one gives the caller one reference; each `retain`
 * adds one, each `release` takes one away; NULL is fine for both. Whatever needs an object (an
 * object made from it, work in flight) keeps it alive by itself, so handles may be released in any
 * order, and at once after the last call that names them.
 *
 * A NULL handle, or one of another kind, is an invalid argument everywhere else. One that was
 * released for the last time must not be used any more.
 */
typedef struct pumice_device_list pumice_device_list;
typedef struct pumice_device pumice_device;
typedef struct pumice_buffer pumice_buffer;
typedef struct pumice_executable pumice_executable;
typedef struct pumice_function pumice_function;
typedef struct pumice_queue pumice_queue;
typedef struct pumice_timeline pumice_timeline;
typedef struct pumice_profile pumice_profile;
typedef struct pumice_blob pumice_blob; /* bytes that the library made */

PUMICE_API void pumice_device_list_release(pumice_device_list *list);
PUMICE_API void pumice_device_retain(pumice_device *device);
PUMICE_API void pumice_device_release(pumice_device *device);
PUMICE_API void pumice_buffer_retain(pumice_buffer *buffer);
PUMICE_API void pumice_buffer_release(pumice_buffer *buffer);
PUMICE_API void pumice_executable_retain(pumice_executable *executable);
PUMICE_API void pumice_executable_release(pumice_executable *executable);
PUMICE_API void pumice_function_retain(pumice_function *function);
PUMICE_API void pumice_function_release(pumice_function *function);
PUMICE_API void pumice_queue_retain(pumice_queue *queue);
PUMICE_API void pumice_queue_release(pumice_queue *queue); /* its work still runs to its end */
PUMICE_API void pumice_timeline_retain(pumice_timeline *timeline);
PUMICE_API void pumice_timeline_release(pumice_timeline *timeline);
PUMICE_API void pumice_profile_release(pumice_profile *profile);
PUMICE_API void pumice_blob_release(pumice_blob *blob);

/* The bytes; a text ends with a zero that is not counted. NULL and 0 for a NULL blob. */
PUMICE_API const void *pumice_blob_data(const pumice_blob *blob);
PUMICE_API size_t pumice_blob_size(const pumice_blob *blob);

/* ---- 4 Callbacks -------------------------------------------------------------------------------
 * Each comes with a pointer of the caller's that is handed back. They may run on any thread that
 * calls the library, or on one of the library's, and must not call the queue that they belong to.
 * They may release it, for the last time too: it goes once the call that runs them has ended.
 */
typedef void (*pumice_text_callback)(void *user, const char *text, size_t bytes);
typedef void (*pumice_done_callback)(void *user, pumice_status status, const char *message);
typedef void (*pumice_release_callback)(void *user);

/* ---- 5 Devices ---------------------------------------------------------------------------------
 * A list is plain data of one moment; making one opens no device.
 */
typedef int32_t pumice_device_kind;
enum {
  PUMICE_DEVICE_OTHER = 0,
  PUMICE_DEVICE_INTEGRATED = 1,
  PUMICE_DEVICE_DISCRETE = 2,
  PUMICE_DEVICE_VIRTUAL = 3,
  PUMICE_DEVICE_CPU = 4
};

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

/* Every device of every driver, best driver first; the list may be empty. */
PUMICE_API pumice_status pumice_list_devices(pumice_device_list **list);
PUMICE_API size_t pumice_device_list_count(const pumice_device_list *list);
/* The strings live as long as the list. */
PUMICE_API pumice_status pumice_device_list_info(const pumice_device_list *list, size_t index,
                                                 pumice_device_info *info);
/* Why a driver that is built in has no devices here: a text, empty where all started. */
PUMICE_API const char *pumice_device_list_failures(const pumice_device_list *list);

/* Opens the device that `request` names: an id ("vulkan:1"), a place in pumice_list_devices ("0"),
 * a driver ("vulkan", its best), or part of a name ("llvmpipe": three characters or more with a
 * letter, from the beginning of a word). NULL or "": what the environment variable PUMICE_DEVICE
 * names, else the best; Vulkan on a CPU is never the best unless it is all there is. Opening a
 * device twice gives the same handle, with one more reference to release: handles that are equal
 * are one device. */
PUMICE_API pumice_status pumice_device_open(const char *request, pumice_device **device);
/* The same, but where nothing is named: the best device that can run all of the executable. */
PUMICE_API pumice_status pumice_device_open_for(const void *executable, size_t bytes,
                                                const char *request, pumice_device **device);
/* The strings live as long as the device. */
PUMICE_API pumice_status pumice_device_get_info(const pumice_device *device,
                                                pumice_device_info *info);
/* PUMICE_OK, or PUMICE_DEVICE_LOST with the driver's words, and the kernel's argument that is
 * nearest to a bad address, where the driver tells one.
 *
 * A handle outlives the loss of its device. What was unfinished fails, and queues, timelines and
 * buffers of the device go on to be lost: they answer PUMICE_DEVICE_LOST. The next call that makes
 * something of the handle (a queue, a buffer, an executable, a function) opens the device anew, and
 * from then on the handle is healthy. Executables and functions go on by themselves: launched on a
 * new queue, they are made again. */
PUMICE_API pumice_status pumice_device_health(const pumice_device *device);
/* One of the driver's own options, of work that comes later. The CPU device has "threads" (that run
 * workgroups, the one that waits among them) and "timeout_ms" (the longest that a launch may take;
 * 0: as long as it likes), Vulkan's have "timeout_ms" (a device that ends nothing for so long is
 * lost). PUMICE_NOT_FOUND names those that a device has. */
PUMICE_API pumice_status pumice_device_set_option(pumice_device *device, const char *name,
                                                  int64_t value);
/* The device's target environment, as JSON text: what pumice_compile and `pumice compile --target`
 * take, there too where the device is not. */
PUMICE_API pumice_status pumice_device_target(const pumice_device *device, pumice_blob **json);

/* ---- 6 Buffers ---------------------------------------------------------------------------------
 * Contents of a new buffer are undefined.
 */
typedef int32_t pumice_memory;
enum {
  PUMICE_MEMORY_DEVICE = 0,  /* where the device reads fastest */
  PUMICE_MEMORY_HOST = 1,    /* the host's; mapped, coherent, and read by the device over its bus */
  PUMICE_MEMORY_IMPORTED = 2 /* the caller's, used in place (pumice_buffer_import_host) */
};

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

PUMICE_API uint64_t pumice_buffer_bytes(const pumice_buffer *buffer); /* 0 for NULL */
PUMICE_API pumice_memory pumice_buffer_memory(const pumice_buffer *buffer);
/* PUMICE_OK, or PUMICE_DEVICE_LOST: the contents went with the device; when, and why. */
PUMICE_API pumice_status pumice_buffer_health(const pumice_buffer *buffer);
/* Where the host sees the bytes; NULL where it does not. Memory of the device may be visible too (a
 * CPU, an integrated GPU). Host and device must not write what the other one uses at that time. */
PUMICE_API void *pumice_buffer_map(const pumice_buffer *buffer);
/* What kernels take as the buffer's address; 0 where the device gives none. */
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

/* A buffer over the tensor's elements, from the first to the last. Success takes the tensor over:
 * its deleter is called when the buffer, and all work that uses it, are gone; until then its shape
 * and strides may be read. Uploads, copies and fills to a tensor with PUMICE_DL_READ_ONLY, and
 * launches of kernels whose access to it may write, are PUMICE_INVALID_ARGUMENT; given back by
 * pumice_buffer_to_dlpack_versioned, it says so again. Tensors of the CPU's memory, and those that
 * came from pumice_buffer_to_dlpack on the same device; others are PUMICE_UNSUPPORTED. */
PUMICE_API pumice_status pumice_buffer_from_dlpack(pumice_device *device, pumice_dl_managed *tensor,
                                                   pumice_buffer **buffer);
PUMICE_API pumice_status pumice_buffer_from_dlpack_versioned(pumice_device *device,
                                                             pumice_dl_managed_versioned *tensor,
                                                             pumice_buffer **buffer);

/* A tensor over the buffer's memory, which it keeps alive until its deleter is called. Where the
 * host sees the buffer it is one of the CPU's; else of Vulkan's, which only Pumice reads back. The
 * caller sees to it that the device has done its work (pumice_queue_finish). `strides` may be NULL.
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

/* ---- 8 Executables -----------------------------------------------------------------------------
 * A .pumice file holds entry points (kernels as callers see them), each with code for one or more
 * kinds of device. Loading verifies all of it, and chooses the best code that the device can run.
 */
PUMICE_API pumice_status pumice_executable_load(pumice_device *device, const void *data,
                                                size_t bytes, pumice_executable **executable);
PUMICE_API pumice_status pumice_executable_load_file(pumice_device *device, const char *path,
                                                     pumice_executable **executable);

typedef struct pumice_entry_point_info {
  size_t struct_size;
  const char *name;
  uint32_t argument_count;
  uint32_t workgroup_size[3]; /* 0: the function's options say it */
  uint32_t workgroup_memory_bytes;
  uint32_t has_dynamic_memory; /* 1 where the function's options add workgroup memory */
  const char *target;          /* of the code that was chosen: "rdna3" */
  const char *source_file;     /* where the kernel comes from; "" and 0 where it is not known */
  uint32_t source_line;
} pumice_entry_point_info;

enum { PUMICE_ARGUMENT_BUFFER = 0, PUMICE_ARGUMENT_SCALAR = 1 };
enum {
  PUMICE_ACCESS_NONE = 0,
  PUMICE_ACCESS_READ = 1,
  PUMICE_ACCESS_WRITE = 2,
  PUMICE_ACCESS_READ_WRITE = 3
};
#define PUMICE_DYNAMIC INT64_MIN /* an extent, stride or offset that the launch says */

typedef struct pumice_argument_info {
  size_t struct_size;
  const char *name;
  const char *element;    /* "f32" */
  uint32_t kind;          /* PUMICE_ARGUMENT_… */
  uint32_t access;        /* PUMICE_ACCESS_… */
  uint32_t element_bytes; /* of one component */
  uint32_t vector_width;  /* components of a vector; 1 for scalars */
  uint32_t alignment;     /* of the address, in bytes */
  uint32_t rank;
  const int64_t *shape, *strides; /* in elements, PUMICE_DYNAMIC where the launch says it */
  int64_t offset;
} pumice_argument_info;

/* Pointers in these live as long as the executable. */
PUMICE_API size_t pumice_executable_entry_point_count(const pumice_executable *executable);
PUMICE_API pumice_status pumice_executable_entry_point(const pumice_executable *executable,
                                                       size_t index, pumice_entry_point_info *info);
PUMICE_API pumice_status pumice_executable_argument(const pumice_executable *executable,
                                                    size_t entry_point, size_t argument,
                                                    pumice_argument_info *info);

/* ---- 9 Functions -------------------------------------------------------------------------------
 * An entry point with all that is fixed when the device's own compiler runs. Asking again with the
 * same options gives the same function; other options compile again.
 */
typedef struct pumice_constant {
  uint32_t id;    /* SpecId in the SPIR-V */
  uint32_t bytes; /* 1, 2, 4 or 8; booleans are 4 */
  uint64_t bits;  /* of so many bytes, or a negative number's; more are refused */
} pumice_constant;

typedef struct pumice_function_options {
  size_t struct_size;
  uint32_t workgroup_size[3];       /* where the entry point leaves it open */
  uint32_t dynamic_memory_bytes;    /* where it has dynamic workgroup memory */
  const pumice_constant *constants; /* other specialization constants of the code */
  size_t constant_count;
  /* 1: accesses outside of the ranges that descriptors bind read zeros and write nothing. Memory
   * that is reached by address is not checked. PUMICE_UNSUPPORTED where the device cannot. */
  uint32_t robust_access;
} pumice_function_options;

/* `name` may be NULL where there is one entry point; `options` may be NULL. */
PUMICE_API pumice_status pumice_executable_function(pumice_executable *executable, const char *name,
                                                    const pumice_function_options *options,
                                                    pumice_function **function);

/* ---- 10 Queues ---------------------------------------------------------------------------------
 * A queue behaves as if each piece of work ran after the one before it; only work that shares
 * buffers really waits. Work is sent to the device in batches: when one is full, when the device
 * idles, when someone waits, and on flush. What fails on the device is told by the next wait.
 * Queues of a device are ordered among themselves by timelines only.
 */
typedef struct pumice_queue_options {
  size_t struct_size;
  uint32_t profiling; /* 1: measure each piece of work (section 13) */
} pumice_queue_options;

#define PUMICE_FOREVER UINT64_MAX /* a timeout, in nanoseconds, that never comes */
#define PUMICE_TO_END UINT64_MAX  /* a number of bytes: all up to the buffer's end */

PUMICE_API pumice_status pumice_queue_create(pumice_device *device,
                                             const pumice_queue_options *options, /* or NULL */
                                             pumice_queue **queue);
/* `from` is read before the call returns. */
PUMICE_API pumice_status pumice_queue_upload(pumice_queue *queue, pumice_buffer *to,
                                             uint64_t to_offset, const void *from, uint64_t bytes);
/* `to` holds the bytes once a later pumice_queue_finish, or a wait for a point that the queue
 * signals later, has returned PUMICE_OK, and must live until then. Where waits fail, time-outs
 * among them, it must live until the queue is released for the last time: when that returns,
 * nothing writes there any more, and what was not there yet is given up, unless a signal or a
 * callback that was recorded later tells of it. */
PUMICE_API pumice_status pumice_queue_download(pumice_queue *queue, void *to, pumice_buffer *from,
                                               uint64_t from_offset, uint64_t bytes);
/* Within one buffer too, where the two ranges do not overlap. */
PUMICE_API pumice_status pumice_queue_copy(pumice_queue *queue, pumice_buffer *to,
                                           uint64_t to_offset, pumice_buffer *from,
                                           uint64_t from_offset, uint64_t bytes);
/* Repeats the low `pattern_bytes` (1, 2 or 4) of `pattern`. */
PUMICE_API pumice_status pumice_queue_fill(pumice_queue *queue, pumice_buffer *to, uint64_t offset,
                                           uint64_t bytes, uint32_t pattern,
                                           uint32_t pattern_bytes);
PUMICE_API pumice_status pumice_queue_wait(pumice_queue *queue, pumice_timeline *timeline,
                                           uint64_t value);
PUMICE_API pumice_status pumice_queue_signal(pumice_queue *queue, pumice_timeline *timeline,
                                             uint64_t value);
/* Calls `done` once everything before it is done, or has failed. Not called when this fails. */
PUMICE_API pumice_status pumice_queue_on_done(pumice_queue *queue, pumice_done_callback done,
                                              void *user);
PUMICE_API pumice_status pumice_queue_flush(pumice_queue *queue);
PUMICE_API pumice_status pumice_queue_finish(pumice_queue *queue, uint64_t timeout_nanoseconds);
/* PUMICE_OK, or PUMICE_DEVICE_LOST, with why: then it takes no more work (section 5). */
PUMICE_API pumice_status pumice_queue_health(const pumice_queue *queue);

/* ---- 11 Launches -------------------------------------------------------------------------------
 * One pumice_argument for each argument of the entry point, in order. Only read during the call.
 * Make them with the functions below, then set what else is needed.
 */
typedef struct pumice_argument {
  uint32_t kind; /* PUMICE_ARGUMENT_… */

  /* Scalars, and vectors element after element: little endian, as long as the argument; in `value`,
   * or where `data` points. An index may have 4 bytes (signed) or 8, a truth value 1 or 4: true if
   * any of their bits is set. */
  uint32_t size; /* bytes */
  uint64_t value;
  const void *data;

  /* Buffers: `bytes` from byte `offset` on. A NULL buffer is allowed where the kernel never touches
   * it. Shape and strides are needed only where the entry point leaves more open than one extent,
   * which is as long as the range; missing strides are row-major. */
  pumice_buffer *buffer;
  uint64_t offset, bytes;         /* PUMICE_TO_END: all of it */
  const int64_t *shape, *strides; /* in elements */
  int64_t element_offset;
  uint32_t rank, reserved; /* of shape and strides; zero */
} pumice_argument;

/* Memory that an argument of a launch has. */
typedef struct pumice_memory_range {
  const void *begin;
  uint64_t bytes;
  uint32_t argument; /* its number */
  uint32_t reserved; /* zero */
} pumice_memory_range;

/* Writes up to `capacity` ranges and returns how many there are. */
typedef size_t (*pumice_memory_callback)(void *user, pumice_memory_range *ranges, size_t capacity);

typedef struct pumice_launch_options {
  size_t struct_size;
  uint32_t groups[3];         /* workgroups along x, y and z; where one is 0, nothing runs */
  uint32_t print_bytes;       /* for gpu.printf output of one launch; 0: a MiB */
  pumice_text_callback print; /* takes that output; NULL: standard output */
  void *print_user;
  /* Which memory arguments have, where their buffers do not say it: the CPU device asks when an
   * access of the kernel strays, on any thread, until the launch is done. NULL: the buffers say it.
   */
  pumice_memory_callback memory;
  void *memory_user;
} pumice_launch_options;

/* Checks the arguments against the entry point, and records the launch. `argument_bytes` is the
 * caller's sizeof(pumice_argument): the distance from one argument to the next. */
PUMICE_API pumice_status pumice_launch_sized(pumice_queue *queue, pumice_function *function,
                                             const pumice_launch_options *options,
                                             const pumice_argument *arguments,
                                             size_t argument_count, size_t argument_bytes);
/* The same, with this header's size. */
static inline pumice_status pumice_launch(pumice_queue *queue, pumice_function *function,
                                          const pumice_launch_options *options,
                                          const pumice_argument *arguments, size_t argument_count) {
  return pumice_launch_sized(queue, function, options, arguments, argument_count,
                             sizeof(pumice_argument));
}

static inline pumice_launch_options pumice_groups(uint32_t x, uint32_t y, uint32_t z) {
  pumice_launch_options options = PUMICE_INIT(pumice_launch_options);
  options.groups[0] = x;
  options.groups[1] = y;
  options.groups[2] = z;
  return options;
}
static inline pumice_argument pumice_argument_buffer(pumice_buffer *buffer) {
  pumice_argument argument;
  memset(&argument, 0, sizeof argument);
  argument.kind = PUMICE_ARGUMENT_BUFFER;
  argument.buffer = buffer;
  argument.bytes = PUMICE_TO_END;
  return argument;
}
/* Any scalar or vector of up to 8 bytes, by value; longer ones must outlive the launch call. */
static inline pumice_argument pumice_argument_scalar(const void *data, uint32_t size) {
  pumice_argument argument;
  memset(&argument, 0, sizeof argument);
  argument.kind = PUMICE_ARGUMENT_SCALAR;
  argument.size = size;
  if (size <= sizeof argument.value && data)
    memcpy(&argument.value, data, size);
  else
    argument.data = data;
  return argument;
}
static inline pumice_argument pumice_argument_i32(int32_t value) {
  return pumice_argument_scalar(&value, sizeof value);
}
static inline pumice_argument pumice_argument_i64(int64_t value) {
  return pumice_argument_scalar(&value, sizeof value);
}
static inline pumice_argument pumice_argument_f32(float value) {
  return pumice_argument_scalar(&value, sizeof value);
}
static inline pumice_argument pumice_argument_f64(double value) {
  return pumice_argument_scalar(&value, sizeof value);
}

/* ---- 12 Timelines ------------------------------------------------------------------------------
 * A counter that only grows. Queues (section 10) and the host advance it and wait for it.
 */
PUMICE_API pumice_status pumice_timeline_create(pumice_device *device, uint64_t initial,
                                                pumice_timeline **timeline);
PUMICE_API pumice_status pumice_timeline_value(const pumice_timeline *timeline, uint64_t *value);
PUMICE_API pumice_status pumice_timeline_wait(pumice_timeline *timeline, uint64_t value,
                                              uint64_t timeout_nanoseconds);
PUMICE_API pumice_status pumice_timeline_signal(pumice_timeline *timeline, uint64_t value);

/* ---- 13 Profiles -------------------------------------------------------------------------------
 * What a queue with the option `profiling` measured.
 */
typedef int32_t pumice_profile_kind;
enum {
  PUMICE_PROFILE_LAUNCH = 0,
  PUMICE_PROFILE_COPY = 1,
  PUMICE_PROFILE_FILL = 2,
  PUMICE_PROFILE_UPLOAD = 3,
  PUMICE_PROFILE_DOWNLOAD = 4
};

typedef struct pumice_profile_record {
  size_t struct_size;
  pumice_profile_kind kind;
  const char *label;                 /* the kernel's name; lives as long as the profile */
  uint64_t device_begin, device_end; /* nanoseconds on the device's clock */
  uint64_t host_nanoseconds;         /* spent in the call that recorded it */
  uint64_t bytes;                    /* moved; 0 for launches */
} pumice_profile_record;

/* All work that is done and was not taken before, in order. */
PUMICE_API pumice_status pumice_queue_take_profile(pumice_queue *queue, pumice_profile **profile);
PUMICE_API size_t pumice_profile_count(const pumice_profile *profile);
PUMICE_API pumice_status pumice_profile_get(const pumice_profile *profile, size_t index,
                                            pumice_profile_record *record);

/* ---- 14 Compiling ------------------------------------------------------------------------------
 * The compiler is a library of its own (libpumice-compiler), loaded when first asked: from the file
 * that the environment variable PUMICE_COMPILER_LIBRARY names, else from beside this library. Where
 * it is missing, only this section is PUMICE_UNSUPPORTED.
 */
enum { PUMICE_SOURCE_AUTO = 0, PUMICE_SOURCE_MLIR = 1, PUMICE_SOURCE_SPIRV = 2 };
enum {
  PUMICE_ADDRESSING_AUTO = 0,
  PUMICE_ADDRESSING_PHYSICAL = 1,
  PUMICE_ADDRESSING_DESCRIPTORS = 2
};

/* The code of kernels on its way to SPIR-V, to look at: "tiles" and "loops" (of Triton's kernels),
 * "lanes", "gpu" and "spirv" (the dialects), in this order for each target. A stage may come in
 * several texts, which follow each other; those until an error come, too. Texts may change. */
typedef void (*pumice_stage_callback)(void *user, const char *stage, const char *text,
                                      size_t bytes);

typedef struct pumice_compile_options {
  size_t struct_size;
  const char *source_name;       /* in diagnostics and the executable; NULL: "kernel" */
  uint32_t source_kind;          /* PUMICE_SOURCE_…; AUTO knows SPIR-V by its first word */
  uint32_t addressing;           /* PUMICE_ADDRESSING_…: how kernels reach buffers */
  uint32_t index_bits;           /* of MLIR's index type: 32 or 64; 0: 32 */
  uint32_t native_matrices;      /* 1: refuse matrix operations that a target lacks */
  pumice_device *const *devices; /* targets: these devices, */
  size_t device_count;
  const char *const
      *targets;        /* and these: a name ("rdna3"), the text of a #vk.target_env, a file of */
  size_t target_count; /* one or of vulkaninfo, JSON text, or "device:ID" */
  pumice_text_callback diagnostics; /* takes warnings and errors, with their places; may be NULL */
  void *diagnostics_user;
  pumice_stage_callback stage; /* of MLIR: takes the code on its way; may be NULL */
  void *stage_user;
} pumice_compile_options;

/* MLIR text (gpu modules), or a SPIR-V binary of compute shaders, into the bytes of an executable
 * with code for every target. A kernel of SPIR-V has as arguments its buffers, by set and binding,
 * then the members of its push constants; the binary is validated and otherwise left as it is.
 * When it fails, pumice_last_error has every diagnostic. */
PUMICE_API pumice_status pumice_compile(const void *source, size_t source_bytes,
                                        const pumice_compile_options *options,
                                        pumice_blob **executable);

/* Shows compilations that take longer than a second on the terminal of the standard error, one line
 * that changes once a second: kernel, stage, seconds. Off until a program asks for it; 0 turns it
 * off. The variable PUMICE_PROGRESS has the seconds, 0 for never. Thread-safe. */
PUMICE_API void pumice_show_progress(uint32_t on);

/* What a front end does for a kernel before or after pumice_compile, for that line: calls of the
 * library between the two functions, on this thread, are part of it. `begin` within `begin` names
 * the stage alone; each needs its `end`. */
PUMICE_API void pumice_begin_compilation(const char *kernel, const char *stage);
PUMICE_API void pumice_end_compilation(void);

enum { PUMICE_TEXT_SPIRV = 0, PUMICE_TEXT_LLVM_IR = 1, PUMICE_TEXT_ASSEMBLY = 2 };

/* The code in an executable, for the first of its targets that takes Vulkan's SPIR-V: that SPIR-V
 * as text, or what this machine's CPU makes of its first kernel. To look at; texts may change. */
PUMICE_API pumice_status pumice_code_text(const void *executable, size_t bytes, uint32_t form,
                                          pumice_blob **text);

#ifdef __cplusplus
}
#endif
