//===- BitFacts.cpp - facts about a tensor of integers or pointers ----------===//
#include "compiler/import/triton/facts/BitFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;
using namespace pumice;
using namespace pumice::triton;

static uint64_t magnitude(int64_t value) {
  return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

static unsigned bitsOf(ArrayRef<int64_t> shape) {
  unsigned bits = 0;
  for (int64_t length : shape)
    bits += Log2_64(length);
  return bits;
}

/// Returns the greatest power of two that divides a number, or 2^62 for zero.
static int64_t powerOfTwoIn(uint64_t value) {
  return int64_t(1) << (value == 0 ? 62 : std::min(62, countr_zero(value)));
}

//===-------------------------------------------------------------------------===//
// Facts
//===-------------------------------------------------------------------------===//

uint64_t Step::divisor() const {
  bool overflow = false;
  uint64_t product = SaturatingMultiply(magnitude(factor), symbol.divisor, &overflow);
  return overflow ? magnitude(factor) : product;
}

BitFacts BitFacts::unknown(ArrayRef<int64_t> shape) {
  BitFacts result;
  result.shape.assign(shape.begin(), shape.end());
  result.steps.assign(bitsOf(shape), std::nullopt);
  return result;
}

BitFacts BitFacts::constant(int64_t value, ArrayRef<int64_t> shape) {
  BitFacts result = unknown(shape);
  llvm::fill(result.steps, 0);
  result.base = value;
  result.divisor = magnitude(value);
  result.isNonNegative = value >= 0;
  return result;
}

BitFacts BitFacts::ofValues(ArrayRef<int64_t> values, ArrayRef<int64_t> shape) {
  BitFacts result = constant(values[0], shape);
  for (unsigned bit = 0; bit < result.steps.size(); ++bit) {
    size_t distance = size_t(1) << bit;
    Step step;
    bool same = true;
    for (size_t i = 0; i < values.size() && same; ++i) {
      int64_t difference = 0;
      if (i & distance)
        continue;
      same = !SubOverflow(values[i | distance], values[i], difference) &&
             (!step || *step == difference);
      step = Step(difference);
    }
    result.steps[bit] = same ? step : Step();
  }
  // The base consists of the values at positions whose set bits all lack a step. `divisor` divides
  // these values.
  result.divisor = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    bool isBase = true;
    for (unsigned bit = 0; bit < result.steps.size(); ++bit)
      isBase &= !(i >> bit & 1 && result.steps[bit]);
    if (isBase)
      result.divisor = std::gcd(result.divisor, magnitude(values[i]));
  }
  if (llvm::is_contained(result.steps, Step()))
    result.base = std::nullopt;
  result.isNonNegative = *llvm::min_element(values) >= 0;
  return result;
}

bool BitFacts::isConstant() const {
  return base && llvm::all_of(steps, [](Step step) { return step == 0; });
}

std::optional<std::pair<int64_t, int64_t>> BitFacts::range() const {
  if (!base)
    return std::nullopt;
  int64_t low = *base, high = *base;
  for (Step step : steps)
    if (!step.isNumber() || AddOverflow(low, std::min<int64_t>(*step, 0), low) ||
        AddOverflow(high, std::max<int64_t>(*step, 0), high))
      return std::nullopt;
  return std::pair(low, high);
}

uint64_t BitFacts::elementDivisor() const {
  uint64_t result = divisor;
  for (Step step : steps)
    if (step)
      result = std::gcd(result, step.divisor());
  return result;
}

unsigned BitFacts::firstBit(unsigned dimension) const {
  return bitsOf(ArrayRef(shape).drop_front(dimension + 1));
}

unsigned BitFacts::bitCount(unsigned dimension) const { return Log2_64(shape[dimension]); }

int64_t BitFacts::contiguity(unsigned dimension, int64_t unit) const {
  unsigned first = firstBit(dimension), count = 0;
  while (count < bitCount(dimension) && steps[first + count] == unit << count)
    ++count;
  return int64_t(1) << count;
}

int64_t BitFacts::constancy(unsigned dimension) const {
  unsigned first = firstBit(dimension), count = 0;
  while (count < bitCount(dimension) && steps[first + count] == 0)
    ++count;
  return int64_t(1) << count;
}

Step BitFacts::stride(unsigned dimension) const {
  unsigned first = firstBit(dimension), count = bitCount(dimension);
  if (count == 0 || !steps[first])
    return count == 0 ? Step(0) : Step();
  for (unsigned i = 1; i < count; ++i) {
    int64_t factor = 0;
    if (MulOverflow(*steps[first], int64_t(1) << i, factor) ||
        steps[first + i] != Step(factor, steps[first].of()))
      return Step();
  }
  return steps[first];
}

int64_t BitFacts::alignment(unsigned dimension, int64_t length) const {
  BitFacts runs = *this;
  for (unsigned bit = 0; bit < Log2_64(length); ++bit)
    runs.steps[firstBit(dimension) + bit] = 0;
  return powerOfTwoIn(runs.elementDivisor());
}

