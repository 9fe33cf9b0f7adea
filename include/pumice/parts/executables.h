//===- executables.h - a part of pumice.h: executables, functions ------------===//
#pragma once

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 8 Executables -----------------------------------------------------------------------------
 * A .pumice file holds entry points (kernels as callers see them), each with code for one or more
 * kinds of device. Loading verifies all of it, and chooses the best code that the device can run.
 */
/* Loads an executable from memory, which it copies, or from a file. */
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
#define PUMICE_DYNAMIC INT64_MIN /* an extent, stride or offset that the launch says */

typedef struct pumice_argument_info {
  size_t struct_size;
  const char *name;
  const char *element; /* "f32" */
  pumice_argument_kind kind;
  pumice_access access;
  uint32_t element_bytes; /* of one component */
  uint32_t vector_width;  /* components of a vector; 1 for scalars */
  uint32_t alignment;     /* of the address, in bytes */
  uint32_t rank;
  const int64_t *shape, *strides; /* in elements, PUMICE_DYNAMIC where the launch says it */
  int64_t offset;
} pumice_argument_info;

/* Describes entry points and their arguments. Pointers in the answers live as long as the
 * executable. */
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

/* Makes a function, and returns when the device's compiler is done. `name` may be NULL if there is
 * one entry point; `options` may be NULL. */
PUMICE_API pumice_status pumice_executable_function(pumice_executable *executable, const char *name,
                                                    const pumice_function_options *options,
                                                    pumice_function **function);

/* Begins to make a function, on a thread of the library, and returns at once. Wrong options fail
 * here; what the device's compiler reports comes from the wait. */
PUMICE_API pumice_status pumice_executable_begin_function(pumice_executable *executable,
                                                          const char *name,
                                                          const pumice_function_options *options,
                                                          pumice_pending_function **pending);
/* Returns when the function is made, with a reference to it, or with the reason why it is not.
 * Several threads may wait, and each may wait again. A timeout of 0 asks whether it is done:
 * PUMICE_DEADLINE_EXCEEDED if it is not. Who has no use for the function releases `pending`. */
PUMICE_API pumice_status pumice_pending_function_wait(pumice_pending_function *pending,
                                                      uint64_t timeout_nanoseconds,
                                                      pumice_function **function);

#ifdef __cplusplus
}
#endif
