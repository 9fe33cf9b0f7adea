//===- Threads.h - who has Python, also when the process ends ---------------===//
// A daemon thread may ask for Python when the interpreter is at its end. Up to version 3.13 that
// ends the thread by pthread_exit, which unwinds its stack like an exception; nanobind's guards and
// functions, and all else that lets nothing through, make an abort of it. Here such a thread sleeps
// until the process is gone, as in Python from 3.14 on.
//===-------------------------------------------------------------------------===//
#pragma once

#include <nanobind/nanobind.h>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif
#include <chrono>
#include <thread>

namespace pumice::python {

/// What `use` gives, which asks for Python or runs some of it.
template <typename Use> decltype(auto) unlessAtEnd(Use use) {
#ifdef __GLIBCXX__
  try {
    return use();
  } catch (abi::__forced_unwind &) {
    while (true) // to leave this block would be the abort
      std::this_thread::sleep_for(std::chrono::hours(1));
  }
#else
  return use();
#endif
}

/// Other threads have Python while this lives.
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

/// This thread, whichever it is, has Python while this lives. What it runs of it stands in
/// `unlessAtEnd`, too: Python lets others run now and then.
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
