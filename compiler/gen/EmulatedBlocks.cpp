//===- EmulatedBlocks.cpp - blocks of memory, element by element ------------===//
#include "compiler/gen/Builtins.h"
#include "compiler/gen/Emulation.h"

#include "compiler/dialect/vk/VkDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace pumice::gen;

//===-------------------------------------------------------------------------===//
// Memory
//===-------------------------------------------------------------------------===//

Type ElementMemory::addressType(OpBuilder &builder) const {
  return dialect == MemoryDialect::Vk ? Type(builder.getI64Type()) : builder.getIndexType();
}

Value ElementMemory::address(OpBuilder &builder, Location loc, Value base) const {
  Type type = addressType(builder);
  if (base.getType() == type)
    return base;
  if (isa<LLVM::LLVMPointerType>(base.getType()))
    base = LLVM::PtrToIntOp::create(builder, loc, builder.getIntegerType(indexBits), base);
  return arith::IndexCastUIOp::create(builder, loc, type, base);
}

Value ElementMemory::extend(OpBuilder &builder, Location loc, Value number) const {
  if (dialect == MemoryDialect::Vk)
    return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), number);
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), number);
}

Value ElementMemory::pointer(OpBuilder &builder, Location loc, Value address, Type type) const {
  if (dialect == MemoryDialect::Vk)
    return vk::AtAddressOp::create(builder, loc, MemRefType::get({ShapedType::kDynamic}, type),
                                   address);
  Type integer = builder.getIntegerType(indexBits);
  Value number = arith::IndexCastUIOp::create(builder, loc, integer, address);
  if (dialect == MemoryDialect::Spirv) {
    auto pointer = spirv::PointerType::get(type, spirv::StorageClass::CrossWorkgroup);
    return spirv::ConvertUToPtrOp::create(builder, loc, pointer, number);
  }
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), /*addressSpace=*/1);
  return LLVM::IntToPtrOp::create(builder, loc, pointer, number);
}

/// States the alignment of an access, which OpenCL's addressing models require.
static spirv::MemoryAccessAttr aligned(OpBuilder &builder) {
  return spirv::MemoryAccessAttr::get(builder.getContext(), spirv::MemoryAccess::Aligned);
}

static Value first(OpBuilder &builder, Location loc) {
  return arith::ConstantIndexOp::create(builder, loc, 0);
}

static unsigned bytesOf(Type type) { return type.getIntOrFloatBitWidth() / 8; }

Value ElementMemory::load(OpBuilder &builder, Location loc, Value address, Type type) const {
  Value from = pointer(builder, loc, address, type);
  if (dialect == MemoryDialect::Vk)
    return memref::LoadOp::create(builder, loc, from, first(builder, loc));
  if (dialect == MemoryDialect::Llvm)
    return LLVM::LoadOp::create(builder, loc, type, from, bytesOf(type));
  return spirv::LoadOp::create(builder, loc, type, from, aligned(builder),
                               builder.getI32IntegerAttr(bytesOf(type)));
}

void ElementMemory::store(OpBuilder &builder, Location loc, Value value, Value address) const {
  Value to = pointer(builder, loc, address, value.getType());
  unsigned bytes = bytesOf(value.getType());
  if (dialect == MemoryDialect::Vk)
    memref::StoreOp::create(builder, loc, value, to, first(builder, loc));
  else if (dialect == MemoryDialect::Spirv)
    spirv::StoreOp::create(builder, loc, to, value, aligned(builder),
                           builder.getI32IntegerAttr(bytes));
  else
    LLVM::StoreOp::create(builder, loc, value, to, bytes);
}

//===-------------------------------------------------------------------------===//
// Two-dimensional blocks
//===-------------------------------------------------------------------------===//

