//===- Instructions.cpp - LLVM's instructions to arith and vector -----------===//
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/import/llvm/FunctionImporter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

/// Returns the permissions of an instruction that our passes use.
static arith::FastMathFlags flagsOf(const llvm::Instruction &instruction) {
  auto flags = arith::FastMathFlags::none;
  if (!isa<llvm::FPMathOperator>(instruction))
    return flags;
  llvm::FastMathFlags from = instruction.getFastMathFlags();
  if (from.allowContract())
    flags = flags | arith::FastMathFlags::contract;
  if (from.approxFunc())
    flags = flags | arith::FastMathFlags::afn;
  if (from.allowReassoc())
    flags = flags | arith::FastMathFlags::reassoc;
  return flags;
}

LogicalResult FunctionImporter::arithmetic(const llvm::Instruction &instruction) {
  Value x = value(instruction.getOperand(0));
  Value y = instruction.getNumOperands() > 1 ? value(instruction.getOperand(1)) : Value();
  auto flags = arith::FastMathFlagsAttr::get(b.getContext(), flagsOf(instruction));
  auto integer = [&]<typename Op>(Op *) { set(instruction, Op::create(b, loc, x, y)); };
  auto floats = [&]<typename Op>(Op *) { set(instruction, Op::create(b, loc, x, y, flags)); };
  switch (instruction.getOpcode()) {
  case llvm::Instruction::Add:
    integer((arith::AddIOp *)nullptr);
    break;
  case llvm::Instruction::Sub:
    integer((arith::SubIOp *)nullptr);
    break;
  case llvm::Instruction::Mul:
    integer((arith::MulIOp *)nullptr);
    break;
  case llvm::Instruction::UDiv:
    integer((arith::DivUIOp *)nullptr);
    break;
  case llvm::Instruction::SDiv:
    integer((arith::DivSIOp *)nullptr);
    break;
  case llvm::Instruction::URem:
    integer((arith::RemUIOp *)nullptr);
    break;
  case llvm::Instruction::SRem:
    integer((arith::RemSIOp *)nullptr);
    break;
  case llvm::Instruction::Shl:
    integer((arith::ShLIOp *)nullptr);
    break;
  case llvm::Instruction::LShr:
    integer((arith::ShRUIOp *)nullptr);
    break;
  case llvm::Instruction::AShr:
    integer((arith::ShRSIOp *)nullptr);
    break;
  case llvm::Instruction::And:
    integer((arith::AndIOp *)nullptr);
    break;
  case llvm::Instruction::Or:
    integer((arith::OrIOp *)nullptr);
    break;
  case llvm::Instruction::Xor:
    integer((arith::XOrIOp *)nullptr);
    break;
  case llvm::Instruction::FAdd:
    floats((arith::AddFOp *)nullptr);
    break;
  case llvm::Instruction::FSub:
    floats((arith::SubFOp *)nullptr);
    break;
  case llvm::Instruction::FMul:
    floats((arith::MulFOp *)nullptr);
    break;
  case llvm::Instruction::FDiv:
    floats((arith::DivFOp *)nullptr);
    break;
  case llvm::Instruction::FRem:
    floats((arith::RemFOp *)nullptr);
    break;
  case llvm::Instruction::FNeg:
    set(instruction, arith::NegFOp::create(b, loc, x, flags));
    break;
  default:
    return refuse(Twine("holds '") + instruction.getOpcodeName() +
                  "', which kernels for Vulkan do not have");
  }
  return success();
}

LogicalResult FunctionImporter::cast(const llvm::CastInst &instruction) {
  Value x = value(instruction.getOperand(0));
  Type type = typeOf(instruction.getType());
  if (!type)
    return failure();
  auto to = [&]<typename Op>(Op *) { set(instruction, Op::create(b, loc, type, x)); };
  unsigned from = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  switch (instruction.getOpcode()) {
  case llvm::Instruction::Trunc:
    to((arith::TruncIOp *)nullptr);
    break;
  case llvm::Instruction::ZExt:
    to((arith::ExtUIOp *)nullptr);
    break;
  case llvm::Instruction::SExt:
    to((arith::ExtSIOp *)nullptr);
    break;
  case llvm::Instruction::FPTrunc:
    to((arith::TruncFOp *)nullptr);
    break;
  case llvm::Instruction::FPExt:
    to((arith::ExtFOp *)nullptr);
    break;
  case llvm::Instruction::FPToUI:
    to((arith::FPToUIOp *)nullptr);
    break;
  case llvm::Instruction::FPToSI:
    to((arith::FPToSIOp *)nullptr);
    break;
  case llvm::Instruction::UIToFP:
    to((arith::UIToFPOp *)nullptr);
    break;
  case llvm::Instruction::SIToFP:
    to((arith::SIToFPOp *)nullptr);
    break;
  case llvm::Instruction::PtrToInt:
  case llvm::Instruction::PtrToAddr:
  case llvm::Instruction::IntToPtr: // pointers are integers of 64 bits
    if (from < bits)
      to((arith::ExtUIOp *)nullptr);
    else if (from > bits)
      to((arith::TruncIOp *)nullptr);
    else
      set(instruction, x);
    break;
  case llvm::Instruction::AddrSpaceCast:
    set(instruction, castAddress(x, instruction.getSrcTy()->getPointerAddressSpace(),
                                 instruction.getDestTy()->getPointerAddressSpace()));
    break;
  case llvm::Instruction::BitCast:
    set(instruction, bitCast(x, type));
    break;
  default:
    return refuse(Twine("holds '") + instruction.getOpcodeName() +
                  "', which kernels for Vulkan do not have");
  }
  return success();
}

