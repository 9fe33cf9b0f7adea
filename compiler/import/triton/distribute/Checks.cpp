//===- Checks.cpp - run-time checks in kernels ------------------------------===//
//   before: tt.store %p, %v, %m : tensor<64x!tt.ptr<f32>>          (in line 7 of k.py)
//   after:  %inside = arith.cmpi sge, %offset, %lowest and sle, %offset, %highest
//           %any = tile.any_held (%m & !%inside)
//           tile.store %v to … mask %m & %inside
//           …
//           scf.if %any {
//             tile.print "\1Dbounds\1Ftt.store\1Fk.py:7:4\1F…\1D\n"(…) mask %m & !%inside
//           }
// Failures are reported at the end of the block, so that earlier accesses can share loops. A
// correct kernel only pays for the tests.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/distribute/Checks.h"
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/import/triton/distribute/CheckMath.h"
#include "compiler/import/triton/distribute/Converters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

/// The mark around a record, and the mark between its parts: ASCII's group and unit separators.
/// Texts of kernels do not contain them.
constexpr char recordMark = '\x1d', partMark = '\x1f';

//===-------------------------------------------------------------------------===//
// The table of storages
//===-------------------------------------------------------------------------===//

Checks::Checks(OpBuilder &b, FuncOp kernel, gpu::GPUFuncOp function, uint32_t which)
    : which(which) {
  Location loc = NameLoc::get(b.getStringAttr("pumice.check"));
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI64Type());
  SmallVector<BlockArgument> pointers;
  for (BlockArgument argument : function.getArguments())
    if (isa<MemRefType>(argument.getType()))
      pointers.push_back(argument);
  unsigned last = function.getNumArguments();
  if (failed(function.insertArgument(last, type, {}, loc)))
    llvm_unreachable("a kernel's function takes any argument");
  Value table = function.getArgument(last);
  int64_t next = 0;
  auto number = [&] {
    Value index = arith::ConstantIndexOp::create(b, loc, next++);
    return memref::LoadOp::create(b, loc, table, index).getResult();
  };
  for (BlockArgument pointer : pointers) {
    Argument argument{.pointer = pointer, .name = nameOf(pointer, "").str()};
    argument.before = number();
    argument.bytes = number();
    argument.address = number();
    arguments.push_back(argument);
  }
  others = table;
  if (looksFor(Check::Races))
    addHistories(b, kernel, function);
}

const Checks::Argument *Checks::argumentOf(Value memory) const {
  auto found =
      llvm::find_if(arguments, [&](const Argument &each) { return each.pointer == memory; });
  return found == arguments.end() ? nullptr : &*found;
}

//===-------------------------------------------------------------------------===//
// Arithmetic
//===-------------------------------------------------------------------------===//

Value TileMath::any(Value truth) const {
  return tile::AnyHeldOp::create(d.b, loc, d.b.getI1Type(), truth);
}

//===-------------------------------------------------------------------------===//
// Records
//===-------------------------------------------------------------------------===//

static std::string formatted(StringRef text) {
  std::string result;
  for (char c : text)
    if (c != recordMark && c != partMark)
      result += c == '%' ? "%%" : std::string(1, c);
  return result;
}

/// Returns the number of each element of a block, row by row.
static FailureOr<Value> numbersOf(Distribution &d, Location loc, const Layout &layout) {
  int64_t count = 1;
  for (const auto &output : layout.outputs())
    count *= static_cast<int64_t>(output.size());
  FailureOr<Layout> flat =
      d.take(loc, tile::reshape(layout, std::array{static_cast<uint64_t>(count)}));
  if (failed(flat))
    return failure();
  Type i32 = d.b.getI32Type(), type = tile::tensorOf(i32, layout);
  Value number =
      tile::RangeOp::create(d.b, loc, tile::tensorOf(i32, *flat), 0, static_cast<int32_t>(count));
  return number.getType() == type ? number
                                  : tile::ReshapeOp::create(d.b, loc, type, number).getResult();
}

