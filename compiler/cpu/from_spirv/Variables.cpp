//===- Variables.cpp - chooses where variables are stored -------------------===//
// Chooses a representation for function and private variables. If all indices are constant, a
// variable becomes scalars (lane.var). If some are known only at run time, it becomes arrays of
// scalars (lane.array). If it only ever holds one constant, it becomes a constant table. If its
// address escapes, it is in memory (lane.private).
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/MemoryBackedValues.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {
/// Describes how a variable is used.
struct Uses {
  bool dynamic = false;      // an index is not a constant
  bool moves = false;        // a long part is loaded or stored, not as a constant
  bool escapes = false;      // its address is used as a value
  bool writtenPart = false;  // written otherwise than by a store of the whole
  SmallVector<Value> wholes; // the values that are stored to the whole variable
};
} // namespace

static bool isConstantIndex(Value index) {
  return index.getDefiningOp<spirv::ConstantOp>() != nullptr;
}

/// Returns whether the second operand of an instruction is a pointer, through which it stores
/// another result.
static bool writesSecond(StringRef name) {
  return llvm::is_contained({"GLSL.std.450/Modf", "GLSL.std.450/Frexp", "OpenCL.std/modf",
                             "OpenCL.std/frexp", "OpenCL.std/fract", "OpenCL.std/sincos"},
                            name);
}

/// Follows a pointer to all of its uses.
static void scan(const Types &types, Value pointer, bool isRoot, Uses &uses) {
  auto type = dyn_cast<spirv::PointerType>(pointer.getType());
  bool isLong = type && memory_backed::isLong(types, type.getPointeeType());
  for (OpOperand &use : pointer.getUses()) {
    Operation *user = use.getOwner();
    std::string name = instructionName(user);
    bool first = use.getOperandNumber() == 0;
    bool isConstant = name == "Store" && first && user->getOperand(1).getDefiningOp() &&
                      user->getOperand(1).getDefiningOp()->hasAttr("value");
    uses.moves |=
        isLong && !isConstant && llvm::is_contained({"Load", "Store", "CopyMemory"}, name);
    if ((name == "AccessChain" || name == "InBoundsAccessChain") && first) {
      for (Value index : user->getOperands().drop_front())
        uses.dynamic |= !isConstantIndex(index);
      scan(types, user->getResult(0), isRoot && user->getNumOperands() == 1, uses);
    } else if (name == "CopyObject") {
      scan(types, user->getResult(0), isRoot, uses);
    } else if (name == "Store" && first) {
      if (isRoot)
        uses.wholes.push_back(user->getOperand(1));
      else
        uses.writtenPart = true;
    } else if (name == "CopyMemory") {
      uses.writtenPart |= first;
    } else if (writesSecond(name) && !first) {
      uses.writtenPart = true;
    } else if (name != "Load") {
      uses.escapes = true;
    }
  }
}

static Uses usesOf(const Types &types, Value root, Operation *global, Operation *function) {
  Uses uses;
  if (root) {
    scan(types, root, true, uses);
    return uses;
  }
  StringAttr name = SymbolTable::getSymbolName(global);
  function->walk([&](spirv::AddressOfOp op) {
    if (op.getVariable() == name.getValue())
      scan(types, op.getPointer(), true, uses);
  });
  return uses;
}

/// Returns the only constant that a variable ever holds, or null.
static const Scalars *onlyConstant(Lowering &l, const Uses &uses, const Scalars *initial,
                                   Scalars &room) {
  if (uses.escapes || uses.writtenPart)
    return nullptr;
  for (Value whole : uses.wholes) {
    Operation *constant = whole.getDefiningOp();
    if (!constant || !constant->hasAttr("value") || initial || whole != uses.wholes.front())
      return nullptr;
  }
  if (initial)
    return initial;
  if (uses.wholes.empty())
    return nullptr;
  Value only = uses.wholes.front();
  if (failed(l.constantScalars(only.getDefiningOp()->getAttr("value"), only.getType(), room)))
    return nullptr;
  return &room;
}

FailureOr<Pointer> Lowering::pathTo(Variable::Kind kind, Type type, Scalars storage) {
  variables.push_back(std::make_unique<Variable>());
  Variable &made = *variables.back();
  made.kind = kind;
  made.storage = std::move(storage);
  Pointer pointer;
  pointer.pointee = type;
  pointer.variable = &made;
  pointer.position.assign(1, 0);
  return pointer;
}

