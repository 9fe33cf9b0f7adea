//===- EmulateMatrices.cpp - matrices as subgroup FMA code ------------------===//
//   before: %c = gpu.subgroup_mma_compute %a, %b, %acc : !gpu.mma_matrix<16x16xf16, "AOp">,
//                !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
//   after:  on 32 lanes, with a vector<8xf32> of the accumulator in each: for every k
//           %x = gpu.shuffle idx %a[i], (%lane / 16) * 16 + k    for 8 rows
//           %y = gpu.shuffle idx %b[k / 2], (k % 2) * 16 + %lane % 16
//           %c[i] = math.fma %x, %y, %acc[i]
//
// Matrices that flow into each other form a web. A web stays as it is if the target natively
// computes the shapes of all its products. Other webs are rewritten in place: the types of their
// values change. Control flow that carries these values (scf.for, scf.if, …) does not change.
//
// Needs: one function per kernel, structured control flow. Leaves: gpu.subgroup_mma_* only in
// native webs; gpu.shuffle and gpu.subgroup_broadcast for LowerSubgroupOps.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/Passes.h"
#include "compiler/lower/subgroup/MatrixFragments.h"
#include "compiler/lower/subgroup/NativeMatrices.h"
#include "compiler/lower/subgroup/Subgroups.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/IntEqClasses.h"

namespace pumice::lower {
#define GEN_PASS_DEF_EMULATEMATRICES
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using gpu::MMAMatrixType;

namespace {

/// Groups the matrices of one kernel by operations that connect them.
class Webs {
public:
  explicit Webs(gpu::GPUFuncOp func);
  bool empty() const { return values.empty(); }
  unsigned webOf(Value value) const { return classes[numbers.lookup(value)]; }
  unsigned count() const { return classes.getNumClasses(); }

  SmallVector<Value> values;
  /// All operations that have a matrix among their operands or results.
  SmallVector<MatrixOp> ops;

private:
  void add(Value value, SmallVectorImpl<Value> &group);
  DenseMap<Value, unsigned> numbers;
  llvm::IntEqClasses classes;
};

struct EmulateMatrices final : lower::impl::EmulateMatricesBase<EmulateMatrices> {
  using EmulateMatricesBase::EmulateMatricesBase;
  void runOnOperation() override;

private:
  LogicalResult runOnKernel(gpu::GPUFuncOp func, const target::TargetEnv &env);
};

} // namespace

static MMAMatrixType matrixType(Value value) { return dyn_cast<MMAMatrixType>(value.getType()); }

void Webs::add(Value value, SmallVectorImpl<Value> &group) {
  if (!matrixType(value))
    return;
  if (numbers.try_emplace(value, values.size()).second)
    values.push_back(value);
  group.push_back(value);
}

/// Groups the matrices. An operation connects all its matrices. A structured operation connects
/// them with the matrices that its regions take and yield.
Webs::Webs(gpu::GPUFuncOp func) {
  SmallVector<SmallVector<Value>> groups;
  func.walk([&](Operation *op) {
    SmallVector<Value> group;
    MatrixOp matrixOp{op, {}, {}};
    for (Value operand : op->getOperands()) {
      add(operand, group);
      if (auto type = matrixType(operand))
        matrixOp.operands.push_back(type);
    }
    for (Value result : op->getResults()) {
      add(result, group);
      matrixOp.result = matrixType(result);
    }
    if (!group.empty() && op->getNumRegions() == 0)
      ops.push_back(matrixOp);
    if (op == func)
      return;
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (Value argument : block.getArguments())
          add(argument, group);
        for (Value yielded : block.getTerminator()->getOperands())
          add(yielded, group);
      }
    groups.push_back(std::move(group));
  });
  classes.grow(values.size());
  for (ArrayRef<Value> group : groups)
    for (Value value : group)
      classes.join(numbers.lookup(group.front()), numbers.lookup(value));
  classes.compress();
}

/// Returns whether an operation only passes matrices on. Such an operation only changes its types.
static bool isCarrier(Operation *op) {
  return isa<scf::YieldOp, scf::ConditionOp, arith::SelectOp, ub::PoisonOp>(op);
}

static bool everyLaneHoldsWholeComponents(ArrayRef<MMAMatrixType> types, uint32_t lanes) {
  return llvm::all_of(types,
                      [&](MMAMatrixType type) { return fragmentLayout(type, lanes).isValid(); });
}

