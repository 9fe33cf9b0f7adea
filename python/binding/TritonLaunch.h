//===- TritonLaunch.h - the functions that Triton calls for each launch -----===//
#pragma once

#include <nanobind/nanobind.h>

namespace pumice::python {

/// Defines `TritonLauncher` and `triton_specialize`, for python/pumice_triton.
void defineTriton(nanobind::module_ &m);

} // namespace pumice::python
