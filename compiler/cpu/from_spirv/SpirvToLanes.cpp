//===- SpirvToLanes.cpp - entry points become one invocation in scalars -----===//
//   before: %v = spirv.Load "StorageBuffer" %p : vector<2xf32>
//           %s = spirv.FAdd %v, %w : vector<2xf32>
//   after:  %v:2 = lane.load %p align 4 : f32, f32
//           %s0 = arith.addf %v#0, %w0 : f32, %s1 = arith.addf %v#1, %w1 : f32
// Blocks, and the marks in their headers, stay. A block argument becomes one argument for each of
// its scalars. Needs: flat functions without calls. Leaves: func.func, arith, math, cf, lane;
// nothing of spirv.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/MemoryBackedValues.h"

#include "compiler/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/PostOrderIterator.h"

namespace pumice::cpu {
#define GEN_PASS_DEF_SPIRVTOLANES
#include "compiler/cpu/Passes.h.inc"
} // namespace pumice::cpu

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {
struct SpirvToLanes final : cpu::impl::SpirvToLanesBase<SpirvToLanes> {
  using SpirvToLanesBase::SpirvToLanesBase;
  void runOnOperation() override;
};
} // namespace

/// Returns the operands of an execution mode. LocalSize has them as literals.
static SmallVector<int32_t> modeNumbers(spirv::ExecutionModeOp mode) {
  SmallVector<int32_t> numbers;
  for (Attribute value : mode.getValues())
    numbers.push_back(cast<IntegerAttr>(value).getInt());
  return numbers;
}

/// Finds the size of the workgroup, in an attribute or an execution mode.
static LogicalResult findWorkgroupSize(spirv::FuncOp source, Lowering &lowering, bool openCl) {
  if (auto size = source->getAttrOfType<DenseI32ArrayAttr>("lane.workgroup_size")) {
    lowering.setWorkgroupSize(size);
    return success();
  }
  for (auto mode : source->getParentRegion()->getOps<spirv::ExecutionModeOp>()) {
    if (mode.getFn() != source.getSymName() ||
        mode.getExecutionMode() != spirv::ExecutionMode::LocalSize)
      continue;
    SmallVector<int32_t> size = modeNumbers(mode);
    if (size.size() != 3)
      return mode.emitError("expected three numbers in LocalSize, found ") << size.size();
    lowering.setWorkgroupSize(size);
    return success();
  }
  if (openCl) // the launch decides
    return success();
  return source.emitError("entry point '")
         << source.getSymName() << "' has no workgroup size: give it the execution mode LocalSize";
}

/// Makes a new block for each old one. It has one argument for each scalar of the old arguments.
static LogicalResult makeBlocks(Region &from, Region &to, Lowering &lowering, IRMapping &map) {
  for (Block &block : from) {
    auto *copy = new Block;
    to.push_back(copy);
    map.map(&block, copy);
    if (block.isEntryBlock()) // the arguments of an OpenCL kernel are not block arguments
      continue;
    for (BlockArgument argument : block.getArguments()) {
      if (memory_backed::isLong(lowering.types, argument.getType()) &&
          memory_backed::mayReceive(block)) {
        FailureOr<Pointer> room = memory_backed::room(lowering, argument.getType());
        if (failed(room))
          return failure();
        lowering.setWhole(argument, {*room, 0, false});
        continue;
      }
      SmallVector<Type> types;
      if (!lowering.types.scalars(argument.getType(), types))
        return emitError(argument.getLoc(), "a phi of type ")
               << argument.getType() << " is not supported";
      Scalars scalars;
      for (Type type : types)
        scalars.push_back(copy->addArgument(type, argument.getLoc()));
      lowering.set(argument, scalars);
    }
  }
  return success();
}

static void copyMarks(Operation *from, Operation *to) {
  for (NamedAttribute attribute : from->getDiscardableAttrs())
    if (attribute.getName().getValue().starts_with("lane."))
      to->setAttr(attribute.getName(), attribute.getValue());
}

/// Returns the operands that a branch passes to one of its successors, as scalars.
static Scalars passed(Lowering &lowering, Operation *op, unsigned successor) {
  Scalars all;
  SuccessorOperands operands = cast<BranchOpInterface>(op).getSuccessorOperands(successor);
  SmallVector<std::pair<Value, Value>> whole;
  for (auto [argument, operand] :
       llvm::zip(op->getSuccessor(successor)->getArguments(), operands.getForwardedOperands()))
    if (lowering.whole(argument))
      whole.push_back({argument, operand});
    else
      llvm::append_range(all, lowering.get(operand));
  if (!whole.empty() && failed(memory_backed::pass(lowering, op, successor, whole)))
    lowering.broken = true;
  return all;
}