/// Chooses a subgroup size that divides all matrices and the workgroup's size along x. Vulkan can
/// then guarantee full subgroups. Prefers the usual size.
static FailureOr<uint32_t> chooseSubgroupSize(gpu::GPUFuncOp func, Operation *firstOp,
                                              ArrayRef<MMAMatrixType> types,
                                              const target::TargetEnv &env) {
  SubgroupSizes sizes = subgroupSizes(func, env);
  SmallVector<uint32_t> candidates{sizes.usual};
  for (uint32_t size = llvm::bit_floor(sizes.most); size >= sizes.least && size; size /= 2)
    candidates.push_back(size);
  DenseI32ArrayAttr block = knownBlockSize(func);
  int32_t rows = block && !block.empty() ? block[0] : 0; // 0: the launch chooses and checks it
  for (uint32_t size : candidates)
    if (rows % size == 0 && everyLaneHoldsWholeComponents(types, size))
      return size;
  InFlightDiagnostic error = firstOp->emitError("no subgroup size of the target (");
  if (sizes.fixed())
    error << sizes.usual;
  else
    error << sizes.least << " to " << sizes.most;
  error << ") divides";
  if (rows)
    error << " the workgroup's " << rows << " invocations along x and";
  error << " the kernel's matrices:";
  llvm::interleaveComma(types, error, [&](MMAMatrixType type) { error << " " << type; });
  return error << "; use shapes of powers of two, and a workgroup of whole subgroups";
}

/// Ensures full subgroups for cooperative matrices: the subgroup size must divide the workgroup's
/// size along x. If the largest size does not divide it, a smaller one is required.
static LogicalResult fillSubgroups(gpu::GPUFuncOp func, Operation *firstOp,
                                   const target::TargetEnv &env) {
  SubgroupSizes sizes = subgroupSizes(func, env);
  DenseI32ArrayAttr block = knownBlockSize(func);
  int32_t rows = block && !block.empty() ? block[0] : 0; // 0: the launch chooses and checks it
  uint32_t size = sizes.most;
  while (size > sizes.least && rows % size != 0)
    size /= 2;
  if (rows % size != 0)
    return firstOp->emitError(
               "cooperative matrices need workgroups of whole subgroups along x, but ")
           << rows << " is not a multiple of " << size
           << ", the least subgroup size of the target (minSubgroupSize): change known_block_size";
  Builder b(func);
  if (size != sizes.most)
    func->setAttr(requiredSubgroupSizeAttrName, b.getI32IntegerAttr(size));
  func->setAttr(fullSubgroupsAttrName, b.getUnitAttr());
  return success();
}

/// Rewrites the webs of a kernel that the target does not support natively.
LogicalResult EmulateMatrices::runOnKernel(gpu::GPUFuncOp func, const target::TargetEnv &env) {
  Webs webs(func);
  if (webs.empty())
    return success();
  NativeMatrices native(env);
  SmallVector<bool> isNative(webs.count(), true);
  for (const MatrixOp &op : webs.ops) {
    if (failed(checkMatrixOp(op, env)))
      return failure();
    Value matrix = *llvm::find_if(llvm::concat<Value>(SmallVector<Value>(op.op->getOperands()),
                                                      SmallVector<Value>(op.op->getResults())),
                                  [](Value value) { return bool(matrixType(value)); });
    if (native.supports(op))
      continue;
    if (requireNative)
      return native.refuse(op);
    isNative[webs.webOf(matrix)] = false;
  }
  if (llvm::is_contained(isNative, true) && failed(fillSubgroups(func, webs.ops.front().op, env)))
    return failure();
  SmallVector<MMAMatrixType> types;
  SmallVector<Value> emulated;
  for (Value value : webs.values)
    if (!isNative[webs.webOf(value)]) {
      emulated.push_back(value);
      if (!llvm::is_contained(types, matrixType(value)))
        types.push_back(matrixType(value));
    }
  if (emulated.empty())
    return success();
  SmallVector<MatrixOp> ops;
  for (const MatrixOp &op : webs.ops)
    if (llvm::is_contained(emulated, op.result ? op.op->getResult(0) : op.op->getOperand(0)) ||
        (isCarrier(op.op) && llvm::any_of(op.op->getOperands(), [&](Value v) {
           return llvm::is_contained(emulated, v);
         })))
      ops.push_back(op);
  FailureOr<uint32_t> lanes = chooseSubgroupSize(func, ops.front().op, types, env);
  if (failed(lanes))
    return failure();
  func->setAttr(requiredSubgroupSizeAttrName, Builder(func).getI32IntegerAttr(*lanes));
  func->setAttr(fullSubgroupsAttrName, UnitAttr::get(&getContext()));
  for (Value value : emulated)
    value.setType(fragmentType(matrixType(value), *lanes));
  for (const MatrixOp &op : ops)
    if (!isCarrier(op.op) && failed(emulateMatrixOp(op, *lanes, env)))
      return failure();
  return success();
}

void EmulateMatrices::runOnOperation() {
  auto usesMatrices = [](Operation *op) {
    auto isMatrix = [](Type type) { return isa<MMAMatrixType>(type); };
    return llvm::any_of(op->getOperandTypes(), isMatrix) ||
                   llvm::any_of(op->getResultTypes(), isMatrix)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  if (!getOperation().walk(usesMatrices).wasInterrupted())
    return;
  FailureOr<target::TargetEnv> env = vk::lookupTarget(getOperation());
  if (failed(env))
    return signalPassFailure();
  for (auto func : getOperation().getOps<gpu::GPUFuncOp>())
    if (failed(runOnKernel(func, *env)))
      return signalPassFailure();
}