Value FunctionImporter::bitCast(Value x, Type type) {
  if (x.getType() == type)
    return x;
  auto from = dyn_cast<VectorType>(x.getType());
  auto to = dyn_cast<VectorType>(type);
  if (!from && !to)
    return arith::BitcastOp::create(b, loc, type, x);
  if (from && to && from.getNumElements() == to.getNumElements())
    return arith::BitcastOp::create(b, loc, type, x);
  if (!from)
    x = vector::BroadcastOp::create(b, loc, VectorType::get({1}, x.getType()), x);
  Value made =
      vector::BitCastOp::create(b, loc, to ? to : VectorType::get({1}, type), x).getResult();
  return to ? made : vector::ExtractOp::create(b, loc, made, int64_t(0)).getResult();
}

LogicalResult FunctionImporter::compare(const llvm::CmpInst &instruction) {
  Value x = value(instruction.getOperand(0)), y = value(instruction.getOperand(1));
  using P = llvm::CmpInst::Predicate;
  if (isa<llvm::ICmpInst>(instruction)) {
    static const std::pair<P, arith::CmpIPredicate> orders[] = {
        {P::ICMP_EQ, arith::CmpIPredicate::eq},   {P::ICMP_NE, arith::CmpIPredicate::ne},
        {P::ICMP_UGT, arith::CmpIPredicate::ugt}, {P::ICMP_UGE, arith::CmpIPredicate::uge},
        {P::ICMP_ULT, arith::CmpIPredicate::ult}, {P::ICMP_ULE, arith::CmpIPredicate::ule},
        {P::ICMP_SGT, arith::CmpIPredicate::sgt}, {P::ICMP_SGE, arith::CmpIPredicate::sge},
        {P::ICMP_SLT, arith::CmpIPredicate::slt}, {P::ICMP_SLE, arith::CmpIPredicate::sle}};
    for (auto [from, to] : orders)
      if (instruction.getPredicate() == from)
        set(instruction, arith::CmpIOp::create(b, loc, to, x, y));
    return success();
  }
  static const std::pair<P, arith::CmpFPredicate> orders[] = {
      {P::FCMP_FALSE, arith::CmpFPredicate::AlwaysFalse},
      {P::FCMP_TRUE, arith::CmpFPredicate::AlwaysTrue},
      {P::FCMP_OEQ, arith::CmpFPredicate::OEQ},
      {P::FCMP_OGT, arith::CmpFPredicate::OGT},
      {P::FCMP_OGE, arith::CmpFPredicate::OGE},
      {P::FCMP_OLT, arith::CmpFPredicate::OLT},
      {P::FCMP_OLE, arith::CmpFPredicate::OLE},
      {P::FCMP_ONE, arith::CmpFPredicate::ONE},
      {P::FCMP_ORD, arith::CmpFPredicate::ORD},
      {P::FCMP_UNO, arith::CmpFPredicate::UNO},
      {P::FCMP_UEQ, arith::CmpFPredicate::UEQ},
      {P::FCMP_UGT, arith::CmpFPredicate::UGT},
      {P::FCMP_UGE, arith::CmpFPredicate::UGE},
      {P::FCMP_ULT, arith::CmpFPredicate::ULT},
      {P::FCMP_ULE, arith::CmpFPredicate::ULE},
      {P::FCMP_UNE, arith::CmpFPredicate::UNE}};
  for (auto [from, to] : orders)
    if (instruction.getPredicate() == from)
      set(instruction, arith::CmpFOp::create(b, loc, to, x, y));
  return success();
}

