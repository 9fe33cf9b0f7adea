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

/// A function and its parameters. Numbers become scalars of the parameters' types.
class Kernel {
public:
  struct Parameter {
    std::string name, element;
    bool isBuffer = false, isWritten = false;
    uint32_t width = 1;
    /// The bits of one number. A boolean has one bit.
    uint32_t bits = 0;
    bool isFloat = false;
    bool isUnsigned = false;
  };
  /// A function of an exported launcher, which takes the arguments in an array.
  using Exported = pumice_status (*)(pumice_executable *, pumice_queue *, const uint32_t *groups,
                                     const pumice_argument *);
  /// `make` makes the function. It is called again after each loss of a device.
  Kernel(const Executable &executable, const std::string &name, std::function<Function()> make);

  /// Makes a kernel that `run` launches.
  Kernel(const Executable &executable, const std::string &name, std::vector<Parameter> parameters,
         Exported run);

  /// Returns the function to launch. The caller holds it during the launch, and holds Python's
  /// lock. A function that was launched on a lost device keeps the device open. So this returns a
  /// new function after a loss.
  Function function() const;
  static void noteLoss();

  std::string name;
  std::vector<Parameter> parameters;
  Exported exported = nullptr;
  Executable executable; // of `exported`

private:
  std::function<Function()> make;
  mutable Function made;
  mutable uint64_t madeAfter = 0; // the number of losses before `made` was made
};

/// Returns an error that names the argument with this index.
Error argumentError(const Kernel &kernel, size_t index, const std::string &what);

/// Writes a number to `place` as the kernel's element type has it, and returns its size in bytes.
uint32_t pack(const Kernel &kernel, size_t index, nanobind::handle value, void *place);

/// Launches a kernel. Each of `arguments` is a number, a tuple of numbers for a vector, None, or a
/// range of a buffer. A range is a tuple: the buffer, the first byte, the number of bytes, the
/// shape, and the strides or None. `print` takes the kernel's output; None is standard output.
void launch(const Queue &queue, const Kernel &kernel, std::array<uint32_t, 3> groups,
            nanobind::tuple arguments, nanobind::object print);

/// The number of bytes that a launch may print; 0 means 1 MiB.
extern std::atomic<uint32_t> printBytes;

/// Returns the number of programs along an axis of a grid. Throws if it is not one.
uint32_t groupsOf(PyObject *number);

/// Makes the device start its work after a launch that nobody waits for. A queue would wait for
/// more launches. From Python, launches are many microseconds apart, and the next one may never
/// come. Launches in quick succession are submitted together.
void letBegin(const Queue &queue);

/// Returns whether this process has called `letBegin`. Queues may then hold work that nobody waits
/// for.
bool hasLetBegin();

} // namespace pumice::python