/// Lowers the switches of both dialects. The operands are a selector and then the values that are
/// passed.
static LogicalResult lowerSwitch(Operation *op, DenseIntElementsAttr literals, Lowering &lowering,
                                 IRMapping &map, ArrayRef<Scalars> arguments) {
  SmallVector<Block *> targets;
  SmallVector<ValueRange> operands;
  for (unsigned i = 1; i < op->getNumSuccessors(); ++i) {
    targets.push_back(map.lookup(op->getSuccessor(i)));
    operands.push_back(arguments[i]);
  }
  Value selector = lowering.scalar(op->getOperand(0));
  DenseIntElementsAttr cases;
  if (literals && !targets.empty()) {
    SmallVector<APInt> numbers(literals.getValues<APInt>());
    unsigned width = selector.getType().getIntOrFloatBitWidth();
    for (APInt &number : numbers)
      number = number.sextOrTrunc(width);
    cases = DenseIntElementsAttr::get(
        VectorType::get(static_cast<int64_t>(numbers.size()), selector.getType()), numbers);
  }
  auto made = cf::SwitchOp::create(lowering.b, selector, map.lookup(op->getSuccessor(0)),
                                   ValueRange(arguments[0]), cases, BlockRange(targets), operands);
  copyMarks(op, made);
  return failure(lowering.broken);
}

static void copyWeights(spirv::BranchConditionalOp op, Operation *made) {
  if (auto weights = op.getBranchWeights()) {
    SmallVector<int32_t> numbers;
    for (Attribute weight : *weights)
      numbers.push_back(cast<IntegerAttr>(weight).getInt());
    made->setAttr("lane.weights", DenseI32ArrayAttr::get(op.getContext(), numbers));
  }
}

static LogicalResult lowerTerminator(Operation *op, Lowering &lowering, IRMapping &map) {
  SmallVector<Scalars> arguments;
  for (unsigned i = 0; i < op->getNumSuccessors(); ++i)
    arguments.push_back(passed(lowering, op, i));
  ImplicitLocOpBuilder &b = lowering.b;
  if (isa<spirv::ReturnOp>(op)) {
    func::ReturnOp::create(b);
  } else if (isa<spirv::UnreachableOp>(op)) {
    lane::UnreachableOp::create(b);
  } else if (isa<spirv::BranchOp, cf::BranchOp>(op)) {
    copyMarks(op, cf::BranchOp::create(b, map.lookup(op->getSuccessor(0)), arguments[0]));
  } else if (isa<spirv::BranchConditionalOp, cf::CondBranchOp>(op)) {
    auto made = cf::CondBranchOp::create(b, lowering.scalar(op->getOperand(0)),
                                         map.lookup(op->getSuccessor(0)), arguments[0],
                                         map.lookup(op->getSuccessor(1)), arguments[1]);
    if (auto branch = dyn_cast<spirv::BranchConditionalOp>(op))
      copyWeights(branch, made);
    copyMarks(op, made);
  } else if (auto choice = dyn_cast<spirv::SwitchOp>(op)) {
    return lowerSwitch(op, choice.getLiterals().value_or(nullptr), lowering, map, arguments);
  } else if (auto choice = dyn_cast<cf::SwitchOp>(op)) {
    return lowerSwitch(op, choice.getCaseValues().value_or(nullptr), lowering, map, arguments);
  } else {
    return lowering.lower(op); // reports that no rule exists
  }
  return failure(lowering.broken);
}

static LogicalResult lowerBody(spirv::FuncOp source, func::FuncOp kernel, Lowering &lowering) {
  IRMapping map;
  if (failed(makeBlocks(source.getBody(), kernel.getBody(), lowering, map)) ||
      failed(lowering.declareSharedBlocks()))
    return failure();
  // Visits definitions before their uses, in whatever order the blocks are.
  llvm::ReversePostOrderTraversal<Block *> order(&source.getBody().front());
  for (Block *block : order) {
    lowering.b.setInsertionPointToEnd(map.lookup(block));
    if (block->isEntryBlock() && failed(lowering.declareArguments(block->getArguments())))
      return failure();
    for (Operation &op : *block) {
      lowering.b.setLoc(op.getLoc());
      LogicalResult done = op.hasTrait<OpTrait::IsTerminator>()
                               ? lowerTerminator(&op, lowering, map)
                               : lowering.lower(&op);
      if (failed(done))
        return failure();
    }
  }
  for (Block &block : kernel.getBody())
    if (block.empty()) { // the block is unreachable
      lowering.b.setInsertionPointToEnd(&block);
      lane::UnreachableOp::create(lowering.b);
    }
  return success();
}

/// Runs MLIR's verifier, because the rules do not check all types. Here, an error can still name
/// the instruction.
static LogicalResult verifyKernel(spirv::FuncOp source, func::FuncOp kernel) {
  std::string complaint;
  Location where = kernel.getLoc();
  {
    ScopedDiagnosticHandler quiet(kernel.getContext(), [&](Diagnostic &diagnostic) {
      if (complaint.empty()) {
        complaint = diagnostic.str();
        where = diagnostic.getLocation();
      }
      return success();
    });
    if (succeeded(mlir::verify(kernel)))
      return success();
  }
  std::string name;
  source.walk([&](Operation *op) {
    bool isHere = op->getLoc() == where && !isa<spirv::FuncOp, spirv::ConstantOp>(op);
    name = isHere && name.empty() ? spelledName(op) + ": " : name;
  });
  return emitError(where) << name << complaint;
}

