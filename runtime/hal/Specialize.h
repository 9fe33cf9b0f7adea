//===- Specialize.h - options that are fixed when code is compiled --------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"
#include "runtime/hal/Function.h"

namespace pumice::hal {

/// Returns `options` in the form of one function, with constants by id. Errors: InvalidArgument for
/// options that are missing, given twice, or not left open by the entry point. Unsupported for more
/// than the device has.
Result<FunctionOptions> normalize(const DeviceInfo &device, const executable::EntryPoint &entry,
                                  const executable::Interface &interface, FunctionOptions options);

/// Returns the constants that give `variant` the normalized `options`: workgroup size, dynamic
/// memory, and the caller's constants. Errors: InvalidArgument for ids and sizes that the code does
/// not have.
Result<std::vector<SpecializationConstant>> specialize(const executable::Variant &variant,
                                                       const executable::Interface &interface,
                                                       const FunctionOptions &options);

/// Returns whether `constants` are the defaults of the entry point's SPIR-V in the file, so that
/// native code made from it can be used. Returns false if the file has no SPIR-V for the entry
/// point.
bool keepsDefaults(const executable::Executable &contents, std::string_view entryPoint,
                   const std::vector<SpecializationConstant> &constants);

} // namespace pumice::hal
