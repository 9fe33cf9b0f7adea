//===- ConvertDebug.cpp - converts print and assert -------------------------===//
//   before: tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %x : tensor<64xi32>
//   after:  tile.print "pid (%d, %d, %d) idx (%d) x: %d\n"(%p, %q, %r, %i, %x) : …
//   before: tt.assert %c, "small" : tensor<64xi1>          (in line 7 of k.py)
//   after:  tile.print "\1Ek.py:7: assertion failed: small, in k, pid (%d, %d, %d) idx (%d),
//             where x (%d) < 4\1E\n"(…) mask (%c is false)
// A failed assertion is printed between two marks, so that launchers recognize it. The kernel
// continues.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/import/triton/distribute/Converters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

namespace {

/// A format, and the values that it prints. All tensors have one layout.
struct Line {
  std::string format;
  SmallVector<Value> values;
  bool isComparing = false;
};

} // namespace

/// The mark before and behind a failed assertion: ASCII's record separator. Texts of kernels do not
/// contain it.
constexpr char assertionMark = '\x1e';

/// Doubles each %, because the text becomes part of a format.
static std::string escaped(StringRef text) {
  std::string result;
  for (char c : text)
    if (c != assertionMark)
      result += c == '%' ? "%%" : std::string(1, c);
  return result;
}

static void addProgram(Distribution &d, Location loc, Line &line) {
  line.format += "pid (%d, %d, %d)";
  for (auto axis : {gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z})
    line.values.push_back(arith::IndexCastOp::create(d.b, loc, d.b.getI32Type(),
                                                     gpu::BlockIdOp::create(d.b, loc, axis)));
}

/// Adds the coordinates of each element, which are computed from its row-major number.
static LogicalResult addCoordinates(Distribution &d, Location loc, const Layout &layout,
                                    ArrayRef<uint64_t> shape, Line &line) {
  int64_t count = 1;
  for (uint64_t size : shape)
    count *= static_cast<int64_t>(size);
  FailureOr<Layout> flat =
      d.take(loc, tile::reshape(layout, std::array{static_cast<uint64_t>(count)}));
  if (failed(flat))
    return failure();
  Type i32 = d.b.getI32Type(), type = tile::tensorOf(i32, layout);
  Value number =
      tile::RangeOp::create(d.b, loc, tile::tensorOf(i32, *flat), 0, static_cast<int32_t>(count));
  if (shape.size() > 1)
    number = tile::ReshapeOp::create(d.b, loc, type, number);
  auto all = [&](int64_t value) {
    return tile::SplatOp::create(d.b, loc, type, d.constant(loc, i32, value));
  };
  line.format += " idx (";
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    count /= static_cast<int64_t>(shape[axis]);
    Value coordinate = arith::ShRUIOp::create(d.b, loc, number, all(llvm::Log2_64(count)));
    line.values.push_back(
        arith::AndIOp::create(d.b, loc, coordinate, all(static_cast<int64_t>(shape[axis]) - 1)));
    line.format += axis ? ", %d" : "%d";
  }
  line.format += ")";
  return success();
}

static std::string specifierOf(Type type, bool isHex, bool isSigned) {
  if (isa<FloatType>(type))
    return "%f";
  unsigned bits = type.getIntOrFloatBitWidth();
  std::string length = bits > 32 ? "l" : "";
  if (isHex)
    return "0x%0" + std::to_string(std::max(1u, bits / 4)) + length + "x";
  return "%" + length + (isSigned ? "d" : "u");
}

/// Returns a value as a tile. A scalar becomes a tensor of one element, which one lane prints.
static FailureOr<Value> asTile(Distribution &d, Location loc, const Distributed &value,
                               Shape &shape) {
  TensorRef tensor;
  if (const auto *scalar = std::get_if<Value>(&value))
    tensor = d.splat(loc, {1}, *scalar);
  else
    tensor = std::get<TensorRef>(value);
  shape = std::holds_alternative<Value>(value) ? Shape{} : tensor->shape;
  FailureOr<Layout> layout =
      shape.empty() ? d.take(loc, oneElement(d.workgroup)) : d.homeOf(tensor);
  return failed(layout) ? FailureOr<Value>() : d.in(tensor, *layout);
}

static LogicalResult printOne(Distribution &d, PrintOp op, const Distributed &value,
                              StringRef before, const std::string &specifier) {
  Location loc = op.getLoc();
  Shape shape;
  FailureOr<Value> tile = asTile(d, loc, value, shape);
  if (failed(tile))
    return failure();
  Line line;
  addProgram(d, loc, line);
  if (!shape.empty() &&
      failed(addCoordinates(d, loc, tile::layoutOf(tile->getType()), shape, line)))
    return failure();
  line.format += escaped(before) + specifier + "\n";
  if (!specifier.empty())
    line.values.push_back(*tile);
  // A line without values gets a tensor of one element as its mask, so that only one lane prints
  // it.
  Value mask;
  if (specifier.empty())
    mask = *tile;
  tile::PrintOp::create(d.b, loc, line.format, line.values, mask);
  return success();
}

static LogicalResult convertPrint(Distribution &d, PrintOp op) {
  if (op.getValues().empty())
    return printOne(d, op, Distributed(d.constant(op.getLoc(), d.b.getI1Type(), 1)), op.getPrefix(),
                    "");
  for (auto [i, value] : llvm::enumerate(op.getValues())) {
    Type type = scalarOf(value.getType());
    bool isPointer = isa<triton::PointerType>(type);
    FailureOr<Distributed> printed =
        isPointer ? addressOf(d, op.getLoc(), d.pointer(value)) : FailureOr<Distributed>(d[value]);
    if (failed(printed))
      return failure();
    std::string before = op.getPrefix().str();
    if (op.getValues().size() > 1)
      before += "(operand " + std::to_string(i) + ") ";
    if (failed(printOne(d, op, *printed, before,
                        isPointer ? "0x%016lx"
                                  : specifierOf(type, op.getHex(), op.getIsSigned()[i] != 0))))
      return failure();
  }
  return success();
}

