//===- CompilerLibrary.h - the compiler, loaded when first needed -----------===//
#pragma once

#include "support/CompilerInterface.h"
#include "support/Status.h"

#include <span>
#include <string>
#include <vector>

namespace pumice {

/// The compiler library: the file that PUMICE_COMPILER_LIBRARY names, else the one beside this
/// library, in ../lib, or where the system looks. Loaded once; a failure is tried again by the next
/// call. Errors: Unsupported, with every place and what was wrong there.
Result<const compiler_interface::Interface *> compilerLibrary();

/// Has the stages of a compilation on this thread shown (CompileProgress.h), if anybody may look.
void watchProgress(compiler_interface::Progress &progress);

/// Native code through it: the bytes of a shared object. Errors: the library's, with its
/// diagnostics; Unsupported where there is none, or one without code generation for CPUs.
Result<std::vector<uint8_t>> compileNative(const compiler_interface::NativeRequest &request);

/// Returns the line of the source that the instruction at `address` of a shared object comes from,
/// "file:line:column"; "" without debug information, or without the library.
std::string sourceLineOf(std::span<const uint8_t> sharedObject, uint64_t address);

/// What tells one build of that library from another, without loading it: its size and the time of
/// its last change; empty where no file is found.
std::string compilerLibraryStamp();

} // namespace pumice