static Type pointerType(Lowering &l) { return l.b.getType<LLVM::LLVMPointerType>(); }

static Scalars declareSlots(Lowering &l, ArrayRef<Type> list) {
  return l.atEntry([&] {
    Scalars slots;
    for (Type type : list)
      slots.push_back(lane::VarOp::create(l.b, pointerType(l), type));
    return slots;
  });
}

static Scalars declareArrays(Lowering &l, Type type, ArrayRef<Type> kinds) {
  return l.atEntry([&] {
    Scalars arrays;
    for (Type kind : kinds)
      arrays.push_back(lane::ArrayOp::create(l.b, pointerType(l), kind, l.types.count(type, kind)));
    return arrays;
  });
}

int64_t cpu::statedAlignment(Operation *variable, int64_t least) {
  auto all =
      variable ? variable->getAttrOfType<DictionaryAttr>("spvx.decorations") : DictionaryAttr();
  auto stated = all ? all.getAs<DenseI32ArrayAttr>("Alignment") : DenseI32ArrayAttr();
  bool isPower = stated && !stated.empty() && stated[0] > 0 && llvm::isPowerOf2_32(stated[0]);
  return isPower ? std::max<int64_t>(stated[0], least) : least;
}

Pointer Lowering::arraysFor(Type type, ArrayRef<Type> scalars) {
  SetVector<Type> kinds(scalars.begin(), scalars.end());
  FailureOr<Pointer> made =
      pathTo(Variable::Kind::Arrays, type, declareArrays(*this, type, kinds.getArrayRef()));
  made->variable->types.assign(kinds.begin(), kinds.end());
  made->position.assign(kinds.size(), 0);
  return *made;
}

/// Returns a variable of the function or, with `root` null, a private variable.
FailureOr<Pointer> Lowering::variable(Value root, Type type, Operation *op,
                                      const Scalars *initial) {
  SmallVector<Type> list;
  if (!types.scalars(type, list))
    return error() << "a variable of " << types.count(type) << " scalars, of type " << type
                   << ", is not supported";
  Uses uses = usesOf(types, root, op, source);
  Scalars room;
  FailureOr<Pointer> made = failure();
  if (const Scalars *fixed = uses.dynamic ? onlyConstant(*this, uses, initial, room) : nullptr)
    if (FailureOr<Value> bytes = table(type, *fixed); succeeded(bytes)) {
      Pointer pointer;
      pointer.pointee = type;
      pointer.base = *bytes;
      pointer.isConstant = true;
      return pointer;
    }
  if (uses.escapes) {
    Pointer pointer;
    pointer.pointee = type;
    pointer.exclusive = true;
    pointer.base = atEntry([&] {
      return lane::PrivateOp::create(b, pointerType(*this), types.bytes(type),
                                     statedAlignment(op, 16))
          .getResult();
    });
    made = pointer;
  } else if (uses.dynamic || uses.moves) {
    made = arraysFor(type, list);
  } else {
    made = pathTo(Variable::Kind::Slots, type, declareSlots(*this, list));
  }
  if (initial)
    return failed(memory_backed::store(*this, *made, *initial, 0)) ? FailureOr<Pointer>(failure())
                                                                   : made;
  if (made->variable && made->variable->kind == Variable::Kind::Slots) {
    Scalars zeros;
    for (Type one : list)
      zeros.push_back(zero(one));
    if (failed(store(*made, zeros)))
      return failure();
  }
  return made;
}

LogicalResult Lowering::declareVariable(Operation *op) {
  auto type = cast<spirv::PointerType>(op->getResult(0).getType());
  Scalars initial = op->getNumOperands() ? get(op->getOperand(0)) : Scalars();
  FailureOr<Pointer> made = variable(op->getResult(0), type.getPointeeType(), op,
                                     op->getNumOperands() ? &initial : nullptr);
  if (failed(made))
    return failure();
  setPointer(op->getResult(0), *made);
  return success();
}

//===-------------------------------------------------------------------------===//
// Variables of the module
//===-------------------------------------------------------------------------===//

static uint32_t numberOf(Operation *op, StringRef attribute) {
  auto value = op->getAttrOfType<IntegerAttr>(attribute);
  return value ? static_cast<uint32_t>(value.getInt()) : 0;
}

