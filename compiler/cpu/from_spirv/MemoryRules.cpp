//===- MemoryRules.cpp - instructions on memory and pointers ----------------===//
#include "compiler/cpu/from_spirv/GenericPointers.h"
#include "compiler/cpu/from_spirv/Loops.h"
#include "compiler/cpu/from_spirv/MemoryBackedValues.h"
#include "compiler/dialect/lane/LaneDialect.h"
#include "compiler/dialect/spvx/SpvxDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static constexpr int32_t accessVolatile = 1, accessAligned = 2, accessNontemporal = 4,
                         accessNonPrivate = 32;

unsigned pumice::cpu::memoryAccess(Lowering &l, Operation *op, Pointer &pointer, StringRef maskName,
                                   StringRef alignmentName, size_t firstLiteral) {
  int32_t mask = 0;
  unsigned alignment = 0;
  if (auto access = op->getAttrOfType<spirv::MemoryAccessAttr>(maskName)) {
    mask = static_cast<int32_t>(access.getValue());
    if (auto number = op->getAttrOfType<IntegerAttr>(alignmentName))
      alignment = static_cast<unsigned>(number.getInt());
  } else if (SmallVector<int32_t> numbers = l.literals(op, "literals");
             numbers.size() > firstLiteral) {
    mask = numbers[firstLiteral];
    if ((mask & accessAligned) && numbers.size() > firstLiteral + 1)
      alignment = static_cast<unsigned>(numbers[firstLiteral + 1]);
  }
  pointer.isVolatile |= (mask & accessVolatile) != 0;
  pointer.isNontemporal = (mask & accessNontemporal) != 0;
  pointer.isCoherent |= (mask & accessNonPrivate) != 0 && !pointer.exclusive;
  return alignment;
}

/// Lowers OpLoad. If the loaded value is itself a pointer, `get` returns it as an address.
static LogicalResult lowerLoad(Lowering &l, Operation *op) {
  FailureOr<Pointer> pointer = l.pointer(op->getOperand(0));
  if (failed(pointer))
    return failure();
  unsigned alignment = memoryAccess(l, op, *pointer, "memory_access", "alignment");
  if (memory_backed::isLong(l.types, op->getResult(0).getType()))
    return memory_backed::load(l, op, *pointer, alignment);
  FailureOr<Scalars> loaded = l.load(*pointer, alignment);
  return failed(loaded) ? failure() : l.finish(op, *loaded);
}

static LogicalResult lowerStore(Lowering &l, Operation *op) {
  FailureOr<Pointer> pointer = l.pointer(op->getOperand(0));
  if (failed(pointer))
    return failure();
  unsigned alignment = memoryAccess(l, op, *pointer, "memory_access", "alignment");
  return memory_backed::store(l, *pointer, op->getOperand(1), alignment);
}

/// Lowers copies by value. The layouts of the two types may differ.
static LogicalResult lowerCopyMemory(Lowering &l, Operation *op) {
  FailureOr<Pointer> target = l.pointer(op->getOperand(0));
  FailureOr<Pointer> from = l.pointer(op->getOperand(1));
  if (failed(target) || failed(from))
    return failure();
  unsigned alignment = memoryAccess(l, op, *target, "memory_access", "alignment");
  Pointer plain = *from;
  unsigned sourceAlignment = memoryAccess(l, op, plain, "source_memory_access", "source_alignment");
  return memory_backed::copy(l, *target, plain,
                             {alignment, sourceAlignment ? sourceAlignment : alignment});
}

static LogicalResult lowerAccessChain(Lowering &l, Operation *op) {
  FailureOr<Pointer> pointer = l.pointer(op->getOperand(0));
  if (failed(pointer))
    return failure();
  pointer = l.access(*pointer, op->getOperands().drop_front());
  if (failed(pointer))
    return failure();
  l.setPointer(op->getResult(0), *pointer);
  return success();
}

/// Returns the stride that a pointer's type states, which the reader stores in an attribute.
/// Returns 0 if the type states none, and in workgroup memory outside blocks, where strides mean
/// nothing.
static unsigned statedStride(Lowering &l, Operation *op) {
  auto stated = op->getAttrOfType<IntegerAttr>("spvx.stride");
  auto type = dyn_cast<spirv::PointerType>(op->getOperand(0).getType());
  bool isPlain = type && type.getStorageClass() == spirv::StorageClass::Workgroup &&
                 !l.types.openCl && !l.hasSharedBlocks;
  return stated && !isPlain ? static_cast<unsigned>(stated.getInt()) : 0U;
}

/// Lowers OpPtrAccessChain. The first index counts whole pointees. Their distance is the stride
/// that the pointer's type states, or else the natural stride.
static LogicalResult lowerPtrAccessChain(Lowering &l, Operation *op) {
  FailureOr<Pointer> pointer = l.pointer(op->getOperand(0));
  if (failed(pointer))
    return failure();
  FailureOr<Value> base = l.address(*pointer);
  if (failed(base))
    return failure();
  Type pointee = pointer->pointee;
  pointer->pointee = spirv::RuntimeArrayType::get(pointee, statedStride(l, op));
  pointer = l.access(*pointer, op->getOperands().drop_front());
  if (failed(pointer))
    return failure();
  l.setPointer(op->getResult(0), *pointer);
  return success();
}

