//===- Operations.h - what random expressions compute -----------------------===//
#pragma once

#include "tests/random/Types.h"

#include <span>

namespace pumice::random_programs {

/// Restricts an operand so that the operation has one meaning. The emitter ensures it.
enum class Guard : uint8_t {
  None,
  Shift,       // amounts below the width
  NotZero,     // divisors
  SmallSigned, // divisors from 1 to 64: neither 0 nor -1
  NotNegative, // both operands, and the divisor above 0
  Ordered,     // the bounds of a clamp
  Field,       // the last two are an offset and a count, within the width
  Bound,       // the result is brought back into the range of floats
};

enum class Takes : uint8_t { Integer, Integer32, Float, Bool };
enum class Gives : uint8_t { Same, Bools, One }; // One: a scalar

struct Arithmetic {
  uint32_t opcode;
  bool glsl; // an instruction of GLSL.std.450
  uint8_t operands;
  Takes takes;
  Gives gives;
  Guard guard;
};
std::span<const Arithmetic> arithmetic();

enum class MatrixOperation : uint8_t {
  TimesMatrix,
  TimesVector,
  VectorTimes,
  TimesScalar,
  Transpose,
  Outer,
};

enum class GroupOperation : uint8_t {
  Elect,
  All,
  Any,
  AllEqual,
  BroadcastFirst,
  Ballot,
  BallotCount,
  BallotFind,
  InverseBallot,
  BallotExtract,
  Shuffle,
  ShuffleXor,
  ShuffleUp,
  ShuffleDown,
  QuadBroadcast,
  QuadSwap,
  Combine, // detail: opcode * 4 + Reduce, InclusiveScan, ExclusiveScan or clustered
};

enum class AtomicOperation : uint8_t {
  Add,
  Sub,
  Increment,
  Decrement,
  And,
  Or,
  Xor,
  SMin,
  SMax,
  UMin,
  UMax,
  Exchange,
  CompareExchange,
};
inline constexpr uint32_t atomicOperations = 13;

} // namespace pumice::random_programs
