//===- Subgroups.cpp - properties of kernels and targets --------------------===//
#include "compiler/lower/subgroup/Subgroups.h"
#include "compiler/target/Spirv.h"
#include "compiler/target/Tables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <algorithm>

using namespace mlir;
using namespace pumice;
using target::Feature;

lower::SubgroupSizes lower::subgroupSizes(gpu::GPUFuncOp func, const target::TargetEnv &env) {
  if (auto required = func->getAttrOfType<IntegerAttr>(requiredSubgroupSizeAttrName)) {
    uint32_t size = required.getInt();
    return {size, size, size};
  }
  uint32_t usual = std::max(env.limits.subgroupSize, 1u);
  if (!env.has(Feature::subgroupSizeControl))
    return {usual, usual, usual};
  uint32_t least = env.limits.minSubgroupSize ? env.limits.minSubgroupSize : usual;
  uint32_t most = env.limits.maxSubgroupSize ? env.limits.maxSubgroupSize : usual;
  return {std::min(least, usual), usual, std::max(most, usual)};
}

std::string lower::subgroupLimit(gpu::GPUFuncOp func, const target::TargetEnv &env) {
  if (func->hasAttr(requiredSubgroupSizeAttrName))
    return "the kernel's required subgroup size";
  bool varies = env.has(Feature::subgroupSizeControl) && env.limits.maxSubgroupSize;
  return varies ? "the target's maxSubgroupSize" : "the target's subgroupSize";
}

LogicalResult lower::requireSubgroupSize(Operation *op, uint64_t least,
                                         const target::TargetEnv &env) {
  auto func = op->getParentOfType<gpu::GPUFuncOp>();
  SubgroupSizes sizes = subgroupSizes(func, env);
  if (least > sizes.most)
    return op->emitError("needs subgroups of ")
           << least << " lanes, but " << subgroupLimit(func, env) << " is " << sizes.most
           << ": use smaller clusters";
  Builder b(op);
  if (least > sizes.least) {
    uint64_t size = std::max<uint64_t>(llvm::PowerOf2Ceil(least), sizes.usual);
    func->setAttr(requiredSubgroupSizeAttrName, b.getI32IntegerAttr(size));
  }
  auto noted = func->getAttrOfType<IntegerAttr>(leastSubgroupSizeAttrName);
  if (!noted || noted.getInt() < static_cast<int64_t>(least))
    func->setAttr(leastSubgroupSizeAttrName, b.getI32IntegerAttr(least));
  return success();
}

InFlightDiagnostic lower::missingSubgroupOperation(Operation *op, const target::TargetEnv &env,
                                                   uint32_t bit, const Twine &orElse) {
  std::string what = target::whatBringsSubgroupOperation(env, bit);
  if (!orElse.isTriviallyEmpty())
    what += " or " + orElse.str();
  return op->emitError() << "'" << op->getName() << "' " << target::needs(env, what);
}

DenseI32ArrayAttr lower::knownBlockSize(gpu::GPUFuncOp func) {
  if (DenseI32ArrayAttr size = func.getKnownBlockSizeAttr())
    return size;
  if (auto size = func->getAttrOfType<DenseI32ArrayAttr>("gpu.known_block_size"))
    return size;
  auto abi =
      func->getAttrOfType<mlir::spirv::EntryPointABIAttr>(mlir::spirv::getEntryPointABIAttrName());
  return abi ? abi.getWorkgroupSize() : DenseI32ArrayAttr();
}

std::optional<uint64_t> lower::knownInvocations(gpu::GPUFuncOp func) {
  DenseI32ArrayAttr size = knownBlockSize(func);
  if (!size)
    return std::nullopt;
  uint64_t product = 1;
  for (int32_t extent : size.asArrayRef())
    product *= static_cast<uint64_t>(std::max(extent, 1));
  return product;
}

