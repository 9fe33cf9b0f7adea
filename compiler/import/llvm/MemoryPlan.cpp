//===- MemoryPlan.cpp - which memory a kernel's pointers lead to ------------===//
#include "compiler/import/llvm/MemoryPlan.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

/// Returns the pointer that `pointer` is computed from by additions.
static const llvm::Value *baseOf(const llvm::Value *pointer) {
  while (auto *step = dyn_cast<llvm::GEPOperator>(pointer))
    pointer = step->getPointerOperand();
  return pointer;
}

const void *MemoryPlan::keyOf(const llvm::Value *pointer) {
  pointer = baseOf(pointer);
  classes.insert(pointer);
  return pointer;
}

void MemoryPlan::join(const llvm::Value *a, const llvm::Value *b) {
  if (!isa<llvm::ConstantPointerNull, llvm::UndefValue>(a) &&
      !isa<llvm::ConstantPointerNull, llvm::UndefValue>(b))
    classes.unionSets(keyOf(a), keyOf(b));
}

void MemoryPlan::joinUnknown(const llvm::Value *pointer) {
  if (!isa<llvm::ConstantPointerNull, llvm::UndefValue>(pointer))
    classes.unionSets(keyOf(pointer), &unknown[pointer->getType()->getPointerAddressSpace()]);
}

void MemoryPlan::noteObject(const llvm::Value *object) {
  const void *leader = classes.getLeaderValue(keyOf(object));
  MemoryRegion *&region = byLeader[leader];
  if (!region) {
    region = all.emplace_back(std::make_unique<MemoryRegion>()).get();
    region->space = object->getType()->getPointerAddressSpace();
  }
  if (!llvm::is_contained(region->objects, object))
    region->objects.push_back(object);
}

/// Makes the unit of the region of `pointer` small enough for accesses of `type`.
void MemoryPlan::note(const llvm::Value *pointer, llvm::Type *type, uint64_t alignment) {
  auto noteAt = [&](const void *key) {
    auto found = byLeader.find(classes.getLeaderValue(key));
    if (found != byLeader.end())
      noteIn(*found->second, type, alignment);
  };
  if (hasRegion(pointer->getType())) {
    noteAt(keyOf(pointer));
  } else if (pointer->getType()->getPointerAddressSpace() == Generic) {
    noteAt(&unknown[Private]);
    noteAt(&unknown[Workgroup]);
  }
}

void MemoryPlan::noteIn(MemoryRegion &region, llvm::Type *type, uint64_t alignment) {
  if (type->isAggregateType()) {
    for (unsigned i = 0; i < type->getNumContainedTypes(); ++i)
      noteIn(region, type->getContainedType(i), alignment);
    return;
  }
  llvm::Type *scalar = type->getScalarType();
  uint64_t bytes = llvm::PowerOf2Ceil(layout.getTypeStoreSize(scalar).getFixedValue());
  if (alignment && alignment < bytes) {
    bytes = alignment;
    scalar = nullptr;
  }
  if (region.unitBytes == 0) {
    region.unitBytes = bytes;
    region.unit = scalar;
  } else if (region.unit != scalar || bytes != region.unitBytes) {
    region.unit = nullptr;
    region.unitBytes = std::min<uint64_t>(region.unitBytes, bytes);
  }
}

/// Makes units small enough for copies of whole memory, which have no element type.
void MemoryPlan::noteCopy(const llvm::Instruction &instruction) {
  auto *copy = cast<llvm::MemIntrinsic>(&instruction);
  auto *length = dyn_cast<llvm::ConstantInt>(copy->getLength());
  uint64_t unit = length && length->getZExtValue() % 8 == 0   ? 8
                  : length && length->getZExtValue() % 4 == 0 ? 4
                  : length && length->getZExtValue() % 2 == 0 ? 2
                                                              : 1;
  unit = std::min(unit, copy->getDestAlign().valueOrOne().value());
  if (auto *transfer = dyn_cast<llvm::MemTransferInst>(copy))
    unit = std::min(unit, transfer->getSourceAlign().valueOrOne().value());
  // A copy may use smaller units than memory has, but not larger ones.
  llvm::Type *number = llvm::Type::getIntNTy(copy->getContext(), 8 * unit);
  note(copy->getRawDest(), number, 0);
  if (auto *transfer = dyn_cast<llvm::MemTransferInst>(copy))
    note(transfer->getRawSource(), number, 0);
}

