//===- Memory.cpp - accesses, fences, and hints about them ------------------===//
//   before: @p ld.global.L1::no_allocate.v2.f32 {d, e}, [a+8];
//   after:  %q = tt.addptr %a, 2   %d = tt.load %q, %p, %before : tensor<64x!tt.ptr<f32>>   …
// Addresses that come from pointers of the kernel stay pointers, so that the facts about them are
// kept. Hints for caches and policies do not change results, so they are ignored.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/triton/Barrier.h"
#include "compiler/import/triton/ptx/Translation.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

using Kind = PtxType::Kind;

//===-------------------------------------------------------------------------===//
// Addresses
//===-------------------------------------------------------------------------===//

static Value retyped(Translation &t, Value pointer, Type pointee) {
  Type type = t.typeOf(triton::PointerType::get(pointee.getContext(), pointee, 1));
  return pointer.getType() == type ? pointer : triton::BitcastOp::create(t.b, type, pointer);
}

/// Returns a pointer to elements of `bits` bits. It is `further` elements behind the address.
static FailureOr<Value> pointerAt(Call &call, const Operand &address, unsigned bits,
                                  unsigned further) {
  Translation &t = call.t;
  if (address.kind != Operand::Kind::Address)
    return call.error("expected an address in brackets such as [$1] in '" +
                      call.instruction.opcode + "'");
  if (t.isPacked)
    return call.error("memory is accessed one element at a time; use pack=1");
  int64_t bytes = static_cast<int64_t>(address.value) + int64_t(further) * (bits / 8);
  Cell *cell = t.cellOf(address.parts[0]);
  if (!cell || cell->bits != 64)
    return call.error("expected the address of '" + call.instruction.opcode +
                      "' in a 64-bit register; pass it with the constraint \"l\"");
  Value pointer = cell->pointer;
  if (!pointer) {
    FailureOr<Number> number = t.read(call, address.parts[0], 64);
    if (failed(number))
      return failure();
    pointer = IntToPtrOp::create(
        t.b, t.typeOf(triton::PointerType::get(t.b.getContext(), t.b.getIntegerType(bits), 1)),
        number->value);
  }
  bytes += cell->pointer ? cell->bytes : 0;
  Type pointee = cast<triton::PointerType>(scalarOf(pointer.getType())).getPointee();
  bool isSame = isNumber(pointee) && pointee.getIntOrFloatBitWidth() == bits;
  auto add = [&](Value to, int64_t elements) -> Value {
    if (!elements)
      return to;
    Number offset = t.constant(64, static_cast<uint64_t>(elements));
    return AddPtrOp::create(t.b, to, offset.value);
  };
  if (isSame && bytes % (bits / 8) == 0)
    return add(pointer, bytes / (bits / 8));
  Type element = t.b.getIntegerType(bits);
  if (bytes % (bits / 8) == 0)
    return add(retyped(t, pointer, element), bytes / (bits / 8));
  return retyped(t, add(retyped(t, pointer, t.b.getI8Type()), bytes), element);
}

static Type pointeeOf(Value pointer) {
  return cast<triton::PointerType>(scalarOf(pointer.getType())).getPointee();
}

/// Reinterprets bits as the type that the pointer points to.
static Number asPointee(Number bits, Value pointer) {
  auto type = dyn_cast<FloatType>(pointeeOf(pointer));
  return type ? asFloat(bits, type) : bits;
}

//===-------------------------------------------------------------------------===//
// Qualifiers of an access
//===-------------------------------------------------------------------------===//

namespace {
struct Access {
  PtxType type;
  unsigned vector = 1;
  bool isVolatile = false;
  std::optional<MemoryOrder> order; // the order of an atomic access
  MemoryScope scope = MemoryScope::Device;
  CacheModifier cache = CacheModifier::None;
  EvictionPolicy eviction = EvictionPolicy::Normal;
};
} // namespace

static LogicalResult takeSpace(Call &call) {
  StringRef other = call.takeAny({"shared", "local", "param", "const", "shared::cta",
                                  "shared::cluster", "param::entry", "param::func"});
  if (!other.empty())
    return call.error("'" + call.instruction.opcode + "' accesses ." + other +
                      " memory, which kernels of Triton cannot name; use tensors, and tl.load and "
                      "tl.store for memory of the kernel's arguments");
  call.take("global");
  return success();
}

static void takeHints(Call &call, Access &access) {
  const std::pair<StringRef, CacheModifier> caches[] = {
      {"ca", CacheModifier::All},         {"cg", CacheModifier::Global},
      {"cs", CacheModifier::Streaming},   {"lu", CacheModifier::None},
      {"cv", CacheModifier::Volatile},    {"wb", CacheModifier::WriteBack},
      {"wt", CacheModifier::WriteThrough}};
  bool isLoad = call.name == "ld";
  for (auto [name, modifier] : caches)
    if (call.take(name))
      access.cache =
          isLoad && modifier == CacheModifier::Streaming ? CacheModifier::None : modifier;
  if (call.take("L1::evict_first") || call.take("L2::evict_first"))
    access.eviction = EvictionPolicy::First;
  if (call.take("L1::evict_last") || call.take("L2::evict_last"))
    access.eviction = EvictionPolicy::Last;
  call.takeAll("L1::");
  call.takeAll("L2::");
  call.take("nc");
  call.take("level::eviction_priority");
}

