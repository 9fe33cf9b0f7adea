//===- SourceLines.h - lines of the source in a serialized module -----------===//
// MLIR's serializer only writes lines of one file. So, while it runs, operations have numbers as
// their locations. Afterwards, the numbers are replaced by files, lines and columns.
//   before: OpLine %nothing 17 0
//   after:  OpLine %"kernels.py" 7 13
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

#include <vector>

namespace pumice::spirv {

/// While an object of this class exists, the operations below `root` have numbers as locations. The
/// destructor restores their locations.
class NumberedLines {
public:
  explicit NumberedLines(mlir::Operation *root);
  ~NumberedLines();
  NumberedLines(const NumberedLines &) = delete;
  NumberedLines &operator=(const NumberedLines &) = delete;

  /// Returns the module with files and lines instead of numbers. Omits numbers of operations that
  /// have no line, and repeated lines.
  std::vector<uint32_t> resolve(const std::vector<uint32_t> &words) const;

private:
  mlir::Operation *root;
  std::vector<mlir::Location> locations; // in the order of a walk
};

} // namespace pumice::spirv