/// Returns a value of `type` whose places in memory are those of a structure's members, one after
/// the other.
static LogicalResult eachLeaf(llvm::Type *type, uint64_t offset, const llvm::DataLayout &layout,
                              llvm::function_ref<LogicalResult(llvm::Type *, uint64_t)> at) {
  if (!type->isAggregateType())
    return at(type, offset);
  auto *structure = dyn_cast<llvm::StructType>(type);
  uint64_t count = structure ? structure->getNumElements() : type->getArrayNumElements();
  for (unsigned i = 0; i < count; ++i) {
    llvm::Type *element = structure ? structure->getElementType(i) : type->getArrayElementType();
    uint64_t place = structure
                         ? layout.getStructLayout(structure)->getElementOffset(i).getFixedValue()
                         : i * layout.getTypeAllocSize(element).getFixedValue();
    if (failed(eachLeaf(element, offset + place, layout, at)))
      return failure();
  }
  return success();
}

static bool isRelaxedOrder(llvm::AtomicOrdering order) {
  return !llvm::isStrongerThan(order, llvm::AtomicOrdering::Monotonic);
}

LogicalResult FunctionImporter::memory(const llvm::Instruction &instruction) {
  auto *read = dyn_cast<llvm::LoadInst>(&instruction);
  auto *write = dyn_cast<llvm::StoreInst>(&instruction);
  const llvm::Value *pointer = read ? read->getPointerOperand() : write->getPointerOperand();
  llvm::Type *type = read ? read->getType() : write->getValueOperand()->getType();
  if (instruction.isAtomic()) {
    Type held = typeOf(type);
    if (!held)
      return failure();
    bool relaxed = isRelaxedOrder(read ? read->getOrdering() : write->getOrdering());
    if (read)
      set(instruction, atomicLoad(pointer, held, relaxed));
    else
      update(pointer, arith::AtomicRMWKind::assign, value(write->getValueOperand()), relaxed);
    return success();
  }
  uint64_t alignment = read ? read->getAlign().value() : write->getAlign().value();
  Value base = value(pointer);
  Values parts = write ? values(write->getValueOperand()) : Values();
  size_t next = 0;
  Values made;
  LogicalResult done = eachLeaf(type, 0, layout(), [&](llvm::Type *leaf, uint64_t offset) {
    Type held = typeOf(leaf);
    if (!held)
      return failure();
    Value at =
        offset ? arith::AddIOp::create(b, loc, base, constant(b.getI64Type(), offset)).getResult()
               : base;
    uint64_t aligned = llvm::MinAlign(alignment, offset);
    if (write)
      store(pointer, at, parts[next++], aligned);
    else
      made.push_back(load(pointer, at, held, aligned));
    return success(!failed);
  });
  if (read)
    known[&instruction] = made;
  return done;
}

Value FunctionImporter::atomicLoad(const llvm::Value *pointer, Type type, bool relaxed) {
  // No operation of memref loads atomically, so an update that changes nothing does.
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value old = update(pointer, arith::AtomicRMWKind::ori, constant(bits, 0), relaxed);
  return old && !type.isInteger() ? arith::BitcastOp::create(b, loc, type, old).getResult() : old;
}

LogicalResult FunctionImporter::atomics(const llvm::Instruction &instruction) {
  if (isa<llvm::FenceInst>(instruction)) {
    vk::MemoryBarrierOp::create(b, loc);
    return success();
  }
  if (auto *exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    Value expected = value(exchange->getCompareOperand());
    bool relaxed = isRelaxedOrder(exchange->getSuccessOrdering());
    Value old = compareExchange(exchange->getPointerOperand(), expected,
                                value(exchange->getNewValOperand()), relaxed);
    if (!old)
      return failure();
    Value same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, old, expected);
    known[&instruction] = {old, same};
    return success();
  }
  auto *update = cast<llvm::AtomicRMWInst>(&instruction);
  using Kind = arith::AtomicRMWKind;
  using From = llvm::AtomicRMWInst;
  static const std::pair<From::BinOp, Kind> kinds[] = {
      {From::Xchg, Kind::assign},  {From::Add, Kind::addi},    {From::Sub, Kind::addi},
      {From::And, Kind::andi},     {From::Or, Kind::ori},      {From::Xor, Kind::xori},
      {From::Max, Kind::maxs},     {From::Min, Kind::mins},    {From::UMax, Kind::maxu},
      {From::UMin, Kind::minu},    {From::FAdd, Kind::addf},   {From::FSub, Kind::addf},
      {From::FMax, Kind::maxnumf}, {From::FMin, Kind::minnumf}};
  auto found =
      llvm::find_if(kinds, [&](const auto &pair) { return pair.first == update->getOperation(); });
  if (found == std::end(kinds))
    return refuse("updates memory by '" + From::getOperationName(update->getOperation()) +
                  "', which kernels for Vulkan do not have; use a loop of atomic_cmpxchg");
  Value operand = value(update->getValOperand());
  if (update->getOperation() == From::Sub)
    operand = arith::SubIOp::create(b, loc, constant(operand.getType(), 0), operand);
  if (update->getOperation() == From::FSub)
    operand = arith::NegFOp::create(b, loc, operand);
  bool relaxed = isRelaxedOrder(update->getOrdering());
  Value old = this->update(update->getPointerOperand(), found->second, operand, relaxed);
  set(instruction, old);
  return success(old != nullptr);
}

