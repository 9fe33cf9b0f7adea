//===- Subject.h - one way to run the kernels, inside a worker --------------===//
#pragma once

#include "bench/cpu/Problem.h"

#include <memory>
#include <string>

namespace pumice::bench {

class Subject {
public:
  virtual ~Subject() = default;
  /// Device and driver, for people.
  virtual std::string describe() const = 0;

  /// Makes the problem's buffers, with their contents; those of the problem before are gone.
  virtual Status makeBuffers(const Problem &problem) = 0;
  /// From the source to something that launches.
  virtual Status compile(const Problem &problem) = 0;
  /// Puts the buffers' first contents back.
  virtual Status reset(const Problem &problem) = 0;

  /// Launches may overlap only where the buffers allow it; `finish` waits for all of them.
  virtual Status launch(const Problem &problem, const Launch &launch) = 0;
  virtual Status finish() = 0;
  virtual Result<Bytes> output(const Problem &problem) = 0;

  /// Around a turn: threads that spin for work do so only then.
  virtual void wake() {}
  virtual void rest() {}
};

/// Pumice's runtime on the device that `request` names.
Result<std::unique_ptr<Subject>> makeHalSubject(const std::string &request);
/// The first CPU device that the OpenCL loader of this process has.
Result<std::unique_ptr<Subject>> makeOpenClSubject();
Result<std::unique_ptr<Subject>> makeNativeSubject();

} // namespace pumice::bench
