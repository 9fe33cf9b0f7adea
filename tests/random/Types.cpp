//===- Types.cpp - the types of random programs, and where they lie in memory -===//
#include "tests/random/Types.h"

#include <algorithm>

namespace pumice::random_programs {

uint32_t bitsOf(Base base) {
  static constexpr uint8_t bits[] = {32, 8, 8, 16, 16, 32, 32, 64, 64, 16, 32, 64};
  return bits[static_cast<size_t>(base)];
}

int64_t boundOf(Base base) {
  return base == Base::F16 ? 16 : base == Base::F32 ? 1024 : int64_t{1} << 20;
}

TypeId Types::find(Type type) {
  auto found = std::find(all.begin(), all.end(), type);
  if (found == all.end())
    found = all.insert(all.end(), std::move(type));
  return static_cast<TypeId>(found - all.begin());
}

TypeId Types::vector(Base base, uint32_t components) {
  TypeId part = scalar(base);
  return components == 1 ? part : find({Type::Kind::Vector, base, components, 1, {part}});
}

TypeId Types::matrix(Base base, uint32_t columns, uint32_t rows) {
  TypeId column = vector(base, rows);
  return find({Type::Kind::Matrix, base, columns, rows, {column}});
}

TypeId Types::array(TypeId element, uint32_t count) {
  return find({Type::Kind::Array, Base::U32, count, 1, {element}});
}

TypeId Types::structure(std::vector<TypeId> members) {
  auto count = static_cast<uint32_t>(members.size());
  return find({Type::Kind::Struct, Base::U32, count, 1, std::move(members)});
}

TypeId Types::part(TypeId type, uint32_t index) const {
  const Type &whole = all[type];
  return whole.parts[whole.kind == Type::Kind::Struct ? index : 0];
}

TypeId Types::like(TypeId type, Base base) {
  return all[type].kind == Type::Kind::Vector ? vector(base, all[type].count) : scalar(base);
}

TypeId Types::unsignedLike(TypeId type) {
  Base base = all[type].base;
  return like(type, isSigned(base) ? static_cast<Base>(static_cast<int>(base) + 1) : base);
}

bool Types::holds(TypeId type, Base base) const {
  const Type &whole = all[type];
  if (whole.kind < Type::Kind::Array)
    return whole.base == base;
  return std::ranges::any_of(whole.parts, [&](TypeId part) { return holds(part, base); });
}

static uint32_t roundUp(uint32_t value, uint32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

uint32_t Layout::matrixStride(TypeId matrix, bool rowMajor) const {
  const Type &whole = types[matrix];
  uint32_t components = rowMajor ? whole.count : whole.rows;
  uint32_t stride = bitsOf(whole.base) / 8 * (components == 3 ? 4 : components);
  return uniform ? roundUp(stride, 16) : stride;
}

uint32_t Layout::alignmentOf(TypeId type) const {
  const Type &whole = types[type];
  uint32_t least = uniform ? 16 : 1;
  switch (whole.kind) {
  case Type::Kind::Scalar:
    return bitsOf(whole.base) / 8;
  case Type::Kind::Vector:
    return bitsOf(whole.base) / 8 * (whole.count == 3 ? 4 : whole.count);
  case Type::Kind::Matrix: // whichever way it lies
    return std::max({least, matrixStride(type, false), matrixStride(type, true)});
  case Type::Kind::Array:
    return std::max(least, alignmentOf(whole.parts[0]));
  case Type::Kind::Struct:
    for (TypeId member : whole.parts)
      least = std::max(least, alignmentOf(member));
    return least;
  }
  return 1;
}

uint32_t Layout::strideOf(TypeId array) const {
  return roundUp(sizeOf(types[array].parts[0]), alignmentOf(array));
}

std::vector<uint32_t> Layout::offsetsOf(TypeId structure) const {
  std::vector<uint32_t> offsets;
  uint32_t at = 0;
  for (TypeId member : types[structure].parts) {
    at = roundUp(at, alignmentOf(member));
    offsets.push_back(at);
    at += sizeOf(member);
  }
  return offsets;
}

uint32_t Layout::sizeOf(TypeId type) const {
  const Type &whole = types[type];
  switch (whole.kind) {
  case Type::Kind::Scalar:
  case Type::Kind::Vector:
    return bitsOf(whole.base) / 8 * whole.count;
  case Type::Kind::Matrix:
    return std::max(matrixStride(type, false) * whole.count, matrixStride(type, true) * whole.rows);
  case Type::Kind::Array:
    return strideOf(type) * whole.count;
  case Type::Kind::Struct:
    return roundUp(offsetsOf(type).back() + sizeOf(whole.parts.back()), alignmentOf(type));
  }
  return 0;
}

void Layout::scalarsOf(TypeId type, uint32_t offset, std::vector<Scalar> &into,
                       bool rowMajor) const {
  const Type &whole = types[type];
  uint32_t bytes = bitsOf(whole.base) / 8;
  switch (whole.kind) {
  case Type::Kind::Scalar:
  case Type::Kind::Vector:
    for (uint32_t i = 0; i < whole.count; ++i)
      into.push_back({offset + i * bytes, whole.base});
    break;
  case Type::Kind::Matrix:
    for (uint32_t column = 0; column < whole.count; ++column)
      for (uint32_t row = 0; row < whole.rows; ++row) {
        uint32_t outer = rowMajor ? row : column, inner = rowMajor ? column : row;
        into.push_back({offset + outer * matrixStride(type, rowMajor) + inner * bytes, whole.base});
      }
    break;
  case Type::Kind::Array:
    for (uint32_t i = 0; i < whole.count; ++i)
      scalarsOf(whole.parts[0], offset + i * strideOf(type), into, rowMajor);
    break;
  case Type::Kind::Struct: {
    std::vector<uint32_t> offsets = offsetsOf(type);
    for (uint32_t i = 0; i < whole.count; ++i)
      scalarsOf(whole.parts[i], offset + offsets[i], into, isRowMajor(type, i));
    break;
  }
  }
}

} // namespace pumice::random_programs
