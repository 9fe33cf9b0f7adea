//===- Reference.h - expected results of the CPU benchmark's kernels --------===//
// Each function computes the result again in a simple way, and in double precision if it rounds. It
// names the first element that is too far off, and returns an empty text if all are right.
//===-------------------------------------------------------------------------===//
#pragma once

#include "bench/cpu/Problem.h"

namespace pumice::bench {

std::string wrongSaxpy(const Problem &problem, const Bytes &output);
std::string wrongSums(const Problem &problem, const Bytes &output);
std::string wrongMatmul(const Problem &problem, const Bytes &output);
std::string wrongBrainMatmul(const Problem &problem, const Bytes &output);
std::string wrongByteMatmul(const Problem &problem, const Bytes &output);
std::string wrongSoftmax(const Problem &problem, const Bytes &output);
std::string wrongMandelbrot(const Problem &problem, const Bytes &output);
std::string wrongNbody(const Problem &problem, const Bytes &output);
std::string wrongHistogram(const Problem &problem, const Bytes &output);
std::string wrongScan(const Problem &problem, const Bytes &output);
std::string wrongBarriers(const Problem &problem, const Bytes &output);

} // namespace pumice::bench
