//===- CombineAccesses.cpp - combines accesses to neighbouring scalars ------===//
//   before: %a = lane.load %p : f32;  %b = lane.load %p[4] : f32       (%p strided by 8)
//   after:  %a, %b = lane.load %p : f32, f32
// Each of the separate accesses would be a gather. The combined access uses whole vectors and
// shuffles. Addresses are compared as sums of terms and a constant. A constant that is added before
// a sign extension may be moved behind it: both accesses of a lane are in one object, so the sum
// has not wrapped.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/lane_passes/CombineAccesses.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {

/// An address: a root, terms with factors in a fixed order, and a constant.
struct Place {
  Value root;
  llvm::MapVector<Value, int64_t> terms;
  int64_t constant = 0;

  bool isBeside(const Place &other) const {
    if (root != other.root || terms.size() != other.terms.size())
      return false;
    return llvm::all_of(terms, [&](const auto &term) {
      auto found = other.terms.find(term.first);
      return found != other.terms.end() && found->second == term.second;
    });
  }
};

struct Access {
  Operation *op;
  Place place;
};

/// Loads or stores of one type, in program order. Their addresses differ by constants.
using Family = SmallVector<Access>;

} // namespace

static void addTerms(Value number, int64_t factor, Place &place) {
  Operation *op = number.getDefiningOp();
  APInt constant;
  if (matchPattern(number, m_ConstantInt(&constant)))
    place.constant += constant.getSExtValue() * factor;
  else if (isa<arith::ExtSIOp>(op) && op->getOperand(0).getType().isInteger(32))
    addTerms(op->getOperand(0), factor, place);
  else if (isa<arith::AddIOp>(op))
    for (Value operand : op->getOperands())
      addTerms(operand, factor, place);
  else if (isa<arith::MulIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&constant)) &&
           constant.abs().ult(1 << 24))
    addTerms(op->getOperand(0), factor * constant.getSExtValue(), place);
  else
    place.terms[number] += factor;
}

static Place placeOf(Value address) {
  Place place;
  while (auto step = address.getDefiningOp<lane::OffsetOp>()) {
    addTerms(step.getBytes(), 1, place);
    address = step.getBase();
  }
  place.root = address;
  return place;
}

static Value addressOf(Operation *op) {
  auto store = dyn_cast<lane::StoreOp>(op);
  return store ? store.getAddress() : cast<lane::LoadOp>(op).getAddress();
}

static ValueRange valuesOf(Operation *op) {
  auto store = dyn_cast<lane::StoreOp>(op);
  return store ? ValueRange(store.getValues()) : ValueRange(op->getResults());
}

/// Returns the bytes that an access moves for one lane.
static int64_t bytesOf(Operation *op) {
  Type type = valuesOf(op)[0].getType();
  int64_t bits = isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
  return std::max<int64_t>(bits / 8, 1) * valuesOf(op).size();
}

static void combine(ArrayRef<Access> run, Operation *where) {
  bool isLoad = isa<lane::LoadOp>(where);
  OpBuilder b(where);
  // Starts from the address at `where`, which is known there. The address of the first access might
  // be computed later.
  const Access *known = llvm::find_if(run, [&](const Access &a) { return a.op == where; });
  int64_t back = run.front().place.constant - known->place.constant;
  Value address = addressOf(where);
  if (back) {
    Value bytes = arith::ConstantOp::create(b, where->getLoc(), b.getI64IntegerAttr(back));
    address = lane::OffsetOp::create(b, where->getLoc(), address.getType(), address, bytes);
  }
  int64_t alignment = std::numeric_limits<int64_t>::max();
  SmallVector<Value> values;
  for (const Access &access : run) {
    llvm::append_range(values, valuesOf(access.op));
    alignment =
        std::min<int64_t>(alignment, access.op->getAttrOfType<IntegerAttr>("alignment").getInt());
  }
  if (isLoad) {
    SmallVector<Type> types(ValueRange(values).getTypes());
    auto all = lane::LoadOp::create(b, where->getLoc(), types, address, alignment);
    for (auto [old, fresh] : llvm::zip_equal(values, all.getResults()))
      old.replaceAllUsesWith(fresh);
  } else {
    lane::StoreOp::create(b, where->getLoc(), values, address, alignment);
  }
  for (const Access &access : run)
    access.op->erase();
}

/// Combines the family into one access, if its accesses fill the distance between two neighbouring
/// lanes.
static bool combineRuns(Family &family, const LaneAnalysis &analysis) {
  if (family.size() < 2)
    return false;
  Operation *where = isa<lane::LoadOp>(family.front().op) ? family.front().op : family.back().op;
  int64_t stride = analysis.shape(addressOf(where)).stride;
  llvm::sort(family,
             [](const Access &a, const Access &b) { return a.place.constant < b.place.constant; });
  int64_t bytes = 0;
  for (const Access &access : family) {
    if (access.place.constant != family.front().place.constant + bytes)
      return false;
    bytes += bytesOf(access.op);
  }
  constexpr size_t mostShuffled = 8; // with more, gathers are as fast
  if (bytes != stride || family.size() > mostShuffled)
    return false;
  combine(family, where);
  return true;
}

static bool isPlain(Operation *op) {
  return !op->hasAttr("volatile") && !op->hasAttr("atomic_order") && !op->hasAttr("nontemporal");
}

/// Returns whether an operation between two accesses prevents their combination.
static bool separates(Operation *op, bool loads) {
  if (isa<lane::LoadOp>(op))
    return !loads || !isPlain(op);
  return !isMemoryEffectFree(op) && !isa<lane::GetOp, lane::SetOp, lane::VarOp, lane::ResetOp>(op);
}

template <typename Op> static bool combineIn(Block &block, const LaneAnalysis &analysis) {
  constexpr bool loads = std::is_same_v<Op, lane::LoadOp>;
  bool any = false;
  std::vector<Family> families;
  auto finish = [&] {
    for (Family &family : families)
      any |= combineRuns(family, analysis);
    families.clear();
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto access = dyn_cast<Op>(op);
    Shape shape = access ? analysis.shape(access.getAddress()) : Shape();
    if (!access || !isPlain(&op) || shape.kind != Shape::Strided || shape.stride <= bytesOf(&op)) {
      if (separates(&op, loads))
        finish();
      continue;
    }
    Place place = placeOf(access.getAddress());
    auto family = llvm::find_if(families, [&](const Family &known) {
      return known.front().place.isBeside(place) &&
             valuesOf(known.front().op)[0].getType() == valuesOf(&op)[0].getType();
    });
    if (family == families.end()) {
      if (!loads) // it may access the same memory
        finish();
      family = families.insert(families.end(), Family());
    }
    family->push_back({&op, place});
  }
  finish();
  return any;
}

bool cpu::combineAccesses(func::FuncOp kernel, const LaneAnalysis &analysis) {
  bool any = false;
  kernel.walk([&](Block *block) {
    any |= combineIn<lane::LoadOp>(*block, analysis);
    any |= combineIn<lane::StoreOp>(*block, analysis);
  });
  return any;
}