static void takeOrder(Call &call, Access &access) {
  const std::pair<StringRef, MemoryOrder> orders[] = {{"relaxed", MemoryOrder::Relaxed},
                                                      {"acquire", MemoryOrder::Acquire},
                                                      {"release", MemoryOrder::Release},
                                                      {"acq_rel", MemoryOrder::AcquireRelease}};
  for (auto [name, order] : orders)
    if (call.take(name))
      access.order = order;
  if (call.take("sys"))
    access.scope = MemoryScope::System;
  if (call.take("cta"))
    access.scope = MemoryScope::Program;
  call.take("gpu");
  call.take("cluster");
  call.take("weak");
  access.isVolatile = call.take("volatile") || call.take("mmio");
}

static FailureOr<Access> takeAccess(Call &call) {
  Access access;
  FailureOr<PtxType> type = call.takeType();
  if (failed(type) || failed(takeSpace(call)))
    return failure();
  access.type = *type;
  for (auto [name, count] : {std::pair<StringRef, unsigned>{"v2", 2}, {"v4", 4}, {"v8", 8}})
    if (call.take(name))
      access.vector = count;
  takeOrder(call, access);
  takeHints(call, access);
  if (access.type.isPredicate() || access.type.lanes > 1)
    return call.error("expected b8, b16, b32 or b64, got '" + call.instruction.opcode + "'");
  // An optional cache policy is the last operand.
  if (failed(call.finish(2, 3)))
    return failure();
  return access;
}

/// Returns the registers of an access: a single one, or those of a vector.
static FailureOr<ArrayRef<Operand>> registersOf(Call &call, const Operand &operand,
                                                const Access &access) {
  bool isVector = operand.kind == Operand::Kind::Vector;
  size_t count = isVector ? operand.parts.size() : 1;
  if (isVector != (access.vector > 1) || count != access.vector)
    return call.error("'" + call.instruction.opcode + "' takes " + Twine(access.vector) +
                      " registers, got " + Twine(count));
  return isVector ? ArrayRef<Operand>(operand.parts) : ArrayRef<Operand>(operand);
}

//===-------------------------------------------------------------------------===//
// Loads and stores
//===-------------------------------------------------------------------------===//

/// Returns the value that the register keeps if the guard is false. The load returns this value for
/// masked elements.
static FailureOr<Value> otherOf(Call &call, const Operand &operand, Value pointer, unsigned bits) {
  Translation &t = call.t;
  Cell *cell = t.cellOf(operand);
  if (!t.guard || !cell || !(cell->value || cell->pointer))
    return Value();
  FailureOr<Number> before = t.read(call, operand, bits, /*relaxed=*/true);
  return failed(before) ? FailureOr<Value>() : asPointee(*before, pointer).value;
}

static LogicalResult load(Call &call) {
  FailureOr<Access> access = takeAccess(call);
  if (failed(access))
    return failure();
  FailureOr<ArrayRef<Operand>> registers = registersOf(call, call[0], *access);
  if (failed(registers))
    return failure();
  Translation &t = call.t;
  unsigned bits = access->type.bits;
  Value mask = t.guard ? t.guard->value : Value();
  SmallVector<Number> loaded; // loads the whole vector before writing registers
  for (auto [i, operand] : llvm::enumerate(*registers)) {
    FailureOr<Value> pointer = pointerAt(call, call[1], bits, static_cast<unsigned>(i));
    FailureOr<Value> other = failed(pointer) ? pointer : otherOf(call, operand, *pointer, bits);
    if (failed(other))
      return failure();
    Type type = t.typeOf(pointeeOf(*pointer));
    Value value;
    if (access->order && bits >= 16)
      value = AtomicLoadOp::create(t.b, type, *pointer, mask, *access->order, access->scope);
    else
      value = LoadOp::create(t.b, type, *pointer, mask, *other, access->cache, access->eviction,
                             access->isVolatile, CachePolicyAttr());
    loaded.push_back(bitsOf(t.number(value)));
  }
  t.guard.reset(); // the load has already handled the guard
  for (auto [operand, value] : llvm::zip_equal(*registers, loaded))
    if (failed(t.write(call, operand, value, access->type.isSigned(), /*relaxed=*/true)))
      return failure();
  return success();
}

static LogicalResult store(Call &call) {
  FailureOr<Access> access = takeAccess(call);
  if (failed(access))
    return failure();
  FailureOr<ArrayRef<Operand>> registers = registersOf(call, call[1], *access);
  if (failed(registers))
    return failure();
  Translation &t = call.t;
  unsigned bits = access->type.bits;
  Value mask = t.guard ? t.guard->value : Value();
  for (auto [i, operand] : llvm::enumerate(*registers)) {
    FailureOr<Value> pointer = pointerAt(call, call[0], bits, static_cast<unsigned>(i));
    FailureOr<Number> value =
        failed(pointer) ? FailureOr<Number>() : t.read(call, operand, bits, /*relaxed=*/true);
    if (failed(value))
      return failure();
    Number stored = asPointee(*value, *pointer);
    if (access->order && bits >= 16)
      AtomicStoreOp::create(t.b, *pointer, stored.value, mask, *access->order, access->scope);
    else
      StoreOp::create(t.b, *pointer, stored.value, mask, access->cache, access->eviction,
                      CachePolicyAttr());
  }
  return success();
}