/// Returns the name of an access in reports: "tt.load", or "tt.atomic_rmw add".
static std::string nameOf(Operation *op) {
  std::string name = op->getName().getStringRef().str();
  if (auto atomic = dyn_cast<AtomicRMWOp>(op))
    name += " " + stringifyAtomicKind(atomic.getKind()).str();
  return name;
}

/// Prints "kind, operation, place, subject, program, block's shape, element, value" for each
/// element that failed.
static LogicalResult print(Distribution &d, const Report &report) {
  Operation *op = report.op;
  Location loc = op->getLoc();
  FailureOr<Value> numbers = numbersOf(d, loc, report.layout);
  if (failed(numbers))
    return failure();
  std::string format(1, recordMark), shape, place = placeOf(loc), name = nameOf(op);
  for (const auto &output : report.layout.outputs())
    shape += (shape.empty() ? "" : ",") + std::to_string(output.size());
  for (StringRef part :
       {report.kind, StringRef(name), StringRef(place).rtrim(" :"), StringRef(report.subject)})
    format += formatted(part) + partMark;
  format += std::string("%d,%d,%d") + partMark + shape + partMark + "%d" + partMark + "%ld";
  format += {recordMark, '\n'};
  SmallVector<Value> values;
  for (auto axis : {gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z})
    values.push_back(arith::IndexCastOp::create(d.b, loc, d.b.getI32Type(),
                                                gpu::BlockIdOp::create(d.b, loc, axis)));
  values.push_back(*numbers);
  values.push_back(report.value());
  tile::PrintOp::create(d.b, loc, format, values, report.mask);
  return success();
}

