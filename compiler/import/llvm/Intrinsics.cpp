//===- Intrinsics.cpp - LLVM's intrinsics in kernels ------------------------===//
#include "compiler/import/llvm/Build.h"
#include "compiler/import/llvm/FunctionImporter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

namespace {

/// Returns the kind of a reduction of a vector's elements, or nothing.
std::optional<vector::CombiningKind> combinationOf(llvm::Intrinsic::ID id) {
  using Kind = vector::CombiningKind;
  switch (id) {
  case llvm::Intrinsic::vector_reduce_add:
  case llvm::Intrinsic::vector_reduce_fadd:
    return Kind::ADD;
  case llvm::Intrinsic::vector_reduce_mul:
  case llvm::Intrinsic::vector_reduce_fmul:
    return Kind::MUL;
  case llvm::Intrinsic::vector_reduce_and:
    return Kind::AND;
  case llvm::Intrinsic::vector_reduce_or:
    return Kind::OR;
  case llvm::Intrinsic::vector_reduce_xor:
    return Kind::XOR;
  case llvm::Intrinsic::vector_reduce_smax:
    return Kind::MAXSI;
  case llvm::Intrinsic::vector_reduce_smin:
    return Kind::MINSI;
  case llvm::Intrinsic::vector_reduce_umax:
    return Kind::MAXUI;
  case llvm::Intrinsic::vector_reduce_umin:
    return Kind::MINUI;
  case llvm::Intrinsic::vector_reduce_fmax:
    return Kind::MAXNUMF;
  case llvm::Intrinsic::vector_reduce_fmin:
    return Kind::MINNUMF;
  default:
    return std::nullopt;
  }
}

/// Returns the function of one float that an intrinsic is, or null.
Value ofFloat(Build &m, llvm::Intrinsic::ID id, Value x) {
  switch (id) {
  case llvm::Intrinsic::sqrt:
    return m.op<math::SqrtOp>(x);
  case llvm::Intrinsic::floor:
    return m.op<math::FloorOp>(x);
  case llvm::Intrinsic::ceil:
    return m.op<math::CeilOp>(x);
  case llvm::Intrinsic::trunc:
    return m.op<math::TruncOp>(x);
  case llvm::Intrinsic::rint:
  case llvm::Intrinsic::nearbyint:
  case llvm::Intrinsic::roundeven:
    return m.op<math::RoundEvenOp>(x);
  case llvm::Intrinsic::round:
    return m.op<math::RoundOp>(x);
  case llvm::Intrinsic::fabs:
    return m.op<math::AbsFOp>(x);
  case llvm::Intrinsic::sin:
    return m.op<math::SinOp>(x);
  case llvm::Intrinsic::cos:
    return m.op<math::CosOp>(x);
  case llvm::Intrinsic::exp:
    return m.op<math::ExpOp>(x);
  case llvm::Intrinsic::exp2:
    return m.op<math::Exp2Op>(x);
  case llvm::Intrinsic::log:
    return m.op<math::LogOp>(x);
  case llvm::Intrinsic::log2:
    return m.op<math::Log2Op>(x);
  case llvm::Intrinsic::log10:
    return m.op<math::Log10Op>(x);
  default:
    return {};
  }
}

/// Returns the function of one, two or three numbers of the same type that an intrinsic is, or
/// null.
Value elementwise(Build &m, llvm::Intrinsic::ID id, ArrayRef<Value> x) {
  switch (id) {
  case llvm::Intrinsic::smax:
    return m.op<arith::MaxSIOp>(x[0], x[1]);
  case llvm::Intrinsic::smin:
    return m.op<arith::MinSIOp>(x[0], x[1]);
  case llvm::Intrinsic::umax:
    return m.op<arith::MaxUIOp>(x[0], x[1]);
  case llvm::Intrinsic::umin:
    return m.op<arith::MinUIOp>(x[0], x[1]);
  case llvm::Intrinsic::abs:
    return m.op<math::AbsIOp>(x[0]);
  case llvm::Intrinsic::ctpop:
    return m.op<math::CtPopOp>(x[0]);
  case llvm::Intrinsic::ctlz:
    return m.op<math::CountLeadingZerosOp>(x[0]);
  case llvm::Intrinsic::cttz:
    return m.op<math::CountTrailingZerosOp>(x[0]);
  case llvm::Intrinsic::bitreverse:
    return m.reverseBits(x[0], 1);
  case llvm::Intrinsic::bswap:
    return m.reverseBits(x[0], 8);
  case llvm::Intrinsic::fshl:
    return m.funnelShift(x[0], x[1], x[2], /*left=*/true);
  case llvm::Intrinsic::fshr:
    return m.funnelShift(x[0], x[1], x[2], /*left=*/false);
  case llvm::Intrinsic::sadd_sat:
    return m.addSaturated(x[0], x[1], /*isSigned=*/true);
  case llvm::Intrinsic::uadd_sat:
    return m.addSaturated(x[0], x[1], /*isSigned=*/false);
  case llvm::Intrinsic::ssub_sat:
    return m.subSaturated(x[0], x[1], /*isSigned=*/true);
  case llvm::Intrinsic::usub_sat:
    return m.subSaturated(x[0], x[1], /*isSigned=*/false);
  case llvm::Intrinsic::copysign:
    return m.op<math::CopySignOp>(x[0], x[1]);
  case llvm::Intrinsic::fma:
  case llvm::Intrinsic::fmuladd:
    return m.op<math::FmaOp>(x[0], x[1], x[2]);
  case llvm::Intrinsic::minnum:
  case llvm::Intrinsic::minimumnum:
    return m.op<arith::MinNumFOp>(x[0], x[1]);
  case llvm::Intrinsic::maxnum:
  case llvm::Intrinsic::maximumnum:
    return m.op<arith::MaxNumFOp>(x[0], x[1]);
  case llvm::Intrinsic::minimum:
    return m.op<arith::MinimumFOp>(x[0], x[1]);
  case llvm::Intrinsic::maximum:
    return m.op<arith::MaximumFOp>(x[0], x[1]);
  case llvm::Intrinsic::pow:
    return m.op<math::PowFOp>(x[0], x[1]);
  default:
    return ofFloat(m, id, x[0]);
  }
}

} // namespace

