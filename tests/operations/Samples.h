//===- Samples.h - the kernels that stand for each operation ----------------===//
// A file of samples is MLIR in sections, separated by `// -----`. A section starts with lines that
// say what it shows:
//
//     // op: arith.$OP                     the operation it is a sample of
//     // for $OP: addf, subf               one sample for each value ...
//     // for $A to $B: f16 to f32, i8 to i16   ... or for each set of values
//     // on: h200                          the target that has what it needs; lavapipe otherwise
//     // error: names no feature           it is rejected, with this text at the operation
//     gpu.module @sample { ... $A ... }
//
// Every combination of the values is one sample.
//===-------------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pumice::operations {

struct Sample {
  std::string operation; // "arith.addf"
  std::string name;      // "arith.addf f32", with the values that made it
  std::string file;
  std::string target; // a triple
  std::string error;  // "" if it compiles
  std::string code;   // preceded by empty lines, so that line numbers match the file
};

/// Returns the samples of one file. A broken section becomes a sample whose `error` starts with
/// "broken".
std::vector<Sample> readSamples(const std::string &path);

/// Returns the samples of all *.mlir files in the folder, sorted by file name.
std::vector<Sample> readAllSamples(const std::string &folder);

} // namespace pumice::operations
