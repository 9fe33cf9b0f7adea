//===- Checks.cpp - what a checked kernel finds out about itself ------------===//
//   before: tt.store %p, %v, %m : tensor<64x!tt.ptr<f32>>          (in line 7 of k.py)
//   after:  %inside = arith.cmpi sge, %offset, %lowest and sle, %offset, %highest
//           %any = tile.reduce or (%m & !%inside)
//           tile.store %v to … mask %m & %inside
//           …
//           scf.if %any { tile.print "\1Dbounds\1Ftt.store\1Fk.py:7:4\1F…\1D\n"(…) mask %m &
//           !%inside }
// Reports come at the end of the block, so that the accesses before them can share loops: where all
// is right, nothing but the search for what is wrong costs time.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/distribute/Checks.h"
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/import/triton/distribute/Converters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

/// Around a record, and between its parts: ASCII's group and unit separators. No text of a kernel's
/// has them.
constexpr char recordMark = '\x1d', partMark = '\x1f';

/// Of an entry in an element's history: the rest is the site's number.
constexpr int programBits = 20;
constexpr int32_t neverWritten = -1, readBySeveral = -2;

//===-------------------------------------------------------------------------===//
// The table
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

/// Whether programs of the kernel may wait for each other, so that what one does comes before what
/// another does: they look at what an atomic operation found, or at memory that may change.
static bool synchronizes(FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto load = dyn_cast<LoadOp>(op);
        bool waits =
            load ? load.getIsVolatile() : isa<AtomicRMWOp, AtomicCASOp>(op) && !op->use_empty();
        return waits ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The one argument of a kernel that a pointer leads into; null of all else.
static BlockArgument rootOf(Value pointer) {
  DenseSet<Value> seen, roots;
  addRoots(pointer, seen, roots);
  return roots.size() == 1 ? dyn_cast_or_null<BlockArgument>(*roots.begin()) : BlockArgument();
}

static Value pointerOf(Operation *access) {
  if (auto load = dyn_cast<LoadOp>(access))
    return load.getPointer();
  auto store = dyn_cast<StoreOp>(access);
  return store ? store.getPointer() : Value();
}

void Checks::addHistories(OpBuilder &b, FuncOp kernel, gpu::GPUFuncOp function) {
  if (synchronizes(kernel))
    return;
  Location loc = NameLoc::get(b.getStringAttr("pumice.check"));
  llvm::DenseSet<unsigned> written, read, known;
  kernel.walk([&](StoreOp store) {
    if (BlockArgument root = rootOf(store.getPointer()))
      written.insert(root.getArgNumber());
  });
  kernel.walk([&](Operation *op) {
    BlockArgument root = pointerOf(op) ? rootOf(pointerOf(op)) : BlockArgument();
    if (!root || !(written.contains(root.getArgNumber()) || looksFor(Check::Unwritten)))
      return;
    known.insert(root.getArgNumber());
    if (isa<LoadOp>(op))
      read.insert(root.getArgNumber());
    int site = static_cast<int>(sites.size()) + 1;
    sites[op] = site;
    std::string place = placeOf(op->getLoc());
    sitePlaces +=
        (site > 1 ? ";" : "") + std::to_string(site) + "=" + StringRef(place).rtrim(" :").str();
  });
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI32Type());
  for (Argument &argument : arguments) {
    unsigned which = cast<BlockArgument>(argument.pointer).getArgNumber();
    if (!known.contains(which))
      continue;
    for (Value *history : {&argument.writers, &argument.readers}) {
      if (history == &argument.readers && !(written.contains(which) && read.contains(which)))
        continue;
      unsigned last = function.getNumArguments();
      auto named = NameLoc::get(b.getStringAttr("pumice.history." + argument.name));
      if (failed(function.insertArgument(last, type, {}, named)))
        llvm_unreachable("a kernel's function takes any argument");
      *history = function.getArgument(last);
    }
  }
  // A program's number, within 20 bits, from 1 on.
  auto i32 = b.getI32Type();
  auto id = [&](gpu::Dimension axis) {
    return arith::IndexCastOp::create(b, loc, i32, gpu::BlockIdOp::create(b, loc, axis))
        .getResult();
  };
  auto count = [&](gpu::Dimension axis) {
    return arith::IndexCastOp::create(b, loc, i32, gpu::GridDimOp::create(b, loc, axis))
        .getResult();
  };
  auto constant = [&](int32_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)).getResult();
  };
  auto multiply = [&](Value x, Value y) { return arith::MulIOp::create(b, loc, x, y).getResult(); };
  auto add = [&](Value x, Value y) { return arith::AddIOp::create(b, loc, x, y).getResult(); };
  Value number =
      add(multiply(id(gpu::Dimension::z), count(gpu::Dimension::y)), id(gpu::Dimension::y));
  number = add(multiply(number, count(gpu::Dimension::x)), id(gpu::Dimension::x));
  number = arith::RemUIOp::create(b, loc, number, constant((1 << programBits) - 1));
  program = add(number, constant(1));
}

