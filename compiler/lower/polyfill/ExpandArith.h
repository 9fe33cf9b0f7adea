//===- ExpandArith.h - polyfills for arith, index and ub operations ---------===//
#pragma once

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace pumice::lower {

/// Adds all patterns below except those for targets with workarounds. The greedy driver expands
/// emitted operations again if necessary. `indexBits` is the width that index will have.
void populateExpandArithPatterns(mlir::RewritePatternSet &patterns, unsigned indexBits = 32);

// ExpandArithIntegers.cpp: divisions, remainders, products of double width.
void populateExpandIntegerPatterns(mlir::RewritePatternSet &patterns);
// ExpandArithComparisons.cpp: comparisons of extended values.
void populateExpandComparisonPatterns(mlir::RewritePatternSet &patterns, unsigned indexBits);
/// Adds patterns that replace signed comparisons of more than 32 bits by unsigned ones. Only
/// targets with noSignedLongOrders need them.
void populateOrderUnsignedPatterns(mlir::RewritePatternSet &patterns, unsigned indexBits);
/// Adds a pattern that splits the ordered inequality of floats. Only targets with noOrderedNotEqual
/// need it.
void populateSplitNotEqualPatterns(mlir::RewritePatternSet &patterns);
// ExpandArithDivisions.cpp
/// Adds patterns that expand divisions of 64-bit integers. Only targets with noLongDivisions need
/// them.
void populateExpandLongDivisionPatterns(mlir::RewritePatternSet &patterns, unsigned indexBits);
// ExpandArithBooleans.cpp: arithmetic on i1, which SPIR-V lacks.
void populateExpandBooleanPatterns(mlir::RewritePatternSet &patterns);
// ExpandArithFloats.cpp: minima, maxima, remainders.
void populateExpandFloatPatterns(mlir::RewritePatternSet &patterns);
// ExpandFloatConversions.cpp: rounding modes, floats of 4 to 8 bits.
void populateExpandFloatConversionPatterns(mlir::RewritePatternSet &patterns);
// ExpandIndex.cpp: the index dialect, and poison.
void populateExpandIndexPatterns(mlir::RewritePatternSet &patterns, unsigned indexBits);

} // namespace pumice::lower
