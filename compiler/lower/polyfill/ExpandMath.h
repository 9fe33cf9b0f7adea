//===- ExpandMath.h - polyfills for mathematical functions ------------------===//
// Each function takes and returns values of the computed type (f32 or f64). The definitions
// describe methods and error bounds. docs/precision.md lists them in one table.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/lower/polyfill/Elementwise.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace pumice::lower {

/// The half-precision operations of the target. The others are computed in f32.
struct ExpandMathOptions {
  bool nativeFloat16 = true;
  /// Uses GLSL.std.450's functions. Without them every function is a polyfill, except those that
  /// count bits or inspect a float's parts: CPUs have these.
  bool shaderFunctions = true;
  /// exp and exp2 of f32 stay in any case.
  bool nativeExponentials = false;
};

/// Rewrites math operations that SPIR-V and GLSL.std.450 lack, or have without IEEE's special
/// values or GLSL's accuracy.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns,
                                const ExpandMathOptions &options = {});
/// Rewrites the integer and bit operations among them, and the classification of floats.
void populateExpandMathBitPatterns(mlir::RewritePatternSet &patterns,
                                   const ExpandMathOptions &options);

namespace polyfill {

// ExpandMathExp.cpp
/// exp(x.hi + x.lo) = value 2^k, x as below.
struct Scaled {
  Wide value;
  Val k;
};
Scaled expScaled(Wide x);
/// Computes exp(x.hi + x.lo) * 2^exponent without special values. x.hi must be finite. It is
/// clamped to a range slightly wider than the one in which the result is neither zero nor infinite.
Val expWide(Wide x, int exponent = 0);
Val exp(Val x);
Val exp2(Val x);
Val expm1(Val x);
Val sinh(Val x);
Val cosh(Val x);
Val tanh(Val x);

// ExpandMathLog.cpp
/// log(x) as a wide number, for finite positive x.
Wide logWide(Val x);
Val log(Val x);
Val log2(Val x);
Val log10(Val x);
Val log1p(Val x);
Val asinh(Val x);
Val acosh(Val x);
Val atanh(Val x);

// ExpandMathPow.cpp
Val pow(Val x, Val y);
/// Raises x to an integer power of any width.
Val powInteger(Val x, Val n);
Val cbrt(Val x);

// ExpandMathTrig.cpp
struct SinCos {
  Val sin, cos;
};
SinCos sinCos(Val x);
Val sin(Val x);
Val cos(Val x);
Val tan(Val x);

// ExpandMathInverseTrig.cpp
Val asin(Val x);
Val acos(Val x);
Val atan(Val x);
Val atan2(Val y, Val x);

// ExpandMathErf.cpp
Val erf(Val x);
Val erfc(Val x);

} // namespace polyfill
} // namespace pumice::lower