const Checks::Argument *Checks::argumentOf(Value memory) const {
  auto found =
      llvm::find_if(arguments, [&](const Argument &each) { return each.pointer == memory; });
  return found == arguments.end() ? nullptr : &*found;
}

//===-------------------------------------------------------------------------===//
// Arithmetic
//===-------------------------------------------------------------------------===//

namespace {

using Predicate = arith::CmpIPredicate;

/// Makes scalars: i64 where nothing else is said.
struct ScalarMath {
  Distribution &d;
  Location loc;

  Value number(int64_t value) const { return d.constant(loc, d.b.getI64Type(), value); }
  Value number32(int64_t value) const { return d.constant(loc, d.b.getI32Type(), value); }
  Value add(Value a, Value b) const { return arith::AddIOp::create(d.b, loc, a, b); }
  Value subtract(Value a, Value b) const { return arith::SubIOp::create(d.b, loc, a, b); }
  Value most(Value a, Value b) const { return arith::MaxSIOp::create(d.b, loc, a, b); }
  Value least(Value a, Value b) const { return arith::MinSIOp::create(d.b, loc, a, b); }
  Value is(Predicate how, Value a, int64_t b) const {
    return arith::CmpIOp::create(d.b, loc, how, a, number(b));
  }
  Value either(Value a, Value b) const { return arith::OrIOp::create(d.b, loc, a, b); }
  Value choose(Value condition, Value a, Value b) const {
    return arith::SelectOp::create(d.b, loc, condition, a, b);
  }
  /// Of what is not negative, by a power of two.
  Value divided(Value a, int64_t by) const {
    return arith::ShRUIOp::create(d.b, loc, a, number(llvm::Log2_64(static_cast<uint64_t>(by))));
  }
  /// The nearest i32.
  Value narrowed(Value a) const {
    a = least(most(a, number(INT32_MIN)), number(INT32_MAX));
    return arith::TruncIOp::create(d.b, loc, d.b.getI32Type(), a);
  }
};

/// Makes tiles in one layout. An operand that is null stands for no condition.
struct TileMath {
  Distribution &d;
  Location loc;
  const Layout &layout;

  Value splat(Value scalar) const {
    return tile::SplatOp::create(d.b, loc, tile::tensorOf(scalar.getType(), layout), scalar);
  }
  Value wide(Value tile) const {
    Type type = tile::tensorOf(d.b.getI64Type(), layout);
    return tile.getType() == type ? tile : arith::ExtSIOp::create(d.b, loc, type, tile).getResult();
  }
  Value add(Value a, Value b) const { return arith::AddIOp::create(d.b, loc, a, b); }
  Value compare(Predicate how, Value a, Value scalar) const {
    return arith::CmpIOp::create(d.b, loc, how, a, splat(scalar));
  }
  Value both(Value a, Value b) const {
    return a && b ? arith::AndIOp::create(d.b, loc, a, b).getResult() : (a ? a : b);
  }
  Value either(Value a, Value b) const {
    return a && b ? arith::OrIOp::create(d.b, loc, a, b).getResult() : (a ? a : b);
  }
  Value no(Value a) const {
    return arith::XOrIOp::create(d.b, loc, a, splat(d.constant(loc, d.b.getI1Type(), 1)));
  }
  FailureOr<Value> any(Value truth) const;
};

} // namespace

