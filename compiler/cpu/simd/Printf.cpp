//===- Printf.cpp - writes messages of a subgroup to the print buffer -------===//
//   before: lane.printf "%d\n", %x : i32
//   after:  for each active lane: %used = atomic add of 2 to the buffer's first word;
//           if both words fit: store 2 << 16 | format, and the lane's %x, after %used words
// The attribute `lane.printf_formats` of the function lists the formats. docs/printf.md describes
// the layout of the buffer.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Atomics.h"
#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/simd/Rules.h"
#include "compiler/lower/memory/PrintfFormat.h"

#include "executable/NativeCode.h"
#include "support/EnglishText.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;
using executable::NativeLaunch;
using lower::PrintfSpecifier;

/// Returns the name that the format table uses for the type of an argument.
static StringRef recordType(Type type) {
  bool isLong = isa<LLVM::LLVMPointerType>(type) || type.getIntOrFloatBitWidth() > 32;
  return isa<FloatType>(type) ? (isLong ? "f64" : "f32") : (isLong ? "i64" : "i32");
}

/// Appends a scalar as one or two words, the low word first, as pumice-lower-printf does.
static void appendWords(LaneBuilder &b, Value value, bool isSigned, SmallVectorImpl<Value> &words) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type(), type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    value = LLVM::PtrToIntOp::create(b, i64, value);
  else if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    value = LLVM::FPExtOp::create(b, b.getF32Type(), value);
  if (isa<FloatType>(value.getType()))
    value = LLVM::BitcastOp::create(b, b.getIntegerType(value.getType().getIntOrFloatBitWidth()),
                                    value);
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width < 32)
    value = isSigned && width > 1 ? Value(LLVM::SExtOp::create(b, i32, value))
                                  : LLVM::ZExtOp::create(b, i32, value);
  if (width <= 32)
    return words.push_back(value);
  words.push_back(LLVM::TruncOp::create(b, i32, value));
  Value half = LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(32));
  words.push_back(LLVM::TruncOp::create(b, i32, LLVM::LShrOp::create(b, value, half)));
}

/// Makes the entry of a message in the function's table.
static Attribute tableEntry(Builder &b, lane::PrintfOp op) {
  SmallVector<Attribute> types;
  for (Type type : op.getValues().getTypes())
    types.push_back(b.getStringAttr(recordType(type)));
  return b.getDictionaryAttr({b.getNamedAttr("format", op.getFormatAttr()),
                              b.getNamedAttr("types", b.getArrayAttr(types))});
}

/// Adds the record's size to the count, and writes the record if it fits.
static void appendRecord(LaneBuilder &b, Value buffer, Value room, ArrayRef<Value> record) {
  Value used = LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add, buffer, b.i32(record.size()),
                                         LLVM::AtomicOrdering::monotonic);
  Value start = LLVM::ZExtOp::create(b, b.getI64Type(), used);
  Value end = LLVM::AddOp::create(b, start, b.i64(record.size() + 1));
  Block *write = b.newBlock(), *done = b.newBlock();
  b.branch(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ule, end, room), write, done);
  b.startBlock(write);
  Value place = b.offset(buffer, LLVM::MulOp::create(b, start, b.i64(4)).getRes());
  for (auto [i, word] : llvm::enumerate(record))
    b.storeTo(word, b.offset(place, 4 * (i + 1)));
  b.branch(done);
  b.startBlock(done);
}

static void emitPrintf(SimdEmitter &e, lane::PrintfOp op) {
  lower::PrintfFormat format = lower::parsePrintfFormat(op.getFormat());
  if (!format.error.empty())
    return e.fail(op, "printf format: " + format.error);
  if (format.specifiers.size() != op.getValues().size())
    return e.fail(op, "printf format takes " +
                          pumice::counted(format.specifiers.size(), "argument") + ", not " +
                          Twine(op.getValues().size()));
  Value buffer = e.frame.launchField(offsetof(NativeLaunch, printf),
                                     LLVM::LLVMPointerType::get(e.b.getContext()));
  Value room = e.frame.launchField(offsetof(NativeLaunch, printfWords), e.b.getI64Type());
  unsigned number = e.frame.formatNumber(tableEntry(e.b, op));
  Block *done = e.b.newBlock(), *prints = e.b.newBlock();
  e.b.branch(LLVM::ICmpOp::create(e.b, LLVM::ICmpPredicate::ne, room, e.b.i64(0)), prints, done);
  e.b.startBlock(prints);
  updateEach(e, Value(), llvm::to_vector(op.getValues()), Type(), false,
             [&](Value, ArrayRef<Value> own) -> Value {
               SmallVector<Value> record{Value()};
               for (auto [specifier, value] : llvm::zip_equal(format.specifiers, own))
                 appendWords(e.b, value, specifier.kind == PrintfSpecifier::Kind::Signed, record);
               record[0] = e.b.i32(record.size() << 16 | number);
               appendRecord(e.b, buffer, room, record);
               return {};
             });
  e.b.branch(done);
  e.b.startBlock(done);
}

ArrayRef<simd::Rule> simd::printfRules() {
  static const Rule rules[] = {rule<emitPrintf>()};
  return rules;
}
