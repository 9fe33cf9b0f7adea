//===- Memory.cpp - pointers, loads and stores ------------------------------===//
// An address is base + dynamic + constant. `dynamic` is a sum of products: a sign-extended 64-bit
// index times a stride. Adjacent scalars of one type are accessed together.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

FailureOr<Pointer> Lowering::pointer(Value value) {
  auto found = pointers.find(value);
  if (found != pointers.end())
    return found->second;
  auto type = dyn_cast<spirv::PointerType>(value.getType());
  auto number = values.find(value);
  if (!type || number == values.end())
    return error() << "expected a pointer that is defined before, found " << value.getType();
  Pointer pointer;
  pointer.pointee = inMemory(type.getPointeeType(), type.getStorageClass());
  pointer.base = number->second.front();
  pointer.exclusive = type.getStorageClass() == spirv::StorageClass::Workgroup ||
                      type.getStorageClass() == spirv::StorageClass::Function ||
                      type.getStorageClass() == spirv::StorageClass::Private;
  return pointer;
}

//===-------------------------------------------------------------------------===//
// Steps along a pointer
//===-------------------------------------------------------------------------===//

/// Returns an index as a 64-bit number.
static Value widened(Lowering &l, Value index) {
  Type wide = l.b.getI64Type();
  if (index.getType() == wide)
    return index;
  return arith::ExtSIOp::create(l.b, wide, index);
}

static void addScaled(Lowering &l, Pointer &pointer, Value index, int64_t stride) {
  if (auto number = l.constant(index)) {
    pointer.constant += *number * stride;
    return;
  }
  Value scaled = widened(l, l.scalar(index));
  if (stride != 1)
    scaled =
        arith::MulIOp::create(l.b, scaled, l.integer(stride, 64), arith::IntegerOverflowFlags::nsw);
  pointer.dynamic = pointer.dynamic ? arith::AddIOp::create(l.b, pointer.dynamic, scaled,
                                                            arith::IntegerOverflowFlags::nsw)
                                    : scaled;
}

LogicalResult Lowering::stepByAddress(Pointer &pointer, Value index) {
  Type type = pointer.pointee;
  if (auto record = dyn_cast<spirv::StructType>(type)) {
    auto member = constant(index);
    if (!member || *member < 0 || *member >= record.getNumElements())
      return error() << "a member of " << type << " is selected by an index that is not a constant";
    auto i = static_cast<unsigned>(*member);
    pointer.constant += types.memberOffset(record, i);
    pointer.matrix = types.memberMatrix(record, i);
    pointer.isVolatile |= types.memberHas(record, i, spirv::Decoration::Volatile);
    pointer.isCoherent |= types.memberHas(record, i, spirv::Decoration::Coherent);
    pointer.pointee = record.getElementType(i);
    return success();
  }
  if (isa<spirv::ArrayType, spirv::RuntimeArrayType>(type)) {
    addScaled(*this, pointer, index, types.stride(type, pointer.matrix));
  } else if (auto matrix = dyn_cast<spirv::MatrixType>(type)) {
    auto [column, row] = types.matrixStrides(matrix, pointer.matrix);
    addScaled(*this, pointer, index, column);
    pointer.elementStride = pointer.matrix.rowMajor ? row : 0;
    pointer.matrix = {};
  } else if (auto vector = dyn_cast<VectorType>(type)) {
    int64_t natural = types.bytes(vector.getElementType());
    addScaled(*this, pointer, index, pointer.elementStride ? pointer.elementStride : natural);
    pointer.elementStride = 0;
  } else {
    return error() << "an index into " << type << ", which has no elements";
  }
  pointer.pointee = types.element(type, 0);
  return success();
}

LogicalResult Lowering::stepByPath(Pointer &pointer, Value index) {
  Type type = pointer.pointee;
  if (!types.isComposite(type))
    return error() << "an index into " << type << ", which has no elements";
  auto number = constant(index);
  bool isStruct = isa<spirv::StructType>(type);
  if (isStruct && !number)
    return error() << "a member of " << type << " is selected by an index that is not a constant";
  int64_t count = types.elements(type);
  // Such an index is undefined behaviour. The lowering must still stay inside the variable.
  if (number && (*number < 0 || *number >= count))
    number = 0;
  for (size_t kind = 0; kind < pointer.position.size(); ++kind) {
    auto scalarsOf = [&](Type part) {
      return pointer.variable->kind == Variable::Kind::Arrays
                 ? types.count(part, pointer.variable->types[kind])
                 : types.count(part);
    };
    if (isStruct)
      for (int64_t i = 0; i < *number; ++i)
        pointer.position[kind] += scalarsOf(types.element(type, i));
    else if (number)
      pointer.position[kind] += *number * scalarsOf(types.element(type, 0));
  }
  pointer.pointee = types.element(type, number.value_or(0));
  if (!number)
    pointer.indices.push_back({scalar(index), pointer.pointee});
  return success();
}

