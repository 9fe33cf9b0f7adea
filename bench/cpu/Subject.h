//===- Subject.h - one way to run the kernels, inside a worker --------------===//
#pragma once

#include "bench/cpu/Problem.h"

#include <memory>
#include <string>

namespace pumice::bench {

class Subject {
public:
  virtual ~Subject() = default;
  /// Returns the names of the device and the driver, for people.
  virtual std::string describe() const = 0;

  /// Makes the problem's buffers, with their contents. The previous problem's buffers are freed.
  virtual Status makeBuffers(const Problem &problem) = 0;
  /// Compiles the source.
  virtual Status compile(const Problem &problem) = 0;
  /// Restores the buffers' first contents.
  virtual Status reset(const Problem &problem) = 0;

  /// Launches the kernel. Launches may overlap only if the buffers allow it. `finish` waits for all
  /// of them.
  virtual Status launch(const Problem &problem, const Launch &launch) = 0;
  virtual Status finish() = 0;
  virtual Result<Bytes> output(const Problem &problem) = 0;

  /// These are called around a turn. Threads spin for work only between these calls.
  virtual void wake() {}
  virtual void rest() {}
};

/// Makes a subject for Pumice's runtime on the device that `request` names.
Result<std::unique_ptr<Subject>> makeHalSubject(const std::string &request);
/// Makes a subject for the first CPU device that this process's OpenCL loader has.
Result<std::unique_ptr<Subject>> makeOpenClSubject();
Result<std::unique_ptr<Subject>> makeNativeSubject();

} // namespace pumice::bench
