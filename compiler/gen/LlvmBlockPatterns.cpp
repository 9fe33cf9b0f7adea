//===- LlvmBlockPatterns.cpp - lowers matrices and blocks of gen to calls ---===//
// LLVM's SPIR-V backend has a function for each instruction of the extensions
// SPV_INTEL_subgroup_matrix_multiply_accumulate and SPV_INTEL_2d_block_io. It is named after the
// instruction, with `__spirv_` before it, and mangled like OpenCL's.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/gen/GenDialect.h"
#include "compiler/gen/ConversionPatterns.h"
#include "compiler/gen/MatrixOperands.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice::gen;

namespace {

constexpr unsigned globalMemory = 1; // address space of LLVM's SPIR-V targets

Value constantI32(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                  builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

template <typename Op> struct CallPattern : ConvertOpToLLVMPattern<Op> {
  CallPattern(const LLVMTypeConverter &converter, const CallStyle &style)
      : ConvertOpToLLVMPattern<Op>(converter), style(style) {}

  CallStyle style;
};

//===-------------------------------------------------------------------------===//
// Matrices
//===-------------------------------------------------------------------------===//

/// Returns `count` elements of a vector from `first` on. One element is a scalar.
Value slice(OpBuilder &builder, Location loc, Value vector, unsigned first, unsigned count) {
  if (countOf(vector.getType()) == count)
    return vector;
  if (count == 1)
    return LLVM::ExtractElementOp::create(builder, loc, vector, constantI32(builder, loc, first));
  SmallVector<int32_t> elements = llvm::to_vector(llvm::seq<int32_t>(first, first + count));
  Value unused = LLVM::PoisonOp::create(builder, loc, vector.getType());
  return LLVM::ShuffleVectorOp::create(builder, loc, vector, unused, elements);
}

/// Replaces elements of `vector` from `first` on by those of `part`.
Value replace(OpBuilder &builder, Location loc, Value vector, Value part, unsigned first) {
  unsigned count = countOf(part.getType());
  for (unsigned i = 0; i < count; ++i) {
    Value element = count == 1 ? part
                               : LLVM::ExtractElementOp::create(builder, loc, part,
                                                                constantI32(builder, loc, i));
    vector = LLVM::InsertElementOp::create(builder, loc, vector, element,
                                           constantI32(builder, loc, first + i));
  }
  return vector;
}

/// The instruction exists for 1, 2, 4 and 8 rows. Other counts become several instructions.
struct MatrixMad final : CallPattern<MatrixMadOp> {
  using CallPattern::CallPattern;

  LogicalResult matchAndRewrite(MatrixMadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getC().getType();
    bool isBits = getElementTypeOrSelf(type).isBF16(); // OpenCL C has no bf16
    Value sum = adaptor.getC();
    if (isBits)
      sum = LLVM::BitcastOp::create(rewriter, loc, withElement(type, rewriter.getI16Type()), sum);
    unsigned rows = op.getRepeatCount();
    if (llvm::isPowerOf2_32(rows)) {
      sum = multiply(op, adaptor, sum, 0, rows, rewriter);
    } else {
      Value all = LLVM::PoisonOp::create(rewriter, loc, sum.getType());
      for (unsigned first = 0; first < rows && all;) {
        unsigned count = llvm::bit_floor(rows - first);
        Value part = multiply(op, adaptor, sum, first, count, rewriter);
        all = part ? replace(rewriter, loc, all, part, first) : Value();
        first += count;
      }
      sum = all;
    }
    if (!sum)
      return failure();
    if (isBits)
      sum = LLVM::BitcastOp::create(rewriter, loc, type, sum);
    rewriter.replaceOp(op, sum);
    return success();
  }

private:
  static Type withElement(Type type, Type element) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  }

  Value multiply(MatrixMadOp op, OpAdaptor adaptor, Value sum, unsigned first, unsigned count,
                 ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    // An element of a tf32 factor's values belongs to two rows.
    unsigned rowsPerElement = op.getAType() == Precision::TF32 ? 2 : 1;
    Value a = slice(rewriter, loc, adaptor.getA(), first / rowsPerElement,
                    llvm::divideCeil(count, rowsPerElement));
    Value c = slice(rewriter, loc, sum, first, count);
    Value depth = constantI32(rewriter, loc, op.getDepth());
    Value operands = constantI32(rewriter, loc, matrixOperands(op));
    Builtin builtin = {.name = "__spirv_SubgroupMatrixMultiplyAccumulateINTEL",
                       .parameters = {{"i"},
                                      builtinType(a.getType()),
                                      builtinType(adaptor.getB().getType()),
                                      builtinType(c.getType()),
                                      {"i"}},
                       .result = c.getType(),
                       .convergent = true};
    LLVM::CallOp call =
        callBuiltin(rewriter, op, builtin, {depth, a, adaptor.getB(), c, operands}, style);
    return call ? call.getResult() : Value();
  }
};

//===-------------------------------------------------------------------------===//
// Two-dimensional blocks
//===-------------------------------------------------------------------------===//

/// Returns an address as a pointer to global memory.
Value toPointer(OpBuilder &builder, Location loc, Value address) {
  auto global = LLVM::LLVMPointerType::get(builder.getContext(), globalMemory);
  if (address.getType() == global)
    return address;
  if (isa<LLVM::LLVMPointerType>(address.getType()))
    return LLVM::AddrSpaceCastOp::create(builder, loc, global, address);
  return LLVM::IntToPtrOp::create(builder, loc, global, address);
}

/// Returns a variable of the work-item, at the start of the function.
Value variable(OpBuilder &builder, Operation *op, Type type) {
  OpBuilder::InsertionGuard guard(builder);
  auto function = op->getParentOfType<FunctionOpInterface>();
  builder.setInsertionPointToStart(function ? &function.getFunctionBody().front() : op->getBlock());
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return LLVM::AllocaOp::create(builder, op->getLoc(), pointer, type,
                                constantI32(builder, op->getLoc(), 1));
}

/// The arguments and types of a block, in the order of the instructions.
struct BlockCall {
  SmallVector<Value> arguments;
  SmallVector<BuiltinType> types;

