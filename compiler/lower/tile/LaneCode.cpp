//===- LaneCode.cpp - code that follows a plan ------------------------------===//
#include "compiler/lower/tile/LaneCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;
using namespace pumice::lower::tiles;
using pumice::tile::BitSpan;
using pumice::tile::LaneExchange;
using pumice::tile::LaneNumber;
using pumice::tile::PlaceBit;

Registers LaneCode::unpack(Value vector) {
  return llvm::to_vector_of<Value>(vector::ToElementsOp::create(b, vector).getElements());
}

Value LaneCode::pack(ArrayRef<Value> registers) {
  auto type = VectorType::get(static_cast<int64_t>(registers.size()), registers[0].getType());
  return vector::FromElementsOp::create(b, type, registers);
}

//===-------------------------------------------------------------------------===//
// Numbers
//===-------------------------------------------------------------------------===//

Value LaneCode::constant(uint64_t number) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(number)));
}

Value LaneCode::laneId() {
  if (lanes == 1)
    return constant(0);
  Value id = gpu::LaneIdOp::create(b, /*upper_bound=*/IntegerAttr());
  return arith::IndexCastOp::create(b, b.getI32Type(), id);
}

/// Returns the subgroup's number. With one lane per subgroup, each invocation of the workgroup
/// counts as a subgroup, whatever size the device's subgroups have.
Value LaneCode::subgroupId() {
  Value id;
  if (lanes == 1)
    id = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  else
    id = gpu::SubgroupIdOp::create(b, /*upper_bound=*/IntegerAttr());
  return arith::IndexCastOp::create(b, b.getI32Type(), id);
}

Value LaneCode::bits(Value number, uint64_t mask) {
  return arith::AndIOp::create(b, number, constant(mask));
}

/// Groups bits by the number of positions that they move.
static std::map<int, uint64_t> byDistance(ArrayRef<uint64_t> columns) {
  std::map<int, uint64_t> masks;
  for (size_t from = 0; from < columns.size(); ++from)
    for (uint64_t rest = columns[from]; rest; rest &= rest - 1)
      masks[std::countr_zero(rest) - static_cast<int>(from)] |= uint64_t(1) << from;
  return masks;
}

Value LaneCode::linear(Value value, ArrayRef<uint64_t> columns, bool isNumber) {
  Value sum;
  for (auto [distance, mask] : byDistance(columns)) {
    // If all bits of a value move by the same distance, no mask is needed.
    bool isAll = mask == (uint64_t(1) << columns.size()) - 1;
    Value part = isAll && isNumber ? value : bits(value, mask);
    if (distance > 0)
      part = arith::ShLIOp::create(b, part, constant(static_cast<uint64_t>(distance)));
    if (distance < 0)
      part = arith::ShRUIOp::create(b, part, constant(static_cast<uint64_t>(-distance)));
    sum = sum ? arith::XOrIOp::create(b, sum, part).getResult() : part;
  }
  return sum ? sum : constant(0);
}

Value LaneCode::number(const LaneNumber &number) {
  bool bySubgroup = llvm::any_of(number.bySubgroup, [](uint64_t column) { return column; });
  Value sum = linear(laneId(), number.byLane, true);
  if (!bySubgroup)
    return sum;
  return arith::XOrIOp::create(b, sum, linear(subgroupId(), number.bySubgroup, true));
}

Value LaneCode::place(const tile::LinearLayout &places, std::string_view output, uint64_t reg) {
  tile::Field field = places.output(output);
  uint64_t inLanes = 0;
  auto columns = [&](std::string_view input) {
    std::vector<uint64_t> result;
    for (uint64_t image : places.columns(input)) {
      result.push_back(field.of(image));
      inLanes |= result.back();
    }
    return result;
  };
  Value first = number({columns(tile::laneSpace), columns(tile::subgroupSpace)});
  Value here = constant(field.of(tile::combine(places.columns(tile::registerSpace), reg)));
  // A sum is preferred to an XOR, because it shows later passes which addresses are consecutive.
  if (field.of(tile::combine(places.columns(tile::registerSpace), reg)) & inLanes)
    return arith::XOrIOp::create(b, first, here);
  return arith::AddIOp::create(b, first, here);
}

//===-------------------------------------------------------------------------===//
// Conditions
//===-------------------------------------------------------------------------===//

/// Returns whether an odd number of the bits in `mask` is set in `number`. No bits outside `mask`
/// are set in `number`.
Value LaneCode::isOdd(Value number, uint64_t mask) {
  if (!std::has_single_bit(mask)) {
    Value count = math::CtPopOp::create(b, number);
    number = bits(count, 1);
  }
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, number, constant(0));
}

Condition LaneCode::holds(const PlaceBit &bit, uint64_t reg) {
  bool odd = (tile::parity(reg & bit.bits.reg) != 0) != bit.negated;
  Value value;
  if (bit.bits.lane)
    value = isOdd(bits(laneId(), bit.bits.lane), bit.bits.lane);
  if (bit.bits.subgroup) {
    Value other = isOdd(bits(subgroupId(), bit.bits.subgroup), bit.bits.subgroup);
    value = value ? arith::XOrIOp::create(b, value, other).getResult() : other;
  }
  if (!value)
    return {odd, {}};
  if (odd)
    value = arith::XOrIOp::create(b, value, arith::ConstantOp::create(b, b.getBoolAttr(true)));
  return {std::nullopt, value};
}

