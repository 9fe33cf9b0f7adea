//===- DistributeStages.cpp - parts of a pipelined product ------------------===//
//   before: tile.stage %a to %m[%slot] dimension 1 first 32 depth 32 …
//   after:  each lane stores its elements of the piece, 16 bytes at a time
//
// PipelineProducts.cpp makes these operations. A product's sums become matrices and tensors again
// by insertions and extractions, as in DistributeFragments.cpp.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/lower/tile/FragmentProducts.h"
#include "compiler/lower/tile/TilePatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;
using tile::LinearLayout;

Value pumice::lower::tiles::wordOf(LaneCode &code, const StagedPiece &piece, Value line,
                                   Value along, uint64_t elements) {
  // Numbers count vectors of 16 bytes, so that later passes see that each access is aligned.
  uint64_t inVector = 16 / piece.elementBytes;
  Value at = arith::MulIOp::create(code.b, line, code.constant(piece.stride / 4));
  Value vector = arith::DivUIOp::create(code.b, along, code.constant(inVector));
  at = arith::AddIOp::create(code.b, at, vector);
  at = arith::AddIOp::create(code.b, at, code.constant(piece.offset / 4));
  at = arith::AddIOp::create(code.b, at, piece.slot);
  at = arith::MulIOp::create(code.b, at, code.constant(4));
  if (elements < inVector) {
    Value rest = arith::AndIOp::create(code.b, along, code.constant(inVector - 1));
    rest = arith::DivUIOp::create(code.b, rest, code.constant(4 / piece.elementBytes));
    at = arith::AddIOp::create(code.b, at, rest);
  }
  return arith::IndexCastOp::create(code.b, code.b.getIndexType(), at);
}

std::optional<uint64_t> pumice::lower::tiles::pieceOfRegister(const LinearLayout &layout,
                                                              std::string_view dimension,
                                                              uint64_t reg, uint64_t depth) {
  tile::Field field = layout.output(dimension);
  for (std::string_view space : {tile::laneSpace, tile::subgroupSpace})
    for (uint64_t image : layout.columns(space))
      if (field.of(image) >= depth)
        return std::nullopt;
  return field.of(tile::combine(layout.columns(tile::registerSpace), reg)) / depth;
}

namespace {

struct DistributeStage final : OpConversionPattern<tile::StageOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::StageOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const LinearLayout &layout = layoutOf(op.getTensor().getType());
    LaneCode code = laneCode(rewriter, op, layout);
    auto vector = cast<VectorType>(adaptor.getTensor().getType());
    unsigned bytes = tile::storedBytes(vector.getElementType());
    Value tensor = adaptor.getTensor();
    if (!vector.getElementType().isF16()) // whole vectors, so that casts after loads are undone
      tensor = arith::BitcastOp::create(
          code.b, vector.clone(code.b.getIntegerType(vector.getElementTypeBitWidth())), tensor);
    Registers registers = code.unpack(tensor);
    std::vector<uint64_t> unused = tile::freeBits(layout);
    auto copies = [&](std::string_view space) {
      for (size_t i = 0; i < unused.size(); ++i)
        if (layout.inputs()[i].name == space)
          return unused[i];
      return uint64_t(0);
    };
    Condition original = code.isOriginal(copies(tile::laneSpace), copies(tile::subgroupSpace));
    if (!original.known) {
      auto once = scf::IfOp::create(code.b, original.value, /*withElseRegion=*/false);
      code.b.setInsertionPointToStart(once.thenBlock());
    }
    uint64_t count = std::min<uint64_t>(16 / bytes, neighbours(layout));
    std::string depthName = tile::dimensionName(op.getDimension());
    StagedPiece piece{op.getSlot(), op.getOffset(), op.getStride(), bytes};
    for (uint64_t reg = 0; reg < registers.size(); reg += count) {
      if ((reg & copies(tile::registerSpace)) ||
          pieceOfRegister(layout, depthName, reg, op.getDepth()) != op.getFirst() / op.getDepth())
        continue;
      Value place[2];
      for (unsigned d : {0u, 1u})
        place[d] = code.place(layout, tile::dimensionName(d), reg);
      if (op.getFirst())
        place[op.getDimension()] =
            arith::SubIOp::create(code.b, place[op.getDimension()], code.constant(op.getFirst()));
      bool isTransposed = op.getTransposed();
      Value at =
          wordOf(code, piece, place[isTransposed ? 1 : 0], place[isTransposed ? 0 : 1], count);
      Value row = code.pack(ArrayRef(registers).slice(reg, count));
      row = vector::BitCastOp::create(
          code.b, VectorType::get({int64_t(count * bytes / 4)}, code.b.getI32Type()), row);
      vector::StoreOp::create(code.b, row, op.getMemory(), at);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct DistributeToFragments final : OpConversionPattern<tile::ToFragmentsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::ToFragmentsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LaneCode code = laneCode(rewriter, op, layoutOf(op.getTensor().getType()));
    rewriter.replaceOp(
        op, fragmentsFrom(code, code.unpack(adaptor.getTensor()), op.getFragments().getTypes()));
    return success();
  }
};

struct DistributeFromFragments final : OpConversionPattern<tile::FromFragmentsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::FromFragmentsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const LinearLayout &layout = layoutOf(op.getTensor().getType());
    LaneCode code = laneCode(rewriter, op, layout);
    rewriter.replaceOp(
        op, code.pack(registersFrom(code, adaptor.getFragments(), registerCount(layout))));
    return success();
  }
};

} // namespace

SmallVector<Value> pumice::lower::tiles::fragmentsFrom(LaneCode &code, ArrayRef<Value> registers,
                                                       TypeRange types) {
  SmallVector<Value> result;
  size_t components = registers.size() / types.size();
  for (auto [f, type] : llvm::enumerate(types)) {
    Value zero = arith::ConstantOp::create(code.b, code.b.getZeroAttr(registers[0].getType()));
    Value matrix = gpu::SubgroupMmaConstantMatrixOp::create(code.b, type, zero);
    for (size_t c = 0; c < components; ++c)
      matrix = gpu::SubgroupMmaInsertThreadLocalOp::create(
          code.b, type, registers[f * components + c], matrix,
          ValueRange{arith::ConstantIndexOp::create(code.b, int64_t(c))});
    result.push_back(matrix);
  }
  return result;
}

Registers pumice::lower::tiles::registersFrom(LaneCode &code, ValueRange matrices,
                                              uint64_t registers) {
  Registers result;
  for (Value matrix : matrices)
    for (uint64_t c = 0; c < registers / matrices.size(); ++c)
      result.push_back(gpu::SubgroupMmaExtractThreadLocalOp::create(
          code.b, cast<gpu::MMAMatrixType>(matrix.getType()).getElementType(), matrix,
          ValueRange{arith::ConstantIndexOp::create(code.b, int64_t(c))}));
  return result;
}

void pumice::lower::tiles::addStagePatterns(const TypeConverter &types,
                                            RewritePatternSet &patterns) {
  patterns.add<DistributeStage, DistributeToFragments, DistributeFromFragments>(
      types, patterns.getContext());
}
