#include "compiler/cpu/SpirvToLanes.h"
using namespace llvm;
namespace pumice::cpu {
ArrayRef<Rule> dotProductRules() { return {}; }
ArrayRef<Rule> glslRules() { return {}; }
ArrayRef<Rule> glslPackingRules() { return {}; }
ArrayRef<Rule> glslVectorRules() { return {}; }
ArrayRef<Rule> matrixRules() { return {}; }
} // namespace pumice::cpu