//===-------------------------------------------------------------------------===//
// Atomic updates
//===-------------------------------------------------------------------------===//

static std::optional<AtomicKind> kindOf(StringRef name, PtxType type) {
  bool isSigned = type.isSigned();
  if (name == "add")
    return type.isFloat() ? AtomicKind::FAdd : AtomicKind::Add;
  if (type.isFloat())
    return std::nullopt;
  if (name == "max")
    return isSigned ? AtomicKind::Max : AtomicKind::UMax;
  if (name == "min")
    return isSigned ? AtomicKind::Min : AtomicKind::UMin;
  return name == "and"    ? std::optional(AtomicKind::And)
         : name == "or"   ? std::optional(AtomicKind::Or)
         : name == "xor"  ? std::optional(AtomicKind::Xor)
         : name == "exch" ? std::optional(AtomicKind::Exchange)
                          : std::nullopt;
}

/// Translates atom d, [a], b, red [a], b, and atom.cas d, [a], b, c.
static LogicalResult update(Call &call) {
  Translation &t = call.t;
  Access access;
  FailureOr<PtxType> type = call.takeType();
  if (failed(type) || failed(takeSpace(call)))
    return failure();
  takeOrder(call, access);
  bool gives = call.name == "atom";
  StringRef what = call.takeAny({"add", "max", "min", "and", "or", "xor", "exch", "cas"});
  call.take("noftz");
  bool isCas = what == "cas" && gives;
  std::optional<AtomicKind> kind = kindOf(what, *type);
  if ((!kind && !isCas) || type->lanes > 1 || type->bits < 16 || type->bits > 64)
    return call.error("unsupported PTX instruction '" + call.instruction.opcode + "'; " +
                      wayOutOf(call.instruction.opcode));
  size_t at = gives ? 1 : 0;
  if (failed(call.finish(at + (isCas ? 3 : 2))))
    return failure();
  FailureOr<Value> pointer = pointerAt(call, call[at], type->bits, 0);
  if (failed(pointer))
    return failure();
  if (isCas && t.guard)
    return call.error("'atom.cas' under a predicate; use tl.atomic_cas in an if");
  FailureOr<SmallVector<Number>> v = t.readAll(call, at + 1, isCas ? 2 : 1, type->bits);
  if (failed(v))
    return failure();
  Type element = type->isFloat() ? Type(t.floatType(*type)) : t.b.getIntegerType(type->bits);
  Value place = retyped(t, *pointer, element);
  auto typed = [&](Number x) {
    return type->isFloat() ? asFloat(x, t.floatType(*type)).value : x.value;
  };
  MemoryOrder order = access.order.value_or(MemoryOrder::Relaxed);
  Value old;
  if (isCas)
    old = AtomicCASOp::create(t.b, t.typeOf(element), place, typed((*v)[0]), typed((*v)[1]), order,
                              access.scope);
  else
    old = AtomicRMWOp::create(t.b, t.typeOf(element), *kind, place, typed((*v)[0]),
                              t.guard ? t.guard->value : Value(), order, access.scope);
  return gives ? t.write(call, call[0], bitsOf(t.number(old))) : success();
}

//===-------------------------------------------------------------------------===//
// Fences and hints
//===-------------------------------------------------------------------------===//

static LogicalResult fence(Call &call) {
  call.takeAny({"sc", "acq_rel", "acquire", "release"});
  call.takeAny({"cta", "cluster", "gpu", "sys", "gl"});
  if (failed(call.finish(0)))
    return failure();
  if (call.t.isPacked || call.t.assembly->getParentOfType<ReduceOp>() ||
      call.t.assembly->getParentOfType<ScanOp>())
    return call.error("a fence applies to a whole program; use pack=1, outside of reductions");
  gpu::BarrierOp::create(call.t.b);
  return success();
}

/// Ignores hints, and waits on which no result depends.
static LogicalResult ignore(Call &) { return success(); }

/// Creates a policy. It is only a hint, so accesses ignore this number.
static LogicalResult createPolicy(Call &call) {
  call.takeAll("");
  if (failed(call.finish(1, 4)))
    return failure();
  return call.t.write(call, call[0], call.t.constant(64, 0));
}

static constexpr Rule rules[] = {
    {"applypriority", ignore},
    {"atom", update},
    {"createpolicy", createPolicy},
    {"discard", ignore},
    {"fence", fence},
    {"griddepcontrol", ignore},
    {"ld", load},
    {"ldu", load},
    {"membar", fence},
    {"nanosleep", ignore},
    {"pmevent", ignore},
    {"prefetch", ignore},
    {"prefetchu", ignore},
    {"red", update},
    {"st", store},
};

ArrayRef<Rule> ptx::memoryRules() { return rules; }
