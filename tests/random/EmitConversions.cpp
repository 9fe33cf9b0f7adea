//===- EmitConversions.cpp - a program as SPIR-V: conversions, digests ------===//
#include "tests/random/Emitter.h"

#include <bit>

namespace pumice::random_programs {

static Base unsignedOf(uint32_t bits) {
  return bits == 8 ? Base::U8 : bits == 16 ? Base::U16 : bits == 32 ? Base::U32 : Base::U64;
}

static Base signedOf(uint32_t bits) {
  return bits == 8 ? Base::I8 : bits == 16 ? Base::I16 : bits == 32 ? Base::I32 : Base::I64;
}

Emitter::Id Emitter::convert(TypeId from, TypeId to, Id value) {
  Base a = types[from].base, b = types[to].base;
  if (from == to)
    return value;
  auto emit = [&](spv::Op op, TypeId type, SpirvWriter::Operands operands) {
    return writer.emit(op, typeOf(type), operands);
  };
  if (a == Base::Bool)
    return emit(spv::OpSelect, to, {value, constantOf(to, 1), constantOf(to, 0)});
  if (b == Base::Bool)
    return emit(isFloat(a) ? spv::OpFUnordNotEqual : spv::OpINotEqual, to,
                {value, constantOf(from, 0)});
  if (isInteger(a) && isInteger(b)) {
    if (bitsOf(a) == bitsOf(b))
      return bitcast(to, value);
    if (isSigned(a))
      return emit(spv::OpSConvert, to, {value});
    TypeId plain = types.like(to, unsignedOf(bitsOf(b))); // UConvert gives unsigned integers
    value = emit(spv::OpUConvert, plain, {value});
    return plain == to ? value : bitcast(to, value);
  }
  if (isInteger(a)) { // at most as many bits as the float holds exactly
    auto kept = static_cast<uint32_t>(std::bit_width(static_cast<uint64_t>(boundOf(b)))) - 1;
    if (!isSigned(a)) {
      if (kept < bitsOf(a))
        value = emit(spv::OpBitwiseAnd, from, {value, constantOf(from, (uint64_t{1} << kept) - 1)});
      return emit(spv::OpConvertUToF, to, {value});
    }
    if (kept + 1 < bitsOf(a)) {
      Id amount = constantOf(from, bitsOf(a) - kept - 1);
      value = emit(spv::OpShiftLeftLogical, from, {value, amount});
      value = emit(spv::OpShiftRightArithmetic, from, {value, amount});
    }
    return emit(spv::OpConvertSToF, to, {value});
  }
  if (isFloat(b)) {
    if (boundOf(b) < boundOf(a))
      value = glsl(GLSLstd450FClamp, from,
                   {value, constantOf(from, static_cast<uint64_t>(-boundOf(b))),
                    constantOf(from, static_cast<uint64_t>(boundOf(b)))});
    return emit(spv::OpFConvert, to, {value});
  }
  // Every float fits into 32 bits. Narrower integers are truncated from these.
  TypeId whole = types.like(to, signedOf(std::max(bitsOf(b), 32u)));
  value = emit(spv::OpConvertFToS, whole, {value});
  return convert(whole, to, value);
}

/// Returns `hash` combined with all parts of `value`.
Emitter::Id Emitter::fold(TypeId type, Id value, Id hash) {
  const Type whole = types[type];
  if (whole.kind != Type::Kind::Scalar) {
    for (uint32_t i = 0; i < whole.count; ++i)
      hash = fold(types.part(type, i), part(type, value, i), hash);
    return hash;
  }
  if (bitsOf(whole.base) == 64 && isInteger(whole.base)) {
    Id high = writer.emit(spv::OpShiftRightLogical, typeOf(type), {value, constantOf(type, 32)});
    value = writer.emit(spv::OpBitwiseXor, typeOf(type), {value, high});
  }
  Id low = convert(type, types.scalar(Base::U32), value);
  Id grown = writer.emit(spv::OpIMul, uintType(), {hash, number(31)});
  return writer.emit(spv::OpIAdd, uintType(), {grown, low});
}

} // namespace pumice::random_programs
