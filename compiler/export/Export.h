//===- Export.h - executables as sources for C and C++ ----------------------===//
#pragma once

#include "compiler/export/Plan.h"

#include <span>

namespace pumice::exporting {

struct File {
  std::string name; // without a folder
  std::vector<uint8_t> bytes;
};

/// Returns whether an export may replace a file with these contents: an export wrote it.
bool isOfExport(std::string_view contents);

/// Returns the files of an export. They are a header, the launchers' source, the executable as a
/// source or a file, a CMakeLists.txt, and a file for pkg-config. `plan` is JSON, and `executables`
/// are the bytes of .pumice files.
Result<std::vector<File>> exportFiles(std::string_view plan,
                                      const std::vector<std::span<const uint8_t>> &executables);
Result<std::vector<File>> exportFiles(Plan plan,
                                      const std::vector<std::span<const uint8_t>> &executables);

} // namespace pumice::exporting
