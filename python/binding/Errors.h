//===- Errors.h - turns the C API's errors into Python's --------------------===//
#pragma once

#ifndef PUMICE_THROW
#define PUMICE_THROW
#endif
#include "pumice/pumice.hpp"

#include <nanobind/nanobind.h>

namespace pumice::python {

/// An error of `pumice_compile`.
struct CompileFailure : Error {
  explicit CompileFailure(Error error) : Error(std::move(error)) {}
};

/// Looks up the classes of python/pumice/errors.py, once, when the module is made. Returns each by
/// the name of its status.
nanobind::dict bindErrors();

/// Makes an instance of the class that belongs to the error's code.
nanobind::object makeError(const Error &error);

/// Sets Python's error.
void raise(const Error &error);
void raise(const CompileFailure &error);

} // namespace pumice::python
