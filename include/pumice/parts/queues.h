//===- queues.h - part of pumice.h: queues, launches, timelines, graphs ------===//
#pragma once

#include "buffers.h"
#include "executables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 10 Queues ---------------------------------------------------------------------------------
 * A queue behaves as if each operation ran after the one before it. Only operations that share
 * buffers really wait for each other. Operations go to the device in batches: when a batch is full,
 * when the device is idle, when the host waits, and on flush. The next wait reports what failed on
 * the device. Only timelines order two queues of the same device.
 */
typedef struct pumice_queue_options {
  size_t struct_size;
  uint32_t profiling; /* 1: measure each operation (section 13) */
  uint32_t reserved;  /* must be zero */
} pumice_queue_options;

#define PUMICE_FOREVER UINT64_MAX /* a timeout, in nanoseconds, that never expires */
#define PUMICE_TO_END UINT64_MAX  /* as a number of bytes: up to the end of the buffer */

/* Makes a queue. */
PUMICE_API pumice_status pumice_queue_create(pumice_device *device,
                                             const pumice_queue_options *options, /* may be NULL */
                                             pumice_queue **queue);
/* Copies from the host. The call reads `from` before it returns. */
PUMICE_API pumice_status pumice_queue_upload(pumice_queue *queue, pumice_buffer *to,
                                             uint64_t to_offset, const void *from, uint64_t bytes);
/* Copies to the host. `to` must live until a later wait has returned PUMICE_OK. Then it holds the
 * bytes. The wait can be pumice_queue_finish, or a wait for a point that this queue signals after
 * the copy.
 *
 * If such a wait fails, even by a timeout, `to` must live until the last release of the queue has
 * returned. After that release, nothing writes to `to`, and a pending copy is dropped. The copy
 * still happens if the queue recorded a signal or a callback after it. */
PUMICE_API pumice_status pumice_queue_download(pumice_queue *queue, void *to, pumice_buffer *from,
                                               uint64_t from_offset, uint64_t bytes);
/* Copies between buffers, or within one if the two ranges do not overlap. */
PUMICE_API pumice_status pumice_queue_copy(pumice_queue *queue, pumice_buffer *to,
                                           uint64_t to_offset, pumice_buffer *from,
                                           uint64_t from_offset, uint64_t bytes);
/* Fills the range with the low `pattern_bytes` bytes (1, 2 or 4) of `pattern`, repeated. */
PUMICE_API pumice_status pumice_queue_fill(pumice_queue *queue, pumice_buffer *to, uint64_t offset,
                                           uint64_t bytes, uint32_t pattern,
                                           uint32_t pattern_bytes);
/* Makes later work of the queue wait until the timeline has reached the value. */
PUMICE_API pumice_status pumice_queue_wait(pumice_queue *queue, pumice_timeline *timeline,
                                           uint64_t value);
/* Sets the timeline to the value when all earlier work of the queue is done. */
PUMICE_API pumice_status pumice_queue_signal(pumice_queue *queue, pumice_timeline *timeline,
                                             uint64_t value);
/* Calls `done` when all earlier work of the queue is done or has failed. If this function fails,
 * `done` is not called. */
PUMICE_API pumice_status pumice_queue_on_done(pumice_queue *queue, pumice_done_callback done,
                                              void *user);
/* Calls `done` as pumice_queue_on_done does, and passes the time at which all earlier work was
 * done. The drivers "vulkan" and "cpu" take it from the device's clock, as profiles do (section
 * 13). For other drivers, and devices without timestamps, it is when the host noticed, on the
 * host's clock. If the work has failed, the time is 0. */
PUMICE_API pumice_status pumice_queue_on_time(pumice_queue *queue, pumice_time_callback done,
                                              void *user);
/* Sends the recorded work to the device. */
PUMICE_API pumice_status pumice_queue_flush(pumice_queue *queue);
/* Lets the recorded work begin soon: at once if the device has little to do, otherwise once it has.
 * Call it after each launch if more launches may follow, and nobody waits yet. */
PUMICE_API pumice_status pumice_queue_let_begin(pumice_queue *queue);
/* Waits until all work of the queue is done. Returns the first failure since the last call. If
 * several threads wait, one of them gets a failure of the work, but all of them get
 * PUMICE_DEVICE_LOST if the device was lost. */