namespace {

/// The place of a block's element in the matrix.
struct Place {
  Value inside;  ///< whether the matrix has it
  Value address; ///< its address if it has; otherwise the address of the matrix
};

/// Finds the elements of words that each work-item holds.
template <typename Op> class PlacesOf {
public:
  PlacesOf(Op op, OpBuilder &builder, const ElementMemory &memory, Type word,
           Arrangement arrangement)
      : op(op), b(builder), loc(op.getLoc()), arrangement(arrangement),
        wordBits(word.getIntOrFloatBitWidth()),
        lane(SubGroupLocalIdOp::create(b, loc, b.getI32Type())), memory(memory),
        base(memory.address(b, loc, op.getBase())) {}

  unsigned elementsPerWord() { return wordBits / op.getBits(); }
  Type elementType() { return b.getIntegerType(op.getBits()); }

  /// Returns the place of element `part` of the word that the work-item holds as element `number`.
  Place place(unsigned number, unsigned part) {
    Value first = constantI32(b, loc, number * op.getSubGroupSize());
    Value word = arith::AddIOp::create(b, loc, first, lane);
    // The elements of a word are consecutive, in a row or (if transformed) in a column.
    bool isColumn = arrangement == Arrangement::Transformed;
    unsigned rows = op.getRows(), columns = op.getColumns(), each = elementsPerWord();
    if (arrangement == Arrangement::Transposed)
      std::swap(rows, columns);
    unsigned wordRows = isColumn ? rows / each : rows,
             wordColumns = isColumn ? columns : columns / each;
    Value block = divide(word, wordRows * wordColumns);
    Value inBlock = remainder(word, wordRows * wordColumns);
    Value row = divide(inBlock, wordColumns), column = remainder(inBlock, wordColumns);
    Value &fine = isColumn ? row : column;
    fine = plus(times(fine, each), part);
    if (arrangement == Arrangement::Transposed)
      std::swap(row, column);
    column = arith::AddIOp::create(b, loc, column, times(block, op.getColumns()));
    return locate(arith::AddIOp::create(b, loc, op.getX(), column),
                  arith::AddIOp::create(b, loc, op.getY(), row));
  }

private:
  Place locate(Value x, Value y) {
    unsigned bytes = op.getBits() / 8;
    Value widthInElements = divide(op.getWidth(), bytes);
    // A negative position is larger than every size, as an unsigned number.
    Value hasColumn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, widthInElements);
    Value hasRow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, y, op.getHeight());
    Value inside = arith::AndIOp::create(b, loc, hasColumn, hasRow);
    Value offset = arith::AddIOp::create(b, loc, product(y, op.getPitch()),
                                         product(x, constantI32(b, loc, bytes)));
    Type address = memory.addressType(b);
    Value zero = arith::ConstantOp::create(b, loc, b.getIntegerAttr(address, 0));
    Value safe = arith::SelectOp::create(b, loc, inside, offset, zero);
    return {inside, arith::AddIOp::create(b, loc, base, safe)};
  }

  /// Multiplies as addresses, since the product may exceed 32 bits.
  Value product(Value left, Value right) {
    return arith::MulIOp::create(b, loc, memory.extend(b, loc, left), memory.extend(b, loc, right));
  }

  Value times(Value value, unsigned factor) {
    return arith::MulIOp::create(b, loc, value, constantI32(b, loc, factor));
  }
  Value plus(Value value, unsigned summand) {
    return arith::AddIOp::create(b, loc, value, constantI32(b, loc, summand));
  }
  Value divide(Value value, unsigned divisor) {
    return arith::DivUIOp::create(b, loc, value, constantI32(b, loc, divisor));
  }
  Value remainder(Value value, unsigned divisor) {
    return arith::RemUIOp::create(b, loc, value, constantI32(b, loc, divisor));
  }

  Op op;
  OpBuilder &b;
  Location loc;
  Arrangement arrangement;
  unsigned wordBits;
  Value lane;
  const ElementMemory &memory;
  Value base;
};

} // namespace