LogicalResult Lowering::step(Pointer &pointer, Value index) {
  if (pointer.choosesDescriptor)
    return chooseDescriptor(pointer, index);
  return pointer.variable ? stepByPath(pointer, index) : stepByAddress(pointer, index);
}

FailureOr<Pointer> Lowering::access(Pointer pointer, ValueRange indices) {
  for (Value index : indices)
    if (failed(step(pointer, index)))
      return failure();
  return pointer;
}

FailureOr<Value> Lowering::address(const Pointer &pointer) {
  if (!pointer.base)
    return error() << "this operation needs an address, but "
                   << (pointer.variable ? "the variable" : "the descriptor array")
                   << " has none; use it only in access chains, loads and stores";
  if (pointer.elementStride || pointer.matrix.rowMajor || pointer.matrix.stride)
    return error() << "this operation needs an address, but the pointer points to a matrix with an "
                      "explicit layout, or into a row-major matrix; "
                      "use such a pointer only in loads and stores";
  Value bytes = pointer.dynamic;
  if (pointer.constant) {
    Value number = integer(pointer.constant, 64);
    bytes =
        bytes
            ? arith::AddIOp::create(b, bytes, number, arith::IntegerOverflowFlags::nsw).getResult()
            : number;
  }
  return bytes ? lane::OffsetOp::create(b, pointer.base.getType(), pointer.base, bytes).getResult()
               : pointer.base;
}

//===-------------------------------------------------------------------------===//
// Loads and stores by address
//===-------------------------------------------------------------------------===//

namespace {
/// A run of adjacent scalars of one type.
struct Run {
  size_t first, count;
};
} // namespace

static SmallVector<Run> adjacentRuns(ArrayRef<Leaf> leaves) {
  SmallVector<Run> runs;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!runs.empty() && runs.back().count < 16) {
      const Leaf &last = leaves[i - 1];
      if (last.type == leaves[i].type && last.offset + scalarBytes(last.type) == leaves[i].offset) {
        ++runs.back().count;
        continue;
      }
    }
    runs.push_back({i, 1});
  }
  return runs;
}

/// Returns the address of a pointer plus `offset` bytes. Drops properties of the pointer that only
/// loads and stores use.
static FailureOr<Value> addressAt(Lowering &l, Pointer pointer, int64_t offset) {
  pointer.constant += offset;
  pointer.elementStride = 0;
  pointer.matrix = {};
  return l.address(pointer);
}

static void mark(Lowering &l, Operation *op, const Pointer &pointer) {
  if (pointer.isVolatile)
    op->setAttr("volatile", l.b.getUnitAttr());
  if (pointer.isCoherent)
    op->setAttr("coherent", l.b.getUnitAttr());
  if (pointer.isNontemporal)
    op->setAttr("nontemporal", l.b.getUnitAttr());
  if (pointer.descriptors && l.restrictCount())
    op->setAttr("restrict", l.b.getDenseI32ArrayAttr(
                                {l.restrictNumber(pointer.descriptors), l.restrictCount()}));
}

static int64_t alignmentOf(Type scalar, unsigned stated) {
  int64_t natural = scalarBytes(scalar);
  return stated ? std::min<int64_t>(natural, stated) : natural;
}

static FailureOr<SmallVector<Leaf>> leavesOf(Lowering &l, const Pointer &pointer) {
  SmallVector<Type> list;
  if (!l.types.scalars(pointer.pointee, list))
    return l.error() << "memory of type " << pointer.pointee
                     << " cannot be loaded or stored as a whole";
  SmallVector<Leaf> leaves;
  l.types.leaves(pointer.pointee, 0, pointer.matrix, pointer.elementStride, leaves);
  return leaves;
}

static FailureOr<Scalars> loadMemory(Lowering &l, const Pointer &pointer, unsigned alignment) {
  FailureOr<SmallVector<Leaf>> leaves = leavesOf(l, pointer);
  if (failed(leaves))
    return failure();
  Scalars result;
  for (Run run : adjacentRuns(*leaves)) {
    const Leaf &leaf = (*leaves)[run.first];
    FailureOr<Value> address = addressAt(l, pointer, leaf.offset);
    if (failed(address))
      return failure();
    SmallVector<Type> kinds(run.count, leaf.type);
    auto load = lane::LoadOp::create(l.b, kinds, *address, alignmentOf(leaf.type, alignment));
    mark(l, load, pointer);
    llvm::append_range(result, load.getValues());
  }
  return result;
}

