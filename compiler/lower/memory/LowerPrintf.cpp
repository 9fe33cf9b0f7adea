//===- LowerPrintf.cpp - appends the output of gpu.printf to a buffer -------===//
//   before: gpu.printf "x = %f\n", %x : f32
//   after:  %used = memref.atomic_rmw addi %c2, %printf[%c0]
//           scf.if %used + 3 <= memref.dim %printf {
//             memref.store (2 << 16 | format), %printf[%used + 1]
//             memref.store (arith.bitcast %x : f32 to i32), %printf[%used + 2] }
//
// %printf : memref<?xi32> {pumice.printf_buffer} is a new last argument of the kernel. The
// attribute `pumice.printf_formats` lists the kernel's formats. docs/printf.md describes the layout
// for runtimes.
//
// Needs: one function per kernel. Leaves: no gpu.printf.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"
#include "compiler/lower/memory/PrintfFormat.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/lower/subgroup/Subgroups.h"
#include "support/EnglishText.h"

namespace pumice::lower {
#define GEN_PASS_DEF_LOWERPRINTF
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using Kind = PrintfSpecifier::Kind;

namespace {

/// Numbers the formats of one kernel. Equal formats share a number.
class FormatTable {
public:
  uint32_t idOf(StringAttr format, ArrayAttr types);
  ArrayAttr table(MLIRContext *context) const { return ArrayAttr::get(context, entries); }

private:
  DenseMap<std::pair<Attribute, Attribute>, uint32_t> ids;
  SmallVector<Attribute> entries;
};

struct LowerPrintf final : lower::impl::LowerPrintfBase<LowerPrintf> {
  void runOnOperation() override;
};

} // namespace

uint32_t FormatTable::idOf(StringAttr format, ArrayAttr types) {
  auto [it, fresh] = ids.try_emplace({format, types}, entries.size());
  if (fresh) {
    Builder b(format.getContext());
    entries.push_back(b.getDictionaryAttr({b.getNamedAttr("format", format),
                                           b.getNamedAttr("id", b.getI32IntegerAttr(it->second)),
                                           b.getNamedAttr("types", types)}));
  }
  return it->second;
}

//===-------------------------------------------------------------------------===//
// Arguments
//===-------------------------------------------------------------------------===//

static LogicalResult check(gpu::PrintfOp op, const PrintfSpecifier &specifier, Type type) {
  auto refuse = [&](const Twine &advice) {
    return op.emitError("'") << specifier.text << "' cannot print a value of type " << type << ": "
                             << advice;
  };
  bool isFloat = isa<FloatType>(type);
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (width > 64)
    return refuse("64 bits at most");
  if (specifier.kind == Kind::Float)
    return isFloat ? success() : refuse("use %d or %u, or convert it");
  if (isFloat)
    return refuse("use %f, or convert it");
  if (type.isIndex() || specifier.kind == Kind::Pointer)
    return success();
  if (specifier.kind == Kind::Character)
    return width <= 32 ? success() : refuse("a character has 32 bits at most");
  if (specifier.isLong && width <= 32)
    return refuse("the length is for 64 bits; use none");
  if (!specifier.isLong && width > 32)
    return refuse("use the length l or ll");
  return success();
}

static LogicalResult check(gpu::PrintfOp op, const PrintfFormat &format) {
  if (!format.error.empty())
    return op.emitError("printf format: ") << format.error;
  if (format.specifiers.size() != op.getArgs().size())
    return op.emitError("printf format takes ")
           << counted(format.specifiers.size(), "argument") << ", not " << op.getArgs().size();
  for (auto [specifier, arg] : llvm::zip_equal(format.specifiers, op.getArgs()))
    if (failed(check(op, specifier, arg.getType())))
      return failure();
  return success();
}

namespace {
/// Holds an argument as a record stores it: one word, or two with the low word first.
struct Words {
  StringRef type;
  SmallVector<Value, 2> words;
};
} // namespace

static Words splitInt64(OpBuilder &b, Location loc, Value value, StringRef type) {
  Value width = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
  Value high = arith::ShRUIOp::create(b, loc, value, width);
  return {type,
          {arith::TruncIOp::create(b, loc, b.getI32Type(), value),
           arith::TruncIOp::create(b, loc, b.getI32Type(), high)}};
}

/// Splits an index of 32 or 64 bits. Two shifts by 16 give the upper word of its sign extension at
/// either width.
static Words splitIndex(OpBuilder &b, Location loc, Value value) {
  Value half = arith::ConstantIndexOp::create(b, loc, 16);
  Value high = arith::ShRSIOp::create(b, loc, value, half);
  high = arith::ShRSIOp::create(b, loc, high, half);
  return {"i64",
          {arith::IndexCastOp::create(b, loc, b.getI32Type(), value),
           arith::IndexCastOp::create(b, loc, b.getI32Type(), high)}};
}

/// Converts a value to words. Integers become i32 or i64, and floats become f32 or f64. Values are
/// never narrowed, so all of them print exactly.
static Words toWords(OpBuilder &b, Location loc, Value value, const PrintfSpecifier &specifier) {
  Type type = value.getType(), i32 = b.getI32Type();
  if (type.isIndex())
    return splitIndex(b, loc, value);
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type)) {
    if (type.isF64())
      return splitInt64(b, loc, arith::BitcastOp::create(b, loc, b.getI64Type(), value), "f64");
    if (width < 32)
      value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
    return {"f32", {arith::BitcastOp::create(b, loc, i32, value)}};
  }
  Type whole = wholeType(type);
  if (whole != type) {
    if (specifier.kind == Kind::Signed && width > 1)
      value = arith::ExtSIOp::create(b, loc, whole, value);
    else
      value = arith::ExtUIOp::create(b, loc, whole, value);
  }
  return whole == i32 ? Words{"i32", {value}} : splitInt64(b, loc, value, "i64");
}

