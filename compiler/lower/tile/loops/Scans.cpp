//===- Scans.cpp - scans of large dimensions, block by block ----------------===//
//   before: %s = tile.scan %t axis 0 : (tensor<8192xf32, #l>) -> tensor<8192xf32, #l> { addf }
//   after:  scf.for … iter_args(%total = 0) {
//             %own = tile.scan %block axis 0                 : tensor<64xf32, #block>
//             … arith.addf %total, %own …                    (this block of %s)
//             %last = tile.gather %own[63, 63, …]
//             scf.yield (arith.addf %total, %last)
//           }
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/loops/FragmentLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;

static tile::ScanOp scanBlocks(OpBuilder &b, tile::ScanOp op, ValueRange blocks) {
  auto scan = tile::ScanOp::create(b, op.getLoc(), blocks.getTypes(), blocks, op.getAxis(),
                                   op.getReverse());
  IRMapping map;
  op.getCombine().cloneInto(&scan.getCombine(), map);
  return scan;
}

/// Returns a block in which each element is the last scanned element of its row along the axis.
static Value lastOf(OpBuilder &b, tile::ScanOp op, Value block) {
  auto type = cast<RankedTensorType>(block.getType());
  int64_t last = op.getReverse() ? 0 : type.getDimSize(op.getAxis()) - 1;
  auto indices = type.clone(b.getI32Type());
  Value all = arith::ConstantOp::create(
      b, op.getLoc(),
      DenseElementsAttr::get(indices, b.getI32IntegerAttr(static_cast<int32_t>(last))));
  return tile::GatherOp::create(b, op.getLoc(), type, block, all, op.getAxis());
}

void FragmentLoops::scan(Site &site, tile::ScanOp op) {
  SmallVector<Value> blocks = llvm::map_to_vector(
      op.getOperands(), [&](Value operand) { return slice(operand, site.frame, site); });
  tile::ScanOp scanned = scanBlocks(site.builder, op, blocks);
  for (auto [whole, part] : llvm::zip_equal(op->getResults(), scanned->getResults()))
    site.known[whole].push_back({site.frame, part});
}

/// Scans a block and combines the result with the carried totals. The scan within the block does
/// not depend on the totals, so it need not wait for them.
void FragmentLoops::scan(Site &site, tile::ScanOp op, MutableArrayRef<Value> totals,
                         Value isFirst) {
  OpBuilder &b = site.builder;
  SmallVector<Value> blocks = llvm::map_to_vector(
      op.getOperands(), [&](Value operand) { return slice(operand, site.frame, site); });
  tile::ScanOp own = scanBlocks(b, op, blocks);
  SmallVector<Value> last =
      llvm::map_to_vector(own->getResults(), [&](Value part) { return lastOf(b, op, part); });
  SmallVector<Value> scanned =
      combineBlocks(b, op.getCombine(), totals, own->getResults(), isFirst);
  for (auto [whole, part] : llvm::zip_equal(op->getResults(), scanned))
    site.known[whole].push_back({site.frame, part});
  llvm::copy(combineBlocks(b, op.getCombine(), totals, last, isFirst), totals.begin());
}
