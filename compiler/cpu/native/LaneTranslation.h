//===- LaneTranslation.h - attributes of SIMD code → LLVM's metadata --------===//
#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace pumice::cpu {

/// Attributes of the lane dialect hold metadata that the llvm dialect cannot express.
///
/// On operations that access memory, including masked ones:
///   lane.nontemporal                   !nontemporal
///   lane.restrict = array<i32: n, m>   !alias.scope of buffer n of m (-1: none),
///                                      !noalias of the others
/// On branches:
///   lane.flatten                       !unpredictable
void registerLaneTranslation(mlir::DialectRegistry &registry);

} // namespace pumice::cpu