PUMICE_API pumice_status pumice_queue_finish(pumice_queue *queue, uint64_t timeout_nanoseconds);
/* Returns PUMICE_OK, or PUMICE_DEVICE_LOST with the reason. A lost queue accepts no more work
 * (section 5). */
PUMICE_API pumice_status pumice_queue_health(const pumice_queue *queue);

/* ---- 11 Launches -------------------------------------------------------------------------------
 * A launch takes one pumice_argument for each argument of the entry point, in order, and reads them
 * only during the call. Make arguments with the functions below, then set further members if
 * needed.
 */
typedef struct pumice_argument {
  pumice_argument_kind kind;

  /* For scalars, and for vectors element by element: the little-endian bytes of the argument, in
   * `value` or at `data`. An index may have 4 bytes (signed) or 8. A boolean may have 1 byte or 4,
   * and is true if any bit is set. */
  uint32_t size; /* number of bytes */
  uint64_t value;
  const void *data;

  /* For buffers: `bytes` bytes from byte `offset` on. The buffer may be NULL if the kernel never
   * accesses it. Shape and strides are needed only if the entry point leaves more than one extent
   * open. A single open extent follows from the size of the range. Missing strides are row-major.
   */
  pumice_buffer *buffer;
  uint64_t offset, bytes;         /* PUMICE_TO_END: up to the end */
  const int64_t *shape, *strides; /* in elements */
  int64_t element_offset;
  uint32_t rank, reserved; /* length of shape and strides; zero */
} pumice_argument;

/* A range of memory that an argument of a launch may access. */
typedef struct pumice_memory_range {
  const void *begin;
  uint64_t bytes;
  uint32_t argument; /* the index of the argument */
  uint32_t reserved; /* must be zero */
} pumice_memory_range;

/* Writes up to `capacity` ranges, and returns how many ranges exist. */
typedef size_t (*pumice_memory_callback)(void *user, pumice_memory_range *ranges, size_t capacity);

typedef struct pumice_launch_options {
  size_t struct_size;
  uint32_t groups[3];         /* workgroups along x, y and z; if one is 0, nothing runs */
  uint32_t print_bytes;       /* space for gpu.printf output of one launch; 0: 1 MiB */
  pumice_text_callback print; /* takes that output; NULL: standard output */
  void *print_user;
  /* Lists the memory of arguments whose buffers do not describe it. The CPU device calls this when
   * an access of the kernel is out of bounds, on any thread, until the launch is done. NULL: the
   * buffers describe it.
   */
  pumice_memory_callback memory;
  void *memory_user;
} pumice_launch_options;

/* Checks the arguments against the entry point, and records the launch. `argument_bytes` is the
 * caller's sizeof(pumice_argument), the distance between two arguments. */
PUMICE_API pumice_status pumice_launch_sized(pumice_queue *queue, pumice_function *function,
                                             const pumice_launch_options *options,
                                             const pumice_argument *arguments,
                                             size_t argument_count, size_t argument_bytes);
/* Launches with the argument size of this header. */
static inline pumice_status pumice_launch(pumice_queue *queue, pumice_function *function,
                                          const pumice_launch_options *options,
                                          const pumice_argument *arguments, size_t argument_count) {
  return pumice_launch_sized(queue, function, options, arguments, argument_count,
                             sizeof(pumice_argument));
}

/* Returns launch options for a grid. */
static inline pumice_launch_options pumice_groups(uint32_t x, uint32_t y, uint32_t z) {
  pumice_launch_options options = PUMICE_INIT(pumice_launch_options);
  options.groups[0] = x;
  options.groups[1] = y;
  options.groups[2] = z;
  return options;
}
/* Returns an argument that is a whole buffer. */
static inline pumice_argument pumice_argument_buffer(pumice_buffer *buffer) {
  pumice_argument argument;
  memset(&argument, 0, sizeof argument);
  argument.kind = PUMICE_ARGUMENT_BUFFER;
  argument.buffer = buffer;
  argument.bytes = PUMICE_TO_END;
  return argument;
}
/* Returns an argument that is a scalar or vector. Up to 8 bytes are copied; longer values must
 * outlive the launch call. */
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
/* Returns a scalar argument: a signed integer of 32 bits. */
static inline pumice_argument pumice_argument_i32(int32_t value) {
  return pumice_argument_scalar(&value, sizeof value);
}
/* Returns a scalar argument: a signed integer of 64 bits. */
static inline pumice_argument pumice_argument_i64(int64_t value) {
  return pumice_argument_scalar(&value, sizeof value);
}
/* Returns a scalar argument: a float of 32 bits. */
static inline pumice_argument pumice_argument_f32(float value) {
  return pumice_argument_scalar(&value, sizeof value);
}
/* Returns a scalar argument: a float of 64 bits. */
static inline pumice_argument pumice_argument_f64(double value) {
  return pumice_argument_scalar(&value, sizeof value);
}

