//===- MatrixText.h - cooperative-matrix shapes and fragment maps as text ---===//
// The attribute, JSON, the table of triples, and messages use the same notation:
//   "16x16x16 f16 f16 f32 f32 subgroup"          m×n×k, then the types of a, b, c and the result
//   "16x16x32 s8 s8 s32 s32 subgroup saturating"
//   "accumulator 16x16 f32 subgroup components (0,1) (0,8) (8,0)
//    lanes (0,2) (0,4) (1,0) (2,0) (4,0)"
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

namespace pumice::target {

inline constexpr std::string_view matricesKey = "cooperativeMatrixPropertiesKHR";
inline constexpr std::string_view matricesNVKey = "cooperativeMatrixPropertiesNV";
inline constexpr std::string_view fragmentMapsKey = "cooperativeMatrixFragments";

std::string_view nameOf(ComponentType type);
std::string_view nameOf(MatrixScope scope);
std::string_view nameOf(MatrixUse use);

std::string toString(const CooperativeMatrixShape &shape);
std::string toString(const FragmentMap &map);

Result<CooperativeMatrixShape> parseMatrixShape(std::string_view text);
Result<FragmentMap> parseFragmentMap(std::string_view text);

/// Checks that sizes are powers of two that a matrix can have, and that a map reaches each element
/// equally often.
Status verify(const CooperativeMatrixShape &shape);
Status verify(const FragmentMap &map);

} // namespace pumice::target
