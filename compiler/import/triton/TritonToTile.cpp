//===- TritonToTile.cpp - distributes Triton kernels over lanes -------------===//
//   before: tt.func public @add(%x: !tt.ptr<f32>, %n: i32) { … tt.load … }
//   after:  gpu.module @triton {
//             gpu.func @add(%x: memref<?xf32>, %n: i32) kernel { … tile.load … }
//           }
// docs/triton-distribution.md describes how layouts are chosen and how pointers are converted.
// Needs: StructureTriton, InlineTritonCalls, LowerDescriptors. Leaves: no operations of tt.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/import/triton/Passes.h"
#include "compiler/import/triton/distribute/Checks.h"
#include "compiler/import/triton/distribute/Converters.h"
#include "compiler/lower/structure/KernelInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/Support/MathExtras.h"

namespace pumice::triton {
#define GEN_PASS_DEF_TRITONTOTILE
#include "compiler/import/triton/Passes.h.inc"
} // namespace pumice::triton

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

/// Returns the integer type for memory whose floats are compared atomically, or are updated
/// atomically as integers. Only integers can be compared and exchanged. Returns null if the type of
/// the memory suffices.
static Type typeOfAtomics(BlockArgument argument, Type pointee) {
  SmallVector<Value> pointers{argument};
  DenseSet<Value> seen;
  Type integers;
  while (!pointers.empty()) {
    Value pointer = pointers.pop_back_val();
    if (!seen.insert(pointer).second)
      continue;
    Type here = cast<triton::PointerType>(scalarOf(pointer.getType())).getPointee();
    for (Operation *user : pointer.getUsers()) {
      bool update = isa<AtomicRMWOp, AtomicStoreOp>(user);
      if (update && here == pointee)
        return {};
      if (update || (isa<AtomicCASOp, AtomicLoadOp>(user) && isa<FloatType>(here)))
        integers = IntegerType::get(user->getContext(), here.getIntOrFloatBitWidth());
      for (Value result : user->getResults())
        if (isa<triton::PointerType>(scalarOf(result.getType())))
          pointers.push_back(result);
    }
  }
  bool fits = integers && tile::storedBytes(integers) == tile::storedBytes(pointee);
  return fits ? integers : Type();
}

/// Returns the type of a kernel argument. In memory, an i1 is a byte, and a pointer is an i64.
static FailureOr<Type> argumentType(FuncOp kernel, BlockArgument argument) {
  Builder b(kernel.getContext());
  auto pointer = dyn_cast<triton::PointerType>(argument.getType());
  if (!pointer) {
    if (isa<IntegerType, FloatType>(argument.getType()))
      return argument.getType();
    return LogicalResult(emitError(argument.getLoc())
                         << "unsupported argument of type " << argument.getType()
                         << "; give the kernel a pointer, and the shape and strides as integers");
  }
  Type stored = pointer.getPointee();
  if (stored.isInteger(1))
    stored = b.getI8Type();
  if (isa<triton::PointerType>(stored))
    stored = b.getI64Type();
  if (Type integers = isa<FloatType>(stored) ? typeOfAtomics(argument, stored) : Type())
    stored = integers;
  return Type(MemRefType::get({ShapedType::kDynamic}, stored));
}

static FailureOr<gpu::GPUFuncOp> createFunction(OpBuilder &b, FuncOp kernel,
                                                const Workgroup &workgroup) {
  SmallVector<Type> types;
  for (BlockArgument argument : kernel.getArguments()) {
    FailureOr<Type> type = argumentType(kernel, argument);
    if (failed(type))
      return failure();
    types.push_back(*type);
  }
  auto function =
      gpu::GPUFuncOp::create(b, kernel.getLoc(), kernel.getName(), b.getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function.setKnownBlockSize(
      ArrayRef<int32_t>{static_cast<int32_t>(workgroup.lanes * workgroup.subgroups), 1, 1});
  if (workgroup.lanes > 1) {
    function->setAttr(lower::requiredSubgroupSizeAttrName,
                      b.getI32IntegerAttr(static_cast<int32_t>(workgroup.lanes)));
    function->setAttr(lower::fullSubgroupsAttrName, b.getUnitAttr());
  }
  for (auto [to, from] : llvm::zip_equal(function.getArguments(), kernel.getArguments())) {
    to.setLoc(from.getLoc());
    // Launchers need this attribute. Others were only for the analysis of facts.
    if (Attribute pads = kernel.getArgAttr(from.getArgNumber(), "pumice.pads_with_nan"))
      function.setArgAttr(to.getArgNumber(), "pumice.pads_with_nan", pads);
  }
  return function;
}

static unsigned bytesOfPointee(Value pointer) {
  Type pointee = cast<triton::PointerType>(scalarOf(pointer.getType())).getPointee();
  return isa<triton::PointerType>(pointee) ? 8 : tile::storedBytes(pointee);
}

static bool isPointer(Value value) { return isa<triton::PointerType>(scalarOf(value.getType())); }

/// Returns whether an operation needs addresses, because a base and an offset in elements cannot
/// represent its pointers. Examples are the integer value of an address, elements of another size,
/// a pointer stored in memory, and a selection between buffers.
static bool needsAddresses(Operation *op) {
  if (isa<PtrToIntOp>(op))
    return true;
  if (auto cast = dyn_cast<triton::BitcastOp>(op))
    return isPointer(cast.getSource()) && isPointer(cast.getResult()) &&
           bytesOfPointee(cast.getSource()) != bytesOfPointee(cast.getResult());
  if (auto store = dyn_cast<StoreOp>(op))
    return isPointer(store.getValue());
  if (auto print = dyn_cast<PrintOp>(op))
    return llvm::any_of(print.getValues(), isPointer);
  if (!isa<arith::SelectOp, scf::IfOp, scf::ForOp, scf::WhileOp>(op))
    return false;
  return llvm::any_of(op->getResults(), [](Value result) {
    DenseSet<Value> seen, roots;
    addRoots(result, seen, roots);
    return roots.size() > 1;
  });
}

/// Returns whether `op` atomically updates 16 bits. The word that contains them may begin before
/// the memory of the argument.
static bool updatesHalfWords(Operation *op) {
  constexpr int64_t wordBytes = 4;
  if (!isa<AtomicRMWOp, AtomicCASOp, AtomicLoadOp, AtomicStoreOp>(op) ||
      bytesOfPointee(op->getOperand(0)) >= wordBytes)
    return false;
  DenseSet<Value> seen, roots;
  addRoots(op->getOperand(0), seen, roots);
  return llvm::any_of(roots, [](Value root) {
    auto argument = dyn_cast_or_null<BlockArgument>(root);
    if (!argument)
      return false;
    auto kernel = cast<FuncOp>(argument.getOwner()->getParentOp());
    auto divisor = kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "tt.divisibility");
    return !divisor || divisor.getInt() % wordBytes != 0;
  });
}

