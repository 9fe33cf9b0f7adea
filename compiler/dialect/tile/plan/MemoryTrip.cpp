//===- MemoryTrip.cpp - converts layouts through workgroup memory -----------===//
#include "compiler/dialect/tile/plan/MemoryTrip.h"
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/tile/layout/LayoutText.h"

#include <algorithm>

using namespace pumice;
using namespace pumice::tile;

static Status invalid(std::string message) {
  return {StatusCode::InvalidArgument, std::move(message)};
}

//===-------------------------------------------------------------------------===//
// Accesses
//===-------------------------------------------------------------------------===//

/// Returns log2 of the number of elements in a row of all banks. An element that is larger than a
/// row counts as a row.
static unsigned rowBits(unsigned elementBytes, const WorkgroupMemory &memory) {
  unsigned row = memory.banks * memory.bankBytes;
  return elementBytes < row ? static_cast<unsigned>(std::countr_zero(row / elementBytes)) : 0;
}

/// Returns log2 of the number of elements in a word, which a bank delivers together.
static unsigned wordBits(unsigned elementBytes, const WorkgroupMemory &memory) {
  return elementBytes < memory.bankBytes
             ? static_cast<unsigned>(std::countr_zero(memory.bankBytes / elementBytes))
             : 0;
}

/// Returns how many different words lanes need from one bank at once. The lowest lanes that
/// together fill a row access memory at the same time, at most one lane for each bank.
static unsigned conflictsOf(const LinearLayout &places, unsigned vectorBits, unsigned elementBytes,
                            const WorkgroupMemory &memory) {
  unsigned row = rowBits(elementBytes, memory), word = wordBits(elementBytes, memory);
  uint64_t inRow = (uint64_t(1) << row) - 1, inWord = (uint64_t(1) << word) - 1;
  unsigned together = row - std::min(row, std::max(word, vectorBits));
  BitSpan words, banks;
  for (uint64_t place : places.columns(laneSpace).first(
           std::min<size_t>(together, places.columns(laneSpace).size()))) {
    uint64_t offset = places.output(offsetSpace).of(place);
    words.add(offset & ~inWord);
    banks.add(offset & ~inWord & inRow);
  }
  return 1u << (words.rank() - banks.rank());
}

Result<MemoryAccess> pumice::tile::planAccess(const LinearLayout &layout,
                                              const LinearLayout &addresses, unsigned vectorBits,
                                              unsigned elementBytes,
                                              const WorkgroupMemory &memory) {
  MemoryAccess access;
  PUMICE_TRY(access.places, compose(addresses, layout));
  std::span<const uint64_t> registers = access.places.columns(registerSpace);
  Field offset = access.places.output(offsetSpace);
  // A vector begins at offsets whose lowest bits are zero. These bits must be the same in all
  // lanes.
  uint64_t ofOthers = 0;
  for (std::string_view name : {laneSpace, subgroupSpace})
    for (uint64_t place : access.places.columns(name))
      ofOthers |= offset.of(place);
  BitSpan held(registers);
  vectorBits = std::min(vectorBits, offset.bits);
  for (unsigned bit = 0; bit < vectorBits && !(ofOthers >> bit & 1); ++bit) {
    auto found = held.express(offset.at(uint64_t(1) << bit));
    if (!found)
      break;
    access.vector.push_back(*found);
  }
  std::vector<uint64_t> copies = freeBits(layout);
  auto copiesIn = [&](std::string_view name) {
    for (size_t i = 0; i < copies.size(); ++i)
      if (layout.inputs()[i].name == name)
        return copies[i];
    return uint64_t(0);
  };
  access.laneCopies = copiesIn(laneSpace);
  access.subgroupCopies = copiesIn(subgroupSpace);
  for (size_t bit = 0; bit < registers.size(); ++bit)
    access.original.push_back(held.express(registers[bit]).value_or(0));
  for (uint64_t reg = 0; reg >> registers.size() == 0; ++reg) {
    uint64_t inVector = offset.of(combine(registers, reg)) & (access.length() - 1);
    if (combine(access.original, reg) == reg && !inVector)
      access.starts.push_back(reg);
  }
  access.conflicts =
      conflictsOf(access.places, static_cast<unsigned>(access.vector.size()), elementBytes, memory);
  return access;
}

//===-------------------------------------------------------------------------===//
// Addresses
//===-------------------------------------------------------------------------===//

namespace {

/// A growing list of independent vectors.
struct Basis {
  std::vector<uint64_t> vectors;
  BitSpan span;

  bool add(uint64_t vector) {
    bool isNew = span.add(vector);
    if (isNew)
      vectors.push_back(vector);
    return isNew;
  }
  /// Adds vectors of `more`, in their order, until there are `most`.
  void addUpTo(size_t most, std::span<const uint64_t> more) {
    for (size_t i = 0; i < more.size() && vectors.size() < most; ++i)
      add(more[i]);
  }
};

struct Chooser {
  Distributed from, to;
  unsigned elementBits; // of the tensor's numbering of elements
  Basis lanesAndSubgroups, piece, vector;

  Chooser(const LinearLayout &from, const LinearLayout &to)
      : from(from), to(to), elementBits(from.outputBits()) {
    for (auto part : {this->from.lanes, this->to.lanes, this->from.subgroups, this->to.subgroups})
      lanesAndSubgroups.addUpTo(elementBits, part);
  }

