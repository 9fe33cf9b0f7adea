//===- Slices.cpp - aligned blocks that all have the same layout ------------===//
#include "compiler/lower/tile/loops/Slices.h"

#include <algorithm>
#include <bit>
#include <optional>

using namespace pumice;
using namespace pumice::lower::tiles;
using tile::LinearLayout;

Sizes pumice::lower::tiles::shapeOf(const LinearLayout &layout) {
  Sizes shape;
  for (const tile::Space &space : layout.outputs())
    shape.push_back(space.size());
  return shape;
}

/// Returns the register bit that sets only this bit of the element's number, if no other input bit
/// sets it.
static std::optional<unsigned> registerOf(const LinearLayout &layout, unsigned bit) {
  uint64_t mask = uint64_t(1) << bit;
  std::optional<unsigned> found;
  for (const tile::Space &space : layout.inputs())
    for (unsigned i = 0; i < space.bits; ++i) {
      uint64_t column = layout.columns(space.name)[i];
      if (!(column & mask))
        continue;
      if (column != mask || found || space.name != tile::registerSpace)
        return std::nullopt;
      found = i;
    }
  return found;
}

Sizes pumice::lower::tiles::smallestSlice(const LinearLayout &layout) {
  Sizes sizes;
  for (unsigned d = 0; d < layout.outputs().size(); ++d) {
    tile::Field field = layout.output(d);
    unsigned bits = field.bits;
    while (bits > 0 && registerOf(layout, field.shift + bits - 1))
      --bits;
    sizes.push_back(uint64_t(1) << bits);
  }
  return sizes;
}

Sizes pumice::lower::tiles::splitShape(llvm::ArrayRef<LinearLayout> layouts) {
  Sizes shape;
  for (unsigned d = 0; d < layouts.front().outputs().size(); ++d) {
    tile::Field field = layouts.front().output(d);
    unsigned end = field.bits;
    for (unsigned bit = field.bits; bit-- > 1;) {
      bool begins = llvm::any_of(layouts, [&](const LinearLayout &layout) {
        return !registerOf(layout, field.shift + bit) && registerOf(layout, field.shift + bit - 1);
      });
      if (!begins)
        continue;
      shape.push_back(uint64_t(1) << (end - bit));
      end = bit;
    }
    shape.push_back(uint64_t(1) << end);
  }
  return shape;
}

llvm::SmallVector<Piece> pumice::lower::tiles::piecesOf(const LinearLayout &layout,
                                                        unsigned dimension) {
  tile::Field field = layout.output(dimension);
  llvm::SmallVector<Piece> pieces;
  for (unsigned bit = field.bits; bit-- > 0;) {
    bool isRegister = registerOf(layout, field.shift + bit).has_value();
    if (pieces.empty() || pieces.back().isRegisters != isRegister)
      pieces.push_back({0, isRegister});
    ++pieces.back().bits;
  }
  return pieces;
}

Result<Slice> pumice::lower::tiles::sliceOf(const LinearLayout &layout,
                                            llvm::ArrayRef<uint64_t> sizes) {
  Slice slice;
  std::vector<tile::Space> outs = layout.outputs(), ins = layout.inputs();
  uint64_t dropped = 0;
  for (unsigned d = 0; d < outs.size(); ++d) {
    tile::Field field = layout.output(d);
    outs[d].bits = static_cast<unsigned>(std::countr_zero(sizes[d]));
    slice.numbers.emplace_back();
    for (unsigned bit = outs[d].bits; bit < field.bits; ++bit) {
      std::optional<unsigned> reg = registerOf(layout, field.shift + bit);
      if (!reg)
        return Status(StatusCode::InvalidArgument, "blocks of " + std::to_string(sizes[d]) +
                                                       " along " + outs[d].name +
                                                       " are not held alike");
      slice.numbers.back().push_back(*reg);
      dropped |= uint64_t(1) << *reg;
    }
  }
  std::vector<uint64_t> columns;
  std::vector<uint64_t> kept;
  for (size_t i = ins.size(); i-- > 0;) {
    std::span<const uint64_t> images = layout.columns(ins[i].name);
    bool isRegister = ins[i].name == tile::registerSpace;
    for (unsigned bit = 0; bit < images.size(); ++bit) {
      if (isRegister && dropped >> bit & 1)
        continue;
      if (isRegister)
        kept.push_back(uint64_t(1) << bit);
      columns.push_back(tile::pointOf(outs, tile::coordinatesOf(layout.outputs(), images[bit])));
    }
    if (isRegister)
      ins[i].bits = static_cast<unsigned>(kept.size());
  }
  PUMICE_TRY(slice.layout, LinearLayout::fromColumns(ins, outs, std::move(columns)));
  for (uint64_t reg = 0; reg < uint64_t(1) << kept.size(); ++reg)
    slice.registers.push_back(tile::combine(kept, reg));
  return slice;
}

uint64_t pumice::lower::tiles::registersIn(const LinearLayout &layout,
                                           llvm::ArrayRef<uint64_t> sizes) {
  Result<Slice> slice = sliceOf(layout, sizes);
  return slice.isOk() ? slice->registers.size() : UINT64_MAX;
}

Sizes pumice::lower::tiles::grow(const LinearLayout &layout, Sizes sizes, uint64_t registers,
                                 bool balanced, unsigned first) {
  Sizes shape = shapeOf(layout), start = sizes;
  auto next = [&]() -> std::optional<unsigned> {
    std::optional<std::pair<uint64_t, unsigned>> best;
    for (unsigned d = first; d < shape.size(); ++d) {
      if (sizes[d] == shape[d])
        continue;
      tile::Field field = layout.output(d);
      std::optional<unsigned> reg =
          registerOf(layout, field.shift + static_cast<unsigned>(std::countr_zero(sizes[d])));
      if (!reg)
        continue;
      // Among dimensions that have grown equally, the lowest register is preferred: its element is
      // nearest in memory.
      uint64_t key = balanced ? (sizes[d] / start[d]) << 32 | *reg : *reg;
      if (!best || key < best->first)
        best = {key, d};
    }
    return best ? std::optional(best->second) : std::nullopt;
  };
  while (registersIn(layout, sizes) * 2 <= registers) {
    std::optional<unsigned> d = next();
    if (!d)
      break;
    sizes[*d] *= 2;
  }
  return sizes;
}
