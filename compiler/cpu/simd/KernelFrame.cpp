//===- KernelFrame.cpp - makes the llvm.func of a kernel --------------------===//
#include "compiler/cpu/simd/KernelFrame.h"

#include "executable/NativeCode.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;
using executable::NativeBuffer;
using executable::NativeLaunch;

KernelFrame::KernelFrame(LaneBuilder &b, func::FuncOp kernel, int64_t scratchBytes)
    : b(b), kernel(kernel), scratchBytes(scratchBytes) {}

void KernelFrame::create() {
  b.setInsertionPoint(kernel);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      b.getI32Type(), {pointer, pointer, pointer, b.getI64Type(), b.getI64Type()});
  std::string name = kernel.getName().str();
  kernel.setName(name + ".lanes"); // the kernel will be erased
  function = LLVM::LLVMFuncOp::create(b, name, type);
  // Marks the thread's workgroup memory and scratch memory as noalias.
  for (unsigned own : {1, 2}) {
    function.setArgAttr(own, "llvm.noalias", b.getUnitAttr());
    function.setArgAttr(own, "llvm.align", b.getI64IntegerAttr(64));
  }
  b.fill(function);
  cancelled = b.newBlock();
}

//===-------------------------------------------------------------------------===//
// Arguments and constants
//===-------------------------------------------------------------------------===//

Value KernelFrame::launchField(size_t place, Type type) {
  Value &field = launchFields[{place, type}];
  if (!field) {
    OpBuilder::InsertionGuard guard(b);
    b.toEntryEnd();
    field = b.loadFrom(type, b.offset(function.getArgument(0), place));
  }
  return field;
}

Value KernelFrame::bufferField(Operation *op, size_t field, Type type) {
  auto number = [&](StringRef name) -> uint64_t {
    auto attribute = op->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  uint64_t key = number("set") << 48 ^ number("binding") << 24 ^ number("element");
  auto [entryOf, fresh] = bindings.try_emplace(key, bindings.size());
  if (fresh)
    for (StringRef name : {"set", "binding", "element"})
      bindingList.push_back(number(name));
  Value &value = bufferFields[{entryOf->second, field}];
  if (!value) {
    Value buffers =
        launchField(offsetof(NativeLaunch, buffers), LLVM::LLVMPointerType::get(b.getContext()));
    OpBuilder::InsertionGuard guard(b);
    b.toEntryEnd();
    value = b.loadFrom(type, b.offset(buffers, sizeof(NativeBuffer) * entryOf->second + field));
  }
  return value;
}

Value KernelFrame::groupNumber(unsigned axis, StringRef which) {
  Type type = b.getI32Type();
  if (which.starts_with("num_workgroups"))
    return launchField(offsetof(NativeLaunch, groups) + 4 * axis, type);
  Value first = launchField(offsetof(NativeLaunch, firstGroup) + 4 * axis, type);
  return LLVM::AddOp::create(b, b.loadFrom(type, groupSlot[axis]), first);
}

int64_t KernelFrame::reserveScratch(int64_t bytes) {
  int64_t place = scratchBytes;
  scratchBytes += llvm::alignTo(bytes, 64);
  return place;
}

/// Returns the name of a global constant with these bytes, which it creates if necessary.
static std::string tableName(LaneBuilder &b, LLVM::LLVMFuncOp function, StringRef bytes) {
  auto module = function->getParentOfType<ModuleOp>();
  for (unsigned number = 0;; ++number) {
    std::string name = (function.getName() + ".table" + Twine(number)).str();
    auto known = module.lookupSymbol<LLVM::GlobalOp>(name);
    if (known && cast<StringAttr>(known.getValueOrNull()).getValue() != bytes)
      continue;
    if (!known) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(function);
      auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
      LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                             b.getStringAttr(bytes), /*alignment=*/64);
    }
    return name;
  }
}

