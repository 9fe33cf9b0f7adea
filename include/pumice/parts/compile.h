//===- compile.h - a part of pumice.h: compiling -----------------------------===//
#pragma once

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 14 Compiling ------------------------------------------------------------------------------
 * The compiler is a library of its own (libpumice-compiler), loaded when first asked: from the file
 * that the environment variable PUMICE_COMPILER_LIBRARY names, else from beside this library. Where
 * it is missing, only this section is PUMICE_UNSUPPORTED.
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

/* The code of kernels on its way to SPIR-V, to look at: "tiles" and "loops" (of Triton's kernels),
 * "lanes", "gpu" and "spirv" (the dialects), in this order for each target. A stage may come in
 * several texts, which follow each other; those until an error come, too. Texts may change. */
typedef void (*pumice_stage_callback)(void *user, const char *stage, const char *text,
                                      size_t bytes);

typedef struct pumice_compile_options {
  size_t struct_size;
  const char *source_name;        /* in diagnostics and the executable; NULL: "kernel" */
  pumice_source_kind source_kind; /* AUTO recognizes SPIR-V by its first word */
  pumice_addressing addressing;   /* how kernels reach buffers */
  uint32_t index_bits;            /* of MLIR's index type: 32 or 64; 0: 32 */
  uint32_t native_matrices;       /* 1: refuse matrix operations that a target lacks */
  pumice_device *const *devices;  /* targets: these devices, */
  size_t device_count;
  const char *const
      *targets;        /* and these: a name ("rdna3"), the text of a #vk.target_env, a file of */
  size_t target_count; /* one or of vulkaninfo, JSON text, or "device:ID" */
  pumice_text_callback diagnostics; /* takes warnings and errors, with their places; may be NULL */
  void *diagnostics_user;
  pumice_stage_callback stage; /* of MLIR: takes the code on its way; may be NULL */
  void *stage_user;
} pumice_compile_options;

/* Compiles MLIR text (gpu modules), or a SPIR-V binary of compute shaders, into the bytes of an
 * executable with code for every target. A kernel of SPIR-V has as arguments its buffers, by set
 * and binding, then the members of its push constants; the binary is validated and otherwise left
 * as it is. When it fails, pumice_last_error has every diagnostic. */
PUMICE_API pumice_status pumice_compile(const void *source, size_t source_bytes,
                                        const pumice_compile_options *options,
                                        pumice_blob **executable);

/* Shows compilations that take longer than a second on the terminal of the standard error, one line
 * that changes once a second: kernel, stage, seconds. Off until a program asks for it; 0 turns it
 * off. The variable PUMICE_PROGRESS has the seconds, 0 for never. Thread-safe. */
PUMICE_API void pumice_show_progress(uint32_t on);

/* Names what a front end does for a kernel before or after pumice_compile, for that line. Calls of
 * the library between the two functions, on this thread, are part of it. `begin` within `begin`
 * names the stage alone; each needs its `end`. */
PUMICE_API void pumice_begin_compilation(const char *kernel, const char *stage);
PUMICE_API void pumice_end_compilation(void);

typedef enum pumice_text_form PUMICE_UINT32_ENUM {
  PUMICE_TEXT_SPIRV = 0,
  PUMICE_TEXT_LLVM_IR = 1,
  PUMICE_TEXT_ASSEMBLY = 2
} pumice_text_form;

/* Writes the code in an executable, for the first of its targets that takes Vulkan's SPIR-V. It is
 * that SPIR-V as text, or what this machine's CPU makes of its first kernel. Texts may change. */
PUMICE_API pumice_status pumice_code_text(const void *executable, size_t bytes,
                                          pumice_text_form form, pumice_blob **text);

#ifdef __cplusplus
}
#endif