/// Translates an operation that also says whether it overflowed.
static bool overflowing(Build &m, llvm::Intrinsic::ID id, Value x, Value y, Values &made) {
  using P = arith::CmpIPredicate;
  Type type = x.getType();
  Value zero = m.constant(type, 0);
  switch (id) {
  case llvm::Intrinsic::uadd_with_overflow: {
    Value sum = m.op<arith::AddIOp>(x, y);
    made = {sum, m.compare(P::ult, sum, x)};
    return true;
  }
  case llvm::Intrinsic::usub_with_overflow:
    made = {m.op<arith::SubIOp>(x, y), m.compare(P::ult, x, y)};
    return true;
  case llvm::Intrinsic::sadd_with_overflow: {
    Value sum = m.op<arith::AddIOp>(x, y);
    Value signs = m.op<arith::AndIOp>(m.op<arith::XOrIOp>(sum, x), m.op<arith::XOrIOp>(sum, y));
    made = {sum, m.compare(P::slt, signs, zero)};
    return true;
  }
  case llvm::Intrinsic::ssub_with_overflow: {
    Value rest = m.op<arith::SubIOp>(x, y);
    Value signs = m.op<arith::AndIOp>(m.op<arith::XOrIOp>(x, y), m.op<arith::XOrIOp>(rest, x));
    made = {rest, m.compare(P::slt, signs, zero)};
    return true;
  }
  case llvm::Intrinsic::umul_with_overflow: {
    auto wide = arith::MulUIExtendedOp::create(m.b, m.loc, x, y);
    made = {wide.getLow(), m.compare(P::ne, wide.getHigh(), zero)};
    return true;
  }
  case llvm::Intrinsic::smul_with_overflow: {
    auto wide = arith::MulSIExtendedOp::create(m.b, m.loc, x, y);
    Value sign = m.op<arith::ShRSIOp>(wide.getLow(), m.constant(type, int64_t(m.bits(type)) - 1));
    made = {wide.getLow(), m.compare(P::ne, wide.getHigh(), sign)};
    return true;
  }
  default:
    return false;
  }
}

