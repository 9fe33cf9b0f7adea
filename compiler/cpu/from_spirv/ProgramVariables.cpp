//===- ProgramVariables.cpp - variables of program scope --------------------===//
// Lays out OpenCL's program-scope variables in one piece of memory. Variables with initial values
// come first. Their bytes are the image, which the file stores. Variables that start as zero
// follow. The reader lists the variables of a module in the same order for every kernel, so all
// kernels compute the same addresses.
//===-------------------------------------------------------------------------===//
#include "compiler/import/spirv/ProgramVariables.h"
#include "compiler/cpu/from_spirv/SpirvToLanes.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {
/// An address, given as a variable and the number of bytes from its start.
struct Address {
  Operation *variable = nullptr; // null: the null pointer
  int64_t bytes = 0;
};

/// The bytes at the start of the program's memory that have initial values.
struct Image {
  Lowering &l;
  SmallVector<int8_t> bytes;
  SmallVector<int64_t> addresses; // the place of each address in the image, and its target

  LogicalResult put(Attribute value, Type type, int64_t offset);

private:
  LogicalResult putMembers(Attribute value, Type type, int64_t offset);
  LogicalResult putAddress(Attribute value, int64_t offset);
  void putBits(APInt bits, int64_t count, int64_t offset);
};
} // namespace

static Type pointeeOf(Operation *variable) {
  auto type = cast<TypeAttr>(variable->getAttr("type")).getValue();
  return cast<spirv::PointerType>(type).getPointeeType();
}

//===-------------------------------------------------------------------------===//
// Addresses
//===-------------------------------------------------------------------------===//

/// Returns the offset at which the indices lead. `type` becomes the type of the target.
static FailureOr<int64_t> follow(Lowering &l, Type &type, ArrayRef<int64_t> indices, bool whole) {
  int64_t bytes = 0;
  if (whole && !indices.empty()) {
    bytes = indices.front() * llvm::alignTo(l.types.bytes(type), l.types.alignment(type));
    indices = indices.drop_front();
  }
  for (int64_t index : indices) {
    auto record = dyn_cast<spirv::StructType>(type);
    bool isMember = record && index >= 0 && index < l.types.elements(type);
    if (isMember)
      bytes += l.types.memberOffset(record, static_cast<unsigned>(index));
    else if (isa<spirv::ArrayType, spirv::RuntimeArrayType>(type))
      bytes += index * l.types.stride(type);
    else if (isa<VectorType>(type))
      bytes += index * l.types.bytes(l.types.element(type, 0));
    else
      return failure();
    type = l.types.element(type, record ? index : 0);
  }
  return bytes;
}

/// AddressConstants.cpp describes the forms of address constants. In one more form, Clang 22 counts
/// bytes: the indices (0, number) apply to a type that does not match. If following the indices
/// ends in another type than the result's, the number counts units of the result's type.
static FailureOr<Address> addressIn(Lowering &l, Attribute value) {
  if (isa<UnitAttr>(value))
    return Address();
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(value)) {
    Operation *variable = SymbolTable::lookupNearestSymbolFrom(l.source, symbol);
    if (!variable)
      return l.error() << "there is no variable " << symbol;
    return Address{variable, 0};
  }
  auto steps = dyn_cast<DictionaryAttr>(value);
  if (!steps)
    return l.error() << "the constant " << value << " is not an address";
  FailureOr<Address> base = addressIn(l, steps.get("base"));
  if (failed(base))
    return failure();
  Type type = cast<TypeAttr>(steps.get("from")).getValue();
  Type to = cast<TypeAttr>(steps.get("to")).getValue();
  ArrayRef<int64_t> indices = cast<DenseI64ArrayAttr>(steps.get("indices"));
  FailureOr<int64_t> bytes = follow(l, type, indices, steps.contains("whole"));
  if (failed(bytes) || type != to) {
    if (indices.size() != 2 || indices[0] != 0)
      return l.error() << "the address " << value << " does not point to a variable";
    bytes = indices[1] * llvm::alignTo(l.types.bytes(to), l.types.alignment(to));
  }
  base->bytes += *bytes;
  return base;
}

FailureOr<Value> Lowering::addressConstant(Attribute value) {
  FailureOr<Address> found = addressIn(*this, value);
  if (failed(found))
    return failure();
  if (!found->variable)
    return zero(b.getType<LLVM::LLVMPointerType>());
  auto type = cast<spirv::PointerType>(cast<TypeAttr>(found->variable->getAttr("type")).getValue());
  if (!llvm::is_contained({spirv::StorageClass::CrossWorkgroup, spirv::StorageClass::Workgroup,
                           spirv::StorageClass::UniformConstant},
                          type.getStorageClass()))
    return error() << "a constant address of storage class "
                   << spirv::stringifyStorageClass(type.getStorageClass()) << " is not supported";
  FailureOr<Pointer> pointer = globalVariable(found->variable);
  if (failed(pointer))
    return failure();
  pointer->constant += found->bytes;
  return address(*pointer);
}

//===-------------------------------------------------------------------------===//
// The image
//===-------------------------------------------------------------------------===//

