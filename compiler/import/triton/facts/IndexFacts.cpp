//===- IndexFacts.cpp - contiguity, divisibility and constancy in a kernel --===//
#include "compiler/import/triton/facts/IndexFacts.h"

#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/facts/TransferFacts.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace pumice::triton;

namespace {

/// If no execution has reached a value yet, its facts are empty, which is the neutral element.
struct Facts {
  std::optional<BitFacts> known;

  static Facts join(const Facts &a, const Facts &b) {
    if (!a.known || !b.known)
      return a.known ? a : b;
    return {either(*a.known, *b.known)};
  }
  bool operator==(const Facts &) const = default;
  void print(raw_ostream &out) const { out << (known ? known->text() : "unreached"); }
};

using FactsLattice = dataflow::Lattice<Facts>;

//===-------------------------------------------------------------------------===//
// Hints from the author of the kernel
//===-------------------------------------------------------------------------===//

uint64_t leastCommonMultiple(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0)
    return 0;
  bool overflow = false;
  uint64_t product = llvm::SaturatingMultiply(a / std::gcd(a, b), b, &overflow);
  return overflow ? std::max(a, b) : product;
}

/// Returns the number in a hint for a dimension, or 1 if there is none.
int64_t hintFor(Operation *op, StringRef name, unsigned dimension) {
  auto numbers = op->getAttrOfType<DenseIntElementsAttr>(name);
  if (!numbers || dimension >= numbers.getNumElements())
    return 1;
  int64_t number = (*(numbers.begin() + dimension)).getSExtValue();
  return number > 0 && llvm::isPowerOf2_64(number) ? number : 1;
}

/// Applies tl.max_contiguous, tl.max_constancy and tl.multiple_of.
void applyHints(Operation *op, Type type, BitFacts &facts) {
  for (unsigned d = 0; d < facts.shape.size(); ++d) {
    auto say = [&](StringRef name, int64_t unit) {
      unsigned count = std::min(llvm::Log2_64(hintFor(op, name, d)), facts.bitCount(d));
      for (unsigned bit = 0; bit < count; ++bit)
        if (Step &step = facts.steps[facts.firstBit(d) + bit]; !step)
          step = Step(unit << bit);
    };
    say("tt.contiguity", unitOf(type));
    say("tt.constancy", 0);
  }
  for (unsigned d = 0; d < std::max<size_t>(facts.shape.size(), 1); ++d)
    facts.divisor = leastCommonMultiple(facts.divisor,
                                        static_cast<uint64_t>(hintFor(op, "tt.divisibility", d)));
}

/// Facts about scalars that tl.assume states. An assumption counts only if it is in the block that
/// defines the scalar.
class Assumptions {
public:
  explicit Assumptions(Operation *top) {
    // Compares the operation's name, because the header of the LLVM dialect takes long to compile.
    top->walk([&](Operation *op) {
      if (op->getName().getStringRef() != "llvm.intr.assume")
        return;
      if (auto compare = op->getOperand(0).getDefiningOp<arith::CmpIOp>())
        collect(compare, op->getBlock());
    });
  }

  void apply(Value value, BitFacts &facts) const {
    if (notNegative.contains(value))
      facts.isNonNegative = true;
    if (auto found = divisors.find(value); found != divisors.end() && !facts.base)
      facts.divisor = leastCommonMultiple(facts.divisor, found->second);
  }

private:
  void collect(arith::CmpIOp compare, Block *block) {
    using Predicate = arith::CmpIPredicate;
    Value left = compare.getLhs(), right = compare.getRhs();
    APInt number;
    Predicate predicate = compare.getPredicate();
    if (predicate == Predicate::sle || predicate == Predicate::slt) { // 0 <= x means x >= 0
      std::swap(left, right);
      predicate = predicate == Predicate::sle ? Predicate::sge : Predicate::sgt;
    }
    if (!matchPattern(right, m_ConstantInt(&number)))
      return;
    bool isBound = (predicate == Predicate::sge && !number.isNegative()) ||
                   (predicate == Predicate::sgt && number.sge(-1));
    if (isBound && left.getParentBlock() == block)
      notNegative.insert(left);
    auto rest = left.getDefiningOp<arith::RemSIOp>();
    if (predicate != Predicate::eq || !number.isZero() || !rest)
      return;
    APInt divisor;
    if (matchPattern(rest.getRhs(), m_ConstantInt(&divisor)) && divisor.isStrictlyPositive() &&
        rest.getLhs().getParentBlock() == block)
      divisors[rest.getLhs()] = divisor.getZExtValue();
  }

