//===- FunctionImporter.cpp - a kernel's blocks and values ------------------===//
#include "compiler/import/llvm/FunctionImporter.h"

#include "compiler/import/llvm/Builtins.h"
#include "compiler/import/llvm/Prepare.h"
#include "compiler/lower/structure/KernelInterface.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

FunctionImporter::FunctionImporter(gpu::GPUModuleOp kernels, const llvm::Function &from,
                                   StringRef file)
    : b(kernels.getContext()), loc(locationOf(kernels.getContext(), from, file)), kernels(kernels),
      from(from), file(file), plan(from, accessesOf) {}

LogicalResult FunctionImporter::refuse(const Twine &what) {
  failed = true;
  return mlir::emitError(loc) << what;
}

//===-------------------------------------------------------------------------===//
// Types and constants
//===-------------------------------------------------------------------------===//

Type FunctionImporter::typeOf(llvm::Type *type) {
  if (auto *vector = dyn_cast<llvm::FixedVectorType>(type)) {
    Type element = typeOf(vector->getElementType());
    return element ? VectorType::get({vector->getNumElements()}, element) : Type();
  }
  if (type->isIntegerTy())
    return b.getIntegerType(type->getIntegerBitWidth());
  if (type->isPointerTy())
    return b.getI64Type();
  if (type->isHalfTy())
    return b.getF16Type();
  if (type->isBFloatTy())
    return b.getBF16Type();
  if (type->isFloatTy())
    return b.getF32Type();
  if (type->isDoubleTy())
    return b.getF64Type();
  // Copies are complete when their group has passed the barrier of wait_group_events.
  if (type->isTargetExtTy() && cast<llvm::TargetExtType>(type)->getName() == "spirv.Event")
    return b.getI64Type();
  std::string name;
  llvm::raw_string_ostream(name) << *type;
  (void)refuse("uses the type '" + name +
               "', which kernels for Vulkan do not have (images, samplers, pipes and queues "
               "are OpenCL's own): pass buffers, numbers and vectors");
  return {};
}

LogicalResult FunctionImporter::listTypes(llvm::Type *type, SmallVectorImpl<Type> &types) {
  if (type->isAggregateType()) {
    uint64_t count = type->isArrayTy() ? type->getArrayNumElements() : type->getStructNumElements();
    for (uint64_t i = 0; i < count; ++i)
      if (mlir::failed(listTypes(type->isArrayTy() ? type->getArrayElementType()
                                                   : type->getStructElementType(i),
                                 types)))
        return failure();
    return success();
  }
  types.push_back(typeOf(type));
  return success(types.back() != nullptr);
}

Value FunctionImporter::constant(Type type, int64_t number) {
  auto scalar = cast<IntegerType>(getElementTypeOrSelf(type));
  TypedAttr value = IntegerAttr::get(
      scalar, APInt(64, static_cast<uint64_t>(number), true).sextOrTrunc(scalar.getWidth()));
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(b, loc, value);
}

Value FunctionImporter::floatConstant(Type type, double number) {
  TypedAttr value = b.getFloatAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(b, loc, value);
}

Values FunctionImporter::constantValues(const llvm::Constant *constant) {
  llvm::Type *type = constant->getType();
  if (type->isAggregateType()) {
    Values all;
    uint64_t count = type->isArrayTy() ? type->getArrayNumElements() : type->getStructNumElements();
    for (unsigned i = 0; i < count; ++i)
      all.append(constantValues(constant->getAggregateElement(i)));
    return all;
  }
  Type made = typeOf(type);
  if (!made)
    return {Value()};
  if (auto *number = dyn_cast<llvm::ConstantInt>(constant); number && !type->isVectorTy())
    return {arith::ConstantOp::create(b, loc, b.getIntegerAttr(made, number->getValue()))};
  if (auto *number = dyn_cast<llvm::ConstantFP>(constant); number && !type->isVectorTy())
    return {arith::ConstantOp::create(b, loc, FloatAttr::get(made, number->getValueAPF()))};
  if (constant->isNullValue() || isa<llvm::UndefValue>(constant)) // poison may be any value
    return {arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(made)))};
  if (auto vector = dyn_cast<VectorType>(made)) {
    SmallVector<Value> parts;
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      parts.push_back(constantValues(constant->getAggregateElement(i)).front());
    if (llvm::is_contained(parts, Value()))
      return {Value()};
    return {vector::FromElementsOp::create(b, loc, vector, parts)};
  }
  if (auto *global = dyn_cast<llvm::GlobalVariable>(constant))
    return {globalAddress(global)};
  if (auto *expression = dyn_cast<llvm::ConstantExpr>(constant)) {
    if (auto *gep = dyn_cast<llvm::GEPOperator>(expression))
      return {step(*gep)};
    const llvm::Value *operand = expression->getOperand(0);
    switch (expression->getOpcode()) {
    case llvm::Instruction::AddrSpaceCast:
      return {castAddress(value(operand), operand->getType()->getPointerAddressSpace(),
                          type->getPointerAddressSpace())};
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::PtrToAddr:
    case llvm::Instruction::IntToPtr:
      return {value(operand)};
    default:
      break;
    }
  }
  std::string text;
  llvm::raw_string_ostream(text) << *constant;
  (void)refuse("uses the constant '" + text + "', which kernels for Vulkan cannot hold");
  return {Value()};
}

