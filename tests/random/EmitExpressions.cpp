//===- EmitExpressions.cpp - a program as SPIR-V: values --------------------===//
#include "tests/random/Emitter.h"

#include <algorithm>

namespace pumice::random_programs {

Emitter::Id Emitter::glsl(uint32_t opcode, TypeId type, std::vector<Id> operands) {
  operands.insert(operands.begin(), {writer.glsl(), opcode});
  return writer.emit(spv::OpExtInst, typeOf(type), operands);
}

bool Emitter::isConstant(const Expr &expr) const {
  return expr.kind == ExprKind::Constant ||
         (expr.kind == ExprKind::Construct &&
          std::ranges::all_of(expr.operands, [&](const Expr &part) { return isConstant(part); }));
}

Emitter::Id Emitter::constantExpression(const Expr &expr) {
  if (expr.kind == ExprKind::Constant)
    return constantOf(expr.type, expr.literal);
  SpirvWriter::Operands parts;
  for (const Expr &part : expr.operands)
    parts.push_back(constantExpression(part));
  return writer.declare(spv::OpConstantComposite, typeOf(expr.type), parts);
}

Emitter::Id Emitter::valueOf(BuiltIn which) {
  TypeId u32 = types.scalar(Base::U32), uvec3 = types.vector(Base::U32, 3);
  auto axis = [&](spv::BuiltIn vector, uint32_t d) {
    return part(uvec3, builtIn(vector, uvec3), d);
  };
  switch (which) {
  case BuiltIn::LocalIndex:
    return localIndex;
  case BuiltIn::GlobalIndex:
    return globalIndex;
  case BuiltIn::WorkgroupIndex:
    return workgroupIndex;
  case BuiltIn::LocalIdX:
  case BuiltIn::LocalIdY:
  case BuiltIn::LocalIdZ:
    return axis(spv::BuiltInLocalInvocationId,
                static_cast<uint32_t>(which) - static_cast<uint32_t>(BuiltIn::LocalIdX));
  case BuiltIn::WorkgroupIdX:
    return axis(spv::BuiltInWorkgroupId, 0);
  case BuiltIn::WorkgroupIdY:
    return axis(spv::BuiltInWorkgroupId, 1);
  case BuiltIn::GroupsX:
    return axis(spv::BuiltInNumWorkgroups, 0);
  case BuiltIn::Lane:
    return builtIn(spv::BuiltInSubgroupLocalInvocationId, u32);
  }
  return number(0);
}

/// Brings a value back into the range of floats, in one of several equivalent ways.
Emitter::Id Emitter::bounded(TypeId type, Id value) {
  auto bound = static_cast<uint64_t>(boundOf(types[type].base));
  Id least = constantOf(type, uint64_t{0} - bound), most = constantOf(type, bound);
  switch (++emitted % 3) {
  case 0:
    return glsl(GLSLstd450FClamp, type, {value, least, most});
  case 1:
    return glsl(GLSLstd450NClamp, type, {value, least, most});
  default:
    return glsl(GLSLstd450FMin, type, {glsl(GLSLstd450FMax, type, {value, least}), most});
  }
}

void Emitter::guard(Guard guard, TypeId type, std::vector<Id> &operands, const Expr &expr) {
  uint32_t bits = bitsOf(types[type].base);
  Id id = typeOf(type);
  auto masked = [&](Id &value, uint64_t mask) {
    value = writer.emit(spv::OpBitwiseAnd, id, {value, constantOf(type, mask)});
  };
  uint64_t largest = (uint64_t{1} << (bits - 1)) - 1;
  switch (guard) {
  case Guard::None:
  case Guard::Bound:
    break;
  case Guard::Shift:
    if (!(isConstant(expr.operands[1]) && types.isScalar(type) && expr.operands[1].literal < bits))
      masked(operands[1], bits - 1);
    break;
  case Guard::NotZero:
    operands[1] = writer.emit(spv::OpBitwiseOr, id, {operands[1], constantOf(type, 1)});
    break;
  case Guard::SmallSigned:
    masked(operands[1], 63);
    operands[1] = writer.emit(spv::OpIAdd, id, {operands[1], constantOf(type, 1)});
    break;
  case Guard::NotNegative:
    masked(operands[0], largest);
    masked(operands[1], largest);
    operands[1] = writer.emit(spv::OpBitwiseOr, id, {operands[1], constantOf(type, 1)});
    break;
  case Guard::Ordered: {
    bool real = isFloat(types[type].base);
    bool sign = operationOf(expr).opcode == GLSLstd450SClamp;
    uint32_t min = real ? GLSLstd450FMin : sign ? GLSLstd450SMin : GLSLstd450UMin;
    uint32_t max = real ? GLSLstd450FMax : sign ? GLSLstd450SMax : GLSLstd450UMax;
    Id least = glsl(min, type, {operands[1], operands[2]});
    operands[2] = glsl(max, type, {operands[1], operands[2]});
    operands[1] = least;
    break;
  }
  case Guard::Field:
    for (size_t i = operands.size() - 2; i < operands.size(); ++i)
      operands[i] = writer.emit(spv::OpBitwiseAnd, uintType(), {operands[i], number(15)});
    break;
  }
}

const Arithmetic &Emitter::operationOf(const Expr &expr) {
  return random_programs::arithmetic()[expr.literal];
}

/// These instructions have only unsigned results.
static bool givesUnsigned(const Arithmetic &operation) {
  return !operation.glsl && (operation.opcode == spv::OpUDiv || operation.opcode == spv::OpUMod);
}

Emitter::Id Emitter::arithmetic(const Expr &expr) {
  const Arithmetic &operation = operationOf(expr);
  std::vector<Id> operands;
  for (const Expr &operand : expr.operands)
    operands.push_back(expression(operand));
  guard(operation.guard, expr.operands[0].type, operands, expr);
  if (TypeId plain = types.unsignedLike(expr.type);
      plain != expr.type && givesUnsigned(operation)) {
    for (Id &operand : operands)
      operand = bitcast(plain, operand);
    return bitcast(expr.type,
                   writer.emit(static_cast<spv::Op>(operation.opcode), typeOf(plain), operands));
  }
  Id made = operation.glsl
                ? glsl(operation.opcode, expr.type, operands)
                : writer.emit(static_cast<spv::Op>(operation.opcode), typeOf(expr.type), operands);
  return operation.guard == Guard::Bound ? bounded(expr.type, made) : made;
}

Emitter::Id Emitter::branch(const Expr &expr) {
  Id condition = expression(expr.operands[0]);
  Id sides[2] = {writer.fresh(), writer.fresh()}, merge = writer.fresh(), values[2], ends[2];
  writer.emit(spv::OpSelectionMerge, {merge, spv::SelectionControlMaskNone});
  writer.emit(spv::OpBranchConditional, {condition, sides[0], sides[1]});
  for (size_t i = 0; i < 2; ++i) {
    writer.label(sides[i]);
    values[i] = expression(expr.operands[i + 1]);
    ends[i] = writer.block();
    writer.emit(spv::OpBranch, {merge});
  }
  writer.label(merge);
  return writer.emit(spv::OpPhi, typeOf(expr.type), {values[0], ends[0], values[1], ends[1]});
}

Emitter::Id Emitter::select(const Expr &expr) {
  Id condition = expression(expr.operands[0]), a = expression(expr.operands[1]),
     b = expression(expr.operands[2]);
  return writer.emit(spv::OpSelect, typeOf(expr.type), {condition, a, b});
}

Emitter::Id Emitter::matrix(const Expr &expr) {
  static constexpr spv::Op opcodes[] = {spv::OpMatrixTimesMatrix, spv::OpMatrixTimesVector,
                                        spv::OpVectorTimesMatrix, spv::OpMatrixTimesScalar,
                                        spv::OpTranspose,         spv::OpOuterProduct};
  SpirvWriter::Operands operands;
  for (const Expr &operand : expr.operands)
    operands.push_back(expression(operand));
  Id made = writer.emit(opcodes[expr.literal], typeOf(expr.type), operands);
  if (types.isVector(expr.type))
    return bounded(expr.type, made);
  SpirvWriter::Operands columns;
  for (uint32_t i = 0; i < types[expr.type].count; ++i)
    columns.push_back(bounded(types.part(expr.type, i), part(expr.type, made, i)));
  return writer.emit(spv::OpCompositeConstruct, typeOf(expr.type), columns);
}

Emitter::Id Emitter::call(const Expr &expr) {
  const Function &callee = program.functions[expr.literal];
  SpirvWriter::Operands operands{functions[expr.literal]};
  for (size_t i = 0; i < callee.parameters.size(); ++i) {
    bool pointer = program.variables[callee.parameters[i]].storage == Storage::Parameter;
    operands.push_back(pointer ? variables[expr.operands[i].variable]
                               : expression(expr.operands[i]));
  }
  return writer.emit(spv::OpFunctionCall, typeOf(expr.type), operands);
}

Emitter::Id Emitter::atomic(const Expr &expr) {
  Expr place = expr;
  place.kind = ExprKind::Load;
  Id value = expression(expr.operands[expr.detail]),
     other = expression(expr.operands[expr.detail + 1]);
  Id pointee = 0, address = pointer(place, pointee);
  Id scope = number(spv::ScopeDevice), relaxed = number(0);
  static constexpr spv::Op opcodes[] = {
      spv::OpAtomicIAdd, spv::OpAtomicISub, spv::OpAtomicIIncrement, spv::OpAtomicIDecrement,
      spv::OpAtomicAnd,  spv::OpAtomicOr,   spv::OpAtomicXor,        spv::OpAtomicSMin,
      spv::OpAtomicSMax, spv::OpAtomicUMin, spv::OpAtomicUMax,       spv::OpAtomicExchange};
  auto operation = static_cast<AtomicOperation>(expr.literal);
  if (operation == AtomicOperation::CompareExchange)
    return writer.emit(spv::OpAtomicCompareExchange, pointee,
                       {address, scope, relaxed, relaxed, value, other});
  if (operation == AtomicOperation::Increment || operation == AtomicOperation::Decrement)
    return writer.emit(opcodes[expr.literal], pointee, {address, scope, relaxed});
  return writer.emit(opcodes[expr.literal], pointee, {address, scope, relaxed, value});
}

Emitter::Id Emitter::dynamicPart(const Expr &expr) {
  TypeId vector = expr.operands[0].type;
  SpirvWriter::Operands operands{expression(expr.operands[0])};
  bool insert = expr.kind == ExprKind::InsertDynamic;
  if (insert)
    operands.push_back(expression(expr.operands[1]));
  operands.push_back(index(expr.operands.back(), types[vector].count));
  return writer.emit(insert ? spv::OpVectorInsertDynamic : spv::OpVectorExtractDynamic,
                     typeOf(expr.type), operands);
}

Emitter::Id Emitter::expression(const Expr &expr) {
  if (isConstant(expr))
    return constantExpression(expr);
  SpirvWriter::Operands operands;
  switch (expr.kind) {
  case ExprKind::Constant:
    return constantExpression(expr);
  case ExprKind::Load:
    return load(expr);
  case ExprKind::Counter:
    for (const Running &loop : running)
      if (loop.loop == expr.literal)
        return loop.counter;
    return number(0);
  case ExprKind::BuiltIn:
    return valueOf(static_cast<BuiltIn>(expr.literal));
  case ExprKind::Construct:
    for (const Expr &operand : expr.operands)
      operands.push_back(expression(operand));
    return writer.emit(spv::OpCompositeConstruct, typeOf(expr.type), operands);
  case ExprKind::Extract:
    return part(expr.operands[0].type, expression(expr.operands[0]),
                static_cast<uint32_t>(expr.literal));
  case ExprKind::Insert: {
    Id whole = expression(expr.operands[0]), inserted = expression(expr.operands[1]);
    return writer.emit(spv::OpCompositeInsert, typeOf(expr.type),
                       {inserted, whole, static_cast<uint32_t>(expr.literal)});
  }
  case ExprKind::ExtractDynamic:
  case ExprKind::InsertDynamic:
    return dynamicPart(expr);
  case ExprKind::Shuffle:
    for (const Expr &operand : expr.operands)
      operands.push_back(expression(operand));
    operands.insert(operands.end(), expr.path.begin(), expr.path.end());
    return writer.emit(spv::OpVectorShuffle, typeOf(expr.type), operands);
  case ExprKind::Select:
    return select(expr);
  case ExprKind::Branch:
    return branch(expr);
  case ExprKind::Arithmetic:
    return arithmetic(expr);
  case ExprKind::Convert:
    return convert(expr.operands[0].type, expr.type, expression(expr.operands[0]));
  case ExprKind::Bitcast:
    return expr.type == expr.operands[0].type ? expression(expr.operands[0])
                                              : bitcast(expr.type, expression(expr.operands[0]));
  case ExprKind::Matrix:
    return matrix(expr);
  case ExprKind::Call:
    return call(expr);
  case ExprKind::Group:
    return group(expr);
  case ExprKind::Atomic:
    return atomic(expr);
  }
  return number(0);
}

} // namespace pumice::random_programs
