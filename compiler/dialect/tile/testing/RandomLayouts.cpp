//===- RandomLayouts.cpp - random layouts for tests -------------------------===//
#include "compiler/dialect/tile/testing/RandomLayouts.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"

#include <cstdlib>

using namespace pumice;
using namespace pumice::tile;
using namespace pumice::tile::testing;

std::vector<unsigned> RandomLayouts::dimensions(unsigned count, unsigned bits) {
  std::vector<unsigned> result(count);
  for (unsigned bit = 0; count && bit < bits; ++bit)
    ++result[upTo(count - 1)];
  return result;
}

std::vector<uint64_t> RandomLayouts::anyColumns(unsigned inputs, unsigned outputs) {
  std::vector<uint64_t> columns;
  for (unsigned i = 0; i < inputs; ++i)
    columns.push_back(upTo(3) ? bits(outputs) : 0);
  return columns;
}

std::vector<uint64_t> RandomLayouts::surjectiveColumns(unsigned inputs, unsigned outputs) {
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < outputs; ++bit)
    columns.push_back(uint64_t(1) << bit);
  for (unsigned times = upTo(1) ? upTo(2 * outputs) : 0; outputs > 1 && times > 0; --times) {
    unsigned a = upTo(outputs - 1), b = upTo(outputs - 1);
    if (a != b)
      columns[a] ^= columns[b];
  }
  bool plainCopies = upTo(1);
  while (columns.size() < inputs)
    columns.push_back(plainCopies ? 0 : bits(outputs));
  shuffle(columns);
  return columns;
}

LinearLayout RandomLayouts::anyLayout(std::vector<std::string> inputs,
                                      std::vector<std::string> outputs, unsigned most) {
  std::vector<Space> ins, outs;
  for (std::string &name : inputs)
    ins.push_back({std::move(name), upTo(most)});
  for (std::string &name : outputs)
    outs.push_back({std::move(name), upTo(most)});
  return valueOf(LinearLayout::fromColumns(ins, outs, anyColumns(totalBits(ins), totalBits(outs))));
}

LinearLayout RandomLayouts::tensor(std::span<const unsigned> dimensions, unsigned lanes,
                                   unsigned subgroups, unsigned copies) {
  unsigned elements = 0;
  for (unsigned bits : dimensions)
    elements += bits;
  unsigned inputs = std::max(elements, lanes + subgroups) + copies;
  return valueOf(tensorLayout({{std::string(registerSpace), inputs - lanes - subgroups},
                               {std::string(laneSpace), lanes},
                               {std::string(subgroupSpace), subgroups}},
                              dimensions, surjectiveColumns(inputs, elements)));
}

void pumice::tile::testing::forSeeds(uint64_t count,
                                     const std::function<void(RandomLayouts &)> &test) {
  uint64_t first = 0;
  if (const char *chosen = std::getenv("PUMICE_SEED")) {
    first = std::strtoull(chosen, nullptr, 10);
    count = 1;
  }
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("PUMICE_SEED=" + std::to_string(seed));
    RandomLayouts random(seed);
    test(random);
    if (::testing::Test::HasFailure())
      return;
  }
}
