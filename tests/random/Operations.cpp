//===- Operations.cpp - what random expressions compute ---------------------===//
#include "tests/random/Operations.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.hpp>

namespace pumice::random_programs {

using enum Guard;

namespace {

constexpr Arithmetic same(uint32_t opcode, uint8_t operands, Takes takes, Guard guard = None) {
  return {opcode, false, operands, takes, Gives::Same, guard};
}
constexpr Arithmetic glsl(uint32_t opcode, uint8_t operands, Takes takes, Guard guard = None) {
  return {opcode, true, operands, takes, Gives::Same, guard};
}
constexpr Arithmetic compares(uint32_t opcode, Takes takes) {
  return {opcode, false, 2, takes, Gives::Bools, None};
}

constexpr Arithmetic table[] = {
    same(spv::OpIAdd, 2, Takes::Integer),
    same(spv::OpIAdd, 2, Takes::Integer),
    same(spv::OpISub, 2, Takes::Integer),
    same(spv::OpIMul, 2, Takes::Integer),
    same(spv::OpBitwiseAnd, 2, Takes::Integer),
    same(spv::OpBitwiseOr, 2, Takes::Integer),
    same(spv::OpBitwiseXor, 2, Takes::Integer),
    same(spv::OpNot, 1, Takes::Integer),
    same(spv::OpSNegate, 1, Takes::Integer),
    same(spv::OpShiftLeftLogical, 2, Takes::Integer, Shift),
    same(spv::OpShiftRightLogical, 2, Takes::Integer, Shift),
    same(spv::OpShiftRightArithmetic, 2, Takes::Integer, Shift),
    same(spv::OpUDiv, 2, Takes::Integer, NotZero),
    same(spv::OpUMod, 2, Takes::Integer, NotZero),
    same(spv::OpSDiv, 2, Takes::Integer, SmallSigned),
    same(spv::OpSRem, 2, Takes::Integer, NotNegative),
    same(spv::OpSMod, 2, Takes::Integer, NotNegative),
    glsl(GLSLstd450SAbs, 1, Takes::Integer),
    glsl(GLSLstd450SSign, 1, Takes::Integer),
    glsl(GLSLstd450SMin, 2, Takes::Integer),
    glsl(GLSLstd450SMax, 2, Takes::Integer),
    glsl(GLSLstd450UMin, 2, Takes::Integer),
    glsl(GLSLstd450UMax, 2, Takes::Integer),
    glsl(GLSLstd450SClamp, 3, Takes::Integer, Ordered),
    glsl(GLSLstd450UClamp, 3, Takes::Integer, Ordered),
    same(spv::OpBitCount, 1, Takes::Integer32),
    same(spv::OpBitReverse, 1, Takes::Integer32),
    same(spv::OpBitFieldInsert, 4, Takes::Integer32, Field),
    same(spv::OpBitFieldSExtract, 3, Takes::Integer32, Field),
    same(spv::OpBitFieldUExtract, 3, Takes::Integer32, Field),
    glsl(GLSLstd450FindILsb, 1, Takes::Integer32),
    glsl(GLSLstd450FindSMsb, 1, Takes::Integer32),
    glsl(GLSLstd450FindUMsb, 1, Takes::Integer32),
    compares(spv::OpIEqual, Takes::Integer),
    compares(spv::OpINotEqual, Takes::Integer),
    compares(spv::OpULessThan, Takes::Integer),
    compares(spv::OpULessThanEqual, Takes::Integer),
    compares(spv::OpUGreaterThan, Takes::Integer),
    compares(spv::OpUGreaterThanEqual, Takes::Integer),
    compares(spv::OpSLessThan, Takes::Integer),
    compares(spv::OpSLessThanEqual, Takes::Integer),
    compares(spv::OpSGreaterThan, Takes::Integer),
    compares(spv::OpSGreaterThanEqual, Takes::Integer),
    compares(spv::OpFOrdEqual, Takes::Float),
    compares(spv::OpFUnordNotEqual, Takes::Float),
    compares(spv::OpFOrdLessThan, Takes::Float),
    compares(spv::OpFOrdGreaterThanEqual, Takes::Float),
    compares(spv::OpFUnordLessThanEqual, Takes::Float),
    compares(spv::OpFUnordGreaterThan, Takes::Float),
    compares(spv::OpLogicalEqual, Takes::Bool),
    compares(spv::OpLogicalNotEqual, Takes::Bool),
    same(spv::OpLogicalAnd, 2, Takes::Bool),
    same(spv::OpLogicalOr, 2, Takes::Bool),
    same(spv::OpLogicalNot, 1, Takes::Bool),
    {spv::OpAny, false, 1, Takes::Bool, Gives::One, None},
    {spv::OpAll, false, 1, Takes::Bool, Gives::One, None},
    same(spv::OpFAdd, 2, Takes::Float, Bound),
    same(spv::OpFSub, 2, Takes::Float, Bound),
    same(spv::OpFMul, 2, Takes::Float, Bound),
    same(spv::OpFNegate, 1, Takes::Float),
    {spv::OpDot, false, 2, Takes::Float, Gives::One, Bound},
    glsl(GLSLstd450FAbs, 1, Takes::Float),
    glsl(GLSLstd450FSign, 1, Takes::Float),
    glsl(GLSLstd450Floor, 1, Takes::Float),
    glsl(GLSLstd450Ceil, 1, Takes::Float),
    glsl(GLSLstd450Trunc, 1, Takes::Float),
    glsl(GLSLstd450RoundEven, 1, Takes::Float),
    glsl(GLSLstd450FMin, 2, Takes::Float),
    glsl(GLSLstd450FMax, 2, Takes::Float),
    glsl(GLSLstd450NMin, 2, Takes::Float),
    glsl(GLSLstd450NMax, 2, Takes::Float),
    glsl(GLSLstd450FClamp, 3, Takes::Float, Ordered),
    glsl(GLSLstd450Step, 2, Takes::Float),
    glsl(GLSLstd450Fma, 3, Takes::Float, Bound),
};

} // namespace

std::span<const Arithmetic> arithmetic() { return table; }

} // namespace pumice::random_programs