/// Returns how many numbers come before a member of a structure.
static unsigned numbersBefore(llvm::Type *type, ArrayRef<unsigned> path, unsigned &count) {
  auto countOf = [](llvm::Type *whole, auto &&self) -> unsigned {
    if (!whole->isAggregateType())
      return 1;
    unsigned all = 0;
    unsigned parts =
        whole->isArrayTy() ? whole->getArrayNumElements() : whole->getStructNumElements();
    for (unsigned i = 0; i < parts; ++i)
      all += self(
          whole->isArrayTy() ? whole->getArrayElementType() : whole->getStructElementType(i), self);
    return all;
  };
  unsigned before = 0;
  for (unsigned index : path) {
    for (unsigned i = 0; i < index; ++i)
      before += countOf(
          type->isArrayTy() ? type->getArrayElementType() : type->getStructElementType(i), countOf);
    type = type->isArrayTy() ? type->getArrayElementType() : type->getStructElementType(index);
  }
  count = countOf(type, countOf);
  return before;
}

/// Translates what moves elements of vectors and structures.
LogicalResult FunctionImporter::elements(const llvm::Instruction &instruction) {
  auto positionOf = [&](const llvm::Value *index) {
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), value(index)).getResult();
  };
  if (auto *choice = dyn_cast<llvm::SelectInst>(&instruction)) {
    Values yes = values(choice->getTrueValue()), no = values(choice->getFalseValue());
    Value condition = value(choice->getCondition());
    Values made;
    for (auto [x, y] : llvm::zip(yes, no))
      made.push_back(arith::SelectOp::create(b, loc, condition, x, y));
    known[&instruction] = made;
  } else if (isa<llvm::FreezeInst>(instruction)) {
    known[&instruction] = values(instruction.getOperand(0));
  } else if (auto *extract = dyn_cast<llvm::ExtractElementInst>(&instruction)) {
    Value whole = value(extract->getVectorOperand());
    if (auto *number = dyn_cast<llvm::ConstantInt>(extract->getIndexOperand()))
      set(instruction, vector::ExtractOp::create(b, loc, whole, number->getSExtValue()));
    else
      set(instruction,
          vector::ExtractOp::create(b, loc, whole, positionOf(extract->getIndexOperand())));
  } else if (auto *insert = dyn_cast<llvm::InsertElementInst>(&instruction)) {
    Value whole = value(insert->getOperand(0)), part = value(insert->getOperand(1));
    if (auto *number = dyn_cast<llvm::ConstantInt>(insert->getOperand(2)))
      set(instruction, vector::InsertOp::create(b, loc, part, whole, number->getSExtValue()));
    else
      set(instruction,
          vector::InsertOp::create(b, loc, part, whole, positionOf(insert->getOperand(2))));
  } else if (auto *shuffle = dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
    SmallVector<int64_t> mask;
    for (int place : shuffle->getShuffleMask())
      mask.push_back(std::max(place, 0)); // undefined elements may be any
    set(instruction, vector::ShuffleOp::create(b, loc, value(shuffle->getOperand(0)),
                                               value(shuffle->getOperand(1)), mask));
  } else if (auto *extract = dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    unsigned count = 0;
    unsigned first =
        numbersBefore(extract->getAggregateOperand()->getType(), extract->getIndices(), count);
    Values whole = values(extract->getAggregateOperand());
    known[&instruction] = Values(ArrayRef<Value>(whole).slice(first, count));
  } else if (auto *insert = dyn_cast<llvm::InsertValueInst>(&instruction)) {
    unsigned count = 0;
    unsigned first = numbersBefore(insert->getType(), insert->getIndices(), count);
    Values whole = values(insert->getAggregateOperand());
    llvm::copy(values(insert->getInsertedValueOperand()), whole.begin() + first);
    known[&instruction] = whole;
  } else {
    return refuse(Twine("holds '") + instruction.getOpcodeName() +
                  "', which kernels for Vulkan do not have");
  }
  return success();
}
