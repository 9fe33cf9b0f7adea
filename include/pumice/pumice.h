//===- pumice.h - Pumice's C API: run GPU kernels on whatever is there ------===//
/* This header, with its parts, is the manual. It is C99 and C++; pumice.hpp is a thin C++ layer
 * over it, and pumice_vulkan.h shares objects with applications that use Vulkan.
 *
 *   1  Building            8  Executables
 *   2  Status              9  Functions
 *   3  Handles            10  Queues
 *   4  Callbacks          11  Launches
 *   5  Devices            12  Timelines
 *   6  Buffers            13  Profiles
 *   7  DLPack             14  Compiling
 *                       15  Versions
 *                       16  Graphs
 *
 * To run a kernel, open a device, and load an executable (a .pumice file) on it. Get a function
 * from the executable. Launch the function on a queue, with buffers and scalars as arguments. A
 * queue accepts work and returns at once; pumice_queue_finish waits for the work.
 *
 * Every function is thread-safe, even if several threads use the same handles.
 */
#pragma once

// clang-format off: the order of the manual
#include "parts/base.h"
#include "parts/devices.h"
#include "parts/buffers.h"
#include "parts/executables.h"
#include "parts/queues.h"
#include "parts/compile.h"
// clang-format on

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 15 Versions -------------------------------------------------------------------------------
 * PUMICE_ABI_VERSION changes if programs that were compiled against an older header would break.
 */

/* Only these lines define the version: the build and the Python package read them. */
#define PUMICE_VERSION_MAJOR 0
#define PUMICE_VERSION_MINOR 2
#define PUMICE_VERSION_PATCH 0
/* The header's version as one number. Programs compare it with PUMICE_MAKE_VERSION(0, 2, 0). */
#define PUMICE_VERSION                                                                             \
  PUMICE_MAKE_VERSION(PUMICE_VERSION_MAJOR, PUMICE_VERSION_MINOR, PUMICE_VERSION_PATCH)
#define PUMICE_MAKE_VERSION(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))
#define PUMICE_ABI_VERSION 1

/* Returns the library's PUMICE_ABI_VERSION. */
PUMICE_API uint32_t pumice_abi_version(void);
/* Returns the library's version: "0.2.0". */
PUMICE_API const char *pumice_version(void);

#ifdef __cplusplus
}
#endif