static LogicalResult lowerAddressOf(Lowering &l, Operation *op) {
  auto of = cast<spirv::AddressOfOp>(op);
  Operation *global = SymbolTable::lookupNearestSymbolFrom(op, of.getVariableAttr());
  if (!global)
    return l.error() << "there is no variable " << of.getVariable();
  FailureOr<Pointer> pointer = l.globalVariable(global);
  if (failed(pointer))
    return failure();
  l.setPointer(of.getPointer(), *pointer);
  return success();
}

static LogicalResult lowerVariable(Lowering &l, Operation *op) { return l.declareVariable(op); }

//===-------------------------------------------------------------------------===//
// Lengths
//===-------------------------------------------------------------------------===//

static Value boundBytes(Lowering &l, const Pointer &pointer, uint32_t element) {
  auto number = [&](StringRef name) {
    auto value = pointer.descriptors->getAttrOfType<IntegerAttr>(name);
    return value ? static_cast<uint32_t>(value.getInt()) : 0U;
  };
  return lane::BufferBytesOp::create(l.b, l.b.getI64Type(), number("descriptor_set"),
                                     number("binding"), element);
}

/// Computes (bytes - offset) / stride, or 0 if the buffer ends before the array.
static LogicalResult lowerArrayLength(Lowering &l, Operation *op) {
  FailureOr<Pointer> pointer = l.pointer(op->getOperand(0));
  SmallVector<int32_t> member = l.literals(op, "array_member");
  if (failed(pointer))
    return failure();
  auto record = dyn_cast<spirv::StructType>(pointer->pointee);
  if (!pointer->descriptors || !record || member.size() != 1 || member[0] < 0 ||
      static_cast<unsigned>(member[0]) >= record.getNumElements())
    return l.error() << "OpArrayLength needs a buffer variable, not a pointer that was selected or "
                        "computed";
  auto index = static_cast<unsigned>(member[0]);
  Value bytes;
  if (pointer->descriptor) {
    bytes = boundBytes(l, *pointer, *pointer->descriptor);
  } else {
    Scalars all;
    for (uint32_t i = 0; i < pointer->descriptorCount; ++i)
      all.push_back(boundBytes(l, *pointer, i));
    bytes = l.pick(all, pointer->descriptorIndex);
  }
  Value offset = l.integer(l.types.memberOffset(record, index), 64);
  Value stride = l.integer(l.types.stride(record.getElementType(index)), 64);
  Value rest = arith::SubIOp::create(l.b, arith::MaxUIOp::create(l.b, bytes, offset), offset);
  Value length = arith::DivUIOp::create(l.b, rest, stride);
  return l.finish(op, {arith::TruncIOp::create(l.b, l.b.getI32Type(), length)});
}

//===-------------------------------------------------------------------------===//
// Pointers as values
//===-------------------------------------------------------------------------===//

static Value resized(Lowering &l, Value number, Type type) {
  unsigned from = number.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtUIOp::create(l.b, type, number);
  return from > to ? arith::TruncIOp::create(l.b, type, number).getResult() : number;
}

static Value asNumber(Lowering &l, Value address) {
  return l.generic("llvm.ptrtoint", l.b.getI64Type(), address);
}

/// Returns the position of a pointer's target as a number, independent of its layout. Each step
/// adds to the number of the pointer from which it starts (docs/cpu-compiler.md: differences of
/// pointers).
static FailureOr<Value> placeOf(Lowering &l, Value value) {
  FailureOr<Pointer> pointer = l.pointer(value);
  if (failed(pointer))
    return failure();
  if (!pointer->base)
    return l.address(*pointer); // reports why the pointer has no address
  Value place = asNumber(l, pointer->base);
  if (pointer->dynamic)
    place = arith::AddIOp::create(l.b, place, pointer->dynamic);
  if (pointer->constant)
    place = arith::AddIOp::create(l.b, place, l.integer(pointer->constant, 64));
  return place;
}

static LogicalResult lowerPointerToInteger(Lowering &l, Operation *op) {
  FailureOr<Value> number = placeOf(l, op->getOperand(0));
  if (failed(number))
    return failure();
  return l.finish(op, {resized(l, *number, l.types.scalar(op->getResult(0).getType()))});
}

static LogicalResult lowerIntegerToPointer(Lowering &l, Operation *op) {
  Value number = resized(l, l.scalar(op->getOperand(0)), l.b.getI64Type());
  return l.finish(op, {l.generic("llvm.inttoptr", l.b.getType<LLVM::LLVMPointerType>(), number)});
}

/// Lowers a cast to a pointer of another type at the same address.
static LogicalResult lowerPointerCast(Lowering &l, Operation *op) {
  return l.finish(op, {l.scalar(op->getOperand(0))});
}

