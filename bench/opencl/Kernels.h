//===- Kernels.h - kernels in our SPIR-V and in the driver's own code -------===//
#pragma once

#include "bench/Report.h"
#include "runtime/hal/Device.h"

namespace pumice::bench {

/// Runs the kernels of bench-cpu on a CPU device of OpenCL, in turn: compiled by Pumice to SPIR-V,
/// which `folder` has, and from OpenCL C by the driver. The limit is 1.05 times the latter. If
/// `only` is not empty, runs only this kernel. Errors: NotFound.
Result<std::vector<Measurement>> compareKernels(const Ref<hal::Device> &device,
                                                const std::string &folder, std::string_view only,
                                                bool quick);

} // namespace pumice::bench
