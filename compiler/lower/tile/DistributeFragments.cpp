//===- DistributeFragments.cpp - products of fragments ----------------------===//
//   before: %d = tile.dot %a, %b, %c : … -> tensor<64x64xf32, #fragments>
//   after:  gpu.barrier; stores the registers of %a and %b to workgroup memory; gpu.barrier
//           for each step of the depth, unrolled
//             %x = vk.load_factor …  (the rows of this subgroup's fragments)
//             %y = vk.load_factor …  (their columns)
//             %s = vk.multiply_factors %x, %y, %s for each fragment
//
// A fragment is the part of a matrix that one cooperative matrix holds. Its elements are registers
// of the lanes, in the layout that a probe measured. Sums are made from registers and converted
// back to registers. CarryFragments.cpp removes these conversions from loops.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/lower/tile/FragmentProducts.h"
#include "compiler/lower/tile/TilePatterns.h"
#include "compiler/lower/tile/WorkgroupMemory.h"
#include "compiler/target/MatrixText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;
using tile::LinearLayout;

//===-------------------------------------------------------------------------===//
// Selects products, and lays out their memory
//===-------------------------------------------------------------------------===//

static tile::ProductShape shapeOf(tile::DotOp op) {
  auto size = [](Value factor, unsigned dimension) {
    return static_cast<uint64_t>(cast<RankedTensorType>(factor.getType()).getDimSize(dimension));
  };
  return {size(op.getA(), 0), size(op.getB(), 1), size(op.getA(), 1)};
}

std::optional<tile::ProductFragment> pumice::lower::tiles::fragmentOf(tile::DotOp op) {
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  if (op.getResult().getType().getRank() != 2 || !module || !module->hasAttr(vk::targetEnvAttrName))
    return std::nullopt;
  FailureOr<target::TargetEnv> env = vk::lookupTarget(module);
  if (failed(env))
    return std::nullopt;
  std::optional<tile::ProductTypes> types =
      tile::productTypes(op.getA().getType().getElementType(), op.getB().getType().getElementType(),
                         op.getResult().getType().getElementType());
  if (!types)
    return std::nullopt;
  const LinearLayout &layout = layoutOf(op.getResult().getType());
  std::optional<tile::ProductFragment> fragment =
      productFragment(*env, *types, shapeOf(op), uint64_t(1) << layout.input(tile::laneSpace).bits);
  return fragment && fragmentsOf(layout, *fragment).isOk() ? fragment : std::nullopt;
}