/// Returns the position of a variable in its region.
Value FunctionImporter::globalAddress(const llvm::GlobalVariable *global) {
  const MemoryRegion *region = plan.regionOf(global);
  if (!region || !hasRegion(global->getType())) {
    if (refused.insert(global).second)
      (void)refuse("uses the program's variable '" + global->getName() +
                   "' in global memory, which a Vulkan module cannot hold: pass a buffer to the "
                   "kernel, or make the variable 'constant'");
    return constant(b.getI64Type(), 0);
  }
  return constant(b.getI64Type(), positionOf(*region, global));
}

int64_t FunctionImporter::positionOf(const MemoryRegion &region, const llvm::Value *object) {
  uint64_t tag = region.isMixed ? uint64_t(TableTag) << spaceShift : 0;
  return static_cast<int64_t>(region.offsets.lookup(object) | tag);
}

Values FunctionImporter::values(const llvm::Value *operand) {
  auto found = known.find(operand);
  if (found != known.end())
    return found->second;
  if (auto *constant = dyn_cast<llvm::Constant>(operand)) {
    Values made = constantValues(constant);
    if (llvm::is_contained(made, Value())) // already reported; the type does not matter any more
      llvm::replace(made, Value(), this->constant(b.getI64Type(), 0));
    return made;
  }
  (void)refuse("uses a value that is not computed before");
  return {constant(b.getI64Type(), 0)};
}

Value FunctionImporter::value(const llvm::Value *operand) { return values(operand).front(); }

/// Computes the address that a getelementptr stands for.
Value FunctionImporter::step(const llvm::GEPOperator &gep) {
  Value address = value(gep.getPointerOperand());
  Type i64 = b.getI64Type();
  int64_t fixed = 0;
  for (auto at = llvm::gep_type_begin(gep); at != llvm::gep_type_end(gep); ++at) {
    const llvm::Value *index = at.getOperand();
    if (llvm::StructType *structure = at.getStructTypeOrNull()) {
      uint64_t member = cast<llvm::ConstantInt>(index)->getZExtValue();
      fixed += layout().getStructLayout(structure)->getElementOffset(member).getFixedValue();
      continue;
    }
    int64_t stride = at.getSequentialElementStride(layout()).getFixedValue();
    if (auto *number = dyn_cast<llvm::ConstantInt>(index)) {
      fixed += number->getSExtValue() * stride;
      continue;
    }
    Value count = value(index);
    if (count.getType() != i64)
      count = count.getType().getIntOrFloatBitWidth() < 64
                  ? arith::ExtSIOp::create(b, loc, i64, count).getResult()
                  : arith::TruncIOp::create(b, loc, i64, count).getResult();
    if (stride != 1)
      count = arith::MulIOp::create(b, loc, count, constant(i64, stride));
    address = arith::AddIOp::create(b, loc, address, count);
  }
  return fixed ? arith::AddIOp::create(b, loc, address, constant(i64, fixed)) : address;
}

//===-------------------------------------------------------------------------===//
// The function
//===-------------------------------------------------------------------------===//

/// Returns the positive numbers of a kernel's metadata, such as reqd_work_group_size. Returns
/// nothing if there is none, and failure after an error.
FailureOr<SmallVector<int32_t>> FunctionImporter::numbersOf(StringRef name, size_t most) {
  SmallVector<int32_t> numbers;
  const llvm::MDNode *node = from.getMetadata(name);
  if (!node)
    return numbers;
  for (const llvm::MDOperand &operand : node->operands())
    if (auto *number = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(operand);
        number && number->getValue().isStrictlyPositive() && number->getValue().isSignedIntN(32))
      numbers.push_back(static_cast<int32_t>(number->getZExtValue()));
  if (numbers.empty() || numbers.size() != node->getNumOperands() || numbers.size() > most)
    return refuse("has the metadata '" + name + "' with other contents than 1 to " +
                  std::to_string(most) + " positive numbers; correct it, or leave it out");
  return numbers;
}