void pumice::gen::emulateBlock(BlockLoad2DOp op, const ElementMemory &memory) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type word = getElementTypeOrSelf(op.getType());
  PlacesOf<BlockLoad2DOp> block(op, b, memory, word, op.getArrangement());
  Type element = block.elementType();
  Value none = arith::ConstantOp::create(b, loc, b.getIntegerAttr(element, 0));
  SmallVector<Value> words;
  for (unsigned number = 0; number < countOf(op.getType()); ++number) {
    Value all;
    for (unsigned part = 0; part < block.elementsPerWord(); ++part) {
      Place place = block.place(number, part);
      Value loaded = memory.load(b, loc, place.address, element);
      loaded = arith::SelectOp::create(b, loc, place.inside, loaded, none);
      if (element != word)
        loaded = arith::ExtUIOp::create(b, loc, word, loaded);
      if (part) {
        Value places =
            arith::ConstantOp::create(b, loc, b.getIntegerAttr(word, part * op.getBits()));
        loaded = arith::ShLIOp::create(b, loc, loaded, places);
      }
      all = all ? Value(arith::OrIOp::create(b, loc, all, loaded)) : loaded;
    }
    words.push_back(all);
  }
  op.getResult().replaceAllUsesWith(fromElements(b, loc, op.getType(), words));
  op.erase();
}

void pumice::gen::emulateBlock(BlockStore2DOp op, const ElementMemory &memory) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type type = op.getValue().getType();
  PlacesOf<BlockStore2DOp> block(op, b, memory, getElementTypeOrSelf(type), Arrangement::Plain);
  for (unsigned number = 0; number < countOf(type); ++number) {
    Value word = elementOf(b, loc, op.getValue(), number);
    for (unsigned part = 0; part < block.elementsPerWord(); ++part) {
      Place place = block.place(number, part);
      Value element = bitsOf(b, loc, word, part * op.getBits(), block.elementType());
      auto guarded = scf::IfOp::create(b, loc, place.inside);
      OpBuilder inner = guarded.getThenBodyBuilder();
      memory.store(inner, loc, element, place.address);
    }
  }
  op.erase();
}

//===-------------------------------------------------------------------------===//
// Consecutive elements
//===-------------------------------------------------------------------------===//

/// Returns the addresses of a work-item's elements.
static SmallVector<Value> addresses(OpBuilder &b, Location loc, const ElementMemory &memory,
                                    Value operand, Type type) {
  Value base = memory.address(b, loc, operand);
  Value lane = SubGroupLocalIdOp::create(b, loc, b.getI32Type());
  Value lanes = SubGroupSizeOp::create(b, loc, b.getI32Type());
  Value bytes = constantI32(b, loc, bytesOf(getElementTypeOrSelf(type)));
  SmallVector<Value> result;
  for (unsigned number = 0; number < countOf(type); ++number) {
    Value first = arith::MulIOp::create(b, loc, lanes, constantI32(b, loc, number));
    Value element = arith::AddIOp::create(b, loc, first, lane);
    Value offset = arith::MulIOp::create(b, loc, element, bytes);
    result.push_back(arith::AddIOp::create(b, loc, base, memory.extend(b, loc, offset)));
  }
  return result;
}

void pumice::gen::emulateBlock(SubGroupBlockReadOp op, const ElementMemory &memory) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> elements;
  for (Value each : addresses(b, loc, memory, op.getAddress(), op.getType()))
    elements.push_back(memory.load(b, loc, each, getElementTypeOrSelf(op.getType())));
  op.getResult().replaceAllUsesWith(fromElements(b, loc, op.getType(), elements));
  op.erase();
}

void pumice::gen::emulateBlock(SubGroupBlockWriteOp op, const ElementMemory &memory) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  for (auto [number, each] :
       llvm::enumerate(addresses(b, loc, memory, op.getAddress(), op.getValue().getType())))
    memory.store(b, loc, elementOf(b, loc, op.getValue(), number), each);
  op.erase();
}