void Image::putBits(APInt bits, int64_t count, int64_t offset) {
  if (bits.isZero())
    return;
  if (static_cast<int64_t>(bytes.size()) < offset + count)
    bytes.resize(offset + count, 0);
  uint64_t word = bits.getZExtValue();
  for (int64_t i = 0; i < count; ++i)
    bytes[offset + i] = static_cast<int8_t>(word >> (8 * i));
}

LogicalResult Image::putAddress(Attribute value, int64_t offset) {
  FailureOr<Address> found = addressIn(l, value);
  if (failed(found))
    return failure();
  if (!found->variable)
    return success();
  const int64_t *place = l.programOffset(found->variable);
  if (!place)
    return l.error() << "the address of " << SymbolTable::getSymbolName(found->variable)
                     << " is not a valid initial value for a variable of program scope";
  addresses.append({offset, *place + found->bytes});
  if (static_cast<int64_t>(bytes.size()) < offset + 8)
    bytes.resize(offset + 8, 0);
  return success();
}

LogicalResult Image::putMembers(Attribute value, Type type, int64_t offset) {
  auto numbers = dyn_cast<DenseElementsAttr>(value);
  auto members = dyn_cast<ArrayAttr>(value);
  int64_t count = numbers ? numbers.getNumElements() : members ? members.size() : -1;
  auto record = dyn_cast<spirv::StructType>(type);
  if (count != l.types.elements(type) || !(isa<VectorType, spirv::ArrayType>(type) || record))
    return l.error() << "the initial value " << value << " is not supported for the type " << type;
  int64_t step = isa<VectorType>(type) ? l.types.bytes(l.types.element(type, 0))
                 : record              ? 0
                                       : l.types.stride(type);
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = record ? l.types.memberOffset(record, static_cast<unsigned>(i)) : i * step;
    Attribute member = numbers ? numbers.getValues<Attribute>()[i] : members[i];
    if (failed(put(member, l.types.element(type, i), offset + at)))
      return failure();
  }
  return success();
}

LogicalResult Image::put(Attribute value, Type type, int64_t offset) {
  if (!value || isa<UnitAttr>(value))
    return success();
  if (l.types.isComposite(type))
    return putMembers(value, type, offset);
  if (isa<FlatSymbolRefAttr, DictionaryAttr>(value))
    return putAddress(value, offset);
  auto real = dyn_cast<FloatAttr>(value);
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!real && !integer)
    return l.error() << "the initial value " << value << " is not supported for the type " << type;
  putBits(real ? real.getValue().bitcastToAPInt() : integer.getValue(),
          scalarBytes(l.types.scalar(type)), offset);
  return success();
}

//===-------------------------------------------------------------------------===//
// Places
//===-------------------------------------------------------------------------===//

static bool beginsAsZeros(Operation *variable) {
  Attribute initial = variable->getAttr("spvx.initializer");
  return !initial || isa<UnitAttr>(initial);
}

/// The largest size of the program's memory. A larger size must be an error in the module.
static constexpr int64_t mostProgram = int64_t{1} << 40;

LogicalResult Lowering::placeProgram() {
  auto all = spirv_import::programVariables(source->getParentOfType<ModuleOp>());
  int64_t end = 0;
  for (bool zeros : {false, true})
    for (spirv::GlobalVariableOp variable : all) {
      if (beginsAsZeros(variable) != zeros)
        continue;
      Type type = pointeeOf(variable);
      int64_t offset = llvm::alignTo(end, statedAlignment(variable, 16));
      if (types.bytes(type) > mostProgram - offset)
        return error() << "variables of program scope of more than " << mostProgram << " bytes";
      programOffsets[variable] = offset;
      end = offset + types.bytes(type);
    }
  Image image{*this, {}, {}};
  for (spirv::GlobalVariableOp variable : all)
    if (failed(image.put(variable->getAttr("spvx.initializer"), pointeeOf(variable),
                         programOffsets[variable])))
      return failure();
  kernel->setAttr("lane.program_bytes", b.getI64IntegerAttr(llvm::alignTo(end, 64)));
  if (!image.bytes.empty())
    kernel->setAttr("lane.program_image", b.getDenseI8ArrayAttr(image.bytes));
  if (!image.addresses.empty())
    kernel->setAttr("lane.program_addresses", b.getDenseI64ArrayAttr(image.addresses));
  return success();
}

const int64_t *Lowering::programOffset(Operation *variable) const {
  auto found = programOffsets.find(variable);
  return found == programOffsets.end() ? nullptr : &found->second;
}

FailureOr<Pointer> Lowering::programVariable(Operation *global, Type type) {
  if (programOffsets.empty() && failed(placeProgram()))
    return failure();
  const int64_t *offset = programOffset(global);
  if (!offset)
    return error() << "the variable " << SymbolTable::getSymbolName(global)
                   << " has no place in the program's memory";
  Pointer pointer;
  pointer.pointee = type;
  pointer.isVolatile = isDecorated(global, "Volatile");
  pointer.isCoherent = isDecorated(global, "Coherent");
  pointer.base = atEntry([&] {
    return lane::ProgramOp::create(b, b.getType<LLVM::LLVMPointerType>(), *offset).getResult();
  });
  return pointer;
}