Value lower::workgroupInvocations(OpBuilder &b, Location loc, gpu::GPUFuncOp func) {
  if (std::optional<uint64_t> known = knownInvocations(func))
    return arith::ConstantIndexOp::create(b, loc, *known);
  Value product;
  for (gpu::Dimension d : {gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z}) {
    Value extent = gpu::BlockDimOp::create(b, loc, d);
    product = product ? Value(arith::MulIOp::create(b, loc, product, extent)) : extent;
  }
  return product;
}

FailureOr<uint32_t> lower::requireFullSubgroups(gpu::GPUFuncOp func, const target::TargetEnv &env) {
  uint32_t size = subgroupSizes(func, env).usual;
  DenseI32ArrayAttr block = knownBlockSize(func);
  if (!block || block.empty() || block[0] % size != 0)
    return failure();
  func->setAttr(requiredSubgroupSizeAttrName, Builder(func).getI32IntegerAttr(size));
  func->setAttr(fullSubgroupsAttrName, UnitAttr::get(func.getContext()));
  return size;
}

bool lower::reducesNatively(const target::TargetEnv &env, Type type) {
  if (!env.hasSubgroup(target::SubgroupArithmetic))
    return false;
  // shaderSubgroupExtendedTypes covers 64-bit integers. f64 only needs shaderFloat64.
  if (type.isInteger(64))
    return env.has(Feature::shaderInt64) && env.has(Feature::shaderSubgroupExtendedTypes);
  return type.isInteger(32) || type.isF32() || (type.isF64() && env.has(Feature::shaderFloat64));
}

static bool dependsOnInvocation(Value value, DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return false;
  auto anyOf = [&](ValueRange values) {
    return llvm::any_of(values, [&](Value v) { return dependsOnInvocation(v, seen); });
  };
  Operation *op = value.getDefiningOp();
  if (!op) {
    Operation *parent = cast<BlockArgument>(value).getOwner()->getParentOp();
    return !isa<FunctionOpInterface>(parent) && anyOf(parent->getOperands());
  }
  if (isa<gpu::ThreadIdOp, gpu::GlobalIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp>(op))
    return true;
  if (isa<gpu::AllReduceOp>(op))
    return false;
  if (anyOf(op->getOperands()))
    return true;
  // The result of a structured operation comes from the yields of its regions.
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (!block.empty() && anyOf(block.back().getOperands()))
        return true;
  return false;
}

bool lower::underVaryingControl(Operation *op) {
  DenseSet<Value> seen;
  for (Operation *parent = op->getParentOp(); parent && !isa<FunctionOpInterface>(parent);
       parent = parent->getParentOp()) {
    SmallVector<Value> control;
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      control = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
    else if (auto loop = dyn_cast<scf::WhileOp>(parent))
      control = {loop.getConditionOp().getCondition()};
    else
      llvm::append_range(control, parent->getOperands());
    if (llvm::any_of(control, [&](Value v) { return dependsOnInvocation(v, seen); }))
      return true;
  }
  return false;
}

Value lower::constantI32(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value lower::laneId(OpBuilder &b, Location loc) {
  Value lane = gpu::LaneIdOp::create(b, loc, /*upper_bound=*/nullptr);
  return arith::IndexCastUIOp::create(b, loc, b.getI32Type(), lane);
}

Value lower::subgroupSize(OpBuilder &b, Location loc) {
  Value size = gpu::SubgroupSizeOp::create(b, loc, /*upper_bound=*/nullptr);
  return arith::IndexCastUIOp::create(b, loc, b.getI32Type(), size);
}

Type lower::wholeType(Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type))
    return width < 32 ? Type(Float32Type::get(type.getContext())) : type;
  return IntegerType::get(type.getContext(), width <= 32 ? 32 : 64);
}

Value lower::toWhole(OpBuilder &b, Location loc, Value value) {
  Type whole = wholeType(value.getType());
  if (whole == value.getType())
    return value;
  if (isa<FloatType>(whole))
    return arith::ExtFOp::create(b, loc, whole, value);
  return arith::ExtUIOp::create(b, loc, whole, value);
}

Value lower::fromWhole(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<FloatType>(type))
    return arith::TruncFOp::create(b, loc, type, value);
  return arith::TruncIOp::create(b, loc, type, value);
}