static bool usesAddresses(FuncOp kernel, bool mayUpdateByAddress) {
  return kernel
      .walk([&](Operation *op) {
        bool needs = needsAddresses(op) || (mayUpdateByAddress && updatesHalfWords(op));
        return needs ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns the checks that a checked module performs. 0 means none.
static uint32_t checksOf(FuncOp kernel) {
  auto said = kernel->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(checkAttrName);
  return said ? static_cast<uint32_t>(said.getInt()) : 0;
}

static LogicalResult convertKernel(OpBuilder &b, FuncOp kernel, const Workgroup &workgroup,
                                   const IndexFacts &facts,
                                   const std::optional<target::TargetEnv> &target,
                                   bool hasAddresses) {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitError("has branches; run pumice-structure-triton first");
  FailureOr<gpu::GPUFuncOp> function = createFunction(b, kernel, workgroup);
  if (failed(function))
    return failure();
  Distribution d(OpBuilder::atBlockEnd(&function->getBody().front()), workgroup, facts, target);
  std::optional<Checks> checks;
  if (uint32_t which = checksOf(kernel)) {
    checks.emplace(d.b, kernel, *function, which);
    d.checks = &*checks;
  }
  bool byAddress = usesAddresses(kernel, hasAddresses);
  for (auto [from, to] : llvm::zip_first(kernel.getArguments(), function->getArguments())) {
    auto pointer = dyn_cast<triton::PointerType>(from.getType());
    if (pointer && byAddress)
      d.set(from,
            Pointer{.pointee = pointer.getPointee(),
                    .uniform = vk::AddressOfOp::create(d.b, from.getLoc(), d.b.getI64Type(), to)});
    else if (pointer)
      d.set(from, Pointer{.pointee = pointer.getPointee(), .base = to});
    else
      d.set(from, Value(to));
  }
  if (failed(convertBody(d, kernel.getBody().front())))
    return failure();
  gpu::ReturnOp::create(d.b, kernel.getBody().front().getTerminator()->getLoc());
  cleanUp(*function);
  return success();
}

namespace {

struct TritonToTile final : triton::impl::TritonToTileBase<TritonToTile> {
  using TritonToTileBase::TritonToTileBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Workgroup workgroup{lanes, subgroups, accessBytes, layoutSeed};
    for (auto [what, value] :
         {std::pair<StringRef, uint64_t>{"lanes", lanes}, {"subgroups", subgroups}})
      if (!llvm::isPowerOf2_64(value) || value > 1024) {
        module.emitError() << what << " is " << value << "; expected a power of two up to 1024";
        return signalPassFailure();
      }
    SmallVector<FuncOp> kernels(module.getOps<FuncOp>());
    if (kernels.empty())
      return;
    FailureOr<IndexFacts> facts = IndexFacts::of(module);
    if (failed(facts))
      return signalPassFailure();
    std::optional<target::TargetEnv> target;
    if (auto named = module->getAttrOfType<vk::TargetEnvAttr>(vk::targetEnvAttrName))
      target = vk::toTargetEnv(named);
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto device = gpu::GPUModuleOp::create(b, module.getLoc(), "triton");
    b.setInsertionPointToEnd(device.getBody());
    for (FuncOp kernel : kernels)
      if (failed(convertKernel(b, kernel, workgroup, *facts, target, hasAddresses)))
        return signalPassFailure();
    for (FuncOp kernel : kernels)
      kernel.erase();
  }
};

} // namespace
