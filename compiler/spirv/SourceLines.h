//===- SourceLines.h - lines of the source in a serialized module ------------===//
// MLIR's serializer only writes lines of one file. Operations therefore get numbers as locations
// while it runs. Afterwards, the numbers are replaced by files, lines and columns.
//   before: OpLine %nothing 17 0
//   after:  OpLine %"kernels.py" 7 13
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

#include <vector>

namespace pumice::spirv {

/// While it lives, numbers the operations below `root`. Their locations are restored afterwards.
class NumberedLines {
public:
  explicit NumberedLines(mlir::Operation *root);
  ~NumberedLines();
  NumberedLines(const NumberedLines &) = delete;
  NumberedLines &operator=(const NumberedLines &) = delete;

  /// Returns the module with files and lines instead of the numbers. Leaves out numbers of
  /// operations without a line, and repeated lines.
  std::vector<uint32_t> resolve(const std::vector<uint32_t> &words) const;

private:
  mlir::Operation *root;
  std::vector<mlir::Location> locations; // in the order of a walk
};

} // namespace pumice::spirv
