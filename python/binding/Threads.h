//===- Threads.h - which thread holds Python's lock, even at the end --------===//
// A daemon thread may ask for Python's lock when the interpreter ends. Up to version 3.13 Python
// ends the thread by pthread_exit, which unwinds its stack like an exception. Functions that let no
// exception through, such as nanobind's, turn that into an abort. Here such a thread sleeps until
// the process has ended, as in Python from 3.14 on.
//===-------------------------------------------------------------------------===//
#pragma once

#include <nanobind/nanobind.h>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif
#include <chrono>
#include <thread>

namespace pumice::python {

/// Returns the result of `use`, which asks for Python's lock or runs Python code.
template <typename Use> decltype(auto) unlessAtEnd(Use use) {
#ifdef __GLIBCXX__
  try {
    return use();
  } catch (abi::__forced_unwind &) {
    while (true) // leaving this block would abort
      std::this_thread::sleep_for(std::chrono::hours(1));
  }
#else
  return use();
#endif
}

/// Lets other threads hold Python's lock while this object lives.
class WithoutPython {
public:
  WithoutPython() : state(PyEval_SaveThread()) {}
  ~WithoutPython() {
    unlessAtEnd([this] { PyEval_RestoreThread(state); });
  }
  WithoutPython(const WithoutPython &) = delete;
  WithoutPython &operator=(const WithoutPython &) = delete;

private:
  PyThreadState *state;
};

/// Holds Python's lock on this thread while this object lives. The thread need not be one of
/// Python's. Python code that it runs must be in `unlessAtEnd`, too, since Python may run
/// other threads in between.
class WithPython {
public:
  WithPython() : state(unlessAtEnd([] { return PyGILState_Ensure(); })) {}
  ~WithPython() { PyGILState_Release(state); }
  WithPython(const WithPython &) = delete;
  WithPython &operator=(const WithPython &) = delete;

private:
  PyGILState_STATE state;
};

} // namespace pumice::python