Condition LaneCode::isOriginal(uint64_t laneCopies, uint64_t subgroupCopies) {
  Value value;
  auto require = [&](Value number, uint64_t mask) {
    Value none =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits(number, mask), constant(0));
    value = value ? arith::AndIOp::create(b, value, none).getResult() : none;
  };
  if (laneCopies)
    require(laneId(), laneCopies);
  if (subgroupCopies)
    require(subgroupId(), subgroupCopies);
  return value ? Condition{std::nullopt, value} : Condition{true, {}};
}

Value LaneCode::onceWhere(const Condition &original, ArrayRef<Value> masks, size_t reg) {
  if (masks.empty())
    return original.value;
  return original.value ? arith::AndIOp::create(b, original.value, masks[reg]).getResult()
                        : masks[reg];
}

Value LaneCode::select(const Condition &condition, Value yes, Value no) {
  if (condition.known)
    return *condition.known ? yes : no;
  return arith::SelectOp::create(b, condition.value, yes, no);
}

Condition LaneCode::either(const Condition &first, const Condition &second) {
  if (first.known)
    return *first.known ? first : second;
  if (second.known)
    return *second.known ? second : first;
  return {std::nullopt, arith::OrIOp::create(b, first.value, second.value)};
}

//===-------------------------------------------------------------------------===//
// Shuffles
//===-------------------------------------------------------------------------===//

Value LaneCode::shuffleXor(Value value, uint64_t laneXor) {
  return gpu::ShuffleOp::create(b, value, constant(laneXor), constant(lanes), gpu::ShuffleMode::XOR)
      .getShuffleResult();
}

Value LaneCode::countFrom(Value first, int64_t distance) {
  Value lane = laneId();
  if (distance)
    lane = arith::AddIOp::create(b, lane, constant(static_cast<uint64_t>(distance)));
  if (first.getType() != lane.getType())
    lane = arith::ExtSIOp::create(b, first.getType(), lane);
  return arith::AddIOp::create(b, first, lane);
}

Value LaneCode::shuffleFrom(Value value, Value lane) {
  return gpu::ShuffleOp::create(b, value, lane, constant(lanes), gpu::ShuffleMode::IDX)
      .getShuffleResult();
}

/// Returns registers in a new order: new register r is old register r ^ `by`. For each independent
/// bit of `by`, registers either swap with those that differ in this bit, or stay.
Registers LaneCode::permute(Registers registers, const LaneNumber &by) {
  BitSpan span;
  std::vector<uint64_t> columns = by.byLane, directions;
  columns.insert(columns.end(), by.bySubgroup.begin(), by.bySubgroup.end());
  std::vector<size_t> numbers;
  for (size_t i = 0; i < columns.size(); ++i)
    if (span.add(columns[i]))
      directions.push_back(columns[i]), numbers.push_back(i);
  for (size_t i = 0; i < directions.size(); ++i) {
    PlaceBit bit;
    for (size_t column = 0; column < columns.size(); ++column) {
      uint64_t named = span.express(columns[column]).value_or(0) >> numbers[i] & 1;
      if (column < by.byLane.size())
        bit.bits.lane |= named << column;
      else
        bit.bits.subgroup |= named << (column - by.byLane.size());
    }
    Condition swaps = holds(bit, 0);
    Registers old = registers;
    for (size_t reg = 0; reg < registers.size(); ++reg)
      registers[reg] = select(swaps, old[reg ^ directions[i]], old[reg]);
  }
  return registers;
}

Registers LaneCode::exchange(const LaneExchange &plan, ArrayRef<Value> registers) {
  Registers sent = permute(llvm::to_vector(registers), plan.before);
  bool sameLanes = llvm::all_of(plan.fromLane.bySubgroup, [](uint64_t lane) { return !lane; });
  for (size_t bit = 0; bit < plan.fromLane.byLane.size(); ++bit)
    sameLanes &= plan.fromLane.byLane[bit] == uint64_t(1) << bit;
  Value from = sameLanes ? Value() : number(plan.fromLane);
  std::map<std::pair<uint64_t, uint64_t>, Value> known;
  Registers received;
  for (const LaneExchange::Round &round : plan.rounds) {
    Value &value = known[{round.sends, round.laneXor}];
    if (!value && !plan.moves(round))
      value = sent[round.sends];
    else if (!value && sameLanes)
      value = shuffleXor(sent[round.sends], round.laneXor);
    else if (!value)
      value =
          shuffleFrom(sent[round.sends], arith::XOrIOp::create(b, from, constant(round.laneXor)));
    received.push_back(value);
  }
  Registers result = permute(std::move(received), plan.after);
  result.truncate(plan.resultRegisters);
  return result;
}