  DenseSet<Value> notNegative;
  DenseMap<Value, uint64_t> divisors;
};

//===-------------------------------------------------------------------------===//
// The analysis
//===-------------------------------------------------------------------------===//

class Analysis final : public dataflow::SparseForwardDataFlowAnalysis<FactsLattice> {
public:
  Analysis(DataFlowSolver &solver, Operation *top)
      : SparseForwardDataFlowAnalysis(solver), assumptions(top) {}

  LogicalResult visitOperation(Operation *op, ArrayRef<const FactsLattice *> operands,
                               ArrayRef<FactsLattice *> results) override {
    SmallVector<BitFacts> known;
    for (const FactsLattice *operand : operands) {
      if (!operand->getValue().known)
        return success(); // visited again once code reaches it
      known.push_back(*operand->getValue().known);
    }
    for (auto [result, facts] : llvm::zip(results, transferFacts(op, known))) {
      BitFacts said = facts;
      applyHints(op, result->getAnchor().getType(), said);
      say(result, std::move(said));
    }
    return success();
  }

  void setToEntryState(FactsLattice *lattice) override {
    Value value = lattice->getAnchor();
    BitFacts facts = unknownOf(value.getType());
    auto argument = dyn_cast<BlockArgument>(value);
    if (auto function = argument ? dyn_cast<FuncOp>(argument.getOwner()->getParentOp()) : FuncOp();
        function && argument.getOwner()->isEntryBlock()) {
      auto divisor =
          function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "tt.divisibility");
      if (divisor && divisor.getInt() > 0)
        facts.divisor = static_cast<uint64_t>(divisor.getInt());
    }
    say(lattice, std::move(facts));
  }

  /// The counter of a loop is the lower bound plus a multiple of the step.
  void visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                    ArrayRef<FactsLattice *> arguments,
                                    unsigned firstIndex) override {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || arguments.empty() || firstIndex != 1)
      return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(op, successor, arguments,
                                                                         firstIndex);
    ProgramPoint *point = getProgramPointAfter(op);
    const Facts &start = getLatticeElementFor(point, loop.getLowerBound())->getValue();
    const Facts &step = getLatticeElementFor(point, loop.getStep())->getValue();
    if (!start.known || !step.known)
      return;
    BitFacts counter = BitFacts::unknown({});
    counter.divisor = std::gcd(start.known->divisor, step.known->divisor);
    counter.isNonNegative = start.known->isNonNegative && step.known->isNonNegative;
    say(arguments[0], std::move(counter));
  }

private:
  void say(FactsLattice *lattice, BitFacts facts) {
    Value value = lattice->getAnchor();
    assumptions.apply(value, facts);
    if (facts.shape.empty() && value.getType().isInteger() && !facts.base)
      facts.self = {value.getAsOpaquePointer(), facts.divisor};
    propagateIfChanged(lattice, lattice->join(Facts{std::move(facts)}));
  }

  Assumptions assumptions;
};

} // namespace

FailureOr<IndexFacts> IndexFacts::of(ModuleOp module) {
  IndexFacts result;
  // Does not follow calls, because a symbol of the callee would then be the same number in all
  // calls.
  result.solver = std::make_unique<DataFlowSolver>(DataFlowConfig().setInterprocedural(false));
  result.solver->load<dataflow::DeadCodeAnalysis>();
  result.solver->load<dataflow::SparseConstantPropagation>();
  result.solver->load<Analysis>(module);
  if (failed(result.solver->initializeAndRun(module)))
    return failure();
  return result;
}

BitFacts IndexFacts::operator[](Value value) const {
  const auto *lattice = solver->lookupState<FactsLattice>(value);
  if (!lattice || !lattice->getValue().known)
    return unknownOf(value.getType());
  return *lattice->getValue().known;
}
