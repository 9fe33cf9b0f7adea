//===- Hooks.h - functions that Triton calls around launches ----------------===//
#pragma once

#include "python/binding/Threads.h"

#include <nanobind/nanobind.h>

namespace pumice::python {

/// Returns whether a hook is one of Triton's chains of hooks, and empty.
inline bool isEmptyChain(PyObject *hook) {
  static PyObject *const name = PyUnicode_InternFromString("calls");
  nanobind::object calls = nanobind::steal(PyObject_GetAttr(hook, name));
  if (!calls)
    PyErr_Clear();
  return calls && PyList_CheckExact(calls.ptr()) && PyList_Size(calls.ptr()) == 0;
}

/// Calls a hook with the launch's metadata, unless there is nothing to call.
inline void callHook(PyObject *hook, PyObject *metadata) {
  if (hook == Py_None || isEmptyChain(hook))
    return;
  auto call = [&] { return PyObject_Vectorcall(hook, &metadata, 1, nullptr); };
  if (!nanobind::steal(unlessAtEnd(call)))
    throw nanobind::python_error();
}

} // namespace pumice::python