/// Whether any element of a tile of i1 is true: a scalar.
FailureOr<Value> TileMath::any(Value truth) const {
  for (auto axis = static_cast<uint32_t>(layout.outputs().size()); axis-- > 0;) {
    Type type = d.b.getI1Type();
    if (axis > 0) {
      FailureOr<Layout> rest =
          d.take(loc, tile::removeDimension(tile::layoutOf(truth.getType()), axis));
      if (failed(rest))
        return failure();
      type = tile::tensorOf(type, *rest);
    }
    auto reduce = tile::ReduceOp::create(d.b, loc, TypeRange{type}, ValueRange{truth}, axis);
    OpBuilder::InsertionGuard guard(d.b);
    Block *block = d.b.createBlock(&reduce.getCombine());
    Value a = block->addArgument(d.b.getI1Type(), loc),
          b = block->addArgument(d.b.getI1Type(), loc);
    tile::YieldOp::create(d.b, loc, arith::OrIOp::create(d.b, loc, a, b).getResult());
    truth = reduce.getReduced().front();
  }
  return truth;
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

/// The number of each element of a block, row by row.
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

/// Prints "kind, operation, place, subject, program, block's shape, element, value" of each
/// element.
static LogicalResult print(Distribution &d, const Report &report) {
  Operation *op = report.op;
  Location loc = op->getLoc();
  FailureOr<Value> numbers = numbersOf(d, loc, report.layout);
  if (failed(numbers))
    return failure();
  std::string format(1, recordMark), shape, place = placeOf(loc);
  for (const auto &output : report.layout.outputs())
    shape += (shape.empty() ? "" : ",") + std::to_string(output.size());
  for (StringRef part : {report.kind, op->getName().getStringRef(), StringRef(place).rtrim(" :"),
                         StringRef(report.subject)})
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

/// Which offsets into an argument's memory lie in its storage of `count` elements, of which offset
/// 0 is number `start`.
static Value insideOf(const TileMath &tiles, Value offsets, Value start, Value count) {
  ScalarMath scalars{tiles.d, tiles.loc};
  if (!cast<RankedTensorType>(offsets.getType()).getElementType().isInteger(32))
    return tiles.compare(Predicate::ult, tiles.add(offsets, tiles.splat(start)), count);
  // Of 32 bits, exact all the same: bounds that do not fit are beyond all offsets.
  Value lowest = scalars.subtract(scalars.number(0), start);
  Value highest = scalars.subtract(scalars.add(lowest, count), scalars.number(1));
  Value never = scalars.either(scalars.is(Predicate::eq, count, 0),
                               scalars.either(scalars.is(Predicate::sgt, lowest, INT32_MAX),
                                              scalars.is(Predicate::slt, highest, INT32_MIN)));
  Value low = scalars.choose(never, scalars.number32(INT32_MAX), scalars.narrowed(lowest));
  Value high = scalars.choose(never, scalars.number32(INT32_MIN), scalars.narrowed(highest));
  return tiles.both(tiles.compare(Predicate::sge, offsets, low),
                    tiles.compare(Predicate::sle, offsets, high));
}

/// Which addresses lie in one of the other storages of the table, or already are `inside`.
Value Checks::insideOfOthers(Distribution &d, const CheckedAccess &access, Value inside) const {
  Location loc = access.op->getLoc();
  TileMath tiles{d, loc, access.layout};
  ScalarMath scalars{d, loc};
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(d.b, loc, value).getResult();
  };
  auto number = [&](Value at) { return memref::LoadOp::create(d.b, loc, others, at).getResult(); };
  auto begin = static_cast<int64_t>(arguments.size()) * 3;
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
  Value room =
      scalars.most(scalars.subtract(bytes, scalars.number(tile::storedBytes(access.stored) - 1)),
                   scalars.number(0));
  Value at = arith::SubIOp::create(d.b, loc, access.offsets, tiles.splat(first));
  Value found =
      tiles.either(loop.getRegionIterArgs().front(), tiles.compare(Predicate::ult, at, room));
  scf::YieldOp::create(d.b, loc, found);
  return loop.getResult(0);
}

/// Which addresses lie in the storage of any argument that the pointer may lead to: `only` that
/// one, if it is one.
Value Checks::insideOfAny(Distribution &d, const CheckedAccess &access,
                          const Argument *&only) const {
  Location loc = access.op->getLoc();
  TileMath tiles{d, loc, access.layout};
  ScalarMath scalars{d, loc};
  DenseSet<Value> seen, roots;
  addRoots(access.pointer, seen, roots);
  Value inside;
  for (const Argument &each : arguments) {
    unsigned number = cast<BlockArgument>(each.pointer).getArgNumber();
    bool isRoot = llvm::any_of(roots, [&](Value root) {
      return root && cast<BlockArgument>(root).getArgNumber() == number;
    });
    if (!isRoot && !roots.contains(Value()))
      continue;
    Value first = scalars.subtract(each.address, each.before);
    Value at = arith::SubIOp::create(d.b, loc, access.offsets, tiles.splat(first));
    // The last byte of an element lies inside, too.
    int64_t others = tile::storedBytes(access.stored) - 1;
    Value room =
        scalars.most(scalars.subtract(each.bytes, scalars.number(others)), scalars.number(0));
    inside = tiles.either(inside, tiles.compare(Predicate::ult, at, room));
    if (roots.size() == 1 && isRoot)
      only = &each;
  }
  if (roots.contains(Value()))
    inside = insideOfOthers(d, access, inside);
  return inside ? inside : tiles.splat(d.constant(loc, d.b.getI1Type(), 0));
}

FailureOr<Value> Checks::guard(Distribution &d, const CheckedAccess &access) const {
  if (looksFor(Check::Overflow) && failed(checkOverflow(d, access)))
    return failure();
  if (!looksFor(Check::Bounds))
    return access.mask;
  Location loc = access.op->getLoc();
  TileMath tiles{d, loc, access.layout};
  ScalarMath scalars{d, loc};
  int64_t unit = access.memory ? tile::storedBytes(access.stored) : 1;
  const Argument *argument = nullptr;
  Value start, inside; // `start`: of offset 0, from where the storage begins
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
    inside = insideOfAny(d, access, argument);
    if (argument)
      start = scalars.subtract(argument->before, argument->address);
  }
  Value outside = tiles.both(tiles.no(inside), access.mask), offsets = access.offsets;
  FailureOr<Value> any = tiles.any(outside);
  if (failed(any))
    return failure();
  // Bytes from the storage's begin; an address where no one argument is meant.
  auto place = [&d, loc, layout = access.layout, offsets, start, unit] {
    TileMath here{d, loc, layout};
    Value at = here.wide(offsets);
    if (start)
      at = here.add(at, here.splat(start));
    if (unit == 1)
      return at;
    Value by = here.splat(d.constant(loc, d.b.getI64Type(), unit));
    return arith::MulIOp::create(d.b, loc, at, by).getResult();
  };
  d.reports.push_back(
      {access.op, "bounds", argument ? argument->name : "", access.layout, *any, outside, place});
  // Memory that no argument names may be somebody's whom the launch does not know.
  Value mask = argument ? tiles.both(inside, access.mask) : access.mask;
  if (argument && argument->writers && access.memory && sites.contains(access.op) &&
      failed(checkRaces(d, access, *argument, mask)))
    return failure();
  return mask;
}

