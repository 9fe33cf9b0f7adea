//===- Errors.h - the C API's errors as Python's ----------------------------===//
#pragma once

#ifndef PUMICE_THROW
#define PUMICE_THROW
#endif
#include "pumice/pumice.hpp"

#include <nanobind/nanobind.h>

namespace pumice::python {

/// `pumice.Error`, made once, when the module is.
nanobind::object makeErrorType();

nanobind::object makeError(const Error &error);

/// Sets Python's error.
void raise(const Error &error);

} // namespace pumice::python