LogicalResult Checks::tell(Distribution &d, ArrayRef<Report> reports) {
  if (reports.empty())
    return success();
  Location loc = reports.front().op->getLoc();
  ScalarMath scalars{d, loc};
  Value any;
  for (const Report &report : reports)
    any = any ? scalars.either(any, report.any) : report.any;
  auto where = scf::IfOp::create(d.b, loc, any, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(d.b);
  d.b.setInsertionPointToStart(where.thenBlock());
  for (const Report &each : reports)
    if (failed(print(d, each)))
      return failure();
  return success();
}

//===-------------------------------------------------------------------------===//
// Bounds
//===-------------------------------------------------------------------------===//

/// Returns which offsets are inside the storage of an argument's memory. The storage has `count`
/// elements, and offset 0 is its element number `start`.
static Value insideOf(const TileMath &tiles, Value offsets, Value start, Value count) {
  ScalarMath scalars{tiles.d, tiles.loc};
  auto between = [&](Value low, Value high) {
    Value inside = tiles.both(tiles.compare(Predicate::sge, offsets, low),
                              tiles.compare(Predicate::sle, offsets, high));
    inside.getDefiningOp()->setAttr(tile::insideAttrName, tiles.d.b.getUnitAttr());
    return inside;
  };
  Value lowest = scalars.subtract(scalars.number(0), start);
  Value highest = scalars.subtract(scalars.add(lowest, count), scalars.number(1));
  if (!cast<RankedTensorType>(offsets.getType()).getElementType().isInteger(32))
    return between(lowest, highest);
  // All offsets fit in 32 bits, so clamping the bounds to 32 bits does not change any comparison.
  // If no offset can be inside, the bounds are empty.
  Value never = scalars.either(scalars.is(Predicate::eq, count, 0),
                               scalars.either(scalars.is(Predicate::sgt, lowest, INT32_MAX),
                                              scalars.is(Predicate::slt, highest, INT32_MIN)));
  Value low = scalars.choose(never, scalars.number32(INT32_MAX), scalars.narrowed(lowest));
  Value high = scalars.choose(never, scalars.number32(INT32_MIN), scalars.narrowed(highest));
  return between(low, high);
}

/// Returns which elements of an access are entirely inside the `bytes` bytes of memory from `first`
/// on.
Value Checks::addressesIn(Distribution &d, const CheckedAccess &access, Value first,
                          Value bytes) const {
  Location loc = access.op->getLoc();
  TileMath tiles{d, loc, access.layout};
  ScalarMath scalars{d, loc};
  Value at = arith::SubIOp::create(d.b, loc, access.offsets, tiles.splat(first));
  Value room =
      scalars.most(scalars.subtract(bytes, scalars.number(tile::storedBytes(access.stored) - 1)),
                   scalars.number(0));
  return tiles.compare(Predicate::ult, at, room);
}

/// Returns which addresses are in one of the other storages of the table, or are already `inside`.
Value Checks::insideOfOthers(Distribution &d, const CheckedAccess &access, Value inside) const {
  Location loc = access.op->getLoc();
  TileMath tiles{d, loc, access.layout};
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(d.b, loc, value).getResult();
  };
  auto number = [&](Value at) { return memref::LoadOp::create(d.b, loc, others, at).getResult(); };
  auto begin = static_cast<int64_t>(arguments.size()) * 3 + 2;
  Value count = arith::IndexCastOp::create(d.b, loc, d.b.getIndexType(), number(index(begin)));
  if (!inside)
    inside = tiles.splat(d.constant(loc, d.b.getI1Type(), 0));
  auto loop = scf::ForOp::create(d.b, loc, index(0), count, index(1), ValueRange{inside});
  OpBuilder::InsertionGuard guard(d.b);
  if (!loop.getBody()->empty())
    loop.getBody()->getTerminator()->erase();
  d.b.setInsertionPointToStart(loop.getBody());
  Value place = arith::AddIOp::create(
      d.b, loc, arith::MulIOp::create(d.b, loc, loop.getInductionVar(), index(2)).getResult(),
      index(begin + 1));
  Value first = number(place);
  Value bytes = number(arith::AddIOp::create(d.b, loc, place, index(1)));
  Value found =
      tiles.either(loop.getRegionIterArgs().front(), addressesIn(d, access, first, bytes));
  scf::YieldOp::create(d.b, loc, found);
  return loop.getResult(0);
}

/// Returns which addresses are in the storage of any argument to which the pointer may lead. Sets
/// `only` if there is exactly one such argument.
Value Checks::insideOfAny(Distribution &d, const CheckedAccess &access,
                          const DenseSet<Value> &roots, const Argument *&only) const {
  Location loc = access.op->getLoc();
  TileMath tiles{d, loc, access.layout};
  ScalarMath scalars{d, loc};
  Value inside;
  for (const Argument &each : arguments) {
    unsigned number = cast<BlockArgument>(each.pointer).getArgNumber();
    bool isRoot = llvm::any_of(roots, [&](Value root) {
      return root && cast<BlockArgument>(root).getArgNumber() == number;
    });
    if (!isRoot && !roots.contains(Value()))
      continue;
    Value first = scalars.subtract(each.address, each.before);
    inside = tiles.either(inside, addressesIn(d, access, first, each.bytes));
    inside = tiles.either(inside, tiles.splat(scalars.is(Predicate::eq, each.address, -1)));
    if (roots.size() == 1 && isRoot)
      only = &each;
  }
  if (roots.contains(Value()))
    inside = insideOfOthers(d, access, inside);
  return inside ? inside : tiles.splat(d.constant(loc, d.b.getI1Type(), 0));
}