/// Joins the pointers that one instruction makes equal.
void MemoryPlan::collect(const llvm::Instruction &instruction) {
  for (const llvm::Use &operand : instruction.operands()) {
    if (!hasRegion(operand->getType()))
      continue;
    switch (instruction.getOpcode()) {
    case llvm::Instruction::GetElementPtr:
    case llvm::Instruction::PHI:
    case llvm::Instruction::Select:
    case llvm::Instruction::Freeze:
      join(&instruction, operand);
      break;
    case llvm::Instruction::ICmp:
      join(instruction.getOperand(0), instruction.getOperand(1));
      break;
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::PtrToAddr:
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::InsertValue:
    case llvm::Instruction::InsertElement:
      joinUnknown(operand);
      break;
    case llvm::Instruction::Store:
      if (operand.getOperandNo() == 0)
        joinUnknown(operand);
      break;
    default:
      break;
    }
  }
  bool isMade = isa<llvm::LoadInst, llvm::IntToPtrInst, llvm::AddrSpaceCastInst,
                    llvm::ExtractValueInst, llvm::CallBase, llvm::ExtractElementInst>(instruction);
  if (hasRegion(instruction.getType()) && isMade)
    joinUnknown(&instruction);
}

/// Appends the constants that other constants hold the addresses of. Only loads give such
/// addresses.
void MemoryPlan::followInitializers(SmallVectorImpl<const llvm::Value *> &objects) {
  llvm::SmallPtrSet<const llvm::Constant *, 8> seen;
  SmallVector<const llvm::Constant *> open;
  auto follow = [&](const llvm::Value *object) {
    auto *global = dyn_cast<llvm::GlobalVariable>(object);
    if (global && global->hasInitializer())
      open.push_back(global->getInitializer());
  };
  llvm::for_each(objects, follow);
  while (!open.empty()) {
    const llvm::Constant *constant = open.pop_back_val();
    if (!seen.insert(constant).second)
      continue;
    if (!hasRegion(constant->getType())) {
      for (unsigned i = 0; i < constant->getNumOperands(); ++i)
        if (auto *part = dyn_cast<llvm::Constant>(constant->getOperand(i)))
          open.push_back(part);
      continue;
    }
    joinUnknown(constant);
    const llvm::Value *base = baseOf(constant);
    if (isa<llvm::GlobalVariable>(base)) {
      objects.push_back(base);
      follow(base);
    }
  }
}

/// Places the objects of each region one after the other.
void MemoryPlan::layOut(const llvm::Function &kernel) {
  for (auto &region : all) {
    region->isDynamic =
        region->space == Workgroup && llvm::any_of(region->objects, llvm::IsaPred<llvm::Argument>);
    bool hasParameters = llvm::any_of(region->objects, llvm::IsaPred<llvm::Argument>);
    bool hasUnknown = classes.isEquivalent(region->objects.front(), &unknown[region->space]);
    bool hasTables = llvm::any_of(region->objects, llvm::IsaPred<llvm::GlobalVariable>);
    region->isMixed = region->space == Constant && hasTables && (hasParameters || hasUnknown);
    region->isAddress = region->space == Constant && !hasTables && hasParameters;
    for (const llvm::Value *object : region->objects) {
      uint64_t bytes = 0, alignment = 1;
      if (auto *variable = dyn_cast<llvm::AllocaInst>(object)) {
        bytes = variable->getAllocationSize(layout).value_or(llvm::TypeSize::getFixed(0));
        alignment = variable->getAlign().value();
      } else if (auto *global = dyn_cast<llvm::GlobalVariable>(object)) {
        bytes = layout.getTypeAllocSize(global->getValueType());
        alignment =
            layout.getValueOrABITypeAlignment(global->getAlign(), global->getValueType()).value();
      }
      region->bytes = llvm::alignTo(region->bytes, std::max<uint64_t>(alignment, 8));
      region->offsets[object] = region->bytes;
      region->bytes += bytes;
    }
    if (region->unitBytes == 0)
      region->unitBytes = 4;
    region->bytes = llvm::alignTo(std::max<uint64_t>(region->bytes, 1), 8);
  }
}