static Value bufferAddress(Lowering &l, Operation *global, uint32_t element) {
  return lane::BufferOp::create(l.b, pointerType(l), numberOf(global, "descriptor_set"),
                                numberOf(global, "binding"), element);
}

static FailureOr<Pointer> boundVariable(Lowering &l, Operation *global, Type type) {
  if (!global->hasAttr("binding"))
    return l.error() << "the variable " << SymbolTable::getSymbolName(global)
                     << " has neither a binding nor a value";
  Pointer pointer;
  pointer.descriptors = global;
  pointer.isVolatile = isDecorated(global, "Volatile");
  pointer.isCoherent = isDecorated(global, "Coherent");
  if (isa<spirv::ArrayType, spirv::RuntimeArrayType>(type)) {
    pointer.choosesDescriptor = true;
    pointer.pointee = type;
    return pointer;
  }
  if (!isa<spirv::StructType>(type))
    return l.error() << "a descriptor of type " << type << " is not supported: only buffers are";
  pointer.pointee = type;
  pointer.descriptor = 0;
  pointer.base = l.atEntry([&] { return bufferAddress(l, global, 0); });
  return pointer;
}

/// Chooses an element of an array of descriptors. If the index is known only at run time, the
/// address is selected among those of all elements.
LogicalResult Lowering::chooseDescriptor(Pointer &pointer, Value index) {
  Type type = pointer.pointee;
  pointer.choosesDescriptor = false;
  pointer.pointee = types.element(type, 0);
  if (isa<spirv::ArrayType, spirv::RuntimeArrayType>(pointer.pointee))
    return error() << "arrays of arrays of descriptors are not supported";
  if (auto number = constant(index)) {
    pointer.descriptor = static_cast<uint32_t>(*number);
    pointer.base = bufferAddress(*this, pointer.descriptors, *pointer.descriptor);
    return success();
  }
  int64_t count = types.elements(type);
  if (count == 0 || count > 64)
    return error() << "an array of " << (count ? std::to_string(count) : "an unknown number of")
                   << " descriptors is indexed at run time; at most 64 are supported";
  Scalars all;
  for (int64_t i = 0; i < count; ++i)
    all.push_back(bufferAddress(*this, pointer.descriptors, static_cast<uint32_t>(i)));
  pointer.base = pick(all, scalar(index));
  pointer.descriptorIndex = scalar(index);
  pointer.descriptorCount = static_cast<uint32_t>(count);
  return success();
}

/// The largest size of workgroup memory, more than any device has. A larger size means an error in
/// the module or an attack.
static constexpr int64_t mostShared = int64_t{1} << 30;

static bool isBlock(Type type) {
  auto record = dyn_cast<spirv::StructType>(type);
  return record && record.hasDecoration(spirv::Decoration::Block);
}

Type Lowering::inMemory(Type pointee, spirv::StorageClass storage) const {
  bool isPlain = storage == spirv::StorageClass::Workgroup && !types.openCl && !hasSharedBlocks;
  return isPlain ? types.withoutLayout(pointee) : pointee;
}

/// Declares blocks in workgroup memory. Either all workgroup variables of an entry point are
/// blocks, or none is. A block that must be zeroed is zeroed even if only the interface names it,
/// because other blocks alias it.
LogicalResult Lowering::declareSharedBlocks() {
  auto look = [&](StringRef name) -> Operation * {
    Operation *global = SymbolTable::lookupNearestSymbolFrom(source, b.getStringAttr(name));
    auto type = global ? global->getAttrOfType<TypeAttr>("type") : TypeAttr();
    auto pointer = type ? dyn_cast<spirv::PointerType>(type.getValue()) : spirv::PointerType();
    bool found = pointer && pointer.getStorageClass() == spirv::StorageClass::Workgroup &&
                 isBlock(pointer.getPointeeType());
    hasSharedBlocks |= found;
    return found ? global : nullptr;
  };
  source->walk([&](spirv::AddressOfOp op) { (void)look(op.getVariable()); });
  if (auto named = source->getAttrOfType<ArrayAttr>("spvx.zeroed"))
    for (auto name : named.getAsRange<FlatSymbolRefAttr>())
      if (Operation *global = look(name.getValue()); global && failed(globalVariable(global)))
        return failure();
  return success();
}