bool pumice::lower::tiles::multipliesFragments(gpu::GPUFuncOp func) {
  return func
      .walk([](tile::DotOp op) {
        return fragmentOf(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

unsigned pumice::lower::tiles::contiguousDimension(const LinearLayout &layout) {
  auto along = [&](unsigned d) {
    return tile::contiguousBits(layout, tile::registerSpace, tile::dimensionName(d));
  };
  return along(0) > along(1) ? 0 : 1;
}

uint64_t pumice::lower::tiles::neighbours(const LinearLayout &layout) {
  std::string dimension = tile::dimensionName(contiguousDimension(layout));
  return uint64_t(1) << tile::contiguousBits(layout, tile::registerSpace, dimension);
}

/// Returns the type that holds an element in memory. Integers, and types without arithmetic, are
/// stored as bits.
static Type memoryElement(Type element) {
  bool isPlain = element.isF16() || element.isF32() || element.isF64();
  return isPlain ? element
                 : IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
}

StagedProduct pumice::lower::tiles::planStaging(tile::DotOp op,
                                                const tile::ProductFragment &fragment,
                                                uint64_t bytes) {
  tile::ProductShape shape = shapeOf(op);
  uint64_t unit = tile::storedBytes(op.getA().getType().getElementType());
  // The padding makes consecutive lines begin at different banks, which speeds up loads of
  // fragments.
  uint64_t padding = std::max<uint64_t>(16 / unit, 1);
  StagedProduct plan;
  plan.word = memoryElement(op.getA().getType().getElementType());
  bool holdsWords = llvm::all_of(ValueRange{op.getA(), op.getB()}, [&](Value factor) {
    return neighbours(layoutOf(factor.getType())) * unit >= 4;
  });
  if (unit < 4 && holdsWords) {
    plan.wordElements = 4 / unit;
    plan.word = IntegerType::get(op.getContext(), 32);
  }
  for (plan.depth = shape.depth;; plan.depth /= 2) {
    plan.elements = 0;
    for (unsigned which : {0u, 1u}) {
      uint64_t sizes[2] = {which ? plan.depth : shape.rows, which ? shape.columns : plan.depth};
      StagedFactor &factor = plan.factors[which];
      factor.isTransposed = contiguousDimension(layoutOf(op->getOperand(which).getType())) == 0;
      factor.first = plan.elements;
      factor.stride = sizes[factor.isTransposed ? 0 : 1] + padding;
      plan.elements += sizes[factor.isTransposed ? 1 : 0] * factor.stride;
    }
    if (plan.elements * unit <= bytes || plan.depth == fragment.shape.depth)
      return plan;
  }
}

uint64_t pumice::lower::tiles::addFragmentMemory(gpu::GPUFuncOp func, uint64_t bytes) {
  llvm::MapVector<Type, uint64_t> elements;
  func.walk([&](tile::DotOp op) {
    if (std::optional<tile::ProductFragment> fragment = fragmentOf(op)) {
      StagedProduct plan = planStaging(op, *fragment, bytes);
      uint64_t &most = elements[plan.word];
      most = std::max(most, plan.elements / plan.wordElements);
    }
  });
  uint64_t used = 0;
  for (auto [type, count] : elements) {
    addOwnAttribution(func, type, count);
    used += count * tile::storedBytes(type);
  }
  return used;
}

//===-------------------------------------------------------------------------===//
// The code
//===-------------------------------------------------------------------------===//

namespace {

/// Emits the code of one product.
class ProductCode {
public:
  ProductCode(LaneCode &code, tile::DotOp op, const tile::ProductFragment &fragment, uint64_t bytes)
      : code(code), op(op), fragment(fragment), plan(planStaging(op, fragment, bytes)),
        fragments(fragmentsOf(layoutOf(op.getResult().getType()), fragment).value()) {
    for (BlockArgument own : ownAttributions(op->getParentOfType<gpu::GPUFuncOp>()))
      if (cast<MemRefType>(own.getType()).getElementType() == plan.word)
        memory = own;
  }

  Registers multiply(ArrayRef<Value> a, ArrayRef<Value> b, ArrayRef<Value> accumulator) {
    SmallVector<Value> sums = toFragments(accumulator);
    uint64_t depth = static_cast<uint64_t>(op.getA().getType().getDimSize(1));
    for (uint64_t first = 0; first < depth; first += plan.depth) {
      gpu::BarrierOp::create(code.b); // other lanes may still read the previous contents
      stage(0, a, first);
      stage(1, b, first);
      gpu::BarrierOp::create(code.b);
      for (uint64_t step = 0; step < plan.depth; step += fragment.shape.depth)
        multiplyStep(step, sums);
    }
    return registersFrom(code, sums, accumulator.size());
  }

private:
  uint64_t fragmentCount() const {
    return uint64_t(1) << fragments.input(tile::registerSpace).bits;
  }
  SmallVector<Value> toFragments(ArrayRef<Value> registers) {
    Type type =
        gpu::MMAMatrixType::get({int64_t(fragment.shape.rows), int64_t(fragment.shape.columns)},
                                registers[0].getType(), "COp");
    return fragmentsFrom(code, registers, SmallVector<Type>(fragmentCount(), type));
  }

  /// Returns the index of the word in memory that begins with the element at `row` and `column`.
  /// These are coordinates in the current piece of the factor.
  Value placeOf(const StagedFactor &factor, Value row, Value column) {
    Value line = factor.isTransposed ? column : row, along = factor.isTransposed ? row : column;
    if (plan.wordElements > 1)
      along = arith::DivUIOp::create(code.b, along, code.constant(plan.wordElements));
    Value at =
        arith::MulIOp::create(code.b, line, code.constant(factor.stride / plan.wordElements));
    at = arith::AddIOp::create(code.b, at, along);
    at = arith::AddIOp::create(code.b, at, code.constant(factor.first / plan.wordElements));
    return arith::IndexCastOp::create(code.b, code.b.getIndexType(), at);
  }

  void store(ArrayRef<Value> neighbours, Value at) {
    if (neighbours.size() == 1) {
      memref::StoreOp::create(code.b, neighbours[0], memory, at);
      return;
    }
    Value row = code.pack(neighbours);
    int64_t words = static_cast<int64_t>(neighbours.size() / plan.wordElements);
    if (neighbours[0].getType() != plan.word)
      row = vector::BitCastOp::create(code.b, VectorType::get({words}, plan.word), row);
    vector::StoreOp::create(code.b, row, memory, at);
  }

  /// Stores the lanes' elements of the factor's piece that begins at depth `first`.
  void stage(unsigned which, ArrayRef<Value> registers, uint64_t first) {
    const StagedFactor &factor = plan.factors[which];
    const LinearLayout &layout = layoutOf(op->getOperand(which).getType());
    Type element = registers[0].getType();
    std::vector<uint64_t> unused = tile::freeBits(layout);
    auto copies = [&](std::string_view space) {
      for (size_t i = 0; i < unused.size(); ++i)
        if (layout.inputs()[i].name == space)
          return unused[i];
      return uint64_t(0);
    };
    uint64_t most = std::max<uint64_t>(16 / tile::storedBytes(element), 1);
    uint64_t count = std::min({neighbours(layout), most, plan.depth});
    std::string depthName = tile::dimensionName(1 - which);
    Condition original = code.isOriginal(copies(tile::laneSpace), copies(tile::subgroupSpace));
    OpBuilder::InsertionGuard guard(code.b);
    if (!original.known) {
      auto once = scf::IfOp::create(code.b, original.value, /*withElseRegion=*/false);
      code.b.setInsertionPointToStart(once.thenBlock());
    }
    for (uint64_t reg = 0; reg < registers.size(); reg += count) {
      if (reg & copies(tile::registerSpace))
        continue;
      OpBuilder::InsertionGuard inner(code.b);
      if (!isInPiece(layout, depthName, reg, first))
        continue;
      Value row = code.place(layout, tile::dimensionName(0), reg),
            column = code.place(layout, tile::dimensionName(1), reg);
      Value &along = which == 0 ? column : row;
      if (lanesChoosePiece(layout, depthName)) {
        Value piece = arith::AndIOp::create(code.b, along, code.constant(~(plan.depth - 1)));
        Value isHere =
            arith::CmpIOp::create(code.b, arith::CmpIPredicate::eq, piece, code.constant(first));
        auto guarded = scf::IfOp::create(code.b, isHere, /*withElseRegion=*/false);
        code.b.setInsertionPointToStart(guarded.thenBlock());
      }
      if (first)
        along = arith::SubIOp::create(code.b, along, code.constant(first));
      store(registers.slice(reg, count), placeOf(factor, row, column));
    }
  }

  /// Returns whether lanes differ in the piece of the depth to which the same register belongs.
  bool lanesChoosePiece(const LinearLayout &layout, std::string_view depthName) const {
    tile::Field depth = layout.output(depthName);
    uint64_t bits = 0;
    for (std::string_view space : {tile::laneSpace, tile::subgroupSpace})
      for (uint64_t image : layout.columns(space))
        bits |= depth.of(image);
    return bits >= plan.depth;
  }

  /// Returns false if the register's number alone shows that it is outside the piece. If lanes
  /// choose the piece, returns true, and lanes must test it.
  bool isInPiece(const LinearLayout &layout, std::string_view depthName, uint64_t reg,
                 uint64_t first) const {
    if (lanesChoosePiece(layout, depthName))
      return true;
    uint64_t at =
        layout.output(depthName).of(tile::combine(layout.columns(tile::registerSpace), reg));
    return (at & ~(plan.depth - 1)) == first;
  }

  /// Loads the part of a factor that fragment `f` of the result needs: the same rows (of a) or
  /// columns (of b).
  Value loadFactor(unsigned which, uint64_t f, uint64_t step) {
    const StagedFactor &factor = plan.factors[which];
    const tile::ProductShape &shape = fragment.shape;
    Value line = code.place(fragments, tile::dimensionName(which), f);
    line = arith::MulIOp::create(code.b, line, code.constant(which ? shape.columns : shape.rows));
    Value along = code.constant(step);
    Value at = which ? placeOf(factor, along, line) : placeOf(factor, line, along);
    Type element = op.getA().getType().getElementType();
    if (element.isInteger())
      element = IntegerType::get(code.b.getContext(), element.getIntOrFloatBitWidth(),
                                 IntegerType::Signed);
    auto type = vk::FactorType::get(code.b.getContext(), int64_t(which ? shape.depth : shape.rows),
                                    int64_t(which ? shape.columns : shape.depth), element,
                                    /*isSecond=*/which == 1);
    return vk::LoadFactorOp::create(code.b, type, memory, at,
                                    static_cast<int32_t>(factor.stride / plan.wordElements),
                                    factor.isTransposed);
  }

  void multiplyStep(uint64_t step, MutableArrayRef<Value> sums) {
    std::map<uint64_t, Value> factors[2]; // by the number of the first row or column
    auto factorOf = [&](unsigned which, uint64_t f) {
      uint64_t place = fragments.output(tile::dimensionName(which))
                           .of(tile::combine(fragments.columns(tile::registerSpace), f));
      Value &known = factors[which][place];
      if (!known)
        known = loadFactor(which, f, step);
      return known;
    };
    for (unsigned which : {0u, 1u}) // all loads come first, so that no load waits for a product
      for (uint64_t f = 0; f < sums.size(); ++f)
        factorOf(which, f);
    for (uint64_t f = 0; f < sums.size(); ++f)
      sums[f] = vk::MultiplyFactorsOp::create(code.b, sums[f].getType(), factorOf(0, f),
                                              factorOf(1, f), sums[f]);
  }

  LaneCode &code;
  tile::DotOp op;
  const tile::ProductFragment &fragment;
  StagedProduct plan;
  LinearLayout fragments;
  Value memory;
};

struct DistributeFragmentProduct final : OpConversionPattern<tile::DotOp> {
  // This pattern has a higher benefit than the one for all products, so it matches first.
  DistributeFragmentProduct(const TypeConverter &types, MLIRContext *context, uint64_t bytes)
      : OpConversionPattern(types, context, /*benefit=*/2), bytes(bytes) {}

  LogicalResult matchAndRewrite(tile::DotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<tile::ProductFragment> fragment = fragmentOf(op);
    if (!fragment)
      return rewriter.notifyMatchFailure(op, "its result is not held as fragments");
    LaneCode code = laneCode(rewriter, op, layoutOf(op.getResult().getType()));
    relyOn(op->getParentOfType<gpu::GPUFuncOp>(), fragment->map);
    ProductCode product(code, op, *fragment, bytes);
    rewriter.replaceOp(op, code.pack(product.multiply(code.unpack(asStored(code.b, adaptor.getA())),
                                                      code.unpack(asStored(code.b, adaptor.getB())),
                                                      code.unpack(adaptor.getAccumulator()))));
    return success();
  }

  /// Converts a factor to its stored type as whole vectors, so that the cast cancels the cast after
  /// the load.
  static Value asStored(ImplicitLocOpBuilder &b, Value factor) {
    auto type = cast<VectorType>(factor.getType());
    Type stored = memoryElement(type.getElementType());
    return stored == type.getElementType()
               ? factor
               : arith::BitcastOp::create(b, type.clone(stored), factor).getResult();
  }

  uint64_t bytes;
};

} // namespace

void pumice::lower::tiles::relyOn(gpu::GPUFuncOp func, const target::FragmentMap &map) {
  Builder b(func.getContext());
  SmallVector<Attribute> maps;
  if (auto known = func->getAttrOfType<ArrayAttr>(lower::measuredMapsAttrName))
    llvm::append_range(maps, known);
  Attribute text = b.getStringAttr(target::toString(map));
  if (!llvm::is_contained(maps, text))
    maps.push_back(text);
  func->setAttr(lower::measuredMapsAttrName, b.getArrayAttr(maps));
}

void pumice::lower::tiles::addFragmentPatterns(const TypeConverter &types,
                                               RewritePatternSet &patterns, uint64_t bytes) {
  patterns.add<DistributeFragmentProduct>(types, patterns.getContext(), bytes);
}
