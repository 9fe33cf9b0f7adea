//===- UnmaskBitSelects.cpp - works around an LLVM bug in x86 bit selects ---===//
//   before: %r = or (and %x, K), (and %m, ~K)
//           %v = select <16 x i1> %c, %r, %x
//   after:  %s = select <16 x i1> %c, %m, %x
//           %v = or (and %x, K), (and %s, ~K)
// With AVX-512, the first form becomes one masked vpternlog, which keeps its destination register
// in inactive lanes. LLVM 22.1 permutes the instruction's table wrongly for two orders of operands
// (llvm/llvm-project issue 157929). In one, the first operand is memory or a constant, and the
// second is the kept register. In the other, the second is memory, and the third is the kept
// register. The second form computes the same value with a vpternlog without a mask, which is
// correct for all orders.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/native/UnmaskBitSelects.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

#include <array>
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {
/// The bits of `source` that `mask` selects.
struct Part {
  Value *source;
  Constant *mask;
};
using BitSelect = std::array<Part, 2>;
} // namespace

static Value *withoutBitcasts(Value *value) {
  while (auto *cast = dyn_cast<BitCastInst>(value))
    value = cast->getOperand(0);
  return value;
}

static Constant *bitcastTo(Constant *value, Type *type, const DataLayout &layout) {
  return ConstantFoldCastOperand(Instruction::BitCast, value, type, layout);
}

static Type *integersLike(Type *type) {
  Type *bits = IntegerType::get(type->getContext(), type->getScalarSizeInBits());
  auto *vector = dyn_cast<VectorType>(type);
  return vector ? VectorType::get(bits, vector->getElementCount()) : bits;
}

/// Returns a mask with all bits of a float except its sign.
static Constant *magnitudeOf(Type *floats) {
  return ConstantInt::get(integersLike(floats),
                          APInt::getSignedMaxValue(floats->getScalarSizeInBits()));
}

static std::optional<Part> partOf(Value *value) {
  value = withoutBitcasts(value);
  Value *source = nullptr;
  Constant *mask = nullptr;
  if (match(value, m_c_And(m_Value(source), m_ImmConstant(mask))))
    return Part{source, mask};
  if (match(value, m_FAbs(m_Value(source))))
    return Part{source, magnitudeOf(source->getType())};
  return std::nullopt;
}

/// Matches `x & K | m & ~K`, whichever operation joins the two disjoint parts. Both masks have the
/// same type.
static std::optional<BitSelect> bitSelectOf(Value *value, const DataLayout &layout) {
  value = withoutBitcasts(value);
  Value *first = nullptr, *second = nullptr;
  if (match(value, m_CopySign(m_Value(first), m_Value(second)))) {
    Constant *magnitude = magnitudeOf(first->getType());
    return BitSelect{Part{first, magnitude}, Part{second, ConstantExpr::getNot(magnitude)}};
  }
  if (!match(value, m_CombineOr(m_Or(m_Value(first), m_Value(second)),
                                m_CombineOr(m_Xor(m_Value(first), m_Value(second)),
                                            m_Add(m_Value(first), m_Value(second))))))
    return std::nullopt;
  std::optional<Part> one = partOf(first), other = partOf(second);
  if (!one || !other)
    return std::nullopt;
  one->mask = bitcastTo(one->mask, value->getType(), layout);
  other->mask = bitcastTo(other->mask, value->getType(), layout);
  if (!one->mask || !other->mask || ConstantExpr::getNot(one->mask) != other->mask)
    return std::nullopt;
  return BitSelect{*one, *other};
}

/// Returns a replacement for `select`, or null if `select` does not have this form.
static Value *unmasked(SelectInst &select, const DataLayout &layout) {
  Type *type = select.getType();
  if (!select.getCondition()->getType()->isVectorTy() ||
      !(type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy()))
    return nullptr;
  for (bool whereTrue : {true, false}) {
    Value *kept = whereTrue ? select.getFalseValue() : select.getTrueValue();
    auto parts = bitSelectOf(whereTrue ? select.getTrueValue() : select.getFalseValue(), layout);
    for (unsigned own = 0; parts && own != 2; ++own) {
      if (withoutBitcasts((*parts)[own].source) != withoutBitcasts(kept))
        continue;
      Type *bits = integersLike(type);
      Constant *mask = bitcastTo((*parts)[own].mask, bits, layout);
      if (!mask)
        continue;
      IRBuilder<> b(&select);
      Value *x = b.CreateBitCast(kept, bits);
      Value *m = b.CreateBitCast((*parts)[1 - own].source, bits);
      Value *mixed = b.CreateSelect(select.getCondition(), whereTrue ? m : x, whereTrue ? x : m);
      Value *joined =
          b.CreateOr(b.CreateAnd(x, mask), b.CreateAnd(mixed, ConstantExpr::getNot(mask)));
      return b.CreateBitCast(joined, type);
    }
  }
  return nullptr;
}

/// Returns whether anything changed. A changed select may itself be the bit select of another one.
static bool unmaskOnce(Function &function) {
  SmallVector<SelectInst *> selects;
  for (Instruction &instruction : instructions(function))
    if (auto *select = dyn_cast<SelectInst>(&instruction))
      selects.push_back(select);
  bool changed = false;
  for (SelectInst *select : selects) {
    Value *better = unmasked(*select, function.getDataLayout());
    if (!better)
      continue;
    select->replaceAllUsesWith(better);
    select->eraseFromParent();
    changed = true;
  }
  return changed;
}

void pumice::cpu::unmaskBitSelects(Module &module, const TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86() ||
      !machine.getMCSubtargetInfo()->checkFeatures("+avx512f"))
    return;
  for (Function &function : module)
    while (unmaskOnce(function)) {
    }
}
