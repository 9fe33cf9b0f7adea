//===- ExpandMath.h - polyfills for mathematical functions ------------------===//
// Each function takes and returns values of the computed type (f32 or f64). The comments in the
// sources describe methods and error bounds, which docs/precision.md lists in a table.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/lower/polyfill/Elementwise.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace pumice::lower {

/// Describes the math operations that the target has.
struct ExpandMathOptions {
  /// Says whether the target computes some operations in f16. All other operations of narrow types
  /// are computed in f32.
  bool nativeFloat16 = true;
  /// Says whether to use functions of GLSL.std.450. If not, all functions are polyfills, except for
  /// those that count bits or classify floats, which CPUs have.
  bool shaderFunctions = true;
  /// Says whether exp and exp2 of f32 stay as they are, even without shader functions.
  bool nativeExponentials = false;
  /// Says whether the functions of the target are those of OpenCL.std. MLIR has no instructions for
  /// its exp2 and log2.
  bool openClFunctions = false;
};

/// Rewrites math operations that SPIR-V and GLSL.std.450 lack. Also rewrites those that give wrong
/// results for IEEE's special values, or that GLSL allows to be too inaccurate.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns,
                                const ExpandMathOptions &options = {});
/// Adds the patterns for integers, for counting bits, and for the classification of floats.
void populateExpandMathBitPatterns(mlir::RewritePatternSet &patterns,
                                   const ExpandMathOptions &options);

namespace polyfill {

// ExpandMathExp.cpp
/// Represents exp(x.hi + x.lo) as value * 2^k.
struct Scaled {
  Wide value;
  Val k;
};
Scaled expScaled(Wide x);
/// Computes exp(x.hi + x.lo) * 2^exponent, for any number x.hi. The argument is clamped to a range
/// that is slightly wider than the one with results other than zero and infinity.
Val expWide(Wide x, int exponent = 0);
Val exp(Val x);
Val exp2(Val x);
Val expm1(Val x);
Val sinh(Val x);
Val cosh(Val x);
Val tanh(Val x);

// ExpandMathLog.cpp
/// Returns log(x) as a wide number, for finite positive x.
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
/// Raises x to an integer power. The integer may have any width.
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