  void add(Value value, BuiltinType type) {
    arguments.push_back(value);
    types.push_back(type);
  }
};

template <typename Op, typename Adaptor>
BlockCall describeShape(OpBuilder &builder, Op op, unsigned blocks) {
  BlockCall call;
  for (unsigned number : {op.getBits() / 8, op.getColumns(), op.getRows(), blocks})
    call.add(constantI32(builder, op.getLoc(), number), {"i"});
  return call;
}

template <typename Adaptor>
void addMatrix(OpBuilder &builder, Location loc, Adaptor adaptor, bool isConst, BlockCall &call) {
  call.add(toPointer(builder, loc, adaptor.getBase()),
           {.code = "v", .pointsTo = globalMemory, .isConst = isConst});
  call.add(adaptor.getWidth(), {"i"});
  call.add(adaptor.getHeight(), {"i"});
  call.add(adaptor.getPitch(), {"i"});
  auto pair = VectorType::get({2}, builder.getI32Type());
  Value position = LLVM::PoisonOp::create(builder, loc, pair);
  position = LLVM::InsertElementOp::create(builder, loc, position, adaptor.getX(),
                                           constantI32(builder, loc, 0));
  position = LLVM::InsertElementOp::create(builder, loc, position, adaptor.getY(),
                                           constantI32(builder, loc, 1));
  call.add(position, {.code = "i", .lanes = 2});
}

template <typename Op> struct BlockPattern : CallPattern<Op> {
  using CallPattern<Op>::CallPattern;

  LogicalResult emit(Op op, StringRef name, const BlockCall &call,
                     ConversionPatternRewriter &rewriter) const {
    Builtin builtin = {.name = name, .parameters = call.types, .convergent = true};
    return success(callBuiltin(rewriter, op, builtin, call.arguments, this->style) != nullptr);
  }
};

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

struct BlockLoad final : BlockPattern<BlockLoad2DOp> {
  using BlockPattern::BlockPattern;

