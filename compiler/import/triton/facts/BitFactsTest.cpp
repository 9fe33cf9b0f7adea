//===- BitFactsTest.cpp - compares facts with the elements of tensors -------===//
// Evaluates random expressions element by element, and compares the values with what the analysis
// knows about them.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/facts/BitFacts.h"

#include "llvm/Support/MathExtras.h"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <random>

using namespace pumice::triton;

namespace {

/// The elements of a tensor in memory order, and the facts about them.
struct Sample {
  std::vector<int64_t> values;
  BitFacts facts;
};

std::vector<int64_t> iota(int64_t start, int64_t count) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), start);
  return values;
}

/// Returns the number that a symbol represents. The symbol's id is the address of that number.
int64_t numberOf(const Symbol &symbol) {
  return symbol.id ? *static_cast<const int64_t *>(symbol.id) : 1;
}

/// Returns whether all facts hold for the values.
bool holds(const Sample &sample) {
  const BitFacts &facts = sample.facts;
  for (size_t i = 0; i < sample.values.size(); ++i) {
    size_t base = i;
    int64_t added = 0;
    for (unsigned bit = 0; bit < facts.steps.size(); ++bit)
      if (i >> bit & 1 && facts.steps[bit]) {
        base &= ~(size_t(1) << bit);
        added += *facts.steps[bit] * numberOf(facts.steps[bit].of());
      }
    int64_t start = sample.values[base];
    bool divides =
        facts.divisor == 0 ? start == 0 : start % static_cast<int64_t>(facts.divisor) == 0;
    if (sample.values[i] != start + added || !divides || (facts.base && *facts.base != start) ||
        (facts.isNonNegative && sample.values[i] < 0) ||
        (facts.self.id && sample.values[i] != numberOf(facts.self)))
      return false;
  }
  return true;
}

class Expression {
public:
  explicit Expression(uint32_t seed) : random(seed) {}

  Sample make(int depth) {
    if (depth == 0)
      return leaf();
    Sample a = make(depth - 1);
    switch (random() % 16) {
    case 0:
      return moved(a);
    case 1: {
      int64_t by = int64_t(1) << random() % 5;
      return {each(a, [&](int64_t x) { return x >> llvm::Log2_64(by); }),
              floorQuotient(a.facts, by)};
    }
    case 2: {
      int64_t by = int64_t(1) << random() % 5;
      return {each(a, [&](int64_t x) { return x & (by - 1); }), floorRemainder(a.facts, by)};
    }
    case 3: {
      unsigned width = 6 + random() % 5;
      return {each(a, [&](int64_t x) { return llvm::SignExtend64(x, width); }),
              wrapped(a.facts, width)};
    }
    default:
      return combined(a, make(random() % depth));
    }
  }

private:
  static constexpr int64_t rows = 4, columns = 8;

  template <typename Function> static std::vector<int64_t> each(const Sample &a, Function f) {
    std::vector<int64_t> values;
    for (int64_t value : a.values)
      values.push_back(f(value));
    return values;
  }
  template <typename Function>
  static std::vector<int64_t> each(const Sample &a, const Sample &b, Function f) {
    std::vector<int64_t> values;
    for (size_t i = 0; i < a.values.size(); ++i)
      values.push_back(f(a.values[i], b.values[i]));
    return values;
  }

  /// Returns a constant, or an unknown number of the launch with few known facts.
  Sample scalar() {
    int64_t divisor = int64_t(1) << random() % 6;
    int64_t value = divisor * (static_cast<int64_t>(random() % 9) - 2);
    if (random() % 2)
      return {{value}, BitFacts::constant(value)};
    Sample sample{{value}, BitFacts::unknown({})};
    sample.facts.divisor = static_cast<uint64_t>(divisor);
    sample.facts.isNonNegative = value >= 0 && random() % 4;
    numbers.push_back(value);
    sample.facts.self = {&numbers.back(), sample.facts.divisor};
    return sample;
  }

  static Sample spread(const Sample &scalar) {
    return {std::vector<int64_t>(rows * columns, scalar.values[0]),
            broadcast(reshaped(scalar.facts, {1, 1}), {rows, columns})};
  }

  Sample leaf() {
    if (random() % 3 == 0)
      return spread(scalar());
    int64_t start = random() % 4 ? 0 : static_cast<int64_t>(random() % 32) - 8;
    bool alongRows = random() % 2;
    int64_t count = alongRows ? rows : columns;
    std::vector<int64_t> line = iota(start, count), values;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        values.push_back(line[static_cast<size_t>(alongRows ? i : j)]);
    BitFacts range = BitFacts::ofValues(line, {count});
    return {values, broadcast(alongRows ? reshaped(range, {count, 1}) : reshaped(range, {1, count}),
                              {rows, columns})};
  }

