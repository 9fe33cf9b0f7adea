//===- TritonLaunch.h - what Triton calls for every launch ------------------===//
#pragma once

#include <nanobind/nanobind.h>

namespace pumice::python {

/// `TritonLauncher` and `triton_specialize`, for python/pumice_triton.
void defineTriton(nanobind::module_ &m);

} // namespace pumice::python
