//===- BitFactsArithmetic.cpp - arithmetic on bases and steps ---------------===//
#include "compiler/import/triton/facts/BitFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;
using namespace pumice;
using namespace pumice::triton;

static uint64_t magnitude(int64_t value) {
  return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

/// Adds facts that follow from a known base.
static BitFacts settled(BitFacts a) {
  if (a.divisor == 0 && !llvm::is_contained(a.steps, Step()))
    a.base = 0;
  if (a.base)
    a.divisor = magnitude(*a.base);
  if (auto range = a.range())
    a.isNonNegative = range->first >= 0;
  return a;
}

/// Returns the facts of an arbitrary function of both operands. A bit that changes neither operand
/// does not change the result. Nothing else is known.
static BitFacts onlyConstancy(const BitFacts &a, const BitFacts &b) {
  BitFacts result = BitFacts::unknown(a.shape);
  for (unsigned bit = 0; bit < result.steps.size(); ++bit)
    if (a.steps[bit] == 0 && b.steps[bit] == 0)
      result.steps[bit] = Step(0);
  return result;
}

static BitFacts truth(bool value, ArrayRef<int64_t> shape) {
  return BitFacts::constant(value ? 1 : 0, shape);
}

BitFacts triton::either(const BitFacts &given, const BitFacts &other) {
  BitFacts a = given, b = other;
  for (unsigned bit = 0; bit < a.steps.size(); ++bit)
    if (!a.steps[bit] || a.steps[bit] != b.steps[bit]) {
      a.forget(bit);
      b.forget(bit);
    }
  if (a.base != b.base)
    a.base = std::nullopt;
  if (a.self != b.self)
    a.self = {};
  a.divisor = std::gcd(a.divisor, b.divisor);
  a.isNonNegative &= b.isNonNegative;
  return a;
}

/// Adds or subtracts two steps. The result is known if both steps have the same symbol, or if one
/// of them is zero.
static Step sum(const Step &a, const Step &b, bool subtract) {
  int64_t factor = 0;
  bool alike = a == 0 || b == 0 || a.of() == b.of();
  if (!a || !b || !alike || (subtract ? SubOverflow(*a, *b, factor) : AddOverflow(*a, *b, factor)))
    return Step();
  return Step(factor, a == 0 ? b.of() : a.of());
}

/// Computes a + b, or a - b.
static BitFacts sum(BitFacts a, BitFacts b, bool subtract) {
  for (unsigned bit = 0; bit < a.steps.size(); ++bit) {
    Step step = sum(a.steps[bit], b.steps[bit], subtract);
    if (!step) {
      a.forget(bit);
      b.forget(bit);
    }
    a.steps[bit] = step;
  }
  a.divisor = std::gcd(a.divisor, b.divisor);
  if (!a.base || !b.base ||
      (subtract ? SubOverflow(*a.base, *b.base, *a.base) : AddOverflow(*a.base, *b.base, *a.base)))
    a.base = std::nullopt;
  a.isNonNegative = a.isNonNegative && b.isNonNegative && !subtract;
  a.self = {};
  return settled(a);
}

BitFacts triton::plus(const BitFacts &a, const BitFacts &b) { return sum(a, b, false); }
BitFacts triton::minus(const BitFacts &a, const BitFacts &b) { return sum(a, b, true); }

static BitFacts scaled(BitFacts a, int64_t factor) {
  for (unsigned bit = 0; bit < a.steps.size(); ++bit) {
    int64_t step = 0;
    if (a.steps[bit] && MulOverflow(*a.steps[bit], factor, step))
      a.forget(bit);
    else if (a.steps[bit])
      a.steps[bit] = Step(step, a.steps[bit].of());
  }
  if (factor != 1)
    a.self = {};
  // The divisor includes the steps that were dropped above, which are not scaled yet. So the
  // divisor is scaled last.
  bool overflow = false;
  uint64_t divisor = SaturatingMultiply<uint64_t>(a.divisor, magnitude(factor), &overflow);
  a.divisor = overflow ? a.divisor : divisor;
  if (a.base && MulOverflow(*a.base, factor, *a.base))
    a.base = std::nullopt;
  a.isNonNegative = a.isNonNegative && factor >= 0;
  return settled(a);
}

/// Multiplies by a number that is the same for all elements. The steps become multiples of its
/// symbol.
static BitFacts scaledBy(BitFacts a, const BitFacts &uniform) {
  for (unsigned bit = 0; bit < a.steps.size(); ++bit) {
    if (a.steps[bit].isNumber())
      a.steps[bit] = Step(*a.steps[bit], uniform.self);
    else if (a.steps[bit])
      a.forget(bit);
  }
  bool overflow = false;
  uint64_t divisor = SaturatingMultiply(a.divisor, uniform.divisor, &overflow);
  a.divisor = overflow ? a.divisor : divisor;
  if (a.base && *a.base != 0)
    a.base = std::nullopt;
  a.isNonNegative &= uniform.isNonNegative;
  a.self = {};
  return a;
}

static bool isUniform(const BitFacts &a) {
  return a.self.id && llvm::all_of(a.steps, [](const Step &step) { return step == 0; });
}

BitFacts triton::times(const BitFacts &given, const BitFacts &other) {
  if (other.isConstant())
    return scaled(given, *other.base);
  if (given.isConstant())
    return scaled(other, *given.base);
  if (isUniform(other))
    return scaledBy(given, other);
  if (isUniform(given))
    return scaledBy(other, given);
  BitFacts a = given, b = other;
  for (unsigned bit = 0; bit < a.steps.size(); ++bit)
    if (a.steps[bit] != 0 || b.steps[bit] != 0) {
      a.forget(bit);
      b.forget(bit);
    }
  bool overflow = false;
  uint64_t divisor = SaturatingMultiply(a.divisor, b.divisor, &overflow);
  a.divisor = overflow ? a.divisor : divisor;
  a.base = std::nullopt;
  a.self = {};
  a.isNonNegative &= b.isNonNegative;
  return a;
}

//===-------------------------------------------------------------------------===//
// Steps that stay within a multiple
//===-------------------------------------------------------------------------===//

/// Some of the bits of `a`. The sum of their steps is less than a number that divides both
/// `modulus` and the rest of `a`. So adding these steps never crosses a multiple of `modulus`. Bits
/// whose steps are multiples of `whole` are not among them, but do no harm. A `whole` of 0 excludes
/// no bits.
struct Within {
  SmallVector<bool> bits;
  uint64_t granule = 1; // divides the rest and the modulus
};

static Within stayingWithin(const BitFacts &a, uint64_t modulus, uint64_t whole) {
  SmallVector<unsigned> rising; // candidates, in order of their steps
  uint64_t rest = std::gcd(a.divisor, modulus);
  for (unsigned bit = 0; bit < a.steps.size(); ++bit) {
    if (!a.steps[bit] || (whole != 0 && magnitude(*a.steps[bit]) % whole == 0))
      continue;
    if (*a.steps[bit] > 0)
      rising.push_back(bit);
    else
      rest = std::gcd(rest, magnitude(*a.steps[bit]));
  }
  llvm::sort(rising, [&](unsigned x, unsigned y) { return *a.steps[x] < *a.steps[y]; });
  Within result;
  result.bits.assign(a.steps.size(), false);
  for (size_t count = rising.size();; --count) {
    uint64_t total = 0;
    result.granule = rest;
    for (size_t i = 0; i < rising.size(); ++i) {
      uint64_t step = magnitude(*a.steps[rising[i]]);
      if (i < count)
        total = SaturatingAdd(total, step);
      else
        result.granule = std::gcd(result.granule, step);
    }
    // A granule of 0 means that everything else is 0, which is a multiple of any number.
    if (count == 0 || result.granule == 0 || total < result.granule) {
      for (size_t i = 0; i < count; ++i)
        result.bits[rising[i]] = true;
      return result;
    }
  }
}

BitFacts triton::floorQuotient(const BitFacts &given, int64_t divisor) {
  BitFacts a = given.inNumbers();
  auto whole = static_cast<uint64_t>(divisor);
  Within within = stayingWithin(a, whole, whole);
  BitFacts result = a;
  for (unsigned bit = 0; bit < a.steps.size(); ++bit) {
    if (!a.steps[bit])
      continue;
    if (magnitude(*a.steps[bit]) % whole == 0)
      result.steps[bit] = Step(*a.steps[bit] / divisor);
    else if (within.bits[bit])
      result.steps[bit] = Step(0);
    else
      result.forget(bit);
  }
  result.self = {};
  if (result.base) // rounded down
    result.base = *result.base / divisor - (*result.base % divisor < 0);
  result.divisor = result.divisor % whole == 0 ? result.divisor / whole : 1;
  return settled(result);
}

/// Computes the remainder by `modulus` if `exact`, and otherwise by an unknown multiple of it. Only
/// an exact modulus removes steps that are multiples of it. Each base is a multiple of the granule.
static BitFacts remainderOf(const BitFacts &given, uint64_t modulus, bool exact) {
  BitFacts a = given.inNumbers();
  uint64_t whole = exact ? modulus : 0;
  Within within = stayingWithin(a, modulus, whole);
  BitFacts result = a;
  for (unsigned bit = 0; bit < a.steps.size(); ++bit) {
    if (!a.steps[bit] || a.steps[bit] == 0)
      continue;
    if (whole != 0 && magnitude(*a.steps[bit]) % whole == 0)
      result.steps[bit] = Step(0);
    else if (!within.bits[bit])
      result.forget(bit);
  }
  auto number = static_cast<int64_t>(modulus);
  result.self = {};
  if (result.base && exact)
    result.base = (*result.base % number + number) % number;
  else
    result.base = std::nullopt;
  result.divisor = std::gcd(result.divisor, modulus);
  if (exact && result.divisor == modulus)
    result.divisor = 0; // both a multiple of the modulus and less than it
  result.isNonNegative = true;
  return settled(result);
}

BitFacts triton::floorRemainder(const BitFacts &a, int64_t divisor) {
  return remainderOf(a, static_cast<uint64_t>(divisor), /*exact=*/true);
}

/// Drops the steps of bits that change b.
static BitFacts alongConstant(const BitFacts &given, const BitFacts &b) {
  BitFacts a = given.inNumbers();
  for (unsigned bit = 0; bit < a.steps.size(); ++bit)
    if (b.steps[bit] != 0)
      a.forget(bit);
  return a;
}

BitFacts triton::quotient(const BitFacts &a, const BitFacts &b) {
  if (b.isConstant() && *b.base > 0) {
    bool whole = a.elementDivisor() % static_cast<uint64_t>(*b.base) == 0;
    if (a.isNonNegative || whole) // without a rest, both divisions round in the same way
      return floorQuotient(a, *b.base);
  }
  if (!a.isNonNegative)
    return onlyConstancy(a, b);
  BitFacts dividend = alongConstant(a, b);
  Within within = stayingWithin(dividend, b.elementDivisor(), 0);
  BitFacts result = BitFacts::unknown(a.shape);
  for (unsigned bit = 0; bit < result.steps.size(); ++bit)
    if (dividend.steps[bit] && (within.bits[bit] || dividend.steps[bit] == 0))
      result.steps[bit] = Step(0);
  result.isNonNegative = b.isNonNegative;
  return result;
}

BitFacts triton::remainder(const BitFacts &a, const BitFacts &b) {
  if (!a.isNonNegative) {
    BitFacts result = onlyConstancy(a, b);
    result.divisor = std::gcd(a.elementDivisor(), b.elementDivisor());
    // This number divides every element of the result, and so it also divides the base, which
    // includes dropped bits.
    result.divisor = result.divisor == 0 ? 1 : result.divisor;
    return result;
  }
  if (b.isConstant() && *b.base > 0)
    return floorRemainder(a, *b.base);
  return remainderOf(alongConstant(a, b), b.elementDivisor(), /*exact=*/false);
}

//===-------------------------------------------------------------------------===//
// Comparisons and selections
//===-------------------------------------------------------------------------===//

BitFacts triton::isLess(const BitFacts &a, const BitFacts &b) {
  auto left = a.range(), right = b.range();
  if (left && right && left->second < right->first)
    return truth(true, a.shape);
  if (right && ((left && left->first >= right->second) || (a.isNonNegative && right->second <= 0)))
    return truth(false, a.shape);
  // base + within < b is equivalent to base < b, if b and the base are multiples of a number
  // greater than `within`.
  BitFacts low = alongConstant(a, b);
  Within within = stayingWithin(low, b.elementDivisor(), 0);
  BitFacts result = BitFacts::unknown(a.shape);
  for (unsigned bit = 0; bit < result.steps.size(); ++bit)
    if (low.steps[bit] && (within.bits[bit] || low.steps[bit] == 0))
      result.steps[bit] = Step(0);
  result.isNonNegative = true;
  return result;
}

static BitFacts extreme(const BitFacts &a, const BitFacts &b, bool greatest) {
  auto left = a.range(), right = b.range();
  if (left && right) {
    if (left->second <= right->first)
      return greatest ? b : a;
    if (right->second <= left->first)
      return greatest ? a : b;
  }
  BitFacts result = either(a, b);
  result.isNonNegative =
      greatest ? a.isNonNegative || b.isNonNegative : a.isNonNegative && b.isNonNegative;
  return result;
}

BitFacts triton::least(const BitFacts &a, const BitFacts &b) { return extreme(a, b, false); }
BitFacts triton::greatest(const BitFacts &a, const BitFacts &b) { return extreme(a, b, true); }

BitFacts triton::selected(const BitFacts &condition, const BitFacts &a, const BitFacts &b) {
  if (condition.isConstant())
    return *condition.base != 0 ? a : b;
  if (a == b)
    return a;
  BitFacts result = either(a, b);
  result.self = {};
  for (unsigned bit = 0; bit < result.steps.size(); ++bit)
    if (condition.steps[bit] != 0)
      result.forget(bit);
  return result;
}

BitFacts triton::ofEqualElements(ArrayRef<BitFacts> operands, ArrayRef<int64_t> shape) {
  BitFacts result = BitFacts::constant(0, shape);
  for (const BitFacts &operand : operands)
    for (unsigned bit = 0; bit < result.steps.size(); ++bit)
      if (operand.steps[bit] != 0)
        result.steps[bit] = Step();
  result.base = std::nullopt;
  result.divisor = 1;
  result.isNonNegative = false;
  return result;
}

BitFacts triton::wrapped(const BitFacts &given, unsigned width) {
  if (width >= 63)
    return given;
  int64_t least = -(int64_t(1) << (width - 1));
  if (auto range = given.range(); range && range->first >= least && range->second < -least)
    return given;
  // The result is congruent to the operand modulo 2^width. Steps that stay within half of that
  // range do not wrap around.
  BitFacts a = given.inNumbers(), result = a;
  auto modulus = uint64_t(1) << width;
  Within within = stayingWithin(a, modulus / 2, modulus);
  for (unsigned bit = 0; bit < result.steps.size(); ++bit)
    if (result.steps[bit] && *result.steps[bit] % static_cast<int64_t>(modulus) == 0)
      result.steps[bit] = Step(0);
    else if (result.steps[bit] && !within.bits[bit])
      result.forget(bit);
  result.base = std::nullopt;
  result.self = {};
  result.divisor = std::gcd(result.divisor, modulus);
  result.isNonNegative = false;
  return result;
}