MemoryPlan::MemoryPlan(const llvm::Function &kernel, CallAccesses accesses)
    : layout(kernel.getDataLayout()) {
  for (char &key : unknown)
    classes.insert(&key);
  for (const llvm::Instruction &instruction : llvm::instructions(kernel))
    collect(instruction);
  SmallVector<const llvm::Value *> objects;
  for (const llvm::Argument &argument : kernel.args())
    if (hasRegion(argument.getType()))
      noteObject(&argument);
  for (const llvm::Instruction &instruction : llvm::instructions(kernel)) {
    if (isa<llvm::AllocaInst>(instruction))
      noteObject(&instruction);
    for (const llvm::Value *operand : instruction.operands()) {
      while (auto *computed = dyn_cast<llvm::ConstantExpr>(operand)) {
        if (computed->getOpcode() == llvm::Instruction::AddrSpaceCast &&
            hasRegion(computed->getOperand(0)->getType()))
          joinUnknown(computed->getOperand(0));
        operand = computed->getOperand(0);
      }
      if (isa<llvm::GlobalVariable>(operand) && hasRegion(operand->getType()))
        objects.push_back(operand);
    }
  }
  followInitializers(objects);
  // Casts in constants have joined more classes, so the objects are noted last.
  SmallVector<std::unique_ptr<MemoryRegion>> before = std::move(all);
  all.clear();
  byLeader.clear();
  for (auto &region : before)
    llvm::append_range(objects, region->objects);
  for (const llvm::Value *object : objects)
    noteObject(object);

  for (const llvm::Instruction &instruction : llvm::instructions(kernel)) {
    if (auto *load = dyn_cast<llvm::LoadInst>(&instruction))
      note(load->getPointerOperand(), load->getType(), load->getAlign().value());
    else if (auto *store = dyn_cast<llvm::StoreInst>(&instruction))
      note(store->getPointerOperand(), store->getValueOperand()->getType(),
           store->getAlign().value());
    else if (auto *update = dyn_cast<llvm::AtomicRMWInst>(&instruction))
      note(update->getPointerOperand(), update->getType(), 0);
    else if (auto *exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      note(exchange->getPointerOperand(), exchange->getCompareOperand()->getType(), 0);
    else if (isa<llvm::MemIntrinsic>(instruction))
      noteCopy(instruction);
    else if (auto *call = dyn_cast<llvm::CallBase>(&instruction))
      for (const PointerAccess &access : accesses(*call))
        note(call->getArgOperand(access.parameter), access.element, 0);
  }
  layOut(kernel);
}

const MemoryRegion *MemoryPlan::regionOf(const llvm::Value *pointer) const {
  const void *key = baseOf(pointer);
  if (!classes.contains(key))
    return nullptr;
  auto found = byLeader.find(classes.getLeaderValue(key));
  return found == byLeader.end() ? nullptr : found->second;
}

const MemoryRegion *MemoryPlan::unknownRegion(unsigned space) const {
  auto found = byLeader.find(classes.getLeaderValue(&unknown[space]));
  return found == byLeader.end() ? nullptr : found->second;
}
