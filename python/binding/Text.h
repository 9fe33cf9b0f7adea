//===- Text.h - converts text of unknown origin to Python's -----------------===//
#pragma once

#include <nanobind/nanobind.h>
#include <string_view>

namespace pumice::python {

/// Returns text as Python's. Bytes that are not UTF-8, such as in names of a damaged module, become
/// "\xff".
inline nanobind::object textOf(std::string_view bytes) {
  PyObject *text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace");
  if (!text)
    throw nanobind::python_error();
  return nanobind::steal(text);
}

} // namespace pumice::python
