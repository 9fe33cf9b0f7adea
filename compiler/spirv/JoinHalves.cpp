//===- JoinHalves.cpp - joins two halves of 16 bytes ------------------------===//
//   before: %a = spirv.Load "PhysicalStorageBuffer" %p     ["Aligned", 16] : vector<4xf16>
//           %b = spirv.Load "PhysicalStorageBuffer" %p + 4 ["Aligned", 8]  : vector<4xf16>
//   after:  %w = spirv.Load "PhysicalStorageBuffer" %q     ["Aligned", 16] : vector<4xi32>
//           %a, %b = the halves of %w
// SPIR-V has no vectors of eight elements, so eight halves need two accesses, which drivers do not
// join. This pass joins them, because a pointer to memory may be cast to a pointer to any type.
// Only arithmetic may be between the two accesses.
// Needs: ConvertToSpirv.
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/Passes.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace pumice::spirv {
#define GEN_PASS_DEF_JOINHALVES
#include "compiler/spirv/Passes.h.inc"
} // namespace pumice::spirv

using namespace mlir;
namespace spv = mlir::spirv;

namespace {

/// An access of 8 bytes to a vector, through a pointer to an element of a buffer.
struct Half {
  Operation *op = nullptr;
  spv::AccessChainOp element;
  VectorType type;

  bool isLoad() const { return isa<spv::LoadOp>(op); }
};

/// Returns the flags and the alignment of an access.
template <typename Access> std::pair<spv::MemoryAccessAttr, IntegerAttr> flagsOf(Access access) {
  return {access.getMemoryAccessAttr(), access.getAlignmentAttr()};
}

std::pair<spv::MemoryAccessAttr, IntegerAttr> flagsOf(const Half &half) {
  return half.isLoad() ? flagsOf(cast<spv::LoadOp>(half.op)) : flagsOf(cast<spv::StoreOp>(half.op));
}

template <typename Access> bool hasVolatile(Access access) {
  return access && access.getMemoryAccess() &&
         spv::bitEnumContainsAny(*access.getMemoryAccess(), spv::MemoryAccess::Volatile);
}

bool isVolatile(Operation *op) {
  return hasVolatile(dyn_cast<spv::LoadOp>(op)) || hasVolatile(dyn_cast<spv::StoreOp>(op));
}

/// Returns whether the elements of the vector have the element type of the buffer.
bool isElement(spv::AccessChainOp element, VectorType vector) {
  Type pointee = cast<spv::PointerType>(element.getType()).getPointeeType();
  return pointee.isIntOrFloat() &&
         pointee.getIntOrFloatBitWidth() == vector.getElementTypeBitWidth();
}

std::optional<Half> halfOf(Operation *op) {
  Value pointer;
  if (auto load = dyn_cast<spv::LoadOp>(op))
    pointer = load.getPtr();
  else if (auto store = dyn_cast<spv::StoreOp>(op))
    pointer = store.getPtr();
  else
    return std::nullopt;
  auto cast = pointer.getDefiningOp<spv::BitcastOp>();
  auto element = cast ? cast.getOperand().getDefiningOp<spv::AccessChainOp>() : nullptr;
  auto type = dyn_cast<spv::PointerType>(pointer.getType());
  auto vector = type ? dyn_cast<VectorType>(type.getPointeeType()) : VectorType();
  if (!element || !vector || type.getStorageClass() != spv::StorageClass::PhysicalStorageBuffer ||
      vector.getElementTypeBitWidth() >= 32 ||
      vector.getNumElements() * vector.getElementTypeBitWidth() != 64 || isVolatile(op) ||
      !isElement(element, vector) || element.getIndices().empty())
    return std::nullopt;
  return Half{op, element, vector};
}

/// Returns whether `high` starts where `low` ends, and both have the same flags.
bool follows(const Half &low, const Half &high) {
  spv::AccessChainOp a = low.element, b = high.element;
  if (low.isLoad() != high.isLoad() || low.type != high.type || a.getBasePtr() != b.getBasePtr() ||
      a.getIndices().drop_back() != b.getIndices().drop_back())
    return false;
  auto sum = b.getIndices().back().getDefiningOp<spv::IAddOp>();
  IntegerAttr distance;
  if (!sum || sum.getOperand1() != a.getIndices().back() ||
      !matchPattern(sum.getOperand2(), m_Constant(&distance)) ||
      distance.getInt() != low.type.getNumElements())
    return false;
  auto [lowAccess, lowAlignment] = flagsOf(low);
  auto [highAccess, highAlignment] = flagsOf(high);
  return lowAccess == highAccess && lowAlignment && lowAlignment.getInt() >= 16;
}

/// Vector types with elements of 32 bits: one for all 16 bytes, and one for each half.
struct Words {
  VectorType all, half;
  explicit Words(MLIRContext *context)
      : all(VectorType::get({4}, IntegerType::get(context, 32))),
        half(VectorType::get({2}, IntegerType::get(context, 32))) {}
};

Value pointerTo(OpBuilder &b, Location loc, const Half &low, VectorType type) {
  auto pointer = spv::PointerType::get(type, spv::StorageClass::PhysicalStorageBuffer);
  spv::AccessChainOp element = low.element;
  return spv::BitcastOp::create(b, loc, pointer, element.getResult());
}

void combineLoads(OpBuilder &b, const Half &low, const Half &high, const Words &words) {
  Location loc = low.op->getLoc();
  b.setInsertionPoint(low.op);
  auto [access, alignment] = flagsOf(low);
  Value all =
      spv::LoadOp::create(b, loc, words.all, pointerTo(b, loc, low, words.all), access, alignment);
  for (auto [half, first] : {std::pair{low, 0}, {high, 2}}) {
    Value part = spv::VectorShuffleOp::create(b, loc, words.half, all, all,
                                              b.getI32ArrayAttr({first, first + 1}));
    Value value = spv::BitcastOp::create(b, loc, half.type, part);
    half.op->getResult(0).replaceAllUsesWith(value);
  }
  low.op->erase();
  high.op->erase();
}

void combineStores(OpBuilder &b, const Half &low, const Half &high, const Words &words) {
  Location loc = low.op->getLoc();
  b.setInsertionPoint(high.op);
  auto partOf = [&](const Half &half) -> Value {
    return spv::BitcastOp::create(b, loc, words.half, cast<spv::StoreOp>(half.op).getValue());
  };
  Value first = partOf(low), second = partOf(high);
  Value all = spv::VectorShuffleOp::create(b, loc, words.all, first, second,
                                           b.getI32ArrayAttr({0, 1, 2, 3}));
  auto [access, alignment] = flagsOf(low);
  spv::StoreOp::create(b, loc, pointerTo(b, loc, low, words.all), all, access, alignment);
  low.op->erase();
  high.op->erase();
}

void combineIn(Block &block) {
  OpBuilder b(block.getParentOp()->getContext());
  Words words(b.getContext());
  std::optional<Half> low;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    std::optional<Half> here = halfOf(&op);
    if (low && here && follows(*low, *here)) {
      if (here->isLoad())
        combineLoads(b, *low, *here, words);
      else
        combineStores(b, *low, *here, words);
      low.reset();
    } else if (here || !isPure(&op)) {
      low = here;
    }
  }
}

struct JoinHalves final : pumice::spirv::impl::JoinHalvesBase<JoinHalves> {
  void runOnOperation() override {
    getOperation().walk([](Block *block) { combineIn(*block); });
  }
};

} // namespace
