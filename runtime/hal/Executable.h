//===- Executable.h - a loaded .pumice file on one device -------------------===//
// Loading chooses a variant for each entry point. The driver compiles code when a function is made,
// once for each specialization. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Choose.h"
#include "runtime/hal/Device.h"
#include "runtime/hal/Function.h"

#include <memory>
#include <mutex>

namespace pumice::hal {

class Executable : public RefCounted {
public:
  /// Loads an executable. Errors: Unsupported if an entry point has no variant that the device can
  /// run.
  static Result<Ref<Executable>> load(Ref<Device> device,
                                      std::shared_ptr<const executable::Executable> contents);

  const executable::Executable &contents() const { return *data; }
  Device &device() const { return *owner; }
  /// Returns the default variant of entry point number `entryPoint`. With changed constants or
  /// robust access, another variant may run.
  const executable::Variant &variant(size_t entryPoint) const;
  /// Returns that variant's interface of the entry point.
  const executable::Interface &interface(size_t entryPoint) const;

  /// Returns the specialized entry point `name` (empty: the only one). The same options give the
  /// same object. Errors: NotFound, which lists the names; InvalidArgument for options that are
  /// missing or that the code does not have; or the errors of the driver.
  Result<Ref<Function>> function(std::string_view name, const FunctionOptions &options = {});

private:
  Executable(Ref<Device> device, std::shared_ptr<const executable::Executable> contents,
             std::vector<Choice> choices);

  /// Chooses the variant to run with `options`. Native code is chosen only if the options leave its
  /// behaviour unchanged.
  Result<Choice> choose(size_t entryPoint, const FunctionOptions &options) const;

  Ref<Device> owner;
  std::shared_ptr<const executable::Executable> data;
  std::vector<Choice> choices; // one for each entry point
  const Ref<ProgramScope> program = makeRef<ProgramScope>();
  std::mutex mutex;
  std::vector<std::pair<size_t, Ref<Function>>> functions; // with the number of the entry point
};

} // namespace pumice::hal