//===-------------------------------------------------------------------------===//
// Races, and memory that nothing has written
//===-------------------------------------------------------------------------===//

LogicalResult Checks::checkRaces(Distribution &d, const CheckedAccess &access,
                                 const Argument &argument, Value mask) const {
  Location loc = access.op->getLoc();
  TileMath tiles{d, loc, access.layout};
  ScalarMath scalars{d, loc};
  Pointer pointer = d.pointer(access.pointer);
  Type i32 = tile::tensorOf(d.b.getI32Type(), access.layout);
  auto load = [&](Value history) {
    return tile::LoadOp::create(d.b, loc, i32, advance(d, loc, history, pointer.uniform),
                                access.offsets, mask, Value())
        .getResult();
  };
  auto store = [&](Value what, Value history) {
    tile::StoreOp::create(d.b, loc, what, advance(d, loc, history, pointer.uniform), access.offsets,
                          mask);
  };
  auto is = [&](Predicate how, Value a, int32_t b) {
    return tiles.compare(how, a, scalars.number32(b));
  };
  // Who is not this program.
  auto isOther = [&](Value who) {
    Value low = tiles.splat(scalars.number32((1 << programBits) - 1));
    Value number = arith::AndIOp::create(d.b, loc, who, low);
    return tiles.compare(Predicate::ne, number, program);
  };
  auto add = [&](StringRef kind, Value wrong, Value who) -> LogicalResult {
    wrong = tiles.both(wrong, mask);
    FailureOr<Value> any = tiles.any(wrong);
    if (failed(any))
      return failure();
    auto value = [&d, loc, layout = access.layout, who] {
      return TileMath{d, loc, layout}.wide(who);
    };
    d.reports.push_back(
        {access.op, kind, argument.name + "\x1e" + sitePlaces, access.layout, *any, wrong, value});
    return success();
  };

  Value writer = load(argument.writers);
  if (isa<LoadOp>(access.op) &&
      failed(add("unwritten", is(Predicate::eq, writer, neverWritten), writer)))
    return failure();
  if (isa<LoadOp>(access.op) && !argument.readers) // nobody writes it
    return success();
  Value raced = tiles.both(is(Predicate::sgt, writer, 0), isOther(writer));
  Value me = arith::OrIOp::create(
      d.b, loc, program, scalars.number32(int64_t{sites.lookup(access.op)} << programBits));
  if (failed(add("race", raced, writer)))
    return failure();
  Value reader = argument.readers ? load(argument.readers) : Value();
  if (isa<StoreOp>(access.op)) {
    store(tiles.splat(me), argument.writers);
    if (!reader)
      return success();
    Value read = tiles.both(is(Predicate::ne, reader, 0),
                            tiles.either(is(Predicate::slt, reader, 0), isOther(reader)));
    return add("race", read, reader);
  }
  Value several = tiles.both(is(Predicate::ne, reader, 0), isOther(reader));
  Value now = arith::SelectOp::create(
      d.b, loc, several, tiles.splat(scalars.number32(readBySeveral)), tiles.splat(me));
  store(now, argument.readers);
  return success();
}