static FailureOr<Pointer> sharedVariable(Lowering &l, Operation *global, Type type) {
  bool sharesPlace = isBlock(type) && !l.types.openCl; // all blocks start at one address
  type = l.inMemory(type, spirv::StorageClass::Workgroup);
  int64_t offset = sharesPlace ? 0 : llvm::alignTo(l.sharedBytes, statedAlignment(global, 16));
  if (l.types.bytes(type) > mostShared - offset)
    return l.error() << "a variable of type " << type << " does not fit into workgroup memory";
  int64_t bytes = llvm::alignTo(l.types.bytes(type), 4);
  l.sharedBytes = std::max(l.sharedBytes, offset + bytes);
  Pointer pointer;
  pointer.pointee = type;
  pointer.exclusive = true;
  pointer.base =
      l.atEntry([&] { return lane::SharedOp::create(l.b, pointerType(l), offset).getResult(); });
  if (global->hasAttr("spvx.initializer"))
    l.zeroedShared.push_back({pointer.base, bytes / 4});
  return pointer;
}

/// Returns the initial constant of a variable. It is an attribute, or a symbol that names a
/// constant.
static FailureOr<std::optional<Scalars>> initialValue(Lowering &l, Operation *global, Type type) {
  Attribute value = global->getAttr("initializer");
  if (auto name = dyn_cast_or_null<FlatSymbolRefAttr>(value)) {
    Operation *constant = SymbolTable::lookupNearestSymbolFrom(global, name);
    value = constant ? constant->getAttr("default_value") : Attribute();
    if (!value)
      return l.error() << "the initializer " << name << " is not supported";
  }
  if (Attribute own = global->getAttr("spvx.initializer"))
    value = own;
  if (!value)
    return std::optional<Scalars>();
  Scalars scalars;
  if (failed(l.constantScalars(value, type, scalars)))
    return failure();
  return std::optional<Scalars>(scalars);
}

/// Returns a variable in OpenCL's constant memory.
static FailureOr<Pointer> constantVariable(Lowering &l, Operation *global, Type type) {
  auto initial = initialValue(l, global, type);
  if (failed(initial))
    return failure();
  if (!*initial)
    return l.error() << "the constant " << SymbolTable::getSymbolName(global) << " has no value";
  FailureOr<Value> bytes = l.atEntry([&] { return l.table(type, **initial); });
  if (failed(bytes))
    return l.error() << "the constant " << SymbolTable::getSymbolName(global)
                     << " depends on values that are known only at run time";
  Pointer pointer;
  pointer.pointee = type;
  pointer.base = *bytes;
  pointer.isConstant = true;
  return pointer;
}

int32_t Lowering::restrictNumber(Operation *global) const {
  const auto *found = llvm::find(restricted, global);
  return found == restricted.end() ? -1 : static_cast<int32_t>(found - restricted.begin());
}

FailureOr<Pointer> Lowering::globalVariable(Operation *global) {
  if (auto found = globals.find(global); found != globals.end())
    return found->second;
  auto type = cast<spirv::PointerType>(cast<TypeAttr>(global->getAttr("type")).getValue());
  Type pointee = type.getPointeeType();
  FailureOr<Pointer> made = failure();
  auto builtIn = global->getAttrOfType<StringAttr>("built_in");
  if (builtIn) {
    auto numbers = atEntry([&] { return builtinVariable(builtIn.getValue(), pointee); });
    if (failed(numbers))
      return failure();
    made = pathTo(Variable::Kind::Values, pointee, *numbers);
  } else if (type.getStorageClass() == spirv::StorageClass::PushConstant) {
    made = Pointer();
    made->pointee = pointee;
    made->base =
        atEntry([&] { return lane::PushConstantsOp::create(b, pointerType(*this)).getResult(); });
    pushConstantBytes = std::max(pushConstantBytes, types.bytes(pointee));
  } else if (type.getStorageClass() == spirv::StorageClass::Workgroup) {
    made = sharedVariable(*this, global, pointee);
  } else if (type.getStorageClass() == spirv::StorageClass::Private) {
    made = atEntry([&]() -> FailureOr<Pointer> {
      auto initial = initialValue(*this, global, pointee);
      if (failed(initial))
        return failure();
      return variable({}, pointee, global, *initial ? &**initial : nullptr);
    });
  } else if (type.getStorageClass() == spirv::StorageClass::StorageBuffer ||
             type.getStorageClass() == spirv::StorageClass::Uniform) {
    made = boundVariable(*this, global, pointee);
  } else if (inProgram.contains(global)) {
    made = programVariable(global, pointee);
  } else if (type.getStorageClass() == spirv::StorageClass::UniformConstant &&
             global->hasAttr("spvx.initializer")) {
    made = constantVariable(*this, global, pointee);
  } else {
    return error() << "a variable of storage class "
                   << spirv::stringifyStorageClass(type.getStorageClass()) << ", of type "
                   << pointee << ", is not supported";
  }
  if (succeeded(made))
    globals[global] = *made;
  return made;
}