LogicalResult FunctionImporter::intrinsic(const llvm::IntrinsicInst &call) {
  llvm::Intrinsic::ID id = call.getIntrinsicID();
  switch (id) {
  case llvm::Intrinsic::lifetime_start:
  case llvm::Intrinsic::lifetime_end:
  case llvm::Intrinsic::assume:
  case llvm::Intrinsic::experimental_noalias_scope_decl:
  case llvm::Intrinsic::sideeffect:
  case llvm::Intrinsic::donothing:
  case llvm::Intrinsic::prefetch:
    return success();
  case llvm::Intrinsic::expect:
  case llvm::Intrinsic::annotation:
    known[&call] = values(call.getArgOperand(0));
    return success();
  case llvm::Intrinsic::memcpy:
  case llvm::Intrinsic::memcpy_inline:
  case llvm::Intrinsic::memmove:
  case llvm::Intrinsic::memset:
  case llvm::Intrinsic::memset_inline:
    return copyMemory(cast<llvm::MemIntrinsic>(call));
  default:
    break;
  }
  Build m(b, loc);
  SmallVector<Value> x;
  for (const llvm::Use &argument : call.args())
    if (!argument->getType()->isMetadataTy())
      x.push_back(value(argument));
  if (std::optional<vector::CombiningKind> kind = combinationOf(id)) {
    bool hasStart =
        id == llvm::Intrinsic::vector_reduce_fadd || id == llvm::Intrinsic::vector_reduce_fmul;
    auto reduced = hasStart ? vector::ReductionOp::create(b, loc, *kind, x[1], x[0])
                            : vector::ReductionOp::create(b, loc, *kind, x[0]);
    set(call, reduced);
    return success();
  }
  Values both;
  if (x.size() == 2 && overflowing(m, id, x[0], x[1], both)) {
    known[&call] = both;
    return success();
  }
  if (id == llvm::Intrinsic::ucmp || id == llvm::Intrinsic::scmp) {
    bool isSigned = id == llvm::Intrinsic::scmp;
    using P = arith::CmpIPredicate;
    Type type = typeOf(call.getType());
    Value less = m.compare(isSigned ? P::slt : P::ult, x[0], x[1]);
    Value more = m.compare(isSigned ? P::sgt : P::ugt, x[0], x[1]);
    Value made = m.select(more, m.constant(type, 1), m.constant(type, 0));
    set(call, m.select(less, m.constant(type, -1), made));
    return success();
  }
  if (Value made = x.empty() ? Value() : elementwise(m, id, x)) {
    set(call, made);
    return success();
  }
  return refuse("uses LLVM's intrinsic '" + call.getCalledFunction()->getName() +
                "', which kernels for Vulkan do not have; write the code without it");
}

/// Copies or fills memory in pieces of up to 8 bytes: in straight code if they are few, and
/// otherwise in a loop.
LogicalResult FunctionImporter::copyMemory(const llvm::MemIntrinsic &call) {
  auto *length = dyn_cast<llvm::ConstantInt>(call.getLength());
  auto *transfer = dyn_cast<llvm::MemTransferInst>(&call);
  Type i64 = b.getI64Type();
  // With unknown length, bytes are copied.
  uint64_t piece = 1, bytes = length ? length->getZExtValue() : 0;
  uint64_t alignment = call.getDestAlign().valueOrOne().value();
  if (transfer)
    alignment = std::min(alignment, transfer->getSourceAlign().valueOrOne().value());
  while (length && piece < 8 && piece < alignment && bytes % (piece * 2) == 0)
    piece *= 2;
  Type type = b.getIntegerType(piece * 8);
  Value to = value(call.getRawDest());
  Value origin = transfer ? value(transfer->getRawSource()) : Value();
  Value fill;
  if (!transfer) {
    Build m(b, loc);
    fill = value(cast<llvm::MemSetInst>(call).getValue());
    if (piece > 1) {
      fill = m.op<arith::ExtUIOp>(type, fill);
      fill = m.op<arith::MulIOp>(fill, constant(type, 0x0101010101010101));
    }
  }
  auto behind = [&](Value base, Value offset) {
    return arith::AddIOp::create(b, loc, base, offset);
  };
  auto read = [&](Value offset) {
    return transfer ? load(transfer->getRawSource(), behind(origin, offset), type, piece) : fill;
  };
  auto write = [&](Value offset, Value moved) {
    if (moved)
      store(call.getRawDest(), behind(to, offset), moved, piece);
  };
  constexpr uint64_t mostPieces = 16;
  if (length && bytes / piece <= mostPieces) {
    SmallVector<Value> pieces; // source and destination of a memmove may overlap
    for (uint64_t at = 0; at < bytes; at += piece)
      pieces.push_back(read(constant(i64, at)));
    for (uint64_t at = 0; at < bytes; at += piece)
      write(constant(i64, at), pieces[at / piece]);
    return success(!failed);
  }
  if (isa<llvm::MemMoveInst>(call))
    return refuse("moves a large piece of memory that may overlap its destination; copy it in a "
                  "loop");
  Value count = length ? constant(i64, bytes) : value(call.getLength());
  auto loop = scf::ForOp::create(b, loc, constant(i64, 0), count, constant(i64, piece));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  write(loop.getInductionVar(), read(loop.getInductionVar()));
  return success(!failed);
}
