//===- base.h - a part of pumice.h: status, handles, callbacks --------------===//
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- 1 Building ------------------------------------------------------------------------------
 * A program that links the static library defines PUMICE_STATIC on Windows. To give the library's
 * symbols other attributes, define PUMICE_API before you include the header.
 *
 * Structures that may grow start with `struct_size`, which must be sizeof the structure.
 * PUMICE_INIT sets it, and sets all other fields to zero, which means the default:
 *
 *   pumice_queue_options options = PUMICE_INIT(pumice_queue_options);
 *
 * The library reads and writes no more than `struct_size` bytes, and takes fields beyond them as
 * zeros. So programs that were compiled against an older header go on working. A newer program that
 * sets a field which this library does not have gets PUMICE_UNSUPPORTED. Fields are only added, at
 * the end or in the place of a `reserved` field, which older libraries require to be zero. A
 * structure never ends in padding, so each field added at the end changes its size. Structures
 * without `struct_size`, and the numbers of enums, never change. pumice_argument comes in arrays;
 * it may grow, since each launch passes its size. PUMICE_ABI_VERSION changes if any of this
 * changes.
 */

#ifndef PUMICE_API
#if !defined(_WIN32)
#define PUMICE_API __attribute__((visibility("default")))
#elif defined(PUMICE_BUILDING)
#define PUMICE_API __declspec(dllexport)
#elif defined(PUMICE_STATIC)
#define PUMICE_API
#else
#define PUMICE_API __declspec(dllimport)
#endif
#endif

/* Enumerations have 32 bits in every language. A newer library may return newer numbers. */
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define PUMICE_INT32_ENUM : int32_t
#define PUMICE_UINT32_ENUM : uint32_t
#else
#define PUMICE_INT32_ENUM
#define PUMICE_UINT32_ENUM
#endif

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

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 2 Status ----------------------------------------------------------------------------------
 * Functions that can fail return a status, and write their results through pointers. When they
 * fail, they set these results to NULL or 0. Nothing throws, aborts or prints.
 */
typedef enum pumice_status PUMICE_INT32_ENUM {
  PUMICE_OK = 0,
  PUMICE_INVALID_ARGUMENT = 1,   /* the value is wrong on every device */
  PUMICE_NOT_FOUND = 2,          /* something with this name does not exist */
  PUMICE_UNSUPPORTED = 3,        /* valid, but this device, file or build cannot do it */
  PUMICE_DATA_CORRUPT = 4,       /* bytes that are not in the format that was expected */
  PUMICE_RESOURCE_EXHAUSTED = 5, /* out of memory, descriptors or address space */
  PUMICE_DEVICE_LOST = 6,        /* the device stopped answering; other devices keep working */
  PUMICE_DEADLINE_EXCEEDED = 7,  /* a wait reached its timeout */
  PUMICE_INTERNAL = 8,           /* a bug in Pumice */
  PUMICE_INVALID_ACCESS = 9      /* a kernel accessed memory that it must not access */
} pumice_status;

/* Returns the name of a status, such as "invalid argument". Returns "unknown status" for numbers
 * that this build does not know.
 */
PUMICE_API const char *pumice_status_name(pumice_status status);

/* Returns the message of the last function that failed on this thread: the place, the value and a
 * solution. The text is valid until the next failure on this thread; calls that succeed do not
 * change it. It is never NULL. */
PUMICE_API const char *pumice_last_error(void);

/* Sets the message of this thread's last failure, and returns `status`. Code that is layered over
 * the library, such as exported launchers, reports its own failures with it. NULL is an empty
 * message. With PUMICE_OK it changes nothing. */
PUMICE_API pumice_status pumice_fail(pumice_status status, const char *message);

/* ---- 3 Handles ---------------------------------------------------------------------------------
 * Objects are reference-counted. The function that makes an object gives the caller one reference.
 * Each `retain` adds a reference and each `release` removes one; both accept NULL. Objects made
 * from an object, and work in flight, keep it alive. So handles may be released in any order, as
 * soon as no later call uses them.
 *
 * All other functions reject NULL handles, and handles of another kind, with
 * PUMICE_INVALID_ARGUMENT. A handle must not be used after its last release.
 */
typedef struct pumice_device_list pumice_device_list;
typedef struct pumice_device pumice_device;
typedef struct pumice_buffer pumice_buffer;
typedef struct pumice_executable pumice_executable;
typedef struct pumice_function pumice_function;
typedef struct pumice_pending_function pumice_pending_function;
typedef struct pumice_queue pumice_queue;
typedef struct pumice_timeline pumice_timeline;
typedef struct pumice_profile pumice_profile;
typedef struct pumice_graph pumice_graph;
typedef struct pumice_blob pumice_blob; /* bytes that the library made */