/// Returns "file.py:7: " if the line in the kernel is known.
std::string triton::distribute::placeOf(Location loc) {
  std::string place;
  loc->walk([&](Location each) {
    auto file = dyn_cast<FileLineColLoc>(each);
    if (!file)
      return WalkResult::advance();
    place = file.getFilename().str() + ":" + std::to_string(file.getLine()) + ": ";
    return WalkResult::interrupt();
  });
  return place;
}

/// Returns the name that the kernel's author gave to a value. Returns "" if the value only has the
/// name of its statement.
StringRef triton::distribute::nameOf(Value value, StringRef statement) {
  while (isa_and_nonnull<SplatOp, ExpandDimsOp, BroadcastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  StringRef name;
  value.getLoc()->walk([&](Location each) {
    auto named = dyn_cast<NameLoc>(each);
    if (!named)
      return WalkResult::advance();
    name = named.getName();
    return WalkResult::interrupt();
  });
  return name == statement ? "" : name;
}

static bool isUnsigned(arith::CmpIPredicate predicate) {
  using enum arith::CmpIPredicate;
  return predicate == ult || predicate == ule || predicate == ugt || predicate == uge;
}

static StringRef signOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return "==";
  case arith::CmpIPredicate::ne:
    return "!=";
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return "<";
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return "<=";
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return ">";
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return ">=";
  }
  llvm_unreachable("a predicate");
}

/// Returns the operator of a comparison as kernels write it, or "" for other comparisons.
static StringRef signOf(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
    return "==";
  case arith::CmpFPredicate::UNE:
    return "!=";
  case arith::CmpFPredicate::OLT:
    return "<";
  case arith::CmpFPredicate::OLE:
    return "<=";
  case arith::CmpFPredicate::OGT:
    return ">";
  case arith::CmpFPredicate::OGE:
    return ">=";
  default:
    return "";
  }
}

/// Adds the comparisons in a condition, such as "x (40) < 4", in `layout`. Adds nothing if the
/// condition has no comparisons.
static LogicalResult addComparisons(Distribution &d, Location loc, Value condition,
                                    const Layout &layout, Line &line) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op)) {
    for (Value part : op->getOperands())
      if (failed(addComparisons(d, loc, part, layout, line)))
        return failure();
    return success();
  }
  StringRef sign;
  bool isSigned = true;
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op)) {
    sign = signOf(compare.getPredicate());
    isSigned = !isUnsigned(compare.getPredicate());
  } else if (auto compare = dyn_cast_or_null<arith::CmpFOp>(op)) {
    sign = signOf(compare.getPredicate());
  }
  if (sign.empty())
    return success();

  line.format += line.isComparing ? ", " : ", where ";
  line.isComparing = true;
  StringRef statement = nameOf(condition, "");
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    Shape shape;
    Distributed is = d[value];
    FailureOr<Value> tile = std::holds_alternative<Value>(is)
                                ? asTile(d, loc, is, shape)
                                : d.in(std::get<TensorRef>(is), layout);
    if (failed(tile))
      return failure();
    StringRef name = matchPattern(value, m_Constant()) ? "" : nameOf(value, statement);
    std::string specifier = specifierOf(scalarOf(value.getType()), /*isHex=*/false, isSigned);
    line.format += i ? " " + sign.str() + " " : "";
    line.format += name.empty() ? specifier : escaped(name) + " (" + specifier + ")";
    line.values.push_back(*tile);
  }
  return success();
}

static LogicalResult convertAssert(Distribution &d, AssertOp op) {
  Location loc = op.getLoc();
  Shape shape;
  FailureOr<Value> holds = asTile(d, loc, d[op.getCondition()], shape);
  if (failed(holds))
    return failure();
  Line line;
  StringRef message = op.getMessage();
  auto kernel = d.b.getInsertionBlock()->getParentOp();
  if (!isa<gpu::GPUFuncOp>(kernel))
    kernel = kernel->getParentOfType<gpu::GPUFuncOp>();
  line.format = assertionMark;
  line.format += escaped(placeOf(loc) + "assertion failed: " + message.rtrim().str() +
                         (message.empty() ? "" : ", ") + "in " +
                         cast<gpu::GPUFuncOp>(kernel).getName().str() + ", ");
  addProgram(d, loc, line);
  if (!shape.empty() &&
      failed(addCoordinates(d, loc, tile::layoutOf(holds->getType()), shape, line)))
    return failure();
  if (failed(addComparisons(d, loc, op.getCondition(), tile::layoutOf(holds->getType()), line)))
    return failure();
  line.format += {assertionMark, '\n'};
  Value yes =
      tile::SplatOp::create(d.b, loc, holds->getType(), d.constant(loc, d.b.getI1Type(), 1));
  Value fails = arith::XOrIOp::create(d.b, loc, *holds, yes);
  tile::PrintOp::create(d.b, loc, line.format, line.values, fails);
  return success();
}

LogicalResult triton::distribute::convertDebug(Distribution &d, Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](PrintOp op) { return convertPrint(d, op); })
      .Case([&](AssertOp op) { return convertAssert(d, op); });
}