  /// Returns a tensor of the same shape that is made by moving elements of `a`.
  Sample moved(const Sample &a) {
    if (random() % 2) { // transposes the elements in memory, and reshapes back
      std::vector<int64_t> values;
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = 0; i < rows; ++i)
          values.push_back(a.values[static_cast<size_t>(i * columns + j)]);
      return {values, reshaped(transposed(a.facts, {1, 0}), {rows, columns})};
    }
    // Exchanges the two elements of each pair of neighbours.
    BitFacts pairs = reshaped(a.facts, {rows, columns / 2, 2});
    std::vector<int64_t> values;
    for (size_t i = 0; i < a.values.size(); i += 2)
      values.insert(values.end(), {a.values[i + 1], a.values[i]});
    return {values,
            reshaped(joined(splitOff(pairs, true), splitOff(pairs, false)), {rows, columns})};
  }

  Sample combined(const Sample &a, const Sample &b) {
    bool divides = !llvm::is_contained(b.values, 0);
    switch (random() % (divides ? 9 : 7)) {
    case 0:
      return {each(a, b, std::plus<>()), plus(a.facts, b.facts)};
    case 1:
      return {each(a, b, std::minus<>()), minus(a.facts, b.facts)};
    case 2:
      if (llvm::all_of(a.values, [](int64_t x) { return std::abs(x) < 100000; }))
        return {each(a, b, std::multiplies<>()), times(a.facts, b.facts)};
      return a;
    case 3:
      return {each(a, b, [](int64_t x, int64_t y) { return std::min(x, y); }),
              least(a.facts, b.facts)};
    case 4:
      return {each(a, b, [](int64_t x, int64_t y) { return std::max(x, y); }),
              greatest(a.facts, b.facts)};
    case 5:
      return {each(a, b, [](int64_t x, int64_t y) { return int64_t(x < y); }),
              isLess(a.facts, b.facts)};
    case 6: {
      Sample condition{each(a, b, std::less<>()), isLess(a.facts, b.facts)};
      Sample result{each(a, b, [](int64_t x, int64_t y) { return x < y ? x : y; }),
                    selected(condition.facts, a.facts, b.facts)};
      return result;
    }
    case 7:
      return {each(a, b, std::divides<>()), quotient(a.facts, b.facts)};
    default:
      return {each(a, b, std::modulus<>()), remainder(a.facts, b.facts)};
    }
  }

  std::mt19937 random;
  std::deque<int64_t> numbers; // of symbols
};

TEST(BitFacts, HoldsForRandomExpressions) {
  for (uint32_t seed = 0; seed < 200000; ++seed) {
    Expression expression(seed);
    Sample sample = expression.make(1 + static_cast<int>(seed % 4));
    ASSERT_TRUE(holds(sample)) << "seed " << seed << ": " << sample.facts.text() << ", divisor "
                               << sample.facts.divisor << ": "
                               << testing::PrintToString(sample.values);
  }
}

BitFacts range(int64_t count) { return BitFacts::ofValues(iota(0, count), {count}); }

TEST(BitFacts, FindsStrides) {
  int64_t place = 0;
  BitFacts stride = BitFacts::unknown({});
  stride.divisor = 8;
  stride.self = {&place, 8};
  auto spread = [](const BitFacts &a) { return broadcast(reshaped(a, {1, 1}), {4, 8}); };
  BitFacts rows = broadcast(reshaped(range(4), {4, 1}), {4, 8});
  BitFacts columns = broadcast(reshaped(range(8), {1, 8}), {4, 8});
  BitFacts at = plus(times(rows, spread(stride)), columns);
  EXPECT_EQ(at.text(), "contiguity [1, 8], constancy [1, 1], divisibility [1, 8], "
                       "steps [1*a 2*a, 1 2 4] from 0");
  EXPECT_EQ(at.stride(0), Step(1, stride.self));
  EXPECT_EQ(at.stride(1), Step(1));
  EXPECT_EQ(times(at, BitFacts::constant(4, {4, 8})).stride(0), Step(4, stride.self));
  EXPECT_FALSE(floorRemainder(at, 4).stride(0));
  EXPECT_FALSE(plus(at, times(columns, spread(stride))).stride(1)); // 1 + stride is unknown
  EXPECT_EQ(minus(at, times(rows, spread(stride))).stride(0), Step(0));
}

BitFacts number(uint64_t divisor, bool isNonNegative) {
  BitFacts result = BitFacts::unknown({});
  result.divisor = divisor;
  result.isNonNegative = isNonNegative;
  return result;
}

/// Checks that the analysis finds the facts that layouts need, in addition to being correct.
TEST(BitFacts, FindsWhatLayoutsNeed) {
  EXPECT_EQ(range(16).text(), "contiguity [16], constancy [1], divisibility [any], "
                              "steps [1 2 4 8] from 0");
  auto spread = [](const BitFacts &scalar) { return broadcast(reshaped(scalar, {1}), {16}); };
  // Makes the indices of one program's block of a row: program * 16 + i.
  BitFacts block = plus(spread(times(number(1, true), BitFacts::constant(16))), range(16));
  EXPECT_EQ(block.text(), "contiguity [16], constancy [1], divisibility [16], steps [1 2 4 8], "
                          "not negative");
  // Indices modulo a multiple of 8 are contiguous in groups of 8.
  EXPECT_EQ(remainder(block, spread(number(8, false))).text(),
            "contiguity [8], constancy [1], divisibility [8], steps [1 2 4 ?], not negative");
  // A comparison with a multiple of 4 has the same result in each group of 4.
  EXPECT_EQ(isLess(block, spread(number(4, false))).constancy(0), 4);
  // Computes the quotient i / 4 and the remainder i % 4.
  BitFacts four = spread(BitFacts::constant(4));
  EXPECT_EQ(quotient(block, four).text(),
            "contiguity [1], constancy [4], divisibility [1], steps [0 0 1 2], not negative");
  EXPECT_EQ(remainder(block, four).text(),
            "contiguity [4], constancy [1], divisibility [any], steps [1 2 0 0] from 0");
  EXPECT_TRUE(isLess(range(16), spread(BitFacts::constant(16))).isConstant());
  // If the block may be negative, such as -16 + i, the quotient is not constant in groups of four
  // elements.
  BitFacts unknownSign = block;
  unknownSign.isNonNegative = false;
  EXPECT_EQ(quotient(unknownSign, four).constancy(0), 1);
}

} // namespace
