//===- Types.h - the types of random programs, and where they lie in memory -===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pumice::random_programs {

enum class Base : uint8_t { Bool, I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64 };

constexpr bool isFloat(Base base) { return base >= Base::F16; }
constexpr bool isInteger(Base base) { return base > Base::Bool && base < Base::F16; }
constexpr bool isSigned(Base base) {
  return isInteger(base) && (static_cast<int>(base) - static_cast<int>(Base::I8)) % 2 == 0;
}
uint32_t bitsOf(Base base); // 32 for a bool, which has that size in memory

/// Returns the largest magnitude of a float. Floats are integers, so sums, products and sums of
/// four products are exact. Results are brought back into this range.
int64_t boundOf(Base base);

using TypeId = uint32_t;

struct Type {
  enum class Kind : uint8_t { Scalar, Vector, Matrix, Array, Struct };
  Kind kind = Kind::Scalar;
  Base base = Base::U32;     // of scalars, vectors and matrices
  uint32_t count = 1;        // components, columns, elements, members
  uint32_t rows = 1;         // of matrices
  std::vector<TypeId> parts; // the component's, column's or element's type; the members'

  bool operator==(const Type &) const = default;
};

/// All types of a program, each once.
class Types {
public:
  TypeId scalar(Base base) { return find({Type::Kind::Scalar, base, 1, 1, {}}); }
  TypeId vector(Base base, uint32_t components);
  TypeId matrix(Base base, uint32_t columns, uint32_t rows);
  TypeId array(TypeId element, uint32_t count);
  TypeId structure(std::vector<TypeId> members);

  const Type &operator[](TypeId type) const { return all[type]; }
  size_t size() const { return all.size(); }
  TypeId part(TypeId type, uint32_t index) const;
  bool isScalar(TypeId type) const { return all[type].kind == Type::Kind::Scalar; }
  bool isVector(TypeId type) const { return all[type].kind == Type::Kind::Vector; }
  /// Returns whether the type is a scalar or a vector, which most operations accept.
  bool isPlain(TypeId type) const { return isScalar(type) || isVector(type); }
  /// Returns the scalar or vector of `base` that has as many components as `type`.
  TypeId like(TypeId type, Base base);
  /// Returns the unsigned integer type like `type`.
  TypeId unsignedLike(TypeId type);
  bool holds(TypeId type, Base base) const;

private:
  TypeId find(Type type);
  std::vector<Type> all;
};

/// Rules of the explicit layouts: std430, or std140 for uniform buffers. Every second matrix is
/// row-major.
class Layout {
public:
  Layout(const Types &types, bool uniform) : types(types), uniform(uniform) {}

  uint32_t sizeOf(TypeId type) const;
  uint32_t alignmentOf(TypeId type) const;
  uint32_t strideOf(TypeId array) const;
  std::vector<uint32_t> offsetsOf(TypeId structure) const;
  uint32_t matrixStride(TypeId matrix, bool rowMajor) const;
  static bool isRowMajor(TypeId structure, uint32_t member) { return (structure + member) % 2; }

  struct Scalar {
    uint32_t offset;
    Base base;
  };
  /// Appends all scalars of a value of this type at `offset`. Padding contains no scalars.
  void scalarsOf(TypeId type, uint32_t offset, std::vector<Scalar> &into,
                 bool rowMajor = false) const;

private:
  const Types &types;
  bool uniform;
};

} // namespace pumice::random_programs
