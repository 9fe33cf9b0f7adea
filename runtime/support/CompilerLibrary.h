//===- CompilerLibrary.h - the compiler, loaded when first needed -----------===//
#pragma once

#include "runtime/support/CompilerInterface.h"
#include "runtime/support/Status.h"

namespace pumice {

/// The compiler library: the file that PUMICE_COMPILER_LIBRARY names, else the one beside this
/// library, in ../lib, or where the system looks. Loaded once; a failure is tried again by the next
/// call. Errors: Unsupported, with every place and what was wrong there.
Result<const compiler_interface::Interface *> compilerLibrary();

/// What tells one build of that library from another, without loading it: its size and the time of
/// its last change; empty where no file is found.
std::string compilerLibraryStamp();

} // namespace pumice
