//===- CompilerLibrary.h - the compiler, loaded when first needed -----------===//
#pragma once

#include "support/CompilerInterface.h"
#include "support/Status.h"

#include <span>
#include <string>
#include <vector>

namespace pumice {

/// Returns the compiler library. It is the file that PUMICE_COMPILER_LIBRARY names. If that is not
/// set, it is searched for next to this library, in ../lib, and where the system looks. It is
/// loaded only once. After a failure, the next call tries again. Errors: Unsupported, with all
/// places that were tried, and the reasons.
Result<const compiler_interface::Interface *> compilerLibrary();

/// Shows the stages of a compilation on this thread (CompileProgress.h), unless progress is turned
/// off.
void watchProgress(compiler_interface::Progress &progress);

/// Compiles native code with the library. Returns the bytes of a shared object. Errors: those of
/// the library, with its diagnostics; Unsupported if the library is missing, or cannot generate
/// code for CPUs.
Result<std::vector<uint8_t>> compileNative(const compiler_interface::NativeRequest &request);

/// Turns a compute shader into a SPIR-V module with an OpenCL kernel. Errors: as above.
Result<std::vector<uint8_t>> compileShader(const compiler_interface::ShaderRequest &request);

/// Returns the source line of the instruction at `address` in a shared object, as
/// "file:line:column". The result is empty without debug information or without the library.
std::string sourceLineOf(std::span<const uint8_t> sharedObject, uint64_t address);

/// Identifies a build of the library by its size and modification time, without loading it. The
/// result is empty if no file is found.
std::string compilerLibraryStamp();

} // namespace pumice
