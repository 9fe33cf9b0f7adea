//===- queues.h - a part of pumice.h: queues, launches, timelines, profiles ---===//
#pragma once

#include "buffers.h"
#include "executables.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Makes a queue. */
PUMICE_API pumice_status pumice_queue_create(pumice_device *device,
                                             const pumice_queue_options *options, /* or NULL */
                                             pumice_queue **queue);
/* Copies from the host. `from` is read before the call returns. */
PUMICE_API pumice_status pumice_queue_upload(pumice_queue *queue, pumice_buffer *to,
                                             uint64_t to_offset, const void *from, uint64_t bytes);
/* Copies to the host. `to` holds the bytes once a later pumice_queue_finish, or a wait for a point
 * that the queue signals later, has returned PUMICE_OK, and must live until then. Where waits fail,
 * time-outs among them, it must live until the queue is released for the last time: when that
 * returns, nothing writes there any more, and what was not there yet is given up, unless a signal
 * or a callback that was recorded later tells of it. */
PUMICE_API pumice_status pumice_queue_download(pumice_queue *queue, void *to, pumice_buffer *from,
                                               uint64_t from_offset, uint64_t bytes);
/* Copies between buffers, or within one if the two ranges do not overlap. */
PUMICE_API pumice_status pumice_queue_copy(pumice_queue *queue, pumice_buffer *to,
                                           uint64_t to_offset, pumice_buffer *from,
                                           uint64_t from_offset, uint64_t bytes);
/* Repeats the low `pattern_bytes` (1, 2 or 4) of `pattern`. */
PUMICE_API pumice_status pumice_queue_fill(pumice_queue *queue, pumice_buffer *to, uint64_t offset,
                                           uint64_t bytes, uint32_t pattern,
                                           uint32_t pattern_bytes);
/* Lets what comes after it start when the timeline has reached the value. */
PUMICE_API pumice_status pumice_queue_wait(pumice_queue *queue, pumice_timeline *timeline,
                                           uint64_t value);
/* Brings the timeline to the value when everything before it is done. */
PUMICE_API pumice_status pumice_queue_signal(pumice_queue *queue, pumice_timeline *timeline,
                                             uint64_t value);
/* Calls `done` once everything before it is done, or has failed. Not called when this fails. */
PUMICE_API pumice_status pumice_queue_on_done(pumice_queue *queue, pumice_done_callback done,
                                              void *user);
/* Sends what is recorded to the device. */
PUMICE_API pumice_status pumice_queue_flush(pumice_queue *queue);
/* Returns when everything is done, with the first failure since the last call. */
PUMICE_API pumice_status pumice_queue_finish(pumice_queue *queue, uint64_t timeout_nanoseconds);
/* Returns PUMICE_OK, or PUMICE_DEVICE_LOST, with why: then it takes no more work (section 5). */
PUMICE_API pumice_status pumice_queue_health(const pumice_queue *queue);

/* ---- 11 Launches -------------------------------------------------------------------------------
 * One pumice_argument for each argument of the entry point, in order. Only read during the call.
 * Make them with the functions below, then set what else is needed.
 */
typedef struct pumice_argument {
  pumice_argument_kind kind;

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
/* Launches with this header's size of an argument. */
static inline pumice_status pumice_launch(pumice_queue *queue, pumice_function *function,
                                          const pumice_launch_options *options,
                                          const pumice_argument *arguments, size_t argument_count) {
  return pumice_launch_sized(queue, function, options, arguments, argument_count,
                             sizeof(pumice_argument));
}

/* Returns options for a grid. */
static inline pumice_launch_options pumice_groups(uint32_t x, uint32_t y, uint32_t z) {
  pumice_launch_options options = PUMICE_INIT(pumice_launch_options);
  options.groups[0] = x;
  options.groups[1] = y;
  options.groups[2] = z;
  return options;
}
/* Returns an argument: all of a buffer. */
static inline pumice_argument pumice_argument_buffer(pumice_buffer *buffer) {
  pumice_argument argument;
  memset(&argument, 0, sizeof argument);
  argument.kind = PUMICE_ARGUMENT_BUFFER;
  argument.buffer = buffer;
  argument.bytes = PUMICE_TO_END;
  return argument;
}
/* Returns an argument: a scalar or vector of up to 8 bytes, by value; longer ones must outlive the
 * launch call. */
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
/* Returns an argument of that type. */
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
/* Makes a timeline at `initial`. */
PUMICE_API pumice_status pumice_timeline_create(pumice_device *device, uint64_t initial,
                                                pumice_timeline **timeline);
/* Gets the value that is reached. */
PUMICE_API pumice_status pumice_timeline_value(const pumice_timeline *timeline, uint64_t *value);
/* Returns when the value is reached. */
PUMICE_API pumice_status pumice_timeline_wait(pumice_timeline *timeline, uint64_t value,
                                              uint64_t timeout_nanoseconds);
/* Sets the value from the host; it must be more than the one reached. */
PUMICE_API pumice_status pumice_timeline_signal(pumice_timeline *timeline, uint64_t value);

/* ---- 13 Profiles -------------------------------------------------------------------------------
 * What a queue with the option `profiling` measured.
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
  uint64_t host_nanoseconds;         /* spent in the call that recorded it */
  uint64_t bytes;                    /* moved; 0 for launches */
} pumice_profile_record;

/* Takes the records of all work that is done and was not taken before, in order. */
PUMICE_API pumice_status pumice_queue_take_profile(pumice_queue *queue, pumice_profile **profile);
/* Returns the number of records; 0 for NULL. */
PUMICE_API size_t pumice_profile_count(const pumice_profile *profile);
/* Gets a record. */
PUMICE_API pumice_status pumice_profile_get(const pumice_profile *profile, size_t index,
                                            pumice_profile_record *record);

#ifdef __cplusplus
}
#endif