/* Releases the list, which has a single reference. */
PUMICE_API void pumice_device_list_release(pumice_device_list *list);
/* Adds a reference to the device. */
PUMICE_API void pumice_device_retain(pumice_device *device);
/* Removes a reference to the device. */
PUMICE_API void pumice_device_release(pumice_device *device);
/* Adds a reference to the buffer. */
PUMICE_API void pumice_buffer_retain(pumice_buffer *buffer);
/* Removes a reference to the buffer. */
PUMICE_API void pumice_buffer_release(pumice_buffer *buffer);
/* Adds a reference to the executable. */
PUMICE_API void pumice_executable_retain(pumice_executable *executable);
/* Removes a reference to the executable. */
PUMICE_API void pumice_executable_release(pumice_executable *executable);
/* Adds a reference to the function. */
PUMICE_API void pumice_function_retain(pumice_function *function);
/* Removes a reference to the function. */
PUMICE_API void pumice_function_release(pumice_function *function);
/* Releases the pending function, which has a single reference. */
PUMICE_API void pumice_pending_function_release(pumice_pending_function *pending);
/* Adds a reference to the queue. */
PUMICE_API void pumice_queue_retain(pumice_queue *queue);
/* Removes a reference to the queue. The queue's work still runs to completion. */
PUMICE_API void pumice_queue_release(pumice_queue *queue);
/* Adds a reference to the timeline. */
PUMICE_API void pumice_timeline_retain(pumice_timeline *timeline);
/* Removes a reference to the timeline. */
PUMICE_API void pumice_timeline_release(pumice_timeline *timeline);
/* Releases the profile, which has a single reference. */
PUMICE_API void pumice_profile_release(pumice_profile *profile);
/* Adds a reference to the graph. */
PUMICE_API void pumice_graph_retain(pumice_graph *graph);
/* Removes a reference to the graph. Its replays still run to completion. */
PUMICE_API void pumice_graph_release(pumice_graph *graph);
/* Releases the blob, which has a single reference. */
PUMICE_API void pumice_blob_release(pumice_blob *blob);

/* Returns the bytes, or NULL for a NULL blob. A text ends with a zero byte that pumice_blob_size
 * does not count. */
PUMICE_API const void *pumice_blob_data(const pumice_blob *blob);
/* Returns the number of bytes; 0 for NULL. */
PUMICE_API size_t pumice_blob_size(const pumice_blob *blob);

/* ---- 4 Callbacks -------------------------------------------------------------------------------
 * A callback gets the caller's `user` pointer back. It may run on any thread that calls the
 * library, or on a thread of the library. It must not call the queue that it belongs to. It may
 * release that queue, even for the last time: the queue is destroyed once the call that runs the
 * callback has ended.
 */
typedef void (*pumice_text_callback)(void *user, const char *text, size_t bytes);
typedef void (*pumice_done_callback)(void *user, pumice_status status, const char *message);
typedef void (*pumice_time_callback)(void *user, pumice_status status, const char *message,
                                     uint64_t nanoseconds);
typedef void (*pumice_release_callback)(void *user);

/* Levels of messages. */
typedef enum pumice_log_level PUMICE_INT32_ENUM {
  PUMICE_LOG_ERROR = 0,   /* a device was lost */
  PUMICE_LOG_WARNING = 1, /* a driver did not start; a message from Vulkan's validation layer */
  PUMICE_LOG_INFO = 2     /* a lost device was opened again */
} pumice_log_level;

typedef void (*pumice_log_callback)(void *user, pumice_log_level level, const char *text,
                                    size_t bytes);

/* Sets the function that gets messages which no call could return. It may be called on any thread,
 * and must not call Pumice. After this returns, the earlier callback is not called any more. NULL
 * is the default: messages of the validation layer go to standard error, and other messages are
 * dropped. */
PUMICE_API void pumice_set_log_callback(pumice_log_callback log, void *user);

/* Allocates and frees the host memory in which the CPU device computes: that of its buffers, of
 * workgroups, and of uploads in flight. Both functions may be called on any thread, and must not
 * call Pumice. */
typedef struct pumice_host_allocator {
  size_t struct_size;
  void *user; /* handed back to both functions */
  /* Returns `bytes` at a multiple of `alignment`, a power of two; NULL if no memory is left. */
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*release)(void *user, void *memory);
} pumice_host_allocator;

/* Replaces the system's allocator for the whole process. Call it before the first device is opened:
 * it fails once memory was allocated. Small objects of the library use C++'s operator new. Buffers
 * with guard pages (PUMICE_CPU_GUARDS) are pages of the system. */
PUMICE_API pumice_status pumice_set_host_allocator(const pumice_host_allocator *allocator);

/* The C standard leaves the size of an enumeration to the compiler. The library does not support
 * code that was compiled with -fshort-enums. */
typedef char pumice_enums_have_32_bits[sizeof(pumice_status) == 4 ? 1 : -1];

#ifdef __cplusplus
}
#endif
