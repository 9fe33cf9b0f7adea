//===- CheckRaces.cpp - finds races between programs, and between lanes -----===//
//   before: tt.store %p, %v, %m : tensor<64x!tt.ptr<f32>>
//   after:  %who = tile.load from %writers at %offset mask %m
//           %raced = (%who > 0) & (%who's program != this one)
//           tile.store %me to %writers at %offset mask %m
//           …
// Atomic operations race with plain accesses, but not with each other. Checks.h describes the
// histories of elements.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/distribute/CheckMath.h"
#include "compiler/import/triton/distribute/Checks.h"
#include "compiler/import/triton/distribute/Converters.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

/// The number of bits for the program in an entry of an element's history. The other bits hold the
/// number of the site.
constexpr int programBits = 20;
constexpr size_t mostSites = (1 << (31 - programBits)) - 2; // keeps entries non-negative
constexpr int32_t neverWritten = -1, readBySeveral = -2, updatedBySeveral = -3;

//===-------------------------------------------------------------------------===//
// Histories
//===-------------------------------------------------------------------------===//

/// Returns whether programs of the kernel may wait for each other, so that accesses of different
/// programs are ordered. Such programs use the result of an atomic operation, or read memory that
/// may change.
static bool synchronizes(FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto load = dyn_cast<LoadOp>(op);
        bool waits = load ? load.getIsVolatile()
                          : isa<AtomicRMWOp, AtomicCASOp, AtomicLoadOp>(op) && !op->use_empty();
        return waits ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns the only argument to whose memory a pointer can point, or null.
static BlockArgument rootOf(Value pointer) {
  DenseSet<Value> seen, roots;
  addRoots(pointer, seen, roots);
  return roots.size() == 1 ? dyn_cast_or_null<BlockArgument>(*roots.begin()) : BlockArgument();
}

static bool isAtomic(Operation *op) {
  return isa<AtomicRMWOp, AtomicCASOp, AtomicLoadOp, AtomicStoreOp>(op);
}

static Value pointerOf(Operation *access) {
  return isa<LoadOp, StoreOp>(access) || isAtomic(access) ? access->getOperand(0) : Value();
}

/// Numbers the accesses that histories record, plain ones first. So the number in an entry shows
/// whether its site is atomic.
void Checks::addSites(FuncOp kernel, llvm::function_ref<bool(Operation *)> isKnown) {
  for (bool atomic : {false, true}) {
    kernel.walk([&](Operation *op) {
      if (!pointerOf(op) || isAtomic(op) != atomic || !isKnown(op))
        return;
      int site = static_cast<int>(sites.size()) + 1;
      sites[op] = site;
      std::string place = placeOf(op->getLoc());
      sitePlaces +=
          (site > 1 ? ";" : "") + std::to_string(site) + "=" + StringRef(place).rtrim(" :").str();
    });
    if (!atomic)
      plainSites = static_cast<int>(sites.size());
  }
}

void Checks::addHistories(OpBuilder &b, FuncOp kernel, gpu::GPUFuncOp function) {
  if (synchronizes(kernel))
    return;
  Location loc = NameLoc::get(b.getStringAttr("pumice.check"));
  llvm::DenseSet<unsigned> written, read, known, unseen; // `unseen`: written by atomic operations
  bool anyUnseen = false;
  kernel.walk([&](Operation *op) {
    if (!pointerOf(op))
      return;
    BlockArgument root = rootOf(pointerOf(op));
    anyUnseen |= !root && !isa<LoadOp, AtomicLoadOp>(op);
    if (root)
      (isa<StoreOp>(op) ? written : isa<LoadOp>(op) ? read : unseen).insert(root.getArgNumber());
  });
  // Atomic operations alone do not race. If arguments share memory, a write through one argument
  // changes the memory of the others.
  bool isShared = looksFor(Check::Shared);
  auto hasPlain = [&](unsigned which) { return written.contains(which) || read.contains(which); };
  auto isChanged = [&](unsigned which) {
    return written.contains(which) || unseen.contains(which);
  };
  bool all = looksFor(Check::Unwritten) || (isShared && (!written.empty() || !unseen.empty()));
  addSites(kernel, [&](Operation *op) {
    BlockArgument root = rootOf(pointerOf(op));
    bool isKnown =
        root && (all || (hasPlain(root.getArgNumber()) && isChanged(root.getArgNumber())));
    if (isKnown)
      known.insert(root.getArgNumber());
    return isKnown;
  });
  if (sites.size() > mostSites) {
    sites.clear();
    return;
  }
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI32Type());
  for (Argument &argument : arguments) {
    unsigned which = cast<BlockArgument>(argument.pointer).getArgNumber();
    if (!known.contains(which))
      continue;
    argument.isWrittenUnseen = anyUnseen || (isShared ? !unseen.empty() : unseen.contains(which));
    bool canRace = isShared ? !read.empty() && (!written.empty() || !unseen.empty())
                            : read.contains(which) && isChanged(which);
    for (Value *history : {&argument.writers, &argument.readers}) {
      if (history == &argument.readers && !canRace)
        continue;
      unsigned last = function.getNumArguments();
      auto named = NameLoc::get(b.getStringAttr("pumice.history." + argument.name));
      if (failed(function.insertArgument(last, type, {}, named)))
        llvm_unreachable("a kernel's function takes any argument");
      *history = function.getArgument(last);
    }
  }
  // Numbers the programs from 1 on, in 20 bits.
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

//===-------------------------------------------------------------------------===//
// Races, and reads of memory that nothing has written
//===-------------------------------------------------------------------------===//

void Checks::checkRaces(Distribution &d, const CheckedAccess &access, const Argument &argument,
                        Value mask) const {
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
  // Returns the entries that belong to other programs.
  auto isOther = [&](Value who) {
    Value low = tiles.splat(scalars.number32((1 << programBits) - 1));
    Value number = arith::AndIOp::create(d.b, loc, who, low);
    return tiles.compare(Predicate::ne, number, program);
  };
  auto add = [&](StringRef kind, Value wrong, Value who) {
    wrong = tiles.both(wrong, mask);
    Value any = tiles.any(wrong);
    auto value = [&d, loc, layout = access.layout, who] {
      return TileMath{d, loc, layout}.wide(who);
    };
    d.reports.push_back(
        {access.op, kind, argument.name + "\x1e" + sitePlaces, access.layout, any, wrong, value});
  };

  bool atomic = isAtomic(access.op);
  Value writer = load(argument.writers);
  if (isa<LoadOp>(access.op) && !argument.isWrittenUnseen)
    add("unwritten", is(Predicate::eq, writer, neverWritten), writer);
  if (isa<LoadOp>(access.op) && !argument.readers) // nothing writes this memory
    return;
  int32_t firstAtomic = (plainSites + 1) << programBits;
  Value byOther = tiles.both(is(Predicate::sgt, writer, 0), isOther(writer));
  Value severally = is(Predicate::eq, writer, updatedBySeveral);
  Value raced = atomic ? tiles.both(byOther, is(Predicate::slt, writer, firstAtomic))
                       : tiles.either(byOther, severally);
  Value me = tiles.splat(
      arith::OrIOp::create(d.b, loc, program,
                           scalars.number32(int64_t{sites.lookup(access.op)} << programBits))
          .getResult());
  add("race", raced, writer);
  auto choose = [&](Value condition, Value a, Value b) {
    return arith::SelectOp::create(d.b, loc, condition, a, b).getResult();
  };
  Value reader = argument.readers ? load(argument.readers) : Value();
  if (isa<LoadOp>(access.op)) {
    Value several = tiles.both(is(Predicate::ne, reader, 0), isOther(reader));
    store(choose(several, tiles.splat(scalars.number32(readBySeveral)), me), argument.readers);
    return;
  }
  // A later atomic operation may still race with a plain store, so the entry of the store is kept.
  Value plainly =
      tiles.both(is(Predicate::sgt, writer, 0), is(Predicate::slt, writer, firstAtomic));
  Value others = tiles.splat(scalars.number32(updatedBySeveral));
  store(atomic ? choose(plainly, writer, choose(tiles.either(byOther, severally), others, me)) : me,
        argument.writers);
  if (!reader)
    return;
  Value read = tiles.both(is(Predicate::ne, reader, 0),
                          tiles.either(is(Predicate::slt, reader, 0), isOther(reader)));
  add("race", read, reader);
}

//===-------------------------------------------------------------------------===//
// Lanes that write to the same element
//===-------------------------------------------------------------------------===//

/// Returns whether no two elements of a block can be in the same place. Each step must exceed the
/// extent that the smaller steps of the same symbol cover. Steps of different symbols are assumed
/// not to coincide, as in usual code.
static bool haveOwnPlaces(const BitFacts &facts) {
  SmallVector<std::pair<uintptr_t, uint64_t>> known;
  for (Step step : facts.steps) {
    if (!step || *step == 0)
      return false;
    known.push_back({reinterpret_cast<uintptr_t>(step.of().id),
                     *step < 0 ? 0 - static_cast<uint64_t>(*step) : static_cast<uint64_t>(*step)});
  }
  llvm::sort(known);
  uintptr_t symbol = 0;
  uint64_t covered = 0;
  for (auto [of, step] : known) {
    covered = of == symbol ? covered : 0;
    symbol = of;
    if (step <= covered)
      return false;
    covered = llvm::SaturatingAdd(step, covered);
  }
  return true;
}

void Checks::checkLanes(Distribution &d, const CheckedAccess &access, Value stored) const {
  if (!looksFor(Check::Lanes) || haveOwnPlaces(d.facts[access.pointer]))
    return;
  Location loc = access.op->getLoc();
  TileMath tiles{d, loc, access.layout};
  // The first barrier completes all stores of the program before the loads. The second one
  // completes the loads before any later store.
  gpu::BarrierOp::create(d.b, loc);
  Value found = tile::LoadOp::create(d.b, loc, stored.getType(), access.memory, access.offsets,
                                     access.mask, Value());
  gpu::BarrierOp::create(d.b, loc);
  if (auto type = dyn_cast<FloatType>(access.stored)) {
    Type bits = tile::tensorOf(d.b.getIntegerType(type.getWidth()), access.layout);
    found = arith::BitcastOp::create(d.b, loc, bits, found);
    stored = arith::BitcastOp::create(d.b, loc, bits, stored);
  }
  Value wrong = tiles.both(
      arith::CmpIOp::create(d.b, loc, Predicate::ne, found, stored).getResult(), access.mask);
  Value any = tiles.any(wrong);
  const Argument *argument = access.memory ? argumentOf(d.pointer(access.pointer).base) : nullptr;
  auto place = [&d, loc, layout = access.layout, offsets = access.offsets] {
    return TileMath{d, loc, layout}.wide(offsets);
  };
  d.reports.push_back(
      {access.op, "lanes", argument ? argument->name : "", access.layout, any, wrong, place});
}
