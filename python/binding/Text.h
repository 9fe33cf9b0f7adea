//===- Text.h - text that others wrote, as Python's -------------------------===//
#pragma once

#include <nanobind/nanobind.h>
#include <string_view>

namespace pumice::python {

/// Bytes that are not UTF-8, as names in a damaged module may have, become "\xff".
inline nanobind::object textOf(std::string_view bytes) {
  PyObject *text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace");
  if (!text)
    throw nanobind::python_error();
  return nanobind::steal(text);
}

} // namespace pumice::python