//===-------------------------------------------------------------------------===//
// Arguments
//===-------------------------------------------------------------------------===//

/// Declares arguments in order, each aligned to its type. Pointers are passed as addresses. A
/// pointer to workgroup memory is passed as a byte offset behind the kernel's own memory.
LogicalResult Lowering::declareArguments(ArrayRef<BlockArgument> arguments) {
  SmallVector<Attribute> listed;
  for (BlockArgument argument : arguments) {
    auto address = dyn_cast<spirv::PointerType>(argument.getType());
    bool byValue = address && address.getStorageClass() == spirv::StorageClass::Function;
    Pointer place;
    place.pointee = byValue ? address.getPointeeType() : argument.getType();
    place.constant = llvm::alignTo(pushConstantBytes, types.alignment(place.pointee));
    place.base = lane::PushConstantsOp::create(b, pointerType(*this));
    pushConstantBytes = place.constant + types.bytes(place.pointee);
    listArguments(place.pointee, place.constant, listed);
    bool isWorkgroup = address && address.getStorageClass() == spirv::StorageClass::Workgroup;
    bool isShared = isWorkgroup && !listsArguments;
    if (isShared)
      place.pointee = b.getI64Type();
    FailureOr<Scalars> loaded = load(place);
    if (failed(loaded))
      return failure();
    if (isWorkgroup && listsArguments)
      loaded->front().getDefiningOp()->setAttr("workgroup", b.getUnitAttr());
    if (isShared) {
      auto end = lane::SharedOp::create(b, pointerType(*this), 0);
      dynamicShared.push_back(end);
      loaded->front() = lane::OffsetOp::create(b, end.getType(), end, loaded->front());
    }
    if (!byValue) {
      set(argument, *loaded);
      continue;
    }
    FailureOr<Pointer> copy = variable(argument, place.pointee, nullptr, &*loaded);
    if (failed(copy))
      return failure();
    setPointer(argument, *copy);
  }
  if (listsArguments)
    kernel->setAttr("lane.arguments", b.getArrayAttr(listed));
  return success();
}

/// Lists the numbers, small vectors and pointers of an argument, each as its type and offset.
void Lowering::listArguments(Type type, int64_t offset, SmallVectorImpl<Attribute> &list) {
  constexpr int64_t widest = 4; // an executable's vectors have no more elements
  auto vector = dyn_cast<VectorType>(type);
  if (types.isComposite(type) && (!vector || vector.getNumElements() > widest)) {
    auto structure = dyn_cast<spirv::StructType>(type);
    for (int64_t i = 0; i < types.elements(type); ++i)
      listArguments(types.element(type, i),
                    offset + (structure ? types.memberOffset(structure, unsigned(i))
                                        : i * types.bytes(types.element(type, i))),
                    list);
    return;
  }
  Type element = types.scalar(getElementTypeOrSelf(type));
  if (auto pointer = dyn_cast<spirv::PointerType>(type))
    // Constant memory of arguments is memory of buffers.
    element = LLVM::LLVMPointerType::get(
        b.getContext(), pointer.getStorageClass() == spirv::StorageClass::Workgroup ? 3 : 1);
  list.push_back(b.getArrayAttr(
      {TypeAttr::get(vector ? Type(VectorType::get(vector.getShape(), element)) : element),
       b.getI64IntegerAttr(offset)}));
}

void Lowering::placeDynamicShared() {
  for (Operation *op : dynamicShared)
    cast<lane::SharedOp>(op).setOffset(llvm::alignTo(sharedBytes, 64));
}
