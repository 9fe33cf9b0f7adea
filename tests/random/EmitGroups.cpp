//===- EmitGroups.cpp - a program as SPIR-V: subgroup operations ------------===//
#include "tests/random/Emitter.h"

namespace pumice::random_programs {

/// Returns the value of another lane if that lane is active, or else this lane's own.
Emitter::Id Emitter::moved(const Expr &expr, GroupOperation operation, Id value) {
  TypeId u32 = types.scalar(Base::U32), uvec4 = types.vector(Base::U32, 4);
  auto emit = [&](spv::Op op, Id type, SpirvWriter::Operands operands) {
    return writer.emit(op, type, operands);
  };
  Id type = typeOf(expr.type), scope = number(spv::ScopeSubgroup), uint = uintType();
  Id lane = builtIn(spv::BuiltInSubgroupLocalInvocationId, u32);
  Id last = emit(spv::OpISub, uint, {builtIn(spv::BuiltInSubgroupSize, u32), number(1)});
  Id amount = 0, target = 0, made = 0, inside = 0;
  if (expr.operands.size() > 1)
    amount = emit(spv::OpBitwiseAnd, uint, {expression(expr.operands[1]), last});
  switch (operation) {
  case GroupOperation::Shuffle:
  case GroupOperation::ShuffleXor:
    writer.capability(spv::CapabilityGroupNonUniformShuffle);
    target = operation == GroupOperation::Shuffle ? amount
                                                  : emit(spv::OpBitwiseXor, uint, {lane, amount});
    made = emit(operation == GroupOperation::Shuffle ? spv::OpGroupNonUniformShuffle
                                                     : spv::OpGroupNonUniformShuffleXor,
                type, {scope, value, amount});
    break;
  case GroupOperation::ShuffleUp:
  case GroupOperation::ShuffleDown: {
    writer.capability(spv::CapabilityGroupNonUniformShuffleRelative);
    bool up = operation == GroupOperation::ShuffleUp;
    target = emit(up ? spv::OpISub : spv::OpIAdd, uint, {lane, amount});
    inside = emit(spv::OpULessThanEqual, boolType(), {target, last});
    target = emit(spv::OpBitwiseAnd, uint, {target, last});
    made = emit(up ? spv::OpGroupNonUniformShuffleUp : spv::OpGroupNonUniformShuffleDown, type,
                {scope, value, amount});
    break;
  }
  default: { // of a quad
    writer.capability(spv::CapabilityGroupNonUniformQuad);
    bool swap = operation == GroupOperation::QuadSwap;
    Id first = emit(spv::OpBitwiseAnd, uint, {lane, number(~3u)});
    target = swap ? emit(spv::OpBitwiseXor, uint, {lane, number(expr.detail + 1)})
                  : emit(spv::OpBitwiseOr, uint, {first, number(expr.detail)});
    made = emit(swap ? spv::OpGroupNonUniformQuadSwap : spv::OpGroupNonUniformQuadBroadcast, type,
                {scope, value, number(expr.detail)});
  }
  }
  writer.capability(spv::CapabilityGroupNonUniformBallot);
  Id active = emit(spv::OpGroupNonUniformBallot, typeOf(uvec4), {scope, scalarOf(Base::Bool, 1)});
  Id there = emit(spv::OpGroupNonUniformBallotBitExtract, boolType(), {scope, active, target});
  if (inside)
    there = emit(spv::OpLogicalAnd, boolType(), {there, inside});
  if (types.isVector(expr.type)) {
    SpirvWriter::Operands all(types[expr.type].count, there);
    there = emit(spv::OpCompositeConstruct, typeOf(types.like(expr.type, Base::Bool)), all);
  }
  return emit(spv::OpSelect, type, {there, made, value});
}

/// Emits reductions and scans. `detail` selects the form and the operation.
static spv::Op combination(uint32_t detail) { return static_cast<spv::Op>(detail / 4); }

Emitter::Id Emitter::group(const Expr &expr) {
  auto operation = static_cast<GroupOperation>(expr.literal);
  Id type = typeOf(expr.type), scope = number(spv::ScopeSubgroup);
  Id value = expr.operands.empty() ? 0 : expression(expr.operands[0]);
  writer.capability(spv::CapabilityGroupNonUniform);
  auto ballot = [&] {
    writer.capability(spv::CapabilityGroupNonUniformBallot);
    return writer.emit(spv::OpGroupNonUniformBallot, typeOf(types.vector(Base::U32, 4)),
                       {scope, value});
  };
  auto vote = [&](spv::Op op) {
    writer.capability(spv::CapabilityGroupNonUniformVote);
    return writer.emit(op, type, {scope, value});
  };
  switch (operation) {
  case GroupOperation::Elect:
    return writer.emit(spv::OpGroupNonUniformElect, type, {scope});
  case GroupOperation::All:
    return vote(spv::OpGroupNonUniformAll);
  case GroupOperation::Any:
    return vote(spv::OpGroupNonUniformAny);
  case GroupOperation::AllEqual:
    return vote(spv::OpGroupNonUniformAllEqual);
  case GroupOperation::BroadcastFirst:
    writer.capability(spv::CapabilityGroupNonUniformBallot);
    return writer.emit(spv::OpGroupNonUniformBroadcastFirst, type, {scope, value});
  case GroupOperation::Ballot:
    return ballot();
  case GroupOperation::BallotCount:
    return writer.emit(spv::OpGroupNonUniformBallotBitCount, type, {scope, expr.detail, ballot()});
  case GroupOperation::BallotFind: { // an empty ballot has no first lane
    Id lanes = ballot(), any = writer.emit(spv::OpGroupNonUniformBallotBitCount, type,
                                           {scope, spv::GroupOperationReduce, lanes});
    Id found = writer.emit(expr.detail % 2 ? spv::OpGroupNonUniformBallotFindLSB
                                           : spv::OpGroupNonUniformBallotFindMSB,
                           type, {scope, lanes});
    Id some = writer.emit(spv::OpINotEqual, boolType(), {any, number(0)});
    return writer.emit(spv::OpSelect, type, {some, found, number(77)});
  }
  case GroupOperation::InverseBallot:
    return writer.emit(spv::OpGroupNonUniformInverseBallot, type, {scope, ballot()});
  case GroupOperation::BallotExtract: {
    Id lanes = ballot(), size = builtIn(spv::BuiltInSubgroupSize, types.scalar(Base::U32));
    Id last = writer.emit(spv::OpISub, uintType(), {size, number(1)});
    Id lane = writer.emit(spv::OpBitwiseAnd, uintType(), {expression(expr.operands[1]), last});
    return writer.emit(spv::OpGroupNonUniformBallotBitExtract, type, {scope, lanes, lane});
  }
  case GroupOperation::Combine: {
    uint32_t kind = expr.detail % 4;
    writer.capability(spv::CapabilityGroupNonUniformArithmetic);
    SpirvWriter::Operands operands{scope, kind, value};
    if (kind == spv::GroupOperationClusteredReduce) {
      writer.capability(spv::CapabilityGroupNonUniformClustered);
      operands.push_back(number(2 + 2 * (expr.detail / 4 % 2)));
    }
    Id made = writer.emit(combination(expr.detail), type, operands);
    return isFloat(types[expr.type].base) ? bounded(expr.type, made) : made;
  }
  default:
    return moved(expr, operation, value);
  }
}

} // namespace pumice::random_programs
