//===- BitFacts.h - what is known of a tensor of integers or pointers -------===//
// Dimensions are powers of two, so an element is named by bits. Where setting a bit always adds the
// same number, that is the bit's step; the rest of the value is its base:
//     value(bits) = base(bits without a step) + sum of the steps of the bits that are set
// Contiguity is steps of 1, 2, 4, …; constancy is steps of 0; transposes and reshapes only move
// bits. The rows of a matrix, `pid * 64 + arange(0, 64)[:, None] * stride`, have no steps along
// dimension 0 and 0, 0, … along dimension 1; their base is a multiple of what 64 and the stride
// are.
//
// Integers are as wide as 64 bits here. As Triton's own analysis does, this one takes it that
// arithmetic on 32 and 64 bits does not overflow; narrower integers are wrapped (`wrapped`).
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

/// What setting a bit adds: `*step` times the symbol, if there is one; or nobody knows.
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
  /// Of the last dimension's lowest bit first, then of the one before: as reshapes count.
  llvm::SmallVector<Step> steps;
  /// The base where it is one known number; then every bit has a step.
  std::optional<int64_t> base;
  /// Divides every value of the base; 0: the base is zero.
  uint64_t divisor = 1;
  bool isNonNegative = false;
  /// The number that every element is, where there is one that others are told by.
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

  /// Bits of `dimension` stand in `steps` from here on.
  unsigned firstBit(unsigned dimension) const;
  unsigned bitCount(unsigned dimension) const;
  /// So many elements, a power of two, follow each other in steps of `unit` from where the index is
  /// a multiple of that number.
  int64_t contiguity(unsigned dimension, int64_t unit = 1) const;
  /// So many elements are equal, likewise.
  int64_t constancy(unsigned dimension) const;
  /// What each element is more than the one before, where that is the same everywhere.
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
/// Of any function that gives equal results for equal operands, element by element.
BitFacts ofEqualElements(llvm::ArrayRef<BitFacts> operands, llvm::ArrayRef<int64_t> shape);
/// In so many bits, as two's complement.
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