  LogicalResult matchAndRewrite(BlockLoad2DOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value loaded = variable(rewriter, op, op.getType());
    BlockCall call = describeShape<BlockLoad2DOp, OpAdaptor>(rewriter, op, op.getBlocks());
    addMatrix(rewriter, loc, adaptor, /*isConst=*/true, call);
    call.add(loaded, {.code = "v", .pointsTo = 0});
    if (failed(emit(op, instructionOf(op.getArrangement()), call, rewriter)))
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, op.getType(), loaded);
    return success();
  }
};

struct BlockStore final : BlockPattern<BlockStore2DOp> {
  using BlockPattern::BlockPattern;

  LogicalResult matchAndRewrite(BlockStore2DOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value stored = variable(rewriter, op, op.getValue().getType());
    LLVM::StoreOp::create(rewriter, loc, adaptor.getValue(), stored);
    BlockCall call = describeShape<BlockStore2DOp, OpAdaptor>(rewriter, op, 1);
    call.add(stored, {.code = "v", .pointsTo = 0, .isConst = true});
    addMatrix(rewriter, loc, adaptor, /*isConst=*/false, call);
    if (failed(emit(op, "__spirv_Subgroup2DBlockStoreINTEL", call, rewriter)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

struct BlockPrefetch final : BlockPattern<BlockPrefetch2DOp> {
  using BlockPattern::BlockPattern;

  LogicalResult matchAndRewrite(BlockPrefetch2DOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    BlockCall call = describeShape<BlockPrefetch2DOp, OpAdaptor>(rewriter, op, op.getBlocks());
    addMatrix(rewriter, op.getLoc(), adaptor, /*isConst=*/true, call);
    if (failed(emit(op, "__spirv_Subgroup2DBlockPrefetchINTEL", call, rewriter)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

//===-------------------------------------------------------------------------===//
// Consecutive elements
//===-------------------------------------------------------------------------===//

/// Returns the name of a function of cl_intel_subgroups, which ends in the type and the number of
/// elements. Words of 32 bits have no suffix.
std::string consecutiveName(StringRef start, Type type) {
  std::string name = start.str();
  switch (getElementTypeOrSelf(type).getIntOrFloatBitWidth()) {
  case 8:
    name += "_uc";
    break;
  case 16:
    name += "_us";
    break;
  case 64:
    name += "_ul";
    break;
  }
  return countOf(type) == 1 ? name : name + std::to_string(countOf(type));
}

BuiltinType elementPointer(Type type, bool isConst) {
  return {.code = typeCode(getElementTypeOrSelf(type), /*isSigned=*/false),
          .pointsTo = globalMemory,
          .isConst = isConst};
}

struct BlockRead final : CallPattern<SubGroupBlockReadOp> {
  using CallPattern::CallPattern;

  LogicalResult matchAndRewrite(SubGroupBlockReadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::string name = consecutiveName("intel_sub_group_block_read", op.getType());
    Builtin builtin = {.name = name,
                       .parameters = {elementPointer(op.getType(), /*isConst=*/true)},
                       .result = op.getType(),
                       .convergent = true};
    Value pointer = toPointer(rewriter, op.getLoc(), adaptor.getAddress());
    LLVM::CallOp call = callBuiltin(rewriter, op, builtin, pointer, style);
    if (!call)
      return failure();
    rewriter.replaceOp(op, call);
    return success();
  }
};

struct BlockWrite final : CallPattern<SubGroupBlockWriteOp> {
  using CallPattern::CallPattern;

  LogicalResult matchAndRewrite(SubGroupBlockWriteOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getValue().getType();
    std::string name = consecutiveName("intel_sub_group_block_write", type);
    Builtin builtin = {.name = name,
                       .parameters = {elementPointer(type, /*isConst=*/false),
                                      builtinType(type, /*isSigned=*/false)},
                       .convergent = true};
    Value pointer = toPointer(rewriter, op.getLoc(), adaptor.getAddress());
    if (!callBuiltin(rewriter, op, builtin, {pointer, adaptor.getValue()}, style))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void pumice::gen::populateGenBlocksToLlvmPatterns(const LLVMTypeConverter &converter,
                                                  const CallStyle &style,
                                                  RewritePatternSet &patterns) {
  patterns.add<MatrixMad, BlockLoad, BlockStore, BlockPrefetch, BlockRead, BlockWrite>(converter,
                                                                                       style);
}
