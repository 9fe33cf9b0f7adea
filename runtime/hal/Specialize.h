//===- Specialize.h - options that are fixed when code is compiled ----------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"
#include "runtime/hal/Function.h"

namespace pumice::hal {

/// Returns `options` in a normal form, with constants sorted by id. Errors: InvalidArgument for
/// options that are missing, set twice, or already fixed by the entry point. Unsupported if they
/// need more than the device has.
Result<FunctionOptions> normalize(const DeviceInfo &device, const executable::EntryPoint &entry,
                                  const executable::Interface &interface, FunctionOptions options);

/// Returns the constants that implement the normalized `options` in `variant`: workgroup size,
/// dynamic memory, and the caller's constants. Errors: InvalidArgument for ids and sizes that the
/// code does not have.
Result<std::vector<SpecializationConstant>> specialize(const executable::Variant &variant,
                                                       const executable::Interface &interface,
                                                       const FunctionOptions &options);

/// Returns whether `constants` are the defaults of the entry point's SPIR-V in the file. If so,
/// native code that was made from it can be used. Returns false if the file has no SPIR-V for the
/// entry point.
bool keepsDefaults(const executable::Executable &contents, std::string_view entryPoint,
                   const std::vector<SpecializationConstant> &constants);

} // namespace pumice::hal