LogicalResult FunctionImporter::makeFunction() {
  SmallVector<Type> types;
  for (const llvm::Argument &argument : from.args())
    if (mlir::failed(listTypes(argument.getType(), types)))
      return failure();
  b.setInsertionPointToEnd(kernels.getBody());
  function = gpu::GPUFuncOp::create(b, loc, from.getName(), b.getFunctionType(types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  FailureOr<SmallVector<int32_t>> workgroup = numbersOf("reqd_work_group_size", 3);
  FailureOr<SmallVector<int32_t>> subgroup = numbersOf("intel_reqd_sub_group_size", 1);
  if (mlir::failed(workgroup) || mlir::failed(subgroup))
    return failure();
  if (!subgroup->empty() && !llvm::isPowerOf2_32(subgroup->front()))
    return refuse("requires sub-groups of " + std::to_string(subgroup->front()) +
                  " work-items; Vulkan has powers of two: correct the number, or leave it out");
  if (!workgroup->empty()) {
    workgroup->resize(3, 1);
    function.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr(*workgroup));
  }
  if (!subgroup->empty())
    function->setAttr(lower::requiredSubgroupSizeAttrName, b.getI32IntegerAttr(subgroup->front()));
  for (const llvm::Argument &argument : from.args()) {
    unsigned number = argument.getArgNo();
    BlockArgument made = function.getArgument(number);
    if (argument.hasName())
      made.setLoc(NameLoc::get(b.getStringAttr(argument.getName()), loc));
    known[&argument] = {made};
    if (argument.getType()->isPointerTy() &&
        argument.getType()->getPointerAddressSpace() != Workgroup)
      function.setArgAttr(number, lower::bufferAddressAttrName, b.getUnitAttr());
  }
  b.setInsertionPointToStart(&function.getBody().front());
  return success();
}

/// Appends the bytes of a constant in memory. `addressOf` gives the value of an address, if it can.
/// Returns false if it cannot.
static bool
appendBytes(const llvm::Constant *constant, const llvm::DataLayout &layout,
            MutableArrayRef<char> bytes,
            llvm::function_ref<std::optional<uint64_t>(const llvm::Constant *)> addressOf) {
  llvm::Type *type = constant->getType();
  if (constant->isNullValue() || isa<llvm::UndefValue>(constant))
    return true; // zero already
  auto put = [&](const APInt &number) {
    for (unsigned i = 0; i * 8 < number.getBitWidth(); ++i)
      bytes[i] = static_cast<char>(
          number.extractBitsAsZExtValue(std::min(8u, number.getBitWidth() - 8 * i), 8 * i));
    return true;
  };
  if (auto *number = dyn_cast<llvm::ConstantInt>(constant); number && !type->isVectorTy())
    return put(number->getValue());
  if (auto *number = dyn_cast<llvm::ConstantFP>(constant); number && !type->isVectorTy())
    return put(number->getValueAPF().bitcastToAPInt());
  if (type->isPointerTy()) {
    std::optional<uint64_t> address = addressOf(constant);
    return address && put(APInt(64, *address));
  }
  auto *structure = dyn_cast<llvm::StructType>(type);
  llvm::Type *element = type->isArrayTy()    ? type->getArrayElementType()
                        : type->isVectorTy() ? type->getScalarType()
                                             : nullptr;
  if (!structure && !element)
    return false;
  for (unsigned i = 0; const llvm::Constant *part = constant->getAggregateElement(i); ++i) {
    uint64_t at = structure ? layout.getStructLayout(structure)->getElementOffset(i).getFixedValue()
                            : i * layout.getTypeAllocSize(element).getFixedValue();
    if (!appendBytes(part, layout, bytes.drop_front(at), addressOf))
      return false;
  }
  return true;
}

/// Makes a table of the constants of a region.
LogicalResult FunctionImporter::makeTable(const MemoryRegion &region, Type unit) {
  std::vector<char> bytes(region.bytes);
  auto addressOf = [&](const llvm::Constant *pointer) -> std::optional<uint64_t> {
    APInt offset(64, 0);
    const llvm::Value *base =
        pointer->stripAndAccumulateConstantOffsets(layout(), offset, /*AllowNonInbounds=*/true);
    const MemoryRegion *found = hasRegion(base->getType()) ? plan.regionOf(base) : nullptr;
    if (!found || !isa<llvm::GlobalVariable>(base))
      return std::nullopt;
    return static_cast<uint64_t>(positionOf(*found, base)) + offset.getZExtValue();
  };
  for (const llvm::Value *object : region.objects) {
    if (region.isMixed && isa<llvm::Argument>(object))
      continue;
    auto *global = dyn_cast<llvm::GlobalVariable>(object);
    if (!global || !global->hasInitializer())
      return refuse("a pointer to constant memory leads to constants of the program and to other "
                    "memory; Vulkan keeps them apart: use one pointer for each");
    if (!appendBytes(global->getInitializer(), layout(),
                     MutableArrayRef<char>(bytes).drop_front(region.offsets.lookup(object)),
                     addressOf))
      return refuse("the constant '" + global->getName() +
                    "' holds addresses of something else than constants, which a Vulkan module "
                    "cannot; hold indices instead");
  }
  if (auto number = dyn_cast<IntegerType>(unit); number && number.getWidth() == 1)
    unit = b.getI8Type();
  int64_t count = region.bytes / region.unitBytes;
  auto type = MemRefType::get({count}, unit);
  auto value =
      DenseElementsAttr::getFromRawBuffer(RankedTensorType::get({count}, unit), ArrayRef(bytes));
  std::string name = (from.getName() + "_constants_" + Twine(memories.size())).str();
  OpBuilder above(function);
  memref::GlobalOp::create(above, loc, name, above.getStringAttr("private"), type, value,
                           /*constant=*/true, /*alignment=*/IntegerAttr());
  memories[&region] = {memref::GetGlobalOp::create(b, loc, type, name), unit};
  return success();
}

/// Declares the memory of the kernel's own variables.
LogicalResult FunctionImporter::makeRegions() {
  auto workgroup = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  for (const std::unique_ptr<MemoryRegion> &region : plan.regions()) {
    if (region->isAddress)
      continue;
    Type unit = region->unit && !region->unit->isPointerTy() && !region->unit->isIntegerTy(1)
                    ? typeOf(region->unit)
                    : b.getIntegerType(8 * region->unitBytes);
    if (auto number = dyn_cast_or_null<IntegerType>(unit))
      unit = b.getIntegerType(8 * region->unitBytes); // such as i24, which has 4 bytes
    if (!unit)
      return failure();
    auto shape = int64_t(region->bytes / region->unitBytes);
    if (region->space == Constant) {
      if (mlir::failed(makeTable(*region, unit)))
        return failure();
    } else if (region->space == Private) {
      auto type = MemRefType::get({shape}, unit);
      memories[region.get()] = {memref::AllocaOp::create(b, loc, type), unit};
    } else if (!region->isDynamic) {
      auto type = MemRefType::get({shape}, unit, MemRefLayoutAttrInterface{}, workgroup);
      memories[region.get()] = {function.addWorkgroupAttribution(type, loc), unit};
    } else {
      if (!llvm::all_of(region->objects, llvm::IsaPred<llvm::Argument>))
        return refuse("a pointer to local memory leads to a parameter or to a variable of the "
                      "kernel; Vulkan keeps them apart: use one pointer for each");
      auto bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                                   MemRefLayoutAttrInterface{}, workgroup);
      auto type =
          MemRefType::get({ShapedType::kDynamic}, unit, MemRefLayoutAttrInterface{}, workgroup);
      Value memory = gpu::DynamicSharedMemoryOp::create(b, loc, bytes);
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      Value large = arith::ConstantIndexOp::create(b, loc, 1 << 20); // nothing asks for the size
      memories[region.get()] = {
          memref::ViewOp::create(b, loc, type, memory, zero, ValueRange{large}), unit};
    }
  }
  return success();
}

