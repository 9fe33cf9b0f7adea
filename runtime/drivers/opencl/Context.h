//===- Context.h - an OpenCL context for one device -------------------------===//
#pragma once

#include "runtime/drivers/opencl/Call.h"
#include "runtime/drivers/opencl/Facts.h"

#include <atomic>
#include <memory>

namespace pumice::opencl_driver {

class Context {
public:
  /// Errors: those of clCreateContext.
  static Result<std::shared_ptr<Context>> create(const Functions &cl, const DeviceFacts &facts,
                                                 Addressing addressing);
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  const Functions cl;
  const UsmFunctions usm; // empty unless Addressing::Usm
  const DeviceFacts facts;
  const Addressing addressing;
  cl_context handle = nullptr;
  /// A queue for the host's own mapping, which blocks. Null unless Addressing::CoarseSvm.
  cl_command_queue mapping = nullptr;

  /// Faults of PoCL 6.0, which this driver avoids.
  bool isPocl() const { return facts.platformName == "Portable Computing Language"; }

  /// After this, nothing is destroyed, because another process owns it.
  void abandon() { abandoned.store(true, std::memory_order_relaxed); }
  bool isAbandoned() const { return abandoned.load(std::memory_order_relaxed); }

private:
  Context(const Functions &cl, const UsmFunctions &usm, const DeviceFacts &facts,
          Addressing addressing)
      : cl(cl), usm(usm), facts(facts), addressing(addressing) {}

  std::atomic<bool> abandoned = false;
};

} // namespace pumice::opencl_driver
