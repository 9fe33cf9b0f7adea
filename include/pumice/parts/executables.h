//===- executables.h - a part of pumice.h: executables, functions -----------===//
#pragma once

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 8 Executables -----------------------------------------------------------------------------
 * A .pumice file holds entry points (kernels as callers see them), each with code for one or more
 * kinds of device. Loading verifies the whole file, and chooses the best code that the device can
 * run.
 */
/* Loads an executable from memory. Copies the bytes. */
PUMICE_API pumice_status pumice_executable_load(pumice_device *device, const void *data,
                                                size_t bytes, pumice_executable **executable);
/* Loads an executable from a file. */
PUMICE_API pumice_status pumice_executable_load_file(pumice_device *device, const char *path,
                                                     pumice_executable **executable);

/* Writes the names of the kernels in an executable, without a device. A zero byte ends each. */
PUMICE_API pumice_status pumice_executable_names(const void *data, size_t bytes,
                                                 pumice_blob **names);

typedef struct pumice_entry_point_info {
  size_t struct_size;
  const char *name;
  uint32_t argument_count;
  uint32_t workgroup_size[3]; /* 0: set by the function's options */
  uint32_t workgroup_memory_bytes;
  uint32_t has_dynamic_memory; /* 1 if the function's options add workgroup memory */
  const char *target;          /* target of the chosen code: "rdna3" */
  const char *source_file;     /* the kernel's source; "" and 0 if it is unknown */
  uint32_t source_line;
  uint32_t reserved; /* zero */
} pumice_entry_point_info;

typedef enum pumice_argument_kind PUMICE_UINT32_ENUM {
  PUMICE_ARGUMENT_BUFFER = 0,
  PUMICE_ARGUMENT_SCALAR = 1
} pumice_argument_kind;
typedef enum pumice_access PUMICE_UINT32_ENUM {
  PUMICE_ACCESS_NONE = 0,
  PUMICE_ACCESS_READ = 1,
  PUMICE_ACCESS_WRITE = 2,
  PUMICE_ACCESS_READ_WRITE = 3
} pumice_access;
#define PUMICE_DYNAMIC INT64_MIN /* an extent, stride or offset that the launch sets */

typedef struct pumice_argument_info {
  size_t struct_size;
  const char *name;
  const char *element; /* "f32" */
  pumice_argument_kind kind;
  pumice_access access;
  uint32_t element_bytes; /* size of one component */
  uint32_t vector_width;  /* components of a vector; 1 for scalars */
  uint32_t alignment;     /* alignment of the address, in bytes */
  uint32_t rank;
  const int64_t *shape, *strides; /* in elements; PUMICE_DYNAMIC: set by the launch */
  int64_t offset;
} pumice_argument_info;

/* Returns the number of entry points; 0 for NULL. */
PUMICE_API size_t pumice_executable_entry_point_count(const pumice_executable *executable);
/* Describes an entry point. The strings live as long as the executable. */
PUMICE_API pumice_status pumice_executable_entry_point(const pumice_executable *executable,
                                                       size_t index, pumice_entry_point_info *info);
/* Describes an argument of an entry point. The strings, `shape` and `strides` live as long as the
 * executable. */
PUMICE_API pumice_status pumice_executable_argument(const pumice_executable *executable,
                                                    size_t entry_point, size_t argument,
                                                    pumice_argument_info *info);

/* ---- 9 Functions -------------------------------------------------------------------------------
 * A function is an entry point with all options that the device's own compiler needs. The same
 * options return the same function. Other options cause another compilation.
 */
typedef struct pumice_constant {
  uint32_t id;    /* the SpecId in the SPIR-V */
  uint32_t bytes; /* 1, 2, 4 or 8; booleans are 4 */
  uint64_t bits;  /* value in `bytes` bytes, or negative; wider values are rejected */
} pumice_constant;

typedef struct pumice_function_options {
  size_t struct_size;
  uint32_t workgroup_size[3];       /* if the entry point leaves it open */
  uint32_t dynamic_memory_bytes;    /* if it has dynamic workgroup memory */
  const pumice_constant *constants; /* the code's other specialization constants */
  size_t constant_count;
  /* 1: accesses outside the ranges that descriptors bind read zeros and write nothing. Accesses by
   * address are not checked. PUMICE_UNSUPPORTED if the device lacks this. */
  uint32_t robust_access;
  uint32_t reserved; /* must be zero */
} pumice_function_options;

/* Makes a function, and returns when the device's compiler is done. `name` may be NULL if the
 * executable has one entry point; `options` may be NULL. */
PUMICE_API pumice_status pumice_executable_function(pumice_executable *executable, const char *name,
                                                    const pumice_function_options *options,
                                                    pumice_function **function);

/* Starts to make a function on a thread of the library, and returns at once. An unknown name, wrong
 * options and errors of the device's compiler are reported by pumice_pending_function_wait. */
PUMICE_API pumice_status pumice_executable_begin_function(pumice_executable *executable,
                                                          const char *name,
                                                          const pumice_function_options *options,
                                                          pumice_pending_function **pending);
/* Waits until the function is made. Returns it with a reference, or returns the error that
 * prevented it. Several threads may wait, any number of times. With a timeout of 0, the call
 * returns at once, with PUMICE_DEADLINE_EXCEEDED if the function is not ready. Release `pending`
 * when you no longer need it. */
PUMICE_API pumice_status pumice_pending_function_wait(pumice_pending_function *pending,
                                                      uint64_t timeout_nanoseconds,
                                                      pumice_function **function);

#ifdef __cplusplus
}
#endif
