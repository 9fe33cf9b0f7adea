//===- SpirvBlockPatterns.cpp - lowers matrices and blocks of gen to SPIR-V -===//
// MLIR's spirv dialect lacks the instructions of SPV_INTEL_subgroup_matrix_multiply_accumulate and
// SPV_INTEL_2d_block_io. They are calls of imported functions here, which have the names that
// LLVM's backend knows. `writeIntelInstructions` replaces the calls in the finished module.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/gen/GenDialect.h"
#include "compiler/gen/ConversionPatterns.h"
#include "compiler/gen/MatrixOperands.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace pumice::gen;

namespace {

Value constantI32(OpBuilder &builder, Location loc, int64_t value) {
  return spirv::ConstantOp::create(builder, loc, builder.getI32Type(),
                                   builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

/// Arguments of an instruction, and the types that name its function.
struct Arguments {
  SmallVector<Value> values;
  SmallVector<BuiltinType> types;

  void add(Value value, BuiltinType type) {
    values.push_back(value);
    types.push_back(type);
  }
};

/// Calls the imported function that represents an instruction.
spirv::FunctionCallOp call(ConversionPatternRewriter &rewriter, Operation *op, StringRef name,
                           const Arguments &arguments, TypeRange results) {
  std::string symbol = mangle(name, arguments.types);
  Operation *module = SymbolTable::getNearestSymbolTable(op);
  if (!SymbolTable::lookupSymbolIn(module, symbol)) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&module->getRegion(0).front());
    auto type = rewriter.getFunctionType(ValueRange(arguments.values).getTypes(), results);
    auto function = spirv::FuncOp::create(rewriter, op->getLoc(), symbol, type);
    auto import = spirv::LinkageTypeAttr::get(rewriter.getContext(), spirv::LinkageType::Import);
    function.setLinkageAttributesAttr(spirv::LinkageAttributesAttr::get(
        rewriter.getContext(), rewriter.getStringAttr(symbol), import));
  }
  NamedAttribute callee =
      rewriter.getNamedAttr("callee", FlatSymbolRefAttr::get(rewriter.getContext(), symbol));
  return spirv::FunctionCallOp::create(rewriter, op->getLoc(), results, arguments.values, callee);
}

/// The instruction exists for 1, 2, 4 and 8 rows, and SPIR-V has no vectors for others, except 3.
struct MatrixMad final : OpConversionPattern<MatrixMadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MatrixMadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (!llvm::isPowerOf2_32(op.getRepeatCount()))
      return op.emitError("SPIR-V multiplies matrices of 1, 2, 4 or 8 rows, got ")
             << op.getRepeatCount() << ": use one of these";
    Type type = op.getC().getType();
    Value sum = adaptor.getC();
    if (getElementTypeOrSelf(type).isBF16()) {
      Type half = rewriter.getI16Type();
      auto vector = dyn_cast<VectorType>(type);
      sum = spirv::BitcastOp::create(rewriter, loc, vector ? Type(vector.clone(half)) : half, sum);
    }
    Arguments arguments;
    arguments.add(constantI32(rewriter, loc, op.getDepth()), {"i"});
    for (Value matrix : {adaptor.getA(), adaptor.getB(), sum})
      arguments.add(matrix, builtinType(matrix.getType()));
    arguments.add(constantI32(rewriter, loc, matrixOperands(op)), {"i"});
    Value result = call(rewriter, op, "__spirv_SubgroupMatrixMultiplyAccumulateINTEL", arguments,
                        sum.getType())
                       .getResult(0);
    if (sum.getType() != type)
      result = spirv::BitcastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

//===-------------------------------------------------------------------------===//
// Two-dimensional blocks
//===-------------------------------------------------------------------------===//

Value toPointer(OpBuilder &builder, Location loc, Value address, Type element) {
  auto pointer = spirv::PointerType::get(element, spirv::StorageClass::CrossWorkgroup);
  return spirv::ConvertUToPtrOp::create(builder, loc, pointer, address);
}

/// Returns a variable of the work-item, at the start of the function.
Value variable(OpBuilder &builder, Operation *op, Type type) {
  OpBuilder::InsertionGuard guard(builder);
  auto function = op->getParentOfType<FunctionOpInterface>();
  builder.setInsertionPointToStart(function ? &function.getFunctionBody().front() : op->getBlock());
  auto pointer = spirv::PointerType::get(type, spirv::StorageClass::Function);
  return spirv::VariableOp::create(builder, op->getLoc(), pointer, spirv::StorageClass::Function,
                                   /*initializer=*/Value());
}

template <typename Op> Arguments shapeOf(OpBuilder &builder, Op op, unsigned blocks) {
  Arguments arguments;
  for (unsigned number : {op.getBits() / 8, op.getColumns(), op.getRows(), blocks})
    arguments.add(constantI32(builder, op.getLoc(), number), {"i"});
  return arguments;
}

/// Adds the matrix in memory, whose pointer is one to bytes.
template <typename Adaptor>
void addMatrix(OpBuilder &builder, Location loc, Adaptor adaptor, bool isConst,
               Arguments &arguments) {
  arguments.add(toPointer(builder, loc, adaptor.getBase(), builder.getIntegerType(8)),
                {.code = "v", .pointsTo = 1, .isConst = isConst});
  for (Value size : {adaptor.getWidth(), adaptor.getHeight(), adaptor.getPitch()})
    arguments.add(size, {"i"});
  auto pair = VectorType::get({2}, builder.getI32Type());
  Value position = spirv::CompositeConstructOp::create(builder, loc, pair,
                                                       ValueRange{adaptor.getX(), adaptor.getY()});
  arguments.add(position, {.code = "i", .lanes = 2});
}

StringRef instructionOf(Arrangement arrangement) {
  switch (arrangement) {
  case Arrangement::Plain:
    return "__spirv_Subgroup2DBlockLoadINTEL";
  case Arrangement::Transposed:
    return "__spirv_Subgroup2DBlockLoadTransposeINTEL";
  case Arrangement::Transformed:
    return "__spirv_Subgroup2DBlockLoadTransformINTEL";
  }
  llvm_unreachable("three arrangements");
}

struct BlockLoad final : OpConversionPattern<BlockLoad2DOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BlockLoad2DOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value loaded = variable(rewriter, op, op.getType());
    Arguments arguments = shapeOf(rewriter, op, op.getBlocks());
    addMatrix(rewriter, op.getLoc(), adaptor, /*isConst=*/true, arguments);
    arguments.add(loaded, {.code = "v", .pointsTo = 0});
    call(rewriter, op, instructionOf(op.getArrangement()), arguments, {});
    rewriter.replaceOpWithNewOp<spirv::LoadOp>(op, loaded);
    return success();
  }
};