static bool usesCooperativeMatrices(spirv::FuncOp source) {
  return source
      .walk([](Operation *op) {
        bool uses = instructionName(op).starts_with("CooperativeMatrix") ||
                    llvm::any_of(op->getResultTypes(), llvm::IsaPred<spirv::CooperativeMatrixType>);
        return uses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Sets the subgroup size first, because the elements of cooperative matrices are divided among the
/// lanes. It is the requested size, or else the number of lanes in a register. It is smaller if the
/// workgroup would not fill the lanes.
static LogicalResult settleLanes(spirv::FuncOp source, Lowering &lowering, unsigned width) {
  auto asked = source->getAttrOfType<IntegerAttr>("lane.subgroup_size");
  int64_t lanes = asked ? asked.getInt() : width, invocations = 1;
  for (int32_t size : lowering.workgroupSize())
    invocations *= size;
  while (!asked && lanes > 4 && invocations % lanes)
    lanes /= 2;
  if (lanes < 1 || lanes > 64 || invocations % lanes)
    return source.emitError("cooperative matrices need whole subgroups: the workgroup has ")
           << invocations << " invocations, and subgroups of " << lanes << " lanes";
  lowering.types.lanes = static_cast<unsigned>(lanes);
  lowering.kernel->setAttr("lane.subgroup_size", lowering.b.getI32IntegerAttr(lanes));
  return success();
}

static LogicalResult lowerEntryPoint(spirv::FuncOp source, OpBuilder &b, bool openCl,
                                     unsigned width, bool listArguments) {
  if ((source.getFunctionType().getNumInputs() && !openCl) ||
      source.getFunctionType().getNumResults())
    return source.emitError("entry point '")
           << source.getSymName() << "' has parameters or results";
  auto kernel = func::FuncOp::create(b, source.getLoc(), source.getSymName(),
                                     FunctionType::get(b.getContext(), {}, {}));
  kernel->setAttr("lane.kernel", b.getUnitAttr());
  if (openCl) // its branches have no merge marks
    kernel->setAttr("lane.unmarked", b.getUnitAttr());
  if (source.getFunctionControl() != spirv::FunctionControl::None)
    kernel->setAttr("lane.function_control",
                    b.getI32IntegerAttr(static_cast<int32_t>(source.getFunctionControl())));
  Lowering lowering(source, kernel);
  lowering.types.openCl = openCl;
  lowering.listsArguments = listArguments;
  lowering.floats.setModes(source);
  if (failed(findWorkgroupSize(source, lowering, openCl)))
    return failure();
  copyMarks(source, kernel);
  if (usesCooperativeMatrices(source) && failed(settleLanes(source, lowering, width)))
    return failure();
  if (!lowering.workgroupSize().empty())
    kernel->setAttr("lane.workgroup_size", b.getDenseI32ArrayAttr(lowering.workgroupSize()));
  if (failed(lowerBody(source, kernel, lowering)) || failed(verifyKernel(source, kernel)))
    return failure();
  lowering.zeroShared();
  lowering.placeDynamicShared();
  if (lowering.sharedBytes)
    kernel->setAttr("lane.shared_bytes", b.getI64IntegerAttr(lowering.sharedBytes));
  if (lowering.pushConstantBytes)
    kernel->setAttr("lane.push_constant_bytes", b.getI64IntegerAttr(lowering.pushConstantBytes));
  return success();
}

/// Returns the compute entry points, and whether OpenCL's rules apply to each. An entry point is a
/// function with the attribute, or a function that a spirv.EntryPoint names.
static SmallVector<std::pair<spirv::FuncOp, bool>> findEntryPoints(ModuleOp module) {
  SmallVector<std::pair<spirv::FuncOp, bool>> found;
  module.walk([&](spirv::FuncOp function) {
    if (auto model = function->getAttrOfType<StringAttr>("spvx.execution_model"))
      found.push_back({function, model.getValue() == "Kernel"});
  });
  module.walk([&](spirv::EntryPointOp entry) {
    bool openCl = entry.getExecutionModel() == spirv::ExecutionModel::Kernel;
    if (!openCl && entry.getExecutionModel() != spirv::ExecutionModel::GLCompute)
      return;
    for (auto function : entry->getParentRegion()->getOps<spirv::FuncOp>())
      if (function.getSymName() == entry.getFn() && !function.isExternal())
        found.push_back({function, openCl});
  });
  return found;
}

void SpirvToLanes::runOnOperation() {
  ModuleOp module = getOperation();
  auto entries = findEntryPoints(module);
  OpBuilder b(module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  for (auto [function, openCl] : entries)
    if (failed(lowerEntryPoint(function, b, openCl, width, listArguments)))
      return signalPassFailure();
  SmallVector<Operation *> old;
  for (Operation &op : *module.getBody())
    if (isa<spirv::SPIRVDialect>(op.getDialect()))
      old.push_back(&op);
  for (Operation *op : llvm::reverse(old))
    op->erase();
}