template <arith::CmpIPredicate predicate>
static LogicalResult comparePointers(Lowering &l, Operation *op) {
  FailureOr<Value> x = placeOf(l, op->getOperand(0)), y = placeOf(l, op->getOperand(1));
  if (failed(x) || failed(y))
    return failure();
  return l.finish(op, {arith::CmpIOp::create(l.b, predicate, *x, *y)});
}

/// Computes the difference of two pointers, in elements. The pointer's type states the distance of
/// elements.
static LogicalResult lowerPointerDifference(Lowering &l, Operation *op) {
  FailureOr<Pointer> pointer = l.pointer(op->getOperand(0));
  if (failed(pointer))
    return failure();
  FailureOr<Value> x = placeOf(l, op->getOperand(0)), y = placeOf(l, op->getOperand(1));
  if (failed(x) || failed(y))
    return failure();
  Value bytes = arith::SubIOp::create(l.b, *x, *y);
  int64_t stride = statedStride(l, op);
  if (!stride)
    stride = l.types.stride(spirv::RuntimeArrayType::get(pointer->pointee));
  Value count = arith::DivSIOp::create(l.b, bytes, l.integer(std::max<int64_t>(stride, 1), 64));
  return l.finish(op, {resized(l, count, l.types.scalar(op->getResult(0).getType()))});
}

static LogicalResult lowerSizeOf(Lowering &l, Operation *op) {
  FailureOr<Pointer> pointer = l.pointer(op->getOperand(0));
  if (failed(pointer))
    return failure();
  Type type = l.types.scalar(op->getResult(0).getType());
  return l.finish(op, {l.integer(l.types.bytes(pointer->pointee), type.getIntOrFloatBitWidth())});
}

/// Copies a number of bytes that is known only at run time.
static LogicalResult copyBytes(Lowering &l, const Pointer &to, const Pointer &from, Value bytes) {
  FailureOr<Value> target = l.address(to), source = l.address(from);
  if (failed(target) || failed(source))
    return failure();
  Type byte = l.b.getI8Type(), address = target->getType();
  Value size = resized(l, bytes, l.b.getI64Type());
  auto copyOne = [&](ArrayRef<Value> at) -> Scalars {
    Value read = lane::OffsetOp::create(l.b, address, *source, at[0]);
    Value written = lane::OffsetOp::create(l.b, address, *target, at[0]);
    auto load = lane::LoadOp::create(l.b, TypeRange(byte), read, uint64_t{1});
    lane::StoreOp::create(l.b, load.getResults(), written, uint64_t{1});
    return {};
  };
  (void)loopBelow(l, l.integer(0, 64), size, l.integer(1, 64), {}, copyOne);
  return success();
}

/// Copies a number of bytes, in the largest units that the alignments of both sides allow.
static LogicalResult lowerCopySized(Lowering &l, Operation *op) {
  auto bytes = l.constant(op->getOperand(2));
  FailureOr<Pointer> target = l.pointer(op->getOperand(0)), from = l.pointer(op->getOperand(1));
  if (failed(target) || failed(from))
    return failure();
  if (!bytes)
    return copyBytes(l, *target, *from, l.scalar(op->getOperand(2)));
  unsigned alignment = memoryAccess(l, op, *target, "memory_access", "alignment");
  unsigned each = std::clamp(alignment, 1U, 8U);
  while (*bytes % each)
    each /= 2;
  Type word = l.b.getIntegerType(each * 8);
  target->pointee = from->pointee =
      spirv::ArrayType::get(word, static_cast<unsigned>(*bytes / each), each);
  if (*bytes == 0)
    return success();
  return memory_backed::copy(l, *target, *from, {each, each});
}

static constexpr Rule rulesOfMemory[] = {
    {"AccessChain", lowerAccessChain},
    {"ArrayLength", lowerArrayLength},
    {"ConvertPtrToU", lowerPointerToInteger},
    {"ConvertUToPtr", lowerIntegerToPointer},
    {"CopyMemory", lowerCopyMemory},
    {"CopyMemorySized", lowerCopySized},
    {"GenericCastToPtr", lowerPointerCast},
    {"GenericCastToPtrExplicit", lowerExplicitCast},
    {"GenericPtrMemSemantics", lowerMemorySemantics},
    {"InBoundsAccessChain", lowerAccessChain},
    {"InBoundsPtrAccessChain", lowerPtrAccessChain},
    {"Load", lowerLoad},
    {"PtrAccessChain", lowerPtrAccessChain},
    {"PtrCastToGeneric", lowerPointerCast},
    {"PtrDiff", lowerPointerDifference},
    {"PtrEqual", comparePointers<arith::CmpIPredicate::eq>},
    {"PtrNotEqual", comparePointers<arith::CmpIPredicate::ne>},
    {"SizeOf", lowerSizeOf},
    {"Store", lowerStore},
    {"Variable", lowerVariable},
    {"mlir.addressof", lowerAddressOf},
};

ArrayRef<Rule> pumice::cpu::memoryRules() { return rulesOfMemory; }