LogicalResult FunctionImporter::makeBlocks() {
  Block *entry = &function.getBody().front();
  for (const llvm::BasicBlock &block : from) {
    Block *made = new Block;
    function.getBody().push_back(made);
    blocks[&block] = made;
    for (const llvm::PHINode &phi : block.phis()) {
      SmallVector<Type> types;
      if (mlir::failed(listTypes(phi.getType(), types)))
        return failure();
      Values &held = known[&phi];
      for (Type type : types)
        held.push_back(made->addArgument(type, loc));
    }
  }
  b.setInsertionPointToEnd(entry);
  cf::BranchOp::create(b, loc, blocks[&from.getEntryBlock()]);
  return success();
}

void FunctionImporter::passValues(const llvm::BasicBlock *origin, const llvm::BasicBlock *to,
                                  SmallVectorImpl<Value> &operands) {
  for (const llvm::PHINode &phi : to->phis())
    llvm::append_range(operands, values(phi.getIncomingValueForBlock(origin)));
}

LogicalResult FunctionImporter::branch(const llvm::Instruction &instruction) {
  const llvm::BasicBlock *here = instruction.getParent();
  SmallVector<Value> first, second;
  if (isa<llvm::ReturnInst, llvm::UnreachableInst>(instruction)) {
    gpu::ReturnOp::create(b, loc);
    return success();
  }
  if (auto *jump = dyn_cast<llvm::BranchInst>(&instruction)) {
    passValues(here, jump->getSuccessor(0), first);
    if (jump->isUnconditional()) {
      cf::BranchOp::create(b, loc, blocks[jump->getSuccessor(0)], first);
      return success();
    }
    passValues(here, jump->getSuccessor(1), second);
    cf::CondBranchOp::create(b, loc, value(jump->getCondition()), blocks[jump->getSuccessor(0)],
                             first, blocks[jump->getSuccessor(1)], second);
    return success();
  }
  auto *choice = dyn_cast<llvm::SwitchInst>(&instruction);
  if (!choice)
    return refuse(Twine("holds '") + instruction.getOpcodeName() +
                  "', which kernels for Vulkan do not have: use if, switch and loops");
  passValues(here, choice->getDefaultDest(), first);
  Value flag = value(choice->getCondition());
  // A chain of comparisons also serves widths that cf.switch cannot compare.
  for (auto &option : choice->cases()) {
    SmallVector<Value> operands, none;
    passValues(here, option.getCaseSuccessor(), operands);
    Value same =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, flag, value(option.getCaseValue()));
    Block *next = new Block;
    next->insertAfter(b.getInsertionBlock());
    cf::CondBranchOp::create(b, loc, same, blocks[option.getCaseSuccessor()], operands, next, none);
    b.setInsertionPointToStart(next);
  }
  cf::BranchOp::create(b, loc, blocks[choice->getDefaultDest()], first);
  return success();
}