//===-------------------------------------------------------------------------===//
// Offsets that wrapped
//===-------------------------------------------------------------------------===//

using Like = llvm::function_ref<Type(Type)>;
using Found = std::optional<Distributed>; // i1; none: nothing can be wrong

static FailureOr<Found> only(FailureOr<SmallVector<Distributed>> results) {
  return failed(results) ? FailureOr<Found>() : FailureOr<Found>(Found(results->front()));
}

/// The view or the splat that `op` makes, of another value of its operand's shape.
static FailureOr<Found> sameView(Distribution &d, Operation *op, FailureOr<Found> source) {
  if (failed(source) || !*source)
    return source;
  if (const auto *scalar = std::get_if<Value>(&**source))
    return Found(d.splat(op->getLoc(), shapeOf(op->getResult(0).getType()), *scalar));
  FailureOr<TensorRef> view = viewOf(d, op, std::get<TensorRef>(**source));
  return failed(view) ? FailureOr<Found>() : FailureOr<Found>(Found(*view));
}

static FailureOr<Found> eitherOf(Distribution &d, Location loc, FailureOr<Found> a,
                                 FailureOr<Found> b) {
  if (failed(a) || failed(b))
    return failure();
  if (!*a || !*b)
    return *a ? a : b;
  return only(d.elementwise(loc, {**a, **b}, d.b.getI1Type(), /*isCheap=*/true,
                            [loc](OpBuilder &b, ValueRange v, Like) {
                              return SmallVector<Value>{arith::OrIOp::create(b, loc, v[0], v[1])};
                            }));
}