static LogicalResult storeMemory(Lowering &l, const Pointer &pointer, ArrayRef<Value> scalars,
                                 unsigned alignment) {
  if (pointer.isConstant)
    return success();
  FailureOr<SmallVector<Leaf>> leaves = leavesOf(l, pointer);
  if (failed(leaves))
    return failure();
  if (leaves->size() != scalars.size())
    return l.error() << "stores " << scalars.size() << " scalars where the pointer's type has "
                     << leaves->size();
  for (Run run : adjacentRuns(*leaves)) {
    const Leaf &leaf = (*leaves)[run.first];
    FailureOr<Value> address = addressAt(l, pointer, leaf.offset);
    if (failed(address))
      return failure();
    auto store = lane::StoreOp::create(l.b, scalars.slice(run.first, run.count), *address,
                                       alignmentOf(leaf.type, alignment));
    mark(l, store, pointer);
  }
  return success();
}

//===-------------------------------------------------------------------------===//
// Loads and stores along a path
//===-------------------------------------------------------------------------===//

/// Returns the index, in its array, of the scalar that is `offset` scalars after the position of
/// the path.
static Value arrayIndex(Lowering &l, const Pointer &pointer, size_t kind, int64_t offset) {
  Value sum = l.integer(pointer.position[kind] + offset);
  for (auto [index, part] : pointer.indices) {
    Value number = index;
    unsigned width = number.getType().getIntOrFloatBitWidth();
    if (width > 32)
      number = arith::TruncIOp::create(l.b, l.b.getI32Type(), number);
    else if (width < 32)
      number = arith::ExtSIOp::create(l.b, l.b.getI32Type(), number);
    int64_t size = pointer.variable->kind == Variable::Kind::Arrays
                       ? l.types.count(part, pointer.variable->types[kind])
                       : l.types.count(part);
    if (size != 1)
      number = arith::MulIOp::create(l.b, number, l.integer(size));
    sum = l.b.createOrFold<arith::AddIOp>(number, sum);
  }
  return sum;
}

static Scalars loadPath(Lowering &l, const Pointer &pointer, ArrayRef<Type> list) {
  const Variable &variable = *pointer.variable;
  Scalars result;
  SmallVector<int64_t> seen(pointer.position.size(), 0);
  for (auto [i, type] : llvm::enumerate(list)) {
    if (variable.kind == Variable::Kind::Slots) {
      Value slot = variable.storage[pointer.position[0] + static_cast<int64_t>(i)];
      result.push_back(lane::GetOp::create(l.b, type, slot));
    } else if (variable.kind == Variable::Kind::Arrays) {
      size_t kind = llvm::find(variable.types, type) - variable.types.begin();
      Value index = arrayIndex(l, pointer, kind, seen[kind]++);
      result.push_back(lane::ArrayGetOp::create(l.b, type, variable.storage[kind], index));
    } else if (pointer.indices.empty()) {
      result.push_back(variable.storage[pointer.position[0] + static_cast<int64_t>(i)]);
    } else {
      result.push_back(
          l.pick(variable.storage, arrayIndex(l, pointer, 0, static_cast<int64_t>(i))));
    }
  }
  return result;
}

FailureOr<Scalars> Lowering::load(const Pointer &pointer, unsigned alignment) {
  if (!pointer.variable)
    return loadMemory(*this, pointer, alignment);
  SmallVector<Type> list;
  types.scalars(pointer.pointee, list);
  return loadPath(*this, pointer, list);
}

LogicalResult Lowering::store(const Pointer &pointer, ArrayRef<Value> scalars, unsigned alignment) {
  if (!pointer.variable)
    return storeMemory(*this, pointer, scalars, alignment);
  const Variable &variable = *pointer.variable;
  if (variable.kind == Variable::Kind::Values)
    return error() << "OpStore to a variable that cannot be written";
  SmallVector<int64_t> seen(pointer.position.size(), 0);
  for (auto [i, value] : llvm::enumerate(scalars)) {
    if (variable.kind == Variable::Kind::Slots) {
      lane::SetOp::create(b, variable.storage[pointer.position[0] + static_cast<int64_t>(i)],
                          value);
      continue;
    }
    size_t kind = llvm::find(variable.types, value.getType()) - variable.types.begin();
    Value index = arrayIndex(*this, pointer, kind, seen[kind]++);
    lane::ArraySetOp::create(b, variable.storage[kind], index, value);
  }
  return success();
}