LogicalResult FunctionImporter::translate(const llvm::Instruction &instruction) {
  loc = locationOf(b.getContext(), instruction, file);
  LogicalResult done = success();
  if (instruction.isTerminator())
    done = branch(instruction);
  else if (isa<llvm::PHINode, llvm::DbgInfoIntrinsic>(instruction))
    return success();
  else if (auto *variable = dyn_cast<llvm::AllocaInst>(&instruction))
    set(instruction, constant(b.getI64Type(), plan.regionOf(variable)->offsets.lookup(variable)));
  else if (auto *gep = dyn_cast<llvm::GEPOperator>(&instruction);
           gep && !gep->getType()->isVectorTy())
    set(instruction, step(*gep));
  else if (auto *conversion = dyn_cast<llvm::CastInst>(&instruction))
    done = cast(*conversion);
  else if (auto *comparison = dyn_cast<llvm::CmpInst>(&instruction))
    done = compare(*comparison);
  else if (isa<llvm::LoadInst, llvm::StoreInst>(instruction))
    done = memory(instruction);
  else if (isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::FenceInst>(instruction))
    done = atomics(instruction);
  else if (auto *known = dyn_cast<llvm::IntrinsicInst>(&instruction))
    done = intrinsic(*known);
  else if (auto *called = dyn_cast<llvm::CallBase>(&instruction))
    done = call(*called);
  else if (isa<llvm::BinaryOperator, llvm::UnaryOperator>(instruction))
    done = arithmetic(instruction);
  else
    done = elements(instruction);
  return success(succeeded(done) && !failed);
}

LogicalResult FunctionImporter::run() {
  if (mlir::failed(makeFunction()) || mlir::failed(makeRegions()) || mlir::failed(makeBlocks()))
    return failure();
  // In this order, operands come before their uses.
  llvm::ReversePostOrderTraversal<const llvm::Function *> order(&from);
  for (const llvm::BasicBlock *block : order) {
    b.setInsertionPointToEnd(blocks[block]);
    for (const llvm::Instruction &instruction : *block)
      if (mlir::failed(translate(instruction)))
        return failure();
  }
  for (const llvm::BasicBlock &block : from)
    if (blocks[&block]->empty()) { // no path reaches it
      blocks[&block]->dropAllReferences();
      blocks[&block]->erase();
    }
  return success();
}
