//===- Errors.cpp - the C API's errors as Python's --------------------------===//
#include "python/binding/Errors.h"

#include "python/binding/Text.h"

namespace nb = nanobind;

namespace pumice::python {

static nb::object errorType;

nb::object makeErrorType() {
  errorType = nb::steal(PyErr_NewExceptionWithDoc(
      "pumice.Error", "What Pumice could not do, and the way out; `status` names the kind.",
      PyExc_RuntimeError, nullptr));
  return errorType;
}

nb::object makeError(const Error &error) {
  nb::object made = errorType(textOf(error.message));
  made.attr("status") = pumice_status_name(error.code);
  return made;
}

void raise(const Error &error) { PyErr_SetObject(errorType.ptr(), makeError(error).ptr()); }

} // namespace pumice::python
