//===- GenerateExpressions.cpp - a program for each seed: what it computes --===//
#include "tests/random/Generator.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.hpp>

#include <algorithm>

namespace pumice::random_programs {

Expr Generator::scalarConstant(Base base) {
  Expr made{.kind = ExprKind::Constant, .type = program.types.scalar(base)};
  if (base == Base::Bool) {
    made.literal = random.below(2);
  } else if (isFloat(base)) {
    auto bound = static_cast<uint32_t>(boundOf(base));
    uint32_t most = random.chance(70) ? 8 : bound;
    made.literal = static_cast<uint64_t>(int64_t{random.below(2 * most + 1)} - int64_t{most});
  } else {
    uint64_t sign = uint64_t{1} << (bitsOf(base) - 1);
    const uint64_t edges[] = {0, 1, 2, ~uint64_t{0}, sign, sign - 1, sign + 1, 0x55, 31, 16};
    made.literal = random.chance(50)   ? random.below(16)
                   : random.chance(60) ? random.of(edges)
                                       : random.bits() >> random.below(64);
    if (bitsOf(base) < 64)
      made.literal &= (sign << 1) - 1;
  }
  return made;
}

Expr Generator::constant(TypeId type) {
  const Type whole = program.types[type];
  if (whole.kind == Type::Kind::Scalar)
    return scalarConstant(whole.base);
  Expr made{.kind = ExprKind::Construct, .type = type};
  for (uint32_t i = 0; i < whole.count; ++i)
    made.operands.push_back(constant(program.types.part(type, i)));
  return made;
}

const std::vector<Generator::Path> &Generator::pathsOf(TypeId type) {
  if (paths.size() <= type)
    paths.resize(program.types.size());
  if (!paths[type].empty())
    return paths[type];
  std::vector<Path> found{{{}, type}};
  const Type whole = program.types[type];
  if (whole.kind != Type::Kind::Scalar)
    for (uint32_t member = 0; member < whole.parts.size(); ++member)
      for (Path path : std::vector<Path>(pathsOf(whole.parts[member]))) {
        bool chosen = whole.kind == Type::Kind::Struct;
        path.steps.insert(path.steps.begin(), chosen ? static_cast<int32_t>(member) : -1);
        found.push_back(std::move(path));
      }
  return paths[type] = std::move(found);
}

std::vector<uint32_t> Generator::visible(bool writes, const Context &context, bool uniform) const {
  std::vector<uint32_t> found;
  const Function &function = program.functions[context.function];
  for (uint32_t local : function.locals)
    if (writes ? !program.variables[local].uniform : !uniform || program.variables[local].uniform)
      found.push_back(local);
  if (!uniform)
    for (uint32_t parameter : function.parameters)
      if (!writes || program.variables[parameter].storage == Storage::Parameter)
        found.push_back(parameter);
  for (uint32_t i = 0; i < program.variables.size(); ++i) {
    Storage storage = program.variables[i].storage;
    bool constant =
        storage == Storage::Input || storage == Storage::Uniform || storage == Storage::Push;
    bool mine = storage == Storage::Private || storage == Storage::Own;
    if ((mine && !uniform) || (constant && !writes))
      found.push_back(i);
  }
  if (context.shared != noVariable && !uniform) {
    bool own = program.variables[context.shared].storage == Storage::Shared;
    if (context.sharedIsWritten ? own : !writes)
      found.push_back(context.shared);
  }
  return found;
}

/// Makes a number that differs between invocations or iterations. If it is `uniform`, it is the
/// same for all invocations of a workgroup.
Expr Generator::number(const Context &context, bool uniform) {
  Expr made{.kind = ExprKind::BuiltIn, .type = program.types.scalar(Base::U32)};
  std::vector<uint64_t> counters;
  for (const Context::Counter &counter : context.counters)
    if (!uniform || counter.uniform)
      counters.push_back(counter.loop);
  if (!counters.empty() && random.chance(50)) {
    made.kind = ExprKind::Counter;
    made.literal = random.of(counters);
  } else if (uniform) {
    made.literal = static_cast<uint64_t>(BuiltIn::WorkgroupIndex);
  } else {
    made.literal = random.below(static_cast<size_t>(BuiltIn::GroupsX) + 1);
    if (random.chance(70))
      made.literal = random.below(2); // the two that address memory most often
  }
  return made;
}

Expr Generator::index(unsigned depth, const Context &context, bool uniform) {
  if (random.chance(55))
    return number(context, uniform);
  Base base = random.chance(70) ? Base::U32 : Base::I32;
  return expression(program.types.scalar(base), depth ? depth - 1 : 0, context, uniform);
}

bool Generator::place(TypeId type, bool writes, unsigned depth, const Context &context,
                      bool uniform, Expr &into) {
  struct Found {
    uint32_t variable;
    const Path *path;
  };
  std::vector<Found> all;
  for (uint32_t variable : visible(writes, context, uniform))
    pathsOf(program.variables[variable].type);
  for (uint32_t variable : visible(writes, context, uniform))
    for (const Path &path : paths[program.variables[variable].type])
      if (path.type == type)
        all.push_back({variable, &path});
  if (all.empty())
    return false;
  Found chosen = random.of(all);
  std::vector<int32_t> steps = chosen.path->steps; // the code below may make `paths` grow
  const Variable variable = program.variables[chosen.variable];
  into = {.kind = ExprKind::Load, .type = type, .variable = chosen.variable};
  bool others = variable.storage == Storage::Shared && !context.sharedIsWritten;
  if (others || variable.storage == Storage::Input || variable.storage == Storage::Counters) {
    into.path.push_back(others ? -2 : -1);
    into.operands.push_back(index(depth, context, uniform));
  }
  TypeId at = variable.type;
  for (int32_t step : steps) {
    if (step < 0 && random.chance(40))
      step = static_cast<int32_t>(random.below(program.types[at].count));
    into.path.push_back(step);
    if (step < 0)
      into.operands.push_back(index(depth, context, uniform));
    at = program.types.part(at, step < 0 ? 0 : static_cast<uint32_t>(step));
  }
  return true;
}

Expr Generator::leaf(TypeId type, unsigned depth, const Context &context, bool uniform) {
  Expr made;
  if (random.chance(65) && place(type, false, depth, context, uniform, made))
    return made;
  const Type whole = program.types[type];
  if (whole.kind == Type::Kind::Scalar && whole.base == Base::U32 && random.chance(60)) {
    bool subgroup = program.subgroups && !uniform && random.chance(30);
    if (!uniform && !subgroup)
      return number(context, false);
    BuiltIn of = subgroup ? BuiltIn::Lane
                          : random.of(std::array{BuiltIn::WorkgroupIndex, BuiltIn::WorkgroupIdX,
                                                 BuiltIn::WorkgroupIdY, BuiltIn::GroupsX});
    return {.kind = ExprKind::BuiltIn, .type = type, .literal = static_cast<uint64_t>(of)};
  }
  return constant(type);
}

Expr Generator::expression(TypeId type, unsigned depth, const Context &context, bool uniform) {
  if (depth == 0 || random.chance(20))
    return leaf(type, depth, context, uniform);
  Expr made;
  if (!uniform && random.chance(6) && call(type, depth, context, made))
    return made;
  if (random.chance(6)) {
    made = {.kind = ExprKind::Branch, .type = type};
    made.operands.push_back(
        expression(program.types.scalar(Base::Bool), depth - 1, context, uniform));
    made.operands.push_back(expression(type, depth - 1, context, uniform));
    made.operands.push_back(expression(type, depth - 1, context, uniform));
    return made;
  }
  return program.types.isPlain(type) ? plainOperation(type, depth, context, uniform)
                                     : wholeOperation(type, depth, context, uniform);
}

bool Generator::call(TypeId type, unsigned depth, const Context &context, Expr &into) {
  std::vector<uint32_t> able;
  for (uint32_t i = context.function + 1; i < program.functions.size(); ++i)
    if (program.functions[i].result == type && costs[i] * context.rounds < 1500)
      able.push_back(i);
  if (able.empty())
    return false;
  Expr made{.kind = ExprKind::Call, .type = type, .literal = random.of(able)};
  std::vector<uint32_t> handed; // each local is passed once, since parameters do not alias
  for (uint32_t parameter : program.functions[made.literal].parameters) {
    const Variable variable = program.variables[parameter];
    if (variable.storage == Storage::Value) {
      made.operands.push_back(expression(variable.type, depth ? depth - 1 : 0, context));
      continue;
    }
    std::vector<uint32_t> fitting;
    for (uint32_t local : program.functions[context.function].locals)
      if (program.variables[local].type == variable.type && !program.variables[local].uniform &&
          std::ranges::find(handed, local) == handed.end())
        fitting.push_back(local);
    if (fitting.empty())
      return false;
    handed.push_back(random.of(fitting));
    made.operands.push_back(
        {.kind = ExprKind::Load, .type = variable.type, .variable = handed.back()});
  }
  into = std::move(made);
  return true;
}

Expr Generator::wholeOperation(TypeId type, unsigned depth, const Context &context, bool uniform) {
  const Type whole = program.types[type];
  if (whole.kind == Type::Kind::Matrix && random.chance(60))
    return matrixOf(type, depth, context, uniform);
  uint32_t dice = random.below(100);
  if (dice < 40)
    return leaf(type, depth, context, uniform);
  Expr made{.kind = ExprKind::Construct, .type = type};
  if (dice < 75) {
    made.kind = ExprKind::Insert;
    made.literal = random.below(whole.count);
    TypeId part = program.types.part(type, static_cast<uint32_t>(made.literal));
    made.operands.push_back(expression(type, depth - 1, context, uniform));
    made.operands.push_back(expression(part, depth - 1, context, uniform));
    return made;
  }
  for (uint32_t i = 0; i < whole.count; ++i)
    made.operands.push_back(
        expression(program.types.part(type, i), depth > 1 ? 1 : 0, context, uniform));
  return made;
}

Expr Generator::plainOperation(TypeId type, unsigned depth, const Context &context, bool uniform) {
  const Type whole = program.types[type];
  Expr made{.kind = ExprKind::Select, .type = type};
  uint32_t dice = random.below(100);
  if (program.subgroups && !uniform && dice < 18)
    return groupOf(type, depth, context);
  if (dice < 60)
    return arithmeticOf(type, depth, context, uniform);
  if (dice < 70)
    return castOf(type, depth, context, uniform);
  if (dice < 78) {
    bool one = program.minorVersion >= 4 && random.chance(50);
    TypeId condition =
        one ? program.types.scalar(Base::Bool) : program.types.like(type, Base::Bool);
    made.operands.push_back(expression(condition, depth - 1, context, uniform));
    made.operands.push_back(expression(type, depth - 1, context, uniform));
    made.operands.push_back(expression(type, depth - 1, context, uniform));
    return made;
  }
  if (dice < 82 && !uniform && whole.kind == Type::Kind::Scalar &&
      (whole.base == Base::U32 || whole.base == Base::I32)) {
    // An atomic operation needs memory that other invocations can reach.
    Expr at;
    for (int attempt = 0; attempt < 4; ++attempt) {
      if (!place(type, true, depth - 1, context, false, at))
        break;
      Storage storage = program.variables[at.variable].storage;
      if (storage != Storage::Own && storage != Storage::Shared)
        continue;
      at.kind = ExprKind::Atomic;
      at.literal = random.below(atomicOperations);
      at.detail = static_cast<uint32_t>(at.operands.size()); // of the place
      at.operands.push_back(expression(type, depth - 1, context));
      at.operands.push_back(expression(type, depth - 1, context));
      return at;
    }
  }
  if (dice < 88 && isFloat(whole.base))
    return matrixOf(type, depth, context, uniform);
  return partsOf(type, depth, context, uniform);
}

/// Makes vectors from parts, and takes parts out of vectors.
Expr Generator::partsOf(TypeId type, unsigned depth, const Context &context, bool uniform) {
  const Type whole = program.types[type];
  Types &types = program.types;
  Expr made{.kind = ExprKind::Construct, .type = type};
  auto operand = [&](TypeId of) {
    made.operands.push_back(expression(of, depth - 1, context, uniform));
  };
  if (whole.kind == Type::Kind::Scalar) {
    uint32_t components = random.between(2, 4);
    bool dynamic = random.chance(50);
    made.kind = dynamic ? ExprKind::ExtractDynamic : ExprKind::Extract;
    operand(types.vector(whole.base, components));
    if (dynamic)
      made.operands.push_back(index(depth - 1, context, uniform));
    else
      made.literal = random.below(components);
    return made;
  }
  switch (random.below(4)) {
  case 0:
    for (uint32_t i = 0; i < whole.count; ++i)
      operand(whole.parts[0]);
    break;
  case 1:
    made.kind = ExprKind::Insert;
    made.literal = random.below(whole.count);
    operand(type);
    operand(whole.parts[0]);
    break;
  case 2:
    made.kind = ExprKind::InsertDynamic;
    operand(type);
    operand(whole.parts[0]);
    made.operands.push_back(index(depth - 1, context, uniform));
    break;
  default: {
    made.kind = ExprKind::Shuffle;
    uint32_t left = random.between(2, 4), right = random.between(2, 4);
    operand(types.vector(whole.base, left));
    operand(types.vector(whole.base, right));
    for (uint32_t i = 0; i < whole.count; ++i)
      made.path.push_back(static_cast<int32_t>(random.below(left + right)));
  }
  }
  return made;
}

Expr Generator::arithmeticOf(TypeId type, unsigned depth, const Context &context, bool uniform) {
  const Type whole = program.types[type];
  std::span<const Arithmetic> table = arithmetic();
  auto base = [&](Takes takes) {
    while (true) {
      Base found = someBase(takes == Takes::Bool);
      if (takes == Takes::Bool)
        return Base::Bool;
      if (takes == Takes::Float
              ? isFloat(found)
              : isInteger(found) && (takes == Takes::Integer || bitsOf(found) == 32))
        return found;
    }
  };
  while (true) {
    auto number = random.below(table.size());
    const Arithmetic &chosen = table[number];
    // spirv-opt 2023.1 folds them as if they were unsigned.
    bool asSigned =
        chosen.glsl && (chosen.opcode == GLSLstd450SMin || chosen.opcode == GLSLstd450SMax ||
                        chosen.opcode == GLSLstd450SClamp);
    if (isNewer() && program.optimised && asSigned && isInteger(whole.base) &&
        !isSigned(whole.base))
      continue;
    TypeId operandType = type;
    bool scalar = whole.kind == Type::Kind::Scalar;
    if (chosen.gives == Gives::Bools) {
      if (whole.base != Base::Bool)
        continue;
      operandType = program.types.like(type, base(chosen.takes));
    } else if (chosen.gives == Gives::One) {
      if (!scalar ||
          (chosen.takes == Takes::Bool ? whole.base != Base::Bool : !isFloat(whole.base)))
        continue;
      operandType = program.types.vector(whole.base, random.between(2, 4));
    } else if (chosen.takes == Takes::Bool ? whole.base != Base::Bool
               : chosen.takes == Takes::Float
                   ? !isFloat(whole.base)
                   : !isInteger(whole.base) ||
                         (chosen.takes == Takes::Integer32 && bitsOf(whole.base) != 32)) {
      continue;
    }
    Expr made{.kind = ExprKind::Arithmetic, .type = type, .literal = number};
    for (unsigned i = 0; i < chosen.operands; ++i) {
      bool field = chosen.guard == Guard::Field && i + 2 >= chosen.operands;
      TypeId of = field ? program.types.scalar(Base::U32) : operandType;
      made.operands.push_back(expression(of, depth - 1, context, uniform));
    }
    return made;
  }
}

Expr Generator::castOf(TypeId type, unsigned depth, const Context &context, bool uniform) {
  const Type whole = program.types[type];
  Expr made{.kind = ExprKind::Convert, .type = type};
  TypeId from = program.types.like(type, someBase(true));
  if (isInteger(whole.base) && random.chance(40)) {
    // Changes the sign, or splits a number into a vector of halves, or joins halves.
    uint32_t bits = bitsOf(whole.base);
    Base other = random.of(bases);
    made.kind = ExprKind::Bitcast;
    if (isInteger(other) && bitsOf(other) * 2 == bits && whole.kind == Type::Kind::Scalar)
      from = program.types.vector(other, 2);
    else if (isInteger(other) && bitsOf(other) == bits * 2 && whole.count == 2)
      from = program.types.scalar(other);
    else if (isInteger(other) && bitsOf(other) == bits)
      from = program.types.like(type, other);
    else
      made.kind = ExprKind::Convert;
  }
  made.operands.push_back(expression(from, depth - 1, context, uniform));
  return made;
}

Expr Generator::matrixOf(TypeId type, unsigned depth, const Context &context, bool uniform) {
  const Type whole = program.types[type];
  Types &types = program.types;
  Expr made{.kind = ExprKind::Matrix, .type = type};
  auto operand = [&](TypeId of) {
    made.operands.push_back(expression(of, depth - 1, context, uniform));
  };
  auto as = [&](MatrixOperation operation) { made.literal = static_cast<uint64_t>(operation); };
  uint32_t inner = random.between(2, 4);
  if (whole.kind == Type::Kind::Scalar)
    return partsOf(type, depth, context, uniform);
  if (whole.kind == Type::Kind::Vector) {
    bool right = random.chance(50);
    as(right ? MatrixOperation::TimesVector : MatrixOperation::VectorTimes);
    TypeId vector = types.vector(whole.base, inner);
    TypeId matrix = right ? types.matrix(whole.base, inner, whole.count)
                          : types.matrix(whole.base, whole.count, inner);
    operand(right ? matrix : vector);
    operand(right ? vector : matrix);
    return made;
  }
  switch (random.below(4)) {
  case 0:
    as(MatrixOperation::TimesMatrix);
    operand(types.matrix(whole.base, inner, whole.rows));
    operand(types.matrix(whole.base, whole.count, inner));
    break;
  case 1:
    as(MatrixOperation::TimesScalar);
    operand(type);
    operand(types.scalar(whole.base));
    break;
  case 2:
    as(MatrixOperation::Transpose);
    operand(types.matrix(whole.base, whole.rows, whole.count));
    break;
  default:
    as(MatrixOperation::Outer);
    operand(types.vector(whole.base, whole.rows));
    operand(types.vector(whole.base, whole.count));
  }
  return made;
}

/// Returns the opcode of any operation that combines lanes and fits the type.
static uint32_t combining(Random &random, Base base) {
  static constexpr uint32_t bools[] = {spv::OpGroupNonUniformLogicalAnd,
                                       spv::OpGroupNonUniformLogicalOr,
                                       spv::OpGroupNonUniformLogicalXor};
  static constexpr uint32_t floats[] = {spv::OpGroupNonUniformFAdd, spv::OpGroupNonUniformFMin,
                                        spv::OpGroupNonUniformFMax};
  static constexpr uint32_t integers[] = {
      spv::OpGroupNonUniformIAdd,       spv::OpGroupNonUniformIMul,
      spv::OpGroupNonUniformSMin,       spv::OpGroupNonUniformSMax,
      spv::OpGroupNonUniformUMin,       spv::OpGroupNonUniformUMax,
      spv::OpGroupNonUniformBitwiseAnd, spv::OpGroupNonUniformBitwiseOr,
      spv::OpGroupNonUniformBitwiseXor};
  return base == Base::Bool ? random.of(bools)
         : isFloat(base)    ? random.of(floats)
                            : random.of(integers);
}

Expr Generator::groupOf(TypeId type, unsigned depth, const Context &context) {
  const Type whole = program.types[type];
  Types &types = program.types;
  bool scalar = whole.kind == Type::Kind::Scalar;
  Expr made{.kind = ExprKind::Group, .type = type};
  auto operand = [&](TypeId of) { made.operands.push_back(expression(of, depth - 1, context)); };
  auto as = [&](GroupOperation operation) { made.literal = static_cast<uint64_t>(operation); };
  TypeId truth = types.scalar(Base::Bool);
  if (scalar && whole.base == Base::Bool && random.chance(60)) {
    made.literal = random.below(4) + static_cast<uint64_t>(GroupOperation::Elect);
    if (random.chance(30))
      as(random.chance(50) ? GroupOperation::InverseBallot : GroupOperation::BallotExtract);
    auto operation = static_cast<GroupOperation>(made.literal);
    if (operation == GroupOperation::AllEqual)
      operand(plainType());
    else if (operation != GroupOperation::Elect)
      operand(truth);
    if (operation == GroupOperation::BallotExtract)
      operand(types.scalar(Base::U32));
    return made;
  }
  if (whole.base == Base::U32 && (scalar || whole.count == 4) && random.chance(40)) {
    as(!scalar             ? GroupOperation::Ballot
       : random.chance(60) ? GroupOperation::BallotCount
                           : GroupOperation::BallotFind);
    made.detail = random.below(3);
    operand(truth);
    return made;
  }
  if (random.chance(50)) {
    as(GroupOperation::Combine);
    made.detail = combining(random, whole.base) * 4 + random.below(program.clusters ? 4 : 3);
    operand(type);
    return made;
  }
  static constexpr GroupOperation moves[] = {
      GroupOperation::BroadcastFirst, GroupOperation::Shuffle,     GroupOperation::ShuffleXor,
      GroupOperation::ShuffleUp,      GroupOperation::ShuffleDown, GroupOperation::QuadBroadcast,
      GroupOperation::QuadSwap};
  as(random.of(moves));
  made.detail = random.below(3);
  operand(type);
  if (made.literal >= static_cast<uint64_t>(GroupOperation::Shuffle) &&
      made.literal <= static_cast<uint64_t>(GroupOperation::ShuffleDown))
    operand(types.scalar(Base::U32));
  return made;
}

} // namespace pumice::random_programs
