//===- Arguments.h - Python values as arguments of launches -----------------===//
#pragma once

#ifndef PUMICE_THROW
#define PUMICE_THROW
#endif
#include "pumice/pumice.hpp"

#include <nanobind/nanobind.h>

#include <atomic>
#include <functional>

namespace pumice::python {

/// A function, and what it takes: numbers become scalars of the types that it has.
class Kernel {
public:
  struct Parameter {
    std::string name, element;
    bool isBuffer = false, isWritten = false;
    uint32_t width = 1;
    /// Of one number; a boolean has one bit.
    uint32_t bits = 0;
    bool isFloat = false;
  };
  /// `make` gives the function, again after each loss of a device.
  Kernel(const Executable &executable, const std::string &name, std::function<Function()> make);

  /// What is launched; to be held meanwhile. A function that was launched on a lost device keeps
  /// that open: after a loss this is another one. Python's lock is held.
  Function function() const;
  static void noteLoss();

  std::string name;
  std::vector<Parameter> parameters;

private:
  std::function<Function()> make;
  mutable Function made;
  mutable uint64_t madeAfter; // so many losses
};

/// Of the argument with this index.
Error argumentError(const Kernel &kernel, size_t index, const std::string &what);

/// One number as the kernel's element type has it; its bytes.
uint32_t pack(const Kernel &kernel, size_t index, nanobind::handle value, void *place);

/// Of `arguments` each is a number (a tuple of them for a vector), None, or a tuple of a buffer,
/// the range's first byte and its number of bytes, the shape, and the strides or None. `print`
/// takes the kernel's output, or is None: standard output.
void launch(const Queue &queue, const Kernel &kernel, std::array<uint32_t, 3> groups,
            nanobind::tuple arguments, nanobind::object print);

/// How much of what a launch prints is kept; 0: a MiB.
extern std::atomic<uint32_t> printBytes;

/// After a launch that nobody waits for: has the device begin. From Python, launches are many
/// microseconds apart, and what the caller does next may be anything else; a queue would wait for
/// more of them. Launches in quick succession are submitted together.
void letBegin(const Queue &queue);

/// Whether that has happened in this process: then queues may hold work that nobody waits for.
bool hasLetBegin();

} // namespace pumice::python
