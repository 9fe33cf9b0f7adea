//===- Arithmetic.cpp - computes the values of plans ------------------------===//
#include "python/torch_shim/plans/Arithmetic.h"

#include <ATen/core/Tensor.h>

#include <cmath>

namespace pumice::vk {
namespace {

int64_t wrapped(uint64_t bits) { return static_cast<int64_t>(bits); }
uint64_t bitsOf(int64_t value) { return static_cast<uint64_t>(value); }

int64_t floorDiv(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return wrapped(0 - bitsOf(a));
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t power(int64_t base, int64_t exponent) {
  uint64_t made = 1;
  for (int64_t i = 0; i < std::min<int64_t>(exponent, 64); ++i)
    made *= bitsOf(base);
  return wrapped(made);
}

int64_t integerOf(double value) {
  bool isInRange = value >= -0x1p63 && value < 0x1p63;
  return isInRange ? static_cast<int64_t>(value) : 0;
}

Number integer(int64_t value) { return {.integer = value}; }
Number real(double value) { return {.real = value}; }

/// Computes what takes integers, or chooses between numbers.
Number computeIntegers(const Instruction &instruction, const Number *values) {
  int64_t a = values[instruction.a].integer, b = values[instruction.b].integer;
  switch (instruction.operation) {
  case Operation::Add:
    return integer(wrapped(bitsOf(a) + bitsOf(b)));
  case Operation::Sub:
    return integer(wrapped(bitsOf(a) - bitsOf(b)));
  case Operation::Mul:
    return integer(wrapped(bitsOf(a) * bitsOf(b)));
  case Operation::FloorDiv:
    return integer(floorDiv(a, b));
  case Operation::Mod:
    return integer(b == 0 ? 0 : wrapped(bitsOf(a) - bitsOf(floorDiv(a, b)) * bitsOf(b)));
  case Operation::Min:
    return integer(std::min(a, b));
  case Operation::Max:
    return integer(std::max(a, b));
  case Operation::Pow:
    return integer(power(a, b));
  case Operation::Neg:
    return integer(wrapped(0 - bitsOf(a)));
  case Operation::ShiftLeft:
    return integer(wrapped(b >= 64 ? 0 : bitsOf(a) << b));
  case Operation::ShiftRight:
    return integer(a >> std::min<int64_t>(b, 63));
  case Operation::Eq:
    return integer(a == b);
  case Operation::Ne:
    return integer(a != b);
  case Operation::Lt:
    return integer(a < b);
  case Operation::Le:
    return integer(a <= b);
  case Operation::Gt:
    return integer(a > b);
  case Operation::Ge:
    return integer(a >= b);
  case Operation::And:
    return integer(a && b);
  case Operation::Or:
    return integer(a || b);
  case Operation::Not:
    return integer(!a);
  case Operation::Where:
    return a ? values[instruction.b] : values[instruction.c];
  case Operation::ToReal:
    return real(static_cast<double>(a));
  default:
    return {};
  }
}

/// Computes what takes floats.
Number computeReals(const Instruction &instruction, const Number *values) {
  double x = values[instruction.a].real, y = values[instruction.b].real;
  switch (instruction.operation) {
  case Operation::AddReal:
    return real(x + y);
  case Operation::SubReal:
    return real(x - y);
  case Operation::MulReal:
    return real(x * y);
  case Operation::DivReal:
    return real(x / y);
  case Operation::PowReal:
    return real(std::pow(x, y));
  case Operation::NegReal:
    return real(-x);
  case Operation::MinReal:
    return real(std::min(x, y));
  case Operation::MaxReal:
    return real(std::max(x, y));
  case Operation::SqrtReal:
    return real(std::sqrt(x));
  case Operation::EqReal:
    return integer(x == y);
  case Operation::NeReal:
    return integer(x != y);
  case Operation::LtReal:
    return integer(x < y);
  case Operation::LeReal:
    return integer(x <= y);
  case Operation::GtReal:
    return integer(x > y);
  case Operation::GeReal:
    return integer(x >= y);
  case Operation::TruncReal:
    return integer(integerOf(std::trunc(x)));
  case Operation::FloorReal:
    return integer(integerOf(std::floor(x)));
  case Operation::CeilReal:
    return integer(integerOf(std::ceil(x)));
  default:
    return {};
  }
}

} // namespace

Number compute(const Instruction &instruction, const Call &call, const Number *values) {
  switch (instruction.operation) {
  case Operation::Constant:
    return integer(instruction.a);
  case Operation::Real:
    return real(instruction.real);
  case Operation::Size:
    return integer(call.tensors[static_cast<size_t>(instruction.a)]->size(instruction.b));
  case Operation::Stride:
    return integer(call.tensors[static_cast<size_t>(instruction.a)]->stride(instruction.b));
  case Operation::Given:
    return call.numbers[static_cast<size_t>(instruction.a)];
  default:
    return instruction.operation < Operation::AddReal ? computeIntegers(instruction, values)
                                                      : computeReals(instruction, values);
  }
}

} // namespace pumice::vk
