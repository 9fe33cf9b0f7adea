//===- BuiltInName.h - mangled names of OpenCL C's functions ----------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace pumice::opencl {

/// The two parts of a mangled name: _Z3maxii is "max" and "ii".
struct BuiltInName {
  llvm::StringRef base, parameters;

  static std::optional<BuiltInName> parse(llvm::StringRef mangled) {
    unsigned length = 0;
    if (!mangled.consume_front("_Z") || mangled.consumeInteger(10, length) ||
        mangled.size() < length)
      return std::nullopt;
    return BuiltInName{mangled.take_front(length), mangled.drop_front(length)};
  }

  /// Mangles a name.
  static std::string join(llvm::StringRef base, llvm::StringRef parameters) {
    return "_Z" + std::to_string(base.size()) + base.str() + parameters.str();
  }
};

} // namespace pumice::opencl