/// How many numbers from 0 on `make_range` makes; 0 of all else.
static int64_t countedUpTo(Value value) {
  auto range = value.getDefiningOp<MakeRangeOp>();
  return range && range.getStart() == 0 ? static_cast<int64_t>(range.getEnd()) : 0;
}

/// Whether a sum, a difference or a product of i32 leaves 32 bits.
static Value leaves32(OpBuilder &b, Operation *op, Value x, Value y, Value result, Like like) {
  Location loc = op->getLoc();
  if (isa<arith::MulIOp>(op)) {
    auto wide = [&](Value v) {
      return arith::ExtSIOp::create(b, loc, like(b.getI64Type()), v).getResult();
    };
    Value exact = arith::MulIOp::create(b, loc, wide(x), wide(y));
    return arith::CmpIOp::create(b, loc, Predicate::ne, exact, wide(result));
  }
  // A sum has another sign than both of its operands; a difference, than the first of two that
  // differ in theirs.
  Value first = arith::XOrIOp::create(b, loc, result, x);
  Value second = arith::XOrIOp::create(b, loc, isa<arith::AddIOp>(op) ? result : x, y);
  Value sign = arith::AndIOp::create(b, loc, first, second);
  Value zero = arith::XOrIOp::create(b, loc, sign, sign);
  return arith::CmpIOp::create(b, loc, Predicate::slt, sign, zero);
}

/// Whether this one operation leaves 32 bits.
static FailureOr<Found> leavesHere(Distribution &d, Location loc, Operation *op) {
  for (unsigned i : {0u, 1u}) {
    // One number for all on top of a range: the last of them tells.
    int64_t count = countedUpTo(op->getOperand(i));
    auto splat = op->getOperand(1 - i).getDefiningOp<SplatOp>();
    if (!isa<arith::AddIOp>(op) || !count || !splat)
      continue;
    Value limit = d.constant(loc, d.b.getI32Type(), (int64_t{1} << 31) - count);
    Value wraps =
        arith::CmpIOp::create(d.b, loc, Predicate::sgt, d.scalar(splat.getSource()), limit);
    return Found(d.splat(loc, shapeOf(op->getResult(0).getType()), wraps));
  }
  return only(d.elementwise(loc, {d[op->getOperand(0)], d[op->getOperand(1)], d[op->getResult(0)]},
                            d.b.getI1Type(),
                            /*isCheap=*/true, [op](OpBuilder &b, ValueRange v, Like like) {
                              return SmallVector<Value>{leaves32(b, op, v[0], v[1], v[2], like)};
                            }));
}

/// Whether the arithmetic that makes an i32 leaves 32 bits on the way.
static FailureOr<Found> leaves(Distribution &d, Location loc, Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !scalarOf(value.getType()).isInteger(32))
    return Found();
  if (isView(op) || isa<SplatOp>(op))
    return sameView(d, op, leaves(d, loc, op->getOperand(0)));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return Found();
  return eitherOf(
      d, loc, leavesHere(d, loc, op),
      eitherOf(d, loc, leaves(d, loc, op->getOperand(0)), leaves(d, loc, op->getOperand(1))));
}

