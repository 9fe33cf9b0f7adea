//===- DistributeArrays.cpp - registers in a lane's private memory ----------===//
//   before: %t = tile.array_load %a[%i] [0, 1] : memref<64xf32, #private> -> tensor<16xf32, #l>
//   after:  %x = memref.load %a[%i]
//           %y = memref.load %a[%i + 1]
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/TilePatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;

static Value placeOf(LaneCode &code, Value first, int32_t reg) {
  Value place =
      arith::AddIOp::create(code.b, first, code.constant(static_cast<uint64_t>(int64_t(reg))));
  return arith::IndexCastOp::create(code.b, code.b.getIndexType(), place);
}

namespace {

struct DistributeArrayLoad final : OpConversionPattern<tile::ArrayLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::ArrayLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LaneCode code = laneCode(rewriter, op, tile::layoutOf(op.getResult().getType()));
    Registers loaded;
    for (int32_t reg : op.getRegisters()) {
      Value value = memref::LoadOp::create(code.b, adaptor.getArray(),
                                           placeOf(code, adaptor.getFirst(), reg));
      if (op.getResult().getType().getElementType().isInteger(1))
        value = arith::TruncIOp::create(code.b, code.b.getI1Type(), value);
      loaded.push_back(value);
    }
    rewriter.replaceOp(op, code.pack(loaded));
    return success();
  }
};

struct DistributeArrayStore final : OpConversionPattern<tile::ArrayStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::ArrayStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LaneCode code = laneCode(rewriter, op, tile::layoutOf(op.getValue().getType()));
    for (auto [reg, value] : llvm::zip_equal(op.getRegisters(), code.unpack(adaptor.getValue()))) {
      Value stored = value;
      if (stored.getType().isInteger(1))
        stored = arith::ExtUIOp::create(code.b, code.b.getI8Type(), stored);
      memref::StoreOp::create(code.b, stored, adaptor.getArray(),
                              placeOf(code, adaptor.getFirst(), reg));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void pumice::lower::tiles::addArrayPatterns(const TypeConverter &types,
                                            RewritePatternSet &patterns) {
  patterns.add<DistributeArrayLoad, DistributeArrayStore>(types, patterns.getContext());
}