//===-------------------------------------------------------------------------===//
// Records
//===-------------------------------------------------------------------------===//

/// Appends a record. The buffer's first word counts all words after it, including those that did
/// not fit.
static void appendRecord(OpBuilder &b, Location loc, Value buffer, ArrayRef<Value> record) {
  int64_t size = record.size();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value used = memref::AtomicRMWOp::create(b, loc, arith::AtomicRMWKind::addi,
                                           constantI32(b, loc, size), buffer, zero);
  Value extent = memref::DimOp::create(b, loc, buffer, zero);
  Value capacity = arith::IndexCastUIOp::create(b, loc, b.getI32Type(), extent);
  Value need = constantI32(b, loc, size + 1);
  Value everFits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, need, capacity);
  Value last = arith::SubIOp::create(b, loc, capacity, need);
  Value fitsNow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, used, last);
  Value fits = arith::AndIOp::create(b, loc, everFits, fitsNow);
  scf::IfOp::create(b, loc, fits, [&](OpBuilder &b, Location loc) {
    Value at = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), used);
    for (auto [i, word] : llvm::enumerate(record)) {
      Value offset = arith::ConstantIndexOp::create(b, loc, i + 1);
      Value index = arith::AddIOp::create(b, loc, at, offset);
      memref::StoreOp::create(b, loc, word, buffer, index);
    }
    scf::YieldOp::create(b, loc);
  });
}

static LogicalResult lowerOne(gpu::PrintfOp op, Value buffer, FormatTable &formats) {
  PrintfFormat format = parsePrintfFormat(op.getFormat());
  if (failed(check(op, format)))
    return failure();
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> record{Value()};
  SmallVector<StringRef> types;
  for (auto [specifier, arg] : llvm::zip_equal(format.specifiers, op.getArgs())) {
    Words words = toWords(b, loc, arg, specifier);
    types.push_back(words.type);
    record.append(words.words);
  }
  uint32_t id = formats.idOf(op.getFormatAttr(), b.getStrArrayAttr(types));
  if (id > 0xffff || record.size() > 0xffff)
    return op.emitError("a kernel can hold 65536 printf formats of 65534 words: print less");
  record[0] = constantI32(b, loc, static_cast<int32_t>(record.size() << 16 | id));
  appendRecord(b, loc, buffer, record);
  op.erase();
  return success();
}

static LogicalResult lowerKernel(gpu::GPUFuncOp func) {
  SmallVector<gpu::PrintfOp> ops;
  func.walk([&](gpu::PrintfOp op) { ops.push_back(op); });
  if (ops.empty())
    return success();
  if (!func.isKernel())
    return ops.front().emitError("gpu.printf outside of a kernel: run pumice-inline-calls first");
  Builder b(func);
  unsigned position = func.getNumArguments();
  auto memory = MemRefType::get({ShapedType::kDynamic}, b.getI32Type());
  auto marked = b.getDictionaryAttr({b.getNamedAttr(printfBufferAttrName, b.getUnitAttr())});
  if (failed(func.insertArgument(position, memory, marked, func.getLoc())))
    return func.emitError("cannot take a printf buffer as an argument");
  FormatTable formats;
  for (gpu::PrintfOp op : ops)
    if (failed(lowerOne(op, func.getArgument(position), formats)))
      return failure();
  func->setAttr(printfFormatsAttrName, formats.table(func.getContext()));
  return success();
}

void LowerPrintf::runOnOperation() {
  for (auto func : getOperation().getOps<gpu::GPUFuncOp>())
    if (failed(lowerKernel(func)))
      return signalPassFailure();
}
