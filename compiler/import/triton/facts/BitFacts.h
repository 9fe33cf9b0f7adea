//===- BitFacts.h - facts about a tensor of integers or pointers ------------===//
// The sizes of dimensions are powers of two, so the bits of an index identify an element. If
// setting a bit always adds the same number, that number is the step of the bit. The rest of the
// value is its base:
//     value(bits) = base(bits without a step) + sum of the steps of the bits that are set
//
// Contiguity means steps of 1, 2, 4, …, and constancy means steps of 0. Transposes and reshapes
// only move bits. For example, the rows of a matrix are `pid * 64 + arange(0, 64)[:, None] *
// stride`. They have unknown steps along dimension 0, and steps of 0 along dimension 1. Their base
// is a multiple of the common divisors of 64 and the stride.
//
// Integers have 64 bits here. Like Triton's own analysis, this analysis assumes that 32-bit and
// 64-bit arithmetic does not overflow. Narrower integers wrap around (`wrapped`).
//===-------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>

namespace pumice::triton {

/// A number that is the same for all elements. The address of its SSA value identifies it.
struct Symbol {
  const void *id = nullptr; // null: no symbol; the factor is 1
  uint64_t divisor = 1;     // divides the number
  bool operator==(const Symbol &) const = default;
};

/// The amount that setting a bit adds: `*step`, times the symbol if there is one. It may be
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
  /// Returns a divisor of the step. 0 means that the step is zero.
  uint64_t divisor() const;

  bool operator==(const Step &) const = default;
  bool operator==(int64_t number) const { return isNumber() && factor == number; }

private:
  bool known = false;
  int64_t factor = 0;
  Symbol symbol;
};

struct BitFacts {
  llvm::SmallVector<int64_t> shape; // empty for a scalar
  /// The steps of the last dimension, lowest bit first, and then of the preceding dimensions.
  /// Reshapes count in this order.
  llvm::SmallVector<Step> steps;
  /// The base, if it is a single known number. Every bit then has a step.
  std::optional<int64_t> base;
  /// A number that divides every value of the base. 0 means that the base is zero.
  uint64_t divisor = 1;
  bool isNonNegative = false;
  /// The symbol of the unknown scalar that every element equals, if there is one. The steps of
  /// products with that scalar are multiples of this symbol.
  Symbol self;

  static BitFacts unknown(llvm::ArrayRef<int64_t> shape);
  /// Returns the facts of a constant scalar, or of a tensor whose elements all equal it.
  static BitFacts constant(int64_t value, llvm::ArrayRef<int64_t> shape = {});
  /// Returns the facts of exactly these numbers, which are in memory order.
  static BitFacts ofValues(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> shape);

  bool operator==(const BitFacts &) const = default;

  bool isConstant() const;
  /// Returns the smallest and the largest element, if all elements are known.
  std::optional<std::pair<int64_t, int64_t>> range() const;
  /// Returns a number that divides every element. 0 means that all elements are zero.
  uint64_t elementDivisor() const;

  /// Returns the index in `steps` of the lowest bit of `dimension`.
  unsigned firstBit(unsigned dimension) const;
  unsigned bitCount(unsigned dimension) const;
  /// Returns the length of runs whose elements differ by `unit` from one to the next, as a power of
  /// two. Each run starts at an index that is a multiple of this length.
  int64_t contiguity(unsigned dimension, int64_t unit = 1) const;
  /// Returns the length of runs of equal elements, as a power of two with the same alignment.
  int64_t constancy(unsigned dimension) const;
  /// Returns the difference between neighbouring elements, if it is the same everywhere.
  Step stride(unsigned dimension) const;
  /// Returns a power of two that divides the first element of each run of `length` elements.
  int64_t alignment(unsigned dimension, int64_t length) const;

  /// Drops the step of this bit.
  void forget(unsigned bit);

  /// Drops steps that depend on a symbol.
  BitFacts inNumbers() const;

  /// Returns a text such as "contiguity [16], constancy [1], divisibility [64], steps [4 8 16 32]",
  /// in multiples of `unit`. Symbols are letters: "4*a".
  std::string text(int64_t unit = 1) const;
};

/// Returns facts that hold for both values.
BitFacts either(const BitFacts &a, const BitFacts &b);

BitFacts plus(const BitFacts &a, const BitFacts &b);
BitFacts minus(const BitFacts &a, const BitFacts &b);
BitFacts times(const BitFacts &a, const BitFacts &b);
/// Divides and rounds towards minus infinity, as `>>` does for a power of two.
BitFacts floorQuotient(const BitFacts &a, int64_t divisor);
/// Returns the remainder of that division, which is never negative. For example, `& 15` is the
/// remainder by 16.
BitFacts floorRemainder(const BitFacts &a, int64_t divisor);
/// Divides and rounds towards zero, as divsi and remsi do. For non-negative values, divui and remui
/// have the same results.
BitFacts quotient(const BitFacts &a, const BitFacts &b);
BitFacts remainder(const BitFacts &a, const BitFacts &b);
BitFacts least(const BitFacts &a, const BitFacts &b);
BitFacts greatest(const BitFacts &a, const BitFacts &b);
/// Returns the facts of 1 if a < b, and of 0 otherwise.
BitFacts isLess(const BitFacts &a, const BitFacts &b);
BitFacts selected(const BitFacts &condition, const BitFacts &a, const BitFacts &b);
/// Returns the facts of any element-wise function that gives equal results for equal operands.
BitFacts ofEqualElements(llvm::ArrayRef<BitFacts> operands, llvm::ArrayRef<int64_t> shape);
/// Returns the facts of the value wrapped to `width` bits, in two's complement.
BitFacts wrapped(const BitFacts &a, unsigned width);

BitFacts reshaped(const BitFacts &a, llvm::ArrayRef<int64_t> shape);
/// Transposes: dimension i of the result is dimension order[i] of the operand.
BitFacts transposed(const BitFacts &a, llvm::ArrayRef<int32_t> order);
/// Extends those dimensions that have one element.
BitFacts broadcast(const BitFacts &a, llvm::ArrayRef<int64_t> shape);
BitFacts joined(const BitFacts &a, const BitFacts &b);
/// Returns the facts of one of two joined tensors.
BitFacts splitOff(const BitFacts &a, bool second);

} // namespace pumice::triton