/// Which of a pointer's elements are led to by an offset that has wrapped.
static FailureOr<Found> wrappedOffsets(Distribution &d, Location loc, Value pointer) {
  Operation *op = pointer.getDefiningOp();
  if (!op)
    return Found();
  if (isView(op) || isa<SplatOp>(op))
    return sameView(d, op, wrappedOffsets(d, loc, op->getOperand(0)));
  if (isa<triton::BitcastOp>(op))
    return wrappedOffsets(d, loc, op->getOperand(0));
  auto step = dyn_cast<AddPtrOp>(op);
  if (!step)
    return Found();
  return eitherOf(d, loc, wrappedOffsets(d, loc, step.getPointer()),
                  leaves(d, loc, step.getOffset()));
}

LogicalResult Checks::checkOverflow(Distribution &d, const CheckedAccess &access) const {
  Location loc = access.op->getLoc();
  FailureOr<Found> found = wrappedOffsets(d, loc, access.pointer);
  if (failed(found) || !*found)
    return found;
  TileMath tiles{d, loc, access.layout};
  Value uniform, wrapped;
  if (const auto *scalar = std::get_if<Value>(&**found)) {
    uniform = *scalar;
    wrapped = tiles.splat(uniform);
  } else {
    auto tensor = std::get<TensorRef>(**found);
    uniform = tensor->uniform;
    FailureOr<Value> mask = d.in(tensor, access.layout);
    if (failed(mask))
      return failure();
    wrapped = *mask;
  }
  wrapped = tiles.both(wrapped, access.mask);
  FailureOr<Value> any = uniform ? FailureOr<Value>(uniform) : tiles.any(wrapped);
  if (failed(any))
    return failure();
  auto place = [&d, loc, layout = access.layout, offsets = access.offsets] {
    return TileMath{d, loc, layout}.wide(offsets);
  };
  d.reports.push_back({access.op, "overflow", "", access.layout, *any, wrapped, place});
  return success();
}

//===-------------------------------------------------------------------------===//
// Divisors of zero
//===-------------------------------------------------------------------------===//

/// Whether a number comes from memory under a mask: what that leaves out is any number, and may be
/// zero.
static bool isMasked(Value value, DenseSet<Value> &seen) {
  Operation *op = value.getDefiningOp();
  if (!seen.insert(value).second || !op)
    return false;
  if (auto load = dyn_cast<LoadOp>(op))
    return static_cast<bool>(load.getMask());
  return llvm::any_of(op->getOperands(), [&](Value operand) { return isMasked(operand, seen); });
}

LogicalResult Checks::checkDivision(Distribution &d, Operation *op) const {
  bool isDivision = isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
  if (!looksFor(Check::Division) || !isDivision ||
      isa<ReduceOp, ScanOp, MapElementwiseOp>(op->getParentOp()))
    return success();
  Value divisor = op->getOperand(1);
  DenseSet<Value> seen;
  if (matchPattern(divisor, m_Constant()) || isMasked(divisor, seen))
    return success();
  Location loc = op->getLoc();
  Distributed is = d[divisor];
  const auto *scalar = std::get_if<Value>(&is);
  TensorRef tensor = scalar ? d.splat(loc, {1}, *scalar) : std::get<TensorRef>(is);
  FailureOr<Layout> layout = scalar ? d.take(loc, oneElement(d.workgroup)) : d.homeOf(tensor);
  FailureOr<Value> tile = failed(layout) ? FailureOr<Value>() : d.in(tensor, *layout);
  if (failed(tile))
    return failure();
  TileMath tiles{d, loc, *layout};
  Type element = cast<RankedTensorType>(tile->getType()).getElementType();
  Value isZero = tiles.compare(Predicate::eq, *tile, d.constant(loc, element, 0));
  FailureOr<Value> any = tiles.any(isZero);
  if (failed(any))
    return failure();
  auto nothing = [&d, loc, layout = *layout] {
    return TileMath{d, loc, layout}.splat(d.constant(loc, d.b.getI64Type(), 0));
  };
  d.reports.push_back({op, "division", "", *layout, *any, isZero, nothing});
  return success();
}
