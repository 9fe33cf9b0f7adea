//===- CompilerLibrary.h - the compiler, loaded when first needed -----------===//
#pragma once

#include "support/CompilerInterface.h"
#include "support/Status.h"

#include <span>
#include <string>
#include <vector>

namespace pumice {

/// Returns the compiler library. It is the file that PUMICE_COMPILER_LIBRARY names. Otherwise it is
/// next to this library, in ../lib, or where the system looks. It is loaded once. After a failure,
/// the next call tries again. Errors: Unsupported, with every place and the reason there.
Result<const compiler_interface::Interface *> compilerLibrary();

/// Shows the stages of a compilation on this thread (CompileProgress.h), unless this is turned off.
void watchProgress(compiler_interface::Progress &progress);

/// Compiles native code with the library, and returns the bytes of a shared object. Errors: those
/// of the library, with its diagnostics. Unsupported if the library is missing, or cannot generate
/// code for CPUs.
Result<std::vector<uint8_t>> compileNative(const compiler_interface::NativeRequest &request);

/// Returns the source line of the instruction at `address` of a shared object, as
/// "file:line:column". Returns "" without debug information, or without the library.
std::string sourceLineOf(std::span<const uint8_t> sharedObject, uint64_t address);

/// Identifies a build of that library by its size and modification time, without loading it. Empty
/// if no file is found.
std::string compilerLibraryStamp();

} // namespace pumice
