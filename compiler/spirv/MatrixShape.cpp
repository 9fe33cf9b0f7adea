//===- MatrixShape.cpp - the cooperative-matrix shape of a product ----------===//
//   %d = spirv.KHR.CooperativeMatrixMulAdd %a, %b, %c, <ASigned | BSigned> : 16x32 i8, 32x16 i8, …
//   has the shape "16x16x32 s8 s8 u32 u32 subgroup"
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/MatrixShape.h"

using namespace mlir;
using namespace pumice;
namespace spv = mlir::spirv;
using target::ComponentType;
using target::MatrixScope;

/// Returns the component type. Integer types have no sign in SPIR-V, but operands of products do.
static std::optional<ComponentType> componentOf(Type type, bool isSigned) {
  if (type.isF16())
    return ComponentType::f16;
  if (type.isBF16())
    return ComponentType::bf16;
  if (type.isF32())
    return ComponentType::f32;
  if (type.isF64())
    return ComponentType::f64;
  if (type.isInteger(8))
    return isSigned ? ComponentType::s8 : ComponentType::u8;
  if (type.isInteger(16))
    return isSigned ? ComponentType::s16 : ComponentType::u16;
  if (type.isInteger(32))
    return isSigned ? ComponentType::s32 : ComponentType::u32;
  if (type.isInteger(64))
    return isSigned ? ComponentType::s64 : ComponentType::u64;
  return std::nullopt;
}

static std::optional<MatrixScope> scopeOf(spv::Scope scope) {
  switch (scope) {
  case spv::Scope::Subgroup:
    return MatrixScope::Subgroup;
  case spv::Scope::Workgroup:
    return MatrixScope::Workgroup;
  case spv::Scope::Device:
    return MatrixScope::Device;
  case spv::Scope::QueueFamily:
    return MatrixScope::QueueFamily;
  default:
    return std::nullopt;
  }
}

std::optional<target::CooperativeMatrixShape>
pumice::spirv::matrixShapeOf(spv::KHRCooperativeMatrixMulAddOp product) {
  using Operands = spv::CooperativeMatrixOperandsKHR;
  Operands flags = product.getMatrixOperands().value_or(Operands::None);
  auto has = [&](Operands flag) { return spv::bitEnumContainsAll(flags, flag); };
  auto a = cast<spv::CooperativeMatrixType>(product.getA().getType());
  auto b = cast<spv::CooperativeMatrixType>(product.getB().getType());
  auto c = cast<spv::CooperativeMatrixType>(product.getC().getType());
  auto result = cast<spv::CooperativeMatrixType>(product.getType());
  auto typeA = componentOf(a.getElementType(), has(Operands::ASigned));
  auto typeB = componentOf(b.getElementType(), has(Operands::BSigned));
  auto typeC = componentOf(c.getElementType(), has(Operands::CSigned));
  auto typeResult = componentOf(result.getElementType(), has(Operands::ResultSigned));
  auto scope = scopeOf(result.getScope());
  if (!typeA || !typeB || !typeC || !typeResult || !scope)
    return std::nullopt;
  return target::CooperativeMatrixShape{.m = a.getRows(),
                                        .n = b.getColumns(),
                                        .k = a.getColumns(),
                                        .a = *typeA,
                                        .b = *typeB,
                                        .c = *typeC,
                                        .result = *typeResult,
                                        .scope = *scope,
                                        .saturating = has(Operands::AccSat)};
}
