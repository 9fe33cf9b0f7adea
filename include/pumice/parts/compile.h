//===- compile.h - a part of pumice.h: compiling ----------------------------===//
#pragma once

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 14 Compiling ------------------------------------------------------------------------------
 * The compiler is a separate library (libpumice-compiler), which is loaded on first use. It is
 * loaded from the file that the environment variable PUMICE_COMPILER_LIBRARY names, or else from
 * this library's folder. If it is missing, only the functions of this section return
 * PUMICE_UNSUPPORTED.
 */
typedef enum pumice_source_kind PUMICE_UINT32_ENUM {
  PUMICE_SOURCE_AUTO = 0,
  PUMICE_SOURCE_MLIR = 1,
  PUMICE_SOURCE_SPIRV = 2
} pumice_source_kind;
typedef enum pumice_addressing PUMICE_UINT32_ENUM {
  PUMICE_ADDRESSING_AUTO = 0,
  PUMICE_ADDRESSING_PHYSICAL = 1,
  PUMICE_ADDRESSING_DESCRIPTORS = 2
} pumice_addressing;
/* Who writes the modules of OpenCL targets: MLIR's serializer, or LLVM's SPIR-V backend. */
typedef enum pumice_route PUMICE_UINT32_ENUM {
  PUMICE_ROUTE_SPIRV = 0,
  PUMICE_ROUTE_LLVM = 1
} pumice_route;

/* Receives the code of kernels after a stage of their compilation. Stages are "tiles" and "loops"
 * (Triton kernels only), "lanes", "gpu" and "spirv" (the dialects), in this order for each target.
 * A stage may come in several consecutive texts. If a later stage fails, the earlier texts have
 * already come. The form of the texts may change. */
typedef void (*pumice_stage_callback)(void *user, const char *stage, const char *text,
                                      size_t bytes);

typedef struct pumice_compile_options {
  size_t struct_size;
  const char *source_name;        /* name in diagnostics and the executable; NULL: "kernel" */
  pumice_source_kind source_kind; /* AUTO recognizes SPIR-V by its first word */
  pumice_addressing addressing;   /* how kernels reach buffers */
  uint32_t index_bits;            /* width of MLIR's index type: 32 or 64; 0: 32 */
  uint32_t native_matrices;       /* 1: reject matrix operations that a target lacks */
  pumice_device *const *devices;  /* the targets are these devices */
  size_t device_count;
  const char *const
      *targets; /* and these texts: a name ("rdna3"), the text of a #vk.target_env, a file with */
  size_t target_count;              /* such a text or vulkaninfo JSON, JSON text, or "device:ID" */
  pumice_text_callback diagnostics; /* takes warnings and errors, with lines; may be NULL */
  void *diagnostics_user;
  pumice_stage_callback stage; /* for MLIR: takes the code after each stage; may be NULL */
  void *stage_user;
  pumice_route route; /* for OpenCL targets */
  uint32_t reserved;  /* zero */
} pumice_compile_options;

/* Compiles MLIR text (gpu modules), or a SPIR-V binary of compute shaders. The result is the bytes
 * of an executable with code for every target. A SPIR-V kernel's arguments are its buffers, by set
 * and binding, then the members of its push constants. The binary is validated but not changed.
 * After a failure, pumice_last_error has every diagnostic. */
PUMICE_API pumice_status pumice_compile(const void *source, size_t source_bytes,
                                        const pumice_compile_options *options,
                                        pumice_blob **executable);

/* Shows compilations that take longer than a second on standard error, if that is a terminal. The
 * line shows kernel, stage and seconds, and changes once a second. This is off by default; 0 turns
 * it off again. The environment variable PUMICE_PROGRESS sets the seconds to wait; 0 means never.
 * Thread-safe. */
PUMICE_API void pumice_show_progress(uint32_t on);

/* Names what a front end does for a kernel before or after pumice_compile, so that the progress
 * line shows it. Calls of the library between the two functions, on this thread, belong to the same
 * line. A nested `begin` only changes the stage. Each `begin` needs its `end`. */
PUMICE_API void pumice_begin_compilation(const char *kernel, const char *stage);
/* Ends the last pumice_begin_compilation of this thread that is still open. Does nothing if all of
 * them have ended. */
PUMICE_API void pumice_end_compilation(void);

typedef enum pumice_text_form PUMICE_UINT32_ENUM {
  PUMICE_TEXT_SPIRV = 0,
  PUMICE_TEXT_LLVM_IR = 1,
  PUMICE_TEXT_ASSEMBLY = 2
} pumice_text_form;

/* Writes the code in an executable, for its first target that takes Vulkan's SPIR-V. The text is
 * that SPIR-V, or the code that this machine's CPU compiler makes of its first kernel. The form of
 * the texts may change. */
PUMICE_API pumice_status pumice_code_text(const void *executable, size_t bytes,
                                          pumice_text_form form, pumice_blob **text);

/* The bytes of a file. */
typedef struct pumice_bytes {
  const void *data;
  size_t size;
} pumice_bytes;

/* Receives one file of an export. The name has no folder, and ends with a zero byte. */
typedef void (*pumice_file_callback)(void *user, const char *name, const void *data, size_t bytes);

/* Writes executables as C or C++: a header with one typed function for each kernel, its source, the
 * bytes, a CMakeLists.txt, and a file for pkg-config. `plan` is JSON, which docs/ship.md describes;
 * {"name": "softmax", "language": "c"} exports every kernel. After a failure, `file` has not been
 * called. */
PUMICE_API pumice_status pumice_export(const char *plan, const pumice_bytes *executables,
                                       size_t executable_count, pumice_file_callback file,
                                       void *user);

#ifdef __cplusplus
}
#endif
