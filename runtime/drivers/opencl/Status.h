//===- Status.h - results of OpenCL as a Status -----------------------------===//
#pragma once

#include "runtime/drivers/opencl/Api.h"
#include "support/Status.h"

#include <string>

namespace pumice::opencl_driver {

/// Returns a text such as "CL_OUT_OF_HOST_MEMORY (the host has no memory left)".
std::string describe(cl_int result);

/// Returns ok for CL_SUCCESS. For other results, returns a failure with the corresponding code,
/// which names `call` and describes the result.
Status toStatus(cl_int result, std::string_view call);

/// Returns whether the device no longer works after this result of a call, or this status of an
/// event.
bool meansLost(cl_int result);

} // namespace pumice::opencl_driver