Value KernelFrame::tableAddress(lane::TableOp op) {
  ArrayRef<int8_t> bytes = op.getBytes();
  return constantBytes(StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

Value KernelFrame::constantBytes(StringRef bytes) {
  return LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                   tableName(b, function, bytes));
}

unsigned KernelFrame::formatNumber(Attribute format) {
  auto known = llvm::find(printfFormats, format);
  if (known == printfFormats.end())
    known = printfFormats.insert(known, format);
  return known - printfFormats.begin();
}

//===-------------------------------------------------------------------------===//
// Workgroups
//===-------------------------------------------------------------------------===//

/// Counts through the numbers of the workgroups, which avoids divisions.
void KernelFrame::loopOverWorkgroups(function_ref<void()> body) {
  Block *init = b.newBlock(), *turn = b.newBlock(), *done = b.newBlock();
  groupEnd = b.newBlock();
  Type word = b.getI32Type();
  Value begin = function.getArgument(3), end = function.getArgument(4);
  b.startBlock(b.entry);
  b.branch(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, begin, end), init, done);
  Value counter = b.stackOf(b.getI64Type());
  groupPlace = reserveScratch(64);
  Value extent[2];
  for (unsigned axis = 0; axis < 3; ++axis)
    groupSlot[axis] = b.stackOf(word);
  for (unsigned axis = 0; axis < 2; ++axis)
    extent[axis] = launchField(offsetof(NativeLaunch, groups) + 4 * axis, word);

  b.startBlock(init);
  b.storeTo(begin, counter);
  Value rest = begin;
  for (unsigned axis = 0; axis < 3; ++axis) {
    Value number = rest;
    if (axis < 2) {
      Value wide = LLVM::ZExtOp::create(b, b.getI64Type(), extent[axis]);
      number = LLVM::URemOp::create(b, rest, wide);
      rest = LLVM::UDivOp::create(b, rest, wide);
    }
    b.storeTo(LLVM::TruncOp::create(b, word, number), groupSlot[axis]);
  }
  b.branch(turn);

  b.startBlock(turn);
  // Stores the number of the workgroup, because the runtime reads it, for example after a fault.
  LLVM::StoreOp::create(b, b.loadFrom(b.getI64Type(), counter), b.offset(scratch(), groupPlace),
                        /*alignment=*/8,
                        /*isVolatile=*/true);
  body();
  b.branch(groupEnd);

  b.startBlock(groupEnd);
  Value carry = b.integer(b.getI1Type(), 1);
  for (unsigned axis = 0; axis < 3; ++axis) {
    Value number = b.loadFrom(word, groupSlot[axis]);
    number = LLVM::AddOp::create(b, number, LLVM::ZExtOp::create(b, word, carry));
    if (axis < 2) {
      carry = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, number, extent[axis]);
      number = b.select(carry, b.i32(0), number);
    }
    b.storeTo(number, groupSlot[axis]);
  }
  Value next = LLVM::AddOp::create(b, b.loadFrom(b.getI64Type(), counter), b.i64(1));
  b.storeTo(next, counter);
  Block *more = b.newBlock();
  b.branch(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, next, end), more, done);
  b.startBlock(more);
  // If the kernel has loops, tests for cancellation here, because many workgroups with short loops
  // may take long. Without loops, the caller tests.
  if (kernel.walk([](lane::LoopOp) { return WalkResult::interrupt(); }).wasInterrupted())
    testCancel(turn);
  else
    b.branch(turn);
  b.startBlock(done);
  LLVM::ReturnOp::create(b, b.i32(0));
  b.startBlock(cancelled);
  LLVM::ReturnOp::create(b, b.i32(1));
}

/// Returns the address of the word that requests cancellation, or zero if the launch cannot be
/// cancelled.
Value KernelFrame::cancelWord() {
  if (cancelPlace)
    return cancelPlace;
  Value never = b.stackOf(b.getI32Type());
  Type pointer = never.getType();
  Value given = launchField(offsetof(NativeLaunch, cancel), pointer);
  OpBuilder::InsertionGuard guard(b);
  b.toEntryEnd();
  b.storeTo(b.i32(0), never);
  Value null = LLVM::ZeroOp::create(b, pointer);
  Value isNull = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, given, null);
  return cancelPlace = b.select(isNull, never, given);
}

void KernelFrame::testCancel(Block *goOn) {
  Value word = LLVM::LoadOp::create(b, b.getI32Type(), cancelWord(), 4, /*isVolatile=*/true);
  b.branch(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, word, b.i32(0)), goOn, cancelled,
           b.getDenseI32ArrayAttr({10000, 1}));
}

void KernelFrame::beforeReturns(function_ref<void()> emit) {
  function.walk([&](LLVM::ReturnOp leave) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(leave);
    emit();
  });
}

//===-------------------------------------------------------------------------===//
// Attributes
//===-------------------------------------------------------------------------===//

/// Translates the SPIR-V function control (section 3.24) of the entry point.
void KernelFrame::addFunctionControl() {
  auto control = function->getAttrOfType<IntegerAttr>("lane.function_control");
  auto says = [&](int64_t bit) { return control && (control.getInt() & bit) != 0; };
  constexpr int64_t inlined = 1, dontInline = 2, optimizeNone = 0x10000;
  if (says(inlined) && !says(optimizeNone))
    function.setInlineHint(true);
  if (says(dontInline) || says(optimizeNone))
    function.setNoInline(true);
  if (says(optimizeNone))
    function.setOptimizeNone(true);
}

void KernelFrame::addAttributes() {
  for (NamedAttribute attribute : kernel->getDiscardableAttrs())
    function->setAttr(attribute.getName(), attribute.getValue());
  function->setAttr("lane.scratch_bytes", b.getI64IntegerAttr(scratchBytes));
  function->setAttr("lane.group_place", b.getI64IntegerAttr(groupPlace));
  function->setAttr("lane.bindings", b.getDenseI32ArrayAttr(bindingList));
  if (!printfFormats.empty())
    function->setAttr("lane.printf_formats", b.getArrayAttr(printfFormats));
  function->setAttr("lane.subgroup_size", b.getI32IntegerAttr(b.lanes));
  addFunctionControl();
}