/* ---- 12 Timelines ------------------------------------------------------------------------------
 * A timeline is a counter that only grows. Queues (section 10) and the host advance it and wait for
 * it.
 */
/* Makes a timeline that starts at `initial`. */
PUMICE_API pumice_status pumice_timeline_create(pumice_device *device, uint64_t initial,
                                                pumice_timeline **timeline);
/* Gets the value that the timeline has reached. */
PUMICE_API pumice_status pumice_timeline_value(const pumice_timeline *timeline, uint64_t *value);
/* Waits until the timeline has reached the value. */
PUMICE_API pumice_status pumice_timeline_wait(pumice_timeline *timeline, uint64_t value,
                                              uint64_t timeout_nanoseconds);
/* Sets the value from the host. It must be greater than the current value. */
PUMICE_API pumice_status pumice_timeline_signal(pumice_timeline *timeline, uint64_t value);

/* ---- 13 Profiles -------------------------------------------------------------------------------
 * A profile holds the measurements of a queue with the option `profiling`.
 */
typedef enum pumice_profile_kind PUMICE_INT32_ENUM {
  PUMICE_PROFILE_LAUNCH = 0,
  PUMICE_PROFILE_COPY = 1,
  PUMICE_PROFILE_FILL = 2,
  PUMICE_PROFILE_UPLOAD = 3,
  PUMICE_PROFILE_DOWNLOAD = 4
} pumice_profile_kind;

typedef struct pumice_profile_record {
  size_t struct_size;
  pumice_profile_kind kind;
  const char *label;                 /* the kernel's name; lives as long as the profile */
  uint64_t device_begin, device_end; /* nanoseconds on the device's clock */
  uint64_t host_nanoseconds;         /* host time of the call that recorded the operation */
  uint64_t bytes;                    /* bytes copied; 0 for launches */
} pumice_profile_record;

/* Takes the records of all work that is done, in order, except those already taken. */
PUMICE_API pumice_status pumice_queue_take_profile(pumice_queue *queue, pumice_profile **profile);
/* Returns the number of records; 0 for NULL. */
PUMICE_API size_t pumice_profile_count(const pumice_profile *profile);
/* Gets a record. */
PUMICE_API pumice_status pumice_profile_get(const pumice_profile *profile, size_t index,
                                            pumice_profile_record *record);

/* ---- 16 Graphs ---------------------------------------------------------------------------------
 * A graph is work of a queue that can run again. While a queue captures, its launches, copies,
 * fills and uploads become part of a graph, and do not run. A replay runs all of them in order,
 * with the same buffers and parameters. Vulkan's devices record the work once, and submit it at
 * once for each replay.
 */
/* Begins a capture. Until it ends, the queue rejects downloads, waits, signals, callbacks, replays,
 * and launches of kernels that print. The graph keeps the bytes of uploads. */
PUMICE_API pumice_status pumice_queue_begin_capture(pumice_queue *queue);
/* Ends the capture. Gets the graph, which keeps all buffers and functions that it uses. If a call
 * of the capture failed, returns its error. If `graph` is NULL, the captured work is dropped. */
PUMICE_API pumice_status pumice_queue_end_capture(pumice_queue *queue, pumice_graph **graph);
/* Runs a graph of the queue's device after the queue's earlier work. Vulkan's queues submit both at
 * once. A graph may be replayed on any queue of the device, even before its last replay is done. */
PUMICE_API pumice_status pumice_queue_replay(pumice_queue *queue, pumice_graph *graph);
/* Returns the number of launches, copies and fills in the graph; 0 for NULL. */
PUMICE_API size_t pumice_graph_size(const pumice_graph *graph);

#ifdef __cplusplus
}
#endif