  void choosePiece(unsigned bits, unsigned vectorBits);
  std::vector<uint64_t> chooseOrder(unsigned wordBits, unsigned rowBits) const;
  std::vector<uint64_t> common() const { return intersect(from.registers, to.registers); }
  std::vector<uint64_t> units() const {
    std::vector<uint64_t> result;
    for (unsigned bit = 0; bit < elementBits; ++bit)
      result.push_back(uint64_t(1) << bit);
    return result;
  }
};

/// Chooses the elements of one piece. They form a space that contains everything that distinguishes
/// lanes and subgroups, so registers alone determine an element's piece. `vector` holds the
/// neighbours in memory that both sides have in registers. Lanes must not differ by these, because
/// their vectors would then start at different times.
void Chooser::choosePiece(unsigned bits, unsigned vectorBits) {
  piece = lanesAndSubgroups;
  for (uint64_t candidate : common()) {
    if (vector.vectors.size() == vectorBits || piece.vectors.size() == bits)
      break;
    if (piece.add(candidate))
      vector.add(candidate);
  }
  piece.addUpTo(bits, units());
}

/// Orders the elements of a piece by their offsets: a vector, the rest of a word, the other banks
/// of a row, the rows.
std::vector<uint64_t> Chooser::chooseOrder(unsigned wordBits, unsigned rowBits) const {
  size_t size = std::min<size_t>(rowBits, piece.vectors.size());
  // The part that belongs to the lanes contains no part of a vector. It is a complement of the
  // vector in the piece.
  std::vector<uint64_t> others;
  for (uint64_t element : piece.vectors)
    if (!vector.span.contains(element))
      others.push_back(element);
  // Lanes that share a word do not wait for each other, so these need no separate banks.
  Basis word = vector;
  word.addUpTo(std::min<size_t>(wordBits, size), from.lanes);
  word.addUpTo(std::min<size_t>(wordBits, size), others);
  auto row = [&](const Distributed &side, const Distributed &other) {
    Basis result = word;
    result.addUpTo(size, side.lanes);
    result.addUpTo(size, other.lanes);
    result.addUpTo(size, others);
    return result;
  };
  Basis stored = row(from, to), loaded = row(to, from);
  std::vector<uint64_t> both = intersect(stored.vectors, loaded.vectors);
  Basis a, b;
  a.addUpTo(both.size(), both);
  b.addUpTo(both.size(), both);
  a.addUpTo(size, stored.vectors);
  b.addUpTo(size, loaded.vectors);
  Basis order = stored;
  for (size_t i = both.size(); i < size; ++i)
    order.add(a.vectors[i] ^ b.vectors[i]);
  order.addUpTo(piece.vectors.size(), others);
  return order.vectors;
}

} // namespace

/// Returns the inverse of `order`, the list of elements by their addresses.
static Result<LinearLayout> addressesOf(const LinearLayout &tensor, std::vector<uint64_t> order,
                                        unsigned offsetBits, std::span<const uint64_t> units) {
  Basis all;
  all.addUpTo(order.size(), order);
  all.addUpTo(tensor.outputBits(), units);
  PUMICE_TRY(LinearLayout elements,
             LinearLayout::fromColumns({{std::string(pieceSpace), tensor.outputBits() - offsetBits},
                                        {std::string(offsetSpace), offsetBits}},
                                       tensor.outputs(), all.vectors));
  return inverse(elements);
}

Result<MemoryTrip> pumice::tile::planMemoryTrip(const LinearLayout &from, const LinearLayout &to,
                                                unsigned elementBytes,
                                                const WorkgroupMemory &memory) {
  PUMICE_RETURN_IF_ERROR(checkConvertible(from, to));
  for (auto [value, what] : {std::pair(elementBytes, "an element's size in bytes"),
                             std::pair(memory.banks, "the number of banks"),
                             std::pair(memory.bankBytes, "a bank's width in bytes"),
                             std::pair(memory.widestAccess, "the widest access in bytes")}) {
    if (Result<unsigned> bits = bitsOf(value, what); !bits.isOk())
      return bits.status();
  }
  Chooser chooser(from, to);
  unsigned bits = from.outputBits();
  while (bits > 0 && (uint64_t(elementBytes) << bits) > memory.bytes)
    --bits;
  if (bits < chooser.lanesAndSubgroups.vectors.size())
    return invalid(
        "going from " + print(from) + " to " + print(to) + " takes " +
        std::to_string(uint64_t(elementBytes) << chooser.lanesAndSubgroups.vectors.size()) +
        " bytes of workgroup memory at least; there are " + std::to_string(memory.bytes));
  unsigned vectorBits =
      memory.widestAccess > elementBytes
          ? static_cast<unsigned>(std::countr_zero(memory.widestAccess / elementBytes))
          : 0;
  chooser.choosePiece(bits, vectorBits);
  MemoryTrip trip;
  trip.bytes = uint64_t(elementBytes) << bits;
  trip.pieces = 1u << (from.outputBits() - bits);
  PUMICE_TRY(trip.addresses, addressesOf(from,
                                         chooser.chooseOrder(wordBits(elementBytes, memory),
                                                             rowBits(elementBytes, memory)),
                                         bits, chooser.units()));
  PUMICE_TRY(trip.store, planAccess(from, trip.addresses, vectorBits, elementBytes, memory));
  PUMICE_TRY(trip.load, planAccess(to, trip.addresses, vectorBits, elementBytes, memory));
  return trip;
}
