//===- BitFacts.h - what is known of a tensor of integers or pointers -------===//
// Dimensions are powers of two, so the bits of an index identify an element. If setting a bit
// always adds the same number, that number is the bit's step. The rest of the value is its base:
//     value(bits) = base(bits without a step) + sum of the steps of the bits that are set
// Contiguity means steps of 1, 2, 4, …, and constancy means steps of 0. Transposes and reshapes
// only move bits. The rows of a matrix are `pid * 64 + arange(0, 64)[:, None] * stride`. They have
// unknown steps along dimension 0, and 0, 0, … along dimension 1. Their base is a multiple of the
// common divisors of 64 and the stride.
//
// Integers have 64 bits here. Like Triton's own analysis, this one assumes that 32-bit and 64-bit
// arithmetic does not overflow. Narrower integers wrap (`wrapped`).
//===-------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>

namespace pumice::triton {

/// A number that is the same for all elements, by where it is (an SSA value's address).
struct Symbol {
  const void *id = nullptr; // null: no symbol, which is one
  uint64_t divisor = 1;     // divides the number
  bool operator==(const Symbol &) const = default;
};

/// The amount that setting a bit adds: `*step`, times the symbol if there is one. The amount may be
/// unknown.
class Step {
public:
  Step() = default;
  Step(std::nullopt_t) {}
  Step(int64_t factor, Symbol symbol = {})
      : known(true), factor(factor), symbol(factor == 0 ? Symbol() : symbol) {}

  explicit operator bool() const { return known; }
  int64_t operator*() const { return factor; }
  bool isNumber() const { return known && !symbol.id; }
  const Symbol &of() const { return symbol; }
  /// Divides the step; 0: it is zero.
  uint64_t divisor() const;

  bool operator==(const Step &) const = default;
  bool operator==(int64_t number) const { return isNumber() && factor == number; }

private:
  bool known = false;
  int64_t factor = 0;
  Symbol symbol;
};

struct BitFacts {
  llvm::SmallVector<int64_t> shape; // of a scalar: empty
  /// Steps of the last dimension, lowest bit first, then of the preceding one, in the order in
  /// which reshapes count.
  llvm::SmallVector<Step> steps;
  /// The base where it is one known number; then every bit has a step.
  std::optional<int64_t> base;
  /// Divides every value of the base; 0: the base is zero.
  uint64_t divisor = 1;
  bool isNonNegative = false;
  /// Identifies the value that all elements have, if other values are expressed relative to it.
  Symbol self;

  static BitFacts unknown(llvm::ArrayRef<int64_t> shape);
  /// One number everywhere.
  static BitFacts constant(int64_t value, llvm::ArrayRef<int64_t> shape = {});
  /// Exactly these numbers, in the order of memory.
  static BitFacts ofValues(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> shape);

  bool operator==(const BitFacts &) const = default;

  bool isConstant() const;
  /// Where every element is known: the least and the greatest of them.
  std::optional<std::pair<int64_t, int64_t>> range() const;
  /// Divides every element; 0: all are zero.
  uint64_t elementDivisor() const;

  /// Returns the index in `steps` of the lowest bit of `dimension`.
  unsigned firstBit(unsigned dimension) const;
  unsigned bitCount(unsigned dimension) const;
  /// Returns how many elements follow each other in steps of `unit`, as a power of two. Each run
  /// starts at an index that is a multiple of this power.
  int64_t contiguity(unsigned dimension, int64_t unit = 1) const;
  /// Returns how many elements are equal, as a power of two with the same alignment.
  int64_t constancy(unsigned dimension) const;
  /// Returns the difference of each element from the preceding one, if it is the same everywhere.
  Step stride(unsigned dimension) const;
  /// The power of two that divides the first element of each such run of `length`.
  int64_t alignment(unsigned dimension, int64_t length) const;

  /// No longer says how the bit changes the value.
  void forget(unsigned bit);

  /// Forgets steps that are no numbers.
  BitFacts inNumbers() const;

  /// "contiguity [16], constancy [1], divisibility [64], steps [4 8 16 32]"; in elements of `unit`.
  /// Symbols are letters: "4*a".
  std::string text(int64_t unit = 1) const;
};

/// Both may be the value.
BitFacts either(const BitFacts &a, const BitFacts &b);

BitFacts plus(const BitFacts &a, const BitFacts &b);
BitFacts minus(const BitFacts &a, const BitFacts &b);
BitFacts times(const BitFacts &a, const BitFacts &b);
/// Towards minus infinity, which `>>` is by a power of two.
BitFacts floorQuotient(const BitFacts &a, int64_t divisor);
/// What is left of it, never negative: `& 15` is by 16.
BitFacts floorRemainder(const BitFacts &a, int64_t divisor);
/// Towards zero, as divsi and remsi; of values that are not negative, also divui and remui.
BitFacts quotient(const BitFacts &a, const BitFacts &b);
BitFacts remainder(const BitFacts &a, const BitFacts &b);
BitFacts least(const BitFacts &a, const BitFacts &b);
BitFacts greatest(const BitFacts &a, const BitFacts &b);
/// 1 where a < b; else 0.
BitFacts isLess(const BitFacts &a, const BitFacts &b);
BitFacts selected(const BitFacts &condition, const BitFacts &a, const BitFacts &b);
/// Returns the facts of any element-wise function that gives equal results for equal operands.
BitFacts ofEqualElements(llvm::ArrayRef<BitFacts> operands, llvm::ArrayRef<int64_t> shape);
/// Returns the facts of the value wrapped to `width` bits, in two's complement.
BitFacts wrapped(const BitFacts &a, unsigned width);

BitFacts reshaped(const BitFacts &a, llvm::ArrayRef<int64_t> shape);
/// The result's dimension i is the operand's order[i].
BitFacts transposed(const BitFacts &a, llvm::ArrayRef<int32_t> order);
/// Dimensions of one element become longer.
BitFacts broadcast(const BitFacts &a, llvm::ArrayRef<int64_t> shape);
BitFacts joined(const BitFacts &a, const BitFacts &b);
/// One of the two that were joined.
BitFacts splitOff(const BitFacts &a, bool second);

} // namespace pumice::triton
