//===- Reference.h - what the CPU benchmark's kernels should have written ---===//
// Each computes the result again, plainly and in double precision where it rounds, and names the
// first element that is too far away; empty where all is right.
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
