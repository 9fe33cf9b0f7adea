//===- Specialize.h - what is fixed when code is compiled -------------------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"
#include "runtime/hal/Function.h"

namespace pumice::hal {

/// `options` as they name one function: constants by id. Errors: InvalidArgument for what is
/// missing, given twice, or not left open by the entry point; Unsupported for more than the device
/// has.
Result<FunctionOptions> normalize(const DeviceInfo &device, const executable::EntryPoint &entry,
                                  const executable::Interface &interface, FunctionOptions options);

/// The constants of `code` that give it normalized `options`: workgroup size, dynamic memory, and
/// the caller's. Errors: InvalidArgument for ids and sizes that the code does not have.
Result<std::vector<SpecializationConstant>> specialize(const executable::Variant &variant,
                                                       const executable::Interface &interface,
                                                       const FunctionOptions &options);

/// Whether `constants` are what the entry point's SPIR-V in the file has by default, so that native
/// code made of it will do. False if the file holds no SPIR-V of it.
bool keepsDefaults(const executable::Executable &contents, std::string_view entryPoint,
                   const std::vector<SpecializationConstant> &constants);

} // namespace pumice::hal
