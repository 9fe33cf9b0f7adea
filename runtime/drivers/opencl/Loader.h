//===- Loader.h - finds OpenCL at run time ----------------------------------===//
#pragma once

#include "runtime/drivers/opencl/Api.h"
#include "support/Status.h"

#include <optional>
#include <string>

namespace pumice::opencl_driver {

/// Returns whether an ICD loader is installed.
bool hasLoader();

/// Returns a text that says that no loader is installed, and what to do.
std::string loaderHint();

/// Returns the functions of the ICD loader, libOpenCL.so.1 or the file that PUMICE_OPENCL_LIBRARY
/// names. The library stays loaded. Errors: NotFound if there is no loader, or if it is older than
/// OpenCL 3.0.
Result<Functions> loadFunctions();

/// Returns the platform's functions for unified shared memory, or nothing if it lacks one of them.
std::optional<UsmFunctions> findUsm(const Functions &cl, cl_platform_id platform);

} // namespace pumice::opencl_driver