struct BlockStore final : OpConversionPattern<BlockStore2DOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BlockStore2DOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value stored = variable(rewriter, op, op.getValue().getType());
    spirv::StoreOp::create(rewriter, op.getLoc(), stored, adaptor.getValue());
    Arguments arguments = shapeOf(rewriter, op, 1);
    arguments.add(stored, {.code = "v", .pointsTo = 0, .isConst = true});
    addMatrix(rewriter, op.getLoc(), adaptor, /*isConst=*/false, arguments);
    call(rewriter, op, "__spirv_Subgroup2DBlockStoreINTEL", arguments, {});
    rewriter.eraseOp(op);
    return success();
  }
};

struct BlockPrefetch final : OpConversionPattern<BlockPrefetch2DOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BlockPrefetch2DOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Arguments arguments = shapeOf(rewriter, op, op.getBlocks());
    addMatrix(rewriter, op.getLoc(), adaptor, /*isConst=*/true, arguments);
    call(rewriter, op, "__spirv_Subgroup2DBlockPrefetchINTEL", arguments, {});
    rewriter.eraseOp(op);
    return success();
  }
};

//===-------------------------------------------------------------------------===//
// Consecutive elements
//===-------------------------------------------------------------------------===//

struct BlockRead final : OpConversionPattern<SubGroupBlockReadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SubGroupBlockReadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value pointer =
        toPointer(rewriter, op.getLoc(), adaptor.getAddress(), getElementTypeOrSelf(op.getType()));
    rewriter.replaceOpWithNewOp<spirv::INTELSubgroupBlockReadOp>(op, op.getType(), pointer);
    return success();
  }
};

struct BlockWrite final : OpConversionPattern<SubGroupBlockWriteOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SubGroupBlockWriteOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value pointer = toPointer(rewriter, op.getLoc(), adaptor.getAddress(),
                              getElementTypeOrSelf(op.getValue().getType()));
    rewriter.replaceOpWithNewOp<spirv::INTELSubgroupBlockWriteOp>(op, pointer, adaptor.getValue());
    return success();
  }
};

} // namespace

void pumice::gen::populateGenBlocksToSpirvPatterns(const SPIRVTypeConverter &converter,
                                                   RewritePatternSet &patterns) {
  patterns.add<MatrixMad, BlockLoad, BlockStore, BlockPrefetch, BlockRead, BlockWrite>(
      converter, patterns.getContext());
}
