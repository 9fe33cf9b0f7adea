//===- Call.h - one way to call OpenCL --------------------------------------===//
// Every call of OpenCL that can fail goes through PUMICE_CL, so that tests can make each call fail.
// If no test has set a hook, this costs one load.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/opencl/Status.h"

#include <atomic>

namespace pumice::opencl_driver {

/// A function that runs before each call, and gets the name of the API's function. If its result is
/// not CL_SUCCESS, the call is skipped, and that result is used instead.
using FaultHook = cl_int (*)(const char *function);
inline std::atomic<FaultHook> faultHook{nullptr};

inline cl_int injectedFault(const char *function) {
  FaultHook hook = faultHook.load(std::memory_order_relaxed);
  return hook ? hook(function) : CL_SUCCESS;
}

} // namespace pumice::opencl_driver

/// Calls a function that returns its result, as in PUMICE_CL(cl, clFlush, queue).
#define PUMICE_CL(table, function, ...)                                                            \
  ([&]() -> ::pumice::opencl_driver::cl_int {                                                      \
    ::pumice::opencl_driver::cl_int fault = ::pumice::opencl_driver::injectedFault(#function);     \
    return fault == ::pumice::opencl_driver::CL_SUCCESS ? (table).function(__VA_ARGS__) : fault;   \
  }())

/// Calls a function that returns an object, and writes its result to a last parameter, as in
/// PUMICE_CL_MAKE(result, cl, clCreateBuffer, context, flags, bytes, nullptr). Sets `result`.
#define PUMICE_CL_MAKE(result, table, function, ...)                                               \
  ([&] {                                                                                           \
    (result) = ::pumice::opencl_driver::injectedFault(#function);                                  \
    using Made = decltype((table).function(__VA_ARGS__, &(result)));                               \
    return (result) == ::pumice::opencl_driver::CL_SUCCESS                                         \
               ? (table).function(__VA_ARGS__, &(result))                                          \
               : Made{};                                                                           \
  }())

/// Calls a function as PUMICE_CL does, but returns a Status.
#define PUMICE_CL_STATUS(table, function, ...)                                                     \
  ::pumice::opencl_driver::toStatus(PUMICE_CL(table, function, __VA_ARGS__), #function)