void BitFacts::forget(unsigned bit) {
  if (steps[bit])
    divisor = std::gcd(divisor, steps[bit].divisor());
  steps[bit] = std::nullopt;
  base = std::nullopt;
  self = {};
}

BitFacts BitFacts::inNumbers() const {
  BitFacts result = *this;
  for (unsigned bit = 0; bit < steps.size(); ++bit)
    if (steps[bit] && !steps[bit].isNumber())
      result.forget(bit);
  return result;
}

/// Returns the text of a divisor. Zero is a multiple of every number, so its divisor is "any".
static std::string divisorText(int64_t powerOfTwo) {
  return powerOfTwo == powerOfTwoIn(0) ? "any" : std::to_string(powerOfTwo);
}

std::string BitFacts::text(int64_t unit) const {
  std::string contiguities, constancies, divisibilities, all;
  SmallSetVector<const void *, 4> symbols;
  auto add = [](std::string &list, const std::string &word) {
    list += (list.empty() ? "" : ", ") + word;
  };
  for (unsigned d = 0; d < shape.size(); ++d) {
    int64_t run = contiguity(d, unit);
    add(contiguities, std::to_string(run));
    add(constancies, std::to_string(constancy(d)));
    add(divisibilities, divisorText(alignment(d, run)));
    std::string words;
    for (unsigned bit = firstBit(d); bit < firstBit(d) + bitCount(d); ++bit) {
      words += (words.empty() ? "" : " ") + (steps[bit] ? std::to_string(*steps[bit]) : "?");
      if (const void *symbol = steps[bit].of().id) {
        symbols.insert(symbol);
        auto place = llvm::find(symbols, symbol) - symbols.begin();
        words += std::string("*") + static_cast<char>('a' + place % 26);
      }
    }
    add(all, words);
  }
  std::string result;
  if (shape.empty())
    result = base ? "constant " + std::to_string(*base)
                  : "divisibility " + divisorText(powerOfTwoIn(divisor));
  else
    result = "contiguity [" + contiguities + "], constancy [" + constancies + "], divisibility [" +
             divisibilities + "], steps [" + all + "]" +
             (base ? " from " + std::to_string(*base) : "");
  return result + (isNonNegative && !base ? ", not negative" : "");
}

//===-------------------------------------------------------------------------===//
// Facts about moved bits
//===-------------------------------------------------------------------------===//

BitFacts triton::reshaped(const BitFacts &a, ArrayRef<int64_t> shape) {
  BitFacts result = a;
  result.shape.assign(shape.begin(), shape.end());
  return result;
}

BitFacts triton::transposed(const BitFacts &a, ArrayRef<int32_t> order) {
  BitFacts result = a;
  result.steps.clear();
  for (unsigned d = 0; d < order.size(); ++d)
    result.shape[d] = a.shape[order[d]];
  for (int32_t from : llvm::reverse(order)) {
    const Step *first = a.steps.begin() + a.firstBit(from);
    result.steps.append(first, first + a.bitCount(from));
  }
  return result;
}

BitFacts triton::broadcast(const BitFacts &a, ArrayRef<int64_t> shape) {
  BitFacts result = a;
  result.shape.assign(shape.begin(), shape.end());
  result.steps.clear();
  for (unsigned d = shape.size(); d-- > 0;) {
    const Step *first = a.steps.begin() + a.firstBit(d);
    result.steps.append(first, first + a.bitCount(d));
    if (a.shape[d] == 1)
      result.steps.append(Log2_64(shape[d]), Step(0));
  }
  return result;
}

BitFacts triton::joined(const BitFacts &a, const BitFacts &b) {
  BitFacts result = either(a, b);
  result.self = {};
  result.shape.push_back(2);
  Step step;
  int64_t difference = 0;
  // If both bases are known and all other steps are the same, the difference of the bases is a
  // step.
  if (a.base && b.base && a.steps == b.steps && !SubOverflow(*b.base, *a.base, difference)) {
    result = a;
    result.shape.push_back(2);
    result.isNonNegative &= b.isNonNegative;
    step = Step(difference);
  }
  result.steps.insert(result.steps.begin(), step);
  if (!step)
    result.base = std::nullopt;
  return result;
}

BitFacts triton::splitOff(const BitFacts &a, bool second) {
  BitFacts result = a;
  result.shape.pop_back();
  Step step = a.steps[0];
  result.steps.erase(result.steps.begin());
  if (second && step && step != 0) {
    result.divisor = std::gcd(result.divisor, step.divisor());
    result.self = {};
    if (result.base && (!step.isNumber() || AddOverflow(*result.base, *step, *result.base)))
      result.base = std::nullopt;
  }
  if (result.base)
    result.divisor = magnitude(*result.base);
  return result;
}