/// Returns the mask of an access to memory that may have another owner, so that the launch does not
/// know it. Stray accesses are reported before the access, because the hardware may reject it.
/// Elements at addresses that no memory can have are not accessed.
FailureOr<Value> Checks::guardUnnamed(Distribution &d, const CheckedAccess &access,
                                      const Report &stray) const {
  if (failed(tell(d, stray)))
    return failure();
  Location loc = access.op->getLoc();
  auto number = [&](int64_t place) {
    Value index = arith::ConstantIndexOp::create(d.b, loc, place);
    return memref::LoadOp::create(d.b, loc, others, index).getResult();
  };
  auto limits = static_cast<int64_t>(arguments.size()) * 3;
  Value possible = addressesIn(d, access, number(limits), number(limits + 1));
  return TileMath{d, loc, access.layout}.both(possible, access.mask);
}

FailureOr<Value> Checks::guard(Distribution &d, const CheckedAccess &access) const {
  if (looksFor(Check::Overflow) && failed(checkOverflow(d, access)))
    return failure();
  if (looksFor(Check::Alignment))
    checkAlignment(d, access);
  if (!looksFor(Check::Bounds))
    return access.mask;
  Location loc = access.op->getLoc();
  TileMath tiles{d, loc, access.layout};
  ScalarMath scalars{d, loc};
  int64_t unit = access.memory ? tile::storedBytes(access.stored) : 1;
  const Argument *argument = nullptr;
  DenseSet<Value> seen, roots;
  Value start, inside; // `start`: the place of offset 0 in the storage
  if (access.memory) {
    Pointer pointer = d.pointer(access.pointer);
    argument = argumentOf(pointer.base);
    if (!argument)
      return access.op->emitError("a checked access whose memory is of no argument");
    start = scalars.divided(argument->before, unit);
    if (pointer.uniform)
      start = scalars.add(start, pointer.uniform);
    inside = insideOf(tiles, access.offsets, start, scalars.divided(argument->bytes, unit));
  } else {
    addRoots(access.pointer, seen, roots);
    inside = insideOfAny(d, access, roots, argument);
    if (argument)
      start = scalars.subtract(argument->before, argument->address);
  }
  Value outside = tiles.both(tiles.no(inside), access.mask), offsets = access.offsets;
  Value any = tiles.any(outside);
  // The reported place is a number of units from the start of the argument's storage. If the
  // pointer may lead to several arguments, the place is the address. The record contains the size
  // of the unit, and the launcher multiplies, because the product may exceed 64 bits.
  auto place = [&d, loc, layout = access.layout, offsets, start] {
    TileMath here{d, loc, layout};
    Value at = here.wide(offsets);
    return start ? here.add(at, here.splat(start)) : at;
  };
  std::string subject = (argument ? argument->name : "") + "\x1e" + std::to_string(unit);
  Report stray{access.op, "bounds", subject, access.layout, any, outside, place};
  if (roots.contains(Value()))
    return guardUnnamed(d, access, stray);
  d.reports.push_back(stray);
  Value mask = tiles.both(inside, access.mask);
  if (argument && argument->writers && access.memory && sites.contains(access.op))
    checkRaces(d, access, *argument, mask);
  return mask;
}

//===-------------------------------------------------------------------------===//
// Alignment
//===-------------------------------------------------------------------------===//

/// Checks only accesses by addresses, because launches reject arguments that are not aligned.
void Checks::checkAlignment(Distribution &d, const CheckedAccess &access) const {
  int64_t unit = tile::storedBytes(access.stored);
  if (unit == 1 || access.memory)
    return;
  Location loc = access.op->getLoc();
  TileMath tiles{d, loc, access.layout};
  ScalarMath scalars{d, loc};
  Value rest =
      arith::AndIOp::create(d.b, loc, access.offsets, tiles.splat(scalars.number(unit - 1)));
  Value wrong = tiles.both(tiles.compare(Predicate::ne, rest, scalars.number(0)), access.mask);
  Value any = tiles.any(wrong);
  auto bytes = [&d, loc, layout = access.layout, unit] {
    return TileMath{d, loc, layout}.splat(d.constant(loc, d.b.getI64Type(), unit));
  };
  d.reports.push_back({access.op, "misaligned", "", access.layout, any, wrong, bytes});
}
