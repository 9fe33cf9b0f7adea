//===- GenerateStatements.cpp - a program for each seed: what it does -------===//
#include "tests/random/Generator.h"

#include <spirv/unified1/spirv.hpp>

#include <algorithm>

namespace pumice::random_programs {

std::vector<Stmt> Generator::body(Context context, unsigned most) {
  std::vector<Stmt> made;
  ++context.depth;
  for (unsigned count = random.between(1, most); count-- && statementsLeft > 0;)
    if (!statement(context, made))
      break;
  return made;
}

/// Returns false if nothing can follow.
bool Generator::statement(const Context &context, std::vector<Stmt> &into) {
  --statementsLeft;
  uint32_t dice = random.below(100);
  bool deep = context.depth > 4;
  uint32_t newer = isNewer() ? random.below(100) : 100;
  if (newer < 12) {
    into.push_back(newer < 7 ? take(context) : storeOfOne(context));
  } else if (isNewest() && context.uniformFlow && !deep && random.chance(15)) {
    into.push_back(detour(context));
  } else if (dice < 18 && !deep) {
    into.push_back(conditional(context));
  } else if (dice < 30 && !deep && context.rounds < 40) {
    into.push_back(loop(context));
  } else if (dice < 37 && !deep) {
    into.push_back(choice(context));
  } else if (dice < 49 && context.uniformFlow && context.shared == noVariable &&
             !(sharedVariables.empty() && counterVariables.empty())) {
    into.push_back(exchange(context));
  } else if (dice < 51 && context.uniformFlow) {
    into.push_back({.kind = StmtKind::Barrier});
  } else if (dice < 55) {
    into.push_back(count(context));
  } else if (dice < 62 && (context.mayLeaveLoop || context.mayReturn || context.inSwitch)) {
    Stmt leaving = leave(context);
    if (random.chance(85)) { // mostly under a condition
      Stmt made{.kind = StmtKind::If};
      made.exprs.push_back(expression(program.types.scalar(Base::Bool), 2, context));
      Context inner = context;
      inner.uniformFlow = false;
      made.bodies = {statementsLeft > 0 && random.chance(40) ? body(inner, 2) : std::vector<Stmt>(),
                     {}};
      made.bodies[0].push_back(std::move(leaving));
      into.push_back(std::move(made));
    } else {
      into.push_back(std::move(leaving));
      return false;
    }
  } else {
    into.push_back(store(context));
  }
  return true;
}

Stmt Generator::store(const Context &context) {
  Stmt made{.kind = StmtKind::Store};
  const Function &function = program.functions[context.function];
  std::vector<uint32_t> uniform;
  for (uint32_t local : function.locals)
    if (program.variables[local].uniform)
      uniform.push_back(local);
  Expr at;
  if (context.uniformFlow && !uniform.empty() && random.chance(20)) {
    uint32_t variable = random.of(uniform);
    at = {.kind = ExprKind::Load, .type = program.variables[variable].type, .variable = variable};
    made.exprs.push_back(at);
    made.exprs.push_back(expression(at.type, 3, context, true));
    return made;
  }
  // Chooses a place such that each part of each variable has the same chance.
  std::vector<uint32_t> variables = visible(true, context, false);
  TypeId type = random.of(pathsOf(program.variables[random.of(variables)].type)).type;
  place(type, true, 1, context, false, at);
  made.exprs.push_back(std::move(at));
  Expr other;
  if (!program.types.isScalar(type) && random.chance(15) &&
      place(type, false, 1, context, false, other)) {
    made.kind = StmtKind::Copy;
    made.exprs.push_back(std::move(other));
  } else {
    made.exprs.push_back(expression(type, random.between(1, 4), context));
  }
  return made;
}

/// Makes a statement that loads a place, overwrites it, and then uses the loaded value.
Stmt Generator::take(const Context &context) {
  Stmt made{.kind = StmtKind::Take};
  std::vector<uint32_t> variables = visible(true, context, false);
  TypeId type = random.of(pathsOf(program.variables[random.of(variables)].type)).type;
  made.exprs.resize(3);
  place(type, true, 1, context, false, made.exprs[0]);
  made.exprs[1] = expression(type, 2, context);
  place(type, true, 1, context, false, made.exprs[2]);
  bool between = statementsLeft > 0 && context.depth <= 4 && random.chance(60);
  made.bodies = {between ? body(context, 3) : std::vector<Stmt>()};
  return made;
}

static Expr operation(uint32_t opcode, TypeId type, std::vector<Expr> operands) {
  Expr made{.kind = ExprKind::Arithmetic, .type = type};
  while (arithmetic()[made.literal].opcode != opcode || arithmetic()[made.literal].glsl)
    ++made.literal;
  made.operands = std::move(operands);
  return made;
}

/// Makes a store by one invocation of the workgroup, whose number is constant or computed. Tries to
/// store to a type of 8 or 16 bits.
Stmt Generator::storeOfOne(const Context &context) {
  Types &types = program.types;
  TypeId u32 = types.scalar(Base::U32);
  uint32_t count = program.invocationsPerGroup();
  auto number = [&](uint32_t value) {
    return Expr{.kind = ExprKind::Constant, .type = u32, .literal = value};
  };
  Expr which = number(random.below(count));
  if (random.chance(50))
    which = operation(spv::OpUMod, u32,
                      {expression(u32, 2, context, random.chance(50)), number(count)});
  Expr self{.kind = ExprKind::BuiltIn, .type = u32}; // the local index
  Stmt made{.kind = StmtKind::If};
  made.exprs.push_back(
      operation(spv::OpIEqual, types.scalar(Base::Bool), {std::move(self), std::move(which)}));
  made.bodies.resize(2);
  Context inner = context;
  inner.uniformFlow = false;
  for (unsigned i = random.between(1, 3); i--;) {
    Stmt one = store(inner);
    for (int attempt = 0; attempt < 8; ++attempt) {
      const Type stored = types[one.exprs[0].type];
      if (types.isPlain(one.exprs[0].type) && stored.base != Base::Bool && bitsOf(stored.base) < 32)
        break;
      one = store(inner);
    }
    made.bodies[0].push_back(std::move(one));
  }
  return made;
}

/// Makes barriers that part of a workgroup does not reach at once: if (!u && c) A else if (u) B
/// else C. Here u is uniform, and the barriers are in B.
Stmt Generator::detour(const Context &context) {
  Types &types = program.types;
  TypeId boolean = types.scalar(Base::Bool);
  Expr meets = expression(boolean, 2, context, true);
  Expr parts =
      operation(spv::OpLogicalAnd, boolean,
                {operation(spv::OpLogicalNot, boolean, {meets}), expression(boolean, 2, context)});
  Context apart = context;
  apart.uniformFlow = false;
  Stmt inner{.kind = StmtKind::If, .detail = random.below(4)};
  inner.exprs = {std::move(meets)};
  inner.bodies = {body(context, 3), random.chance(50) ? body(apart, 2) : std::vector<Stmt>()};
  inner.bodies[0].push_back({.kind = StmtKind::Barrier});
  Stmt made{.kind = StmtKind::If, .detail = random.below(4)};
  made.exprs = {std::move(parts)};
  made.bodies = {body(apart, 3), {}};
  if (random.chance(50))
    made.bodies[0].push_back(store(apart));
  made.bodies[1].push_back(std::move(inner));
  return made;
}

Stmt Generator::gate(Context context) {
  Stmt made{.kind = StmtKind::Gate};
  made.exprs.push_back(expression(program.types.scalar(Base::Bool), 2, context, true));
  context.uniformFlow = false;
  context.mayReturn = true;
  context.mayLeaveLoop = context.inSwitch = false;
  made.bodies = {body(context, 4)};
  Stmt leaving{.kind = StmtKind::If};
  leaving.exprs.push_back(expression(program.types.scalar(Base::Bool), 2, context));
  leaving.bodies = {body(context, 2), {}};
  leaving.bodies[0].push_back({.kind = random.chance(60) ? StmtKind::Return : StmtKind::Break});
  made.bodies[0].push_back(std::move(leaving));
  if (random.chance(50))
    made.bodies[0].push_back(store(context));
  return made;
}

Stmt Generator::conditional(Context context) {
  Stmt made{.kind = StmtKind::If, .detail = random.below(4)};
  bool uniform = random.chance(context.uniformFlow ? 50 : 10);
  made.exprs.push_back(expression(program.types.scalar(Base::Bool), 3, context, uniform));
  context.uniformFlow &= uniform;
  made.bodies.push_back(body(context, 4));
  made.bodies.push_back(random.chance(50) ? body(context, 4) : std::vector<Stmt>());
  return made;
}

Stmt Generator::loop(Context context) {
  Stmt made{.kind = StmtKind::Loop, .literal = ++loops};
  made.detail = random.below(5) + 8 * random.below(3);
  made.most = random.between(1, 7);
  bool uniform = random.chance(context.uniformFlow ? 60 : 20);
  TypeId u32 = program.types.scalar(Base::U32);
  if (random.chance(40)) {
    Expr rounds{.kind = ExprKind::Constant, .type = u32, .literal = made.most};
    made.exprs.push_back(rounds);
    uniform = true;
  } else {
    made.exprs.push_back(expression(u32, 2, context, uniform));
  }
  context.uniformFlow &= uniform;
  context.counters.push_back({made.literal, uniform && context.uniformFlow});
  context.rounds *= made.most;
  context.inLoop = true;
  context.inSwitch = false;
  // Invocations must not leave if barriers may follow.
  context.mayLeaveLoop = !context.uniformFlow || random.chance(50);
  if (context.mayLeaveLoop) {
    context.uniformFlow = false;
    context.counters.back().uniform = false;
  }
  made.bodies.push_back(body(context, 4));
  context.mayLeaveLoop = context.mayReturn = context.inLoop = false;
  context.uniformFlow = false;
  made.bodies.push_back(random.chance(30) ? body(context, 2) : std::vector<Stmt>());
  return made;
}

Stmt Generator::choice(Context context) {
  Stmt made{.kind = StmtKind::Switch};
  static constexpr Base selectors[] = {Base::U32, Base::I32};
  bool uniform = random.chance(context.uniformFlow ? 50 : 10);
  made.exprs.push_back(expression(program.types.scalar(random.of(selectors)), 2, context, uniform));
  context.uniformFlow &= uniform;
  context.inSwitch = true;
  if (context.uniformFlow) // a break is uniform only if no invocation has left before
    context.inSwitch = false;
  unsigned cases = random.between(1, 5);
  made.hasDefault = random.chance(60);
  for (unsigned i = 0; i < cases + made.hasDefault; ++i) {
    made.bodies.push_back(random.chance(85) ? body(context, 3) : std::vector<Stmt>());
    made.falls.push_back(random.chance(25));
  }
  return made;
}

Stmt Generator::exchange(Context context) {
  Stmt made{.kind = StmtKind::Exchange};
  bool counters = sharedVariables.empty() || (!counterVariables.empty() && random.chance(40));
  made.variable = random.of(counters ? counterVariables : sharedVariables);
  if (!counters)
    made.exprs.push_back(expression(program.variables[made.variable].type, 2, context));
  context.shared = made.variable;
  context.sharedIsWritten = true;
  Context inner = context;
  inner.uniformFlow = false; // no barriers inside
  inner.mayLeaveLoop = inner.mayReturn = inner.inSwitch = false;
  made.bodies.push_back(body(inner, 3));
  if (counters)
    for (unsigned i = random.between(1, 2); i--;)
      made.bodies[0].push_back(count(inner));
  inner.sharedIsWritten = false;
  made.bodies.push_back(body(inner, 3));
  Expr read;
  if (place(program.types.scalar(Base::U32), false, 2, inner, false, read))
    made.bodies[1].push_back(store(inner));
  return made;
}

Stmt Generator::count(const Context &context) {
  Stmt made{.kind = StmtKind::Count, .detail = random.below(countings)};
  bool shared = context.shared != noVariable && context.sharedIsWritten &&
                program.variables[context.shared].storage == Storage::Counters;
  made.variable = shared && random.chance(80) ? context.shared : noVariable;
  made.exprs.push_back(index(1, context, false));
  made.exprs.push_back(expression(program.types.scalar(Base::U32), 2, context));
  return made;
}

Stmt Generator::leave(const Context &context) {
  std::vector<StmtKind> ways;
  if (context.mayLeaveLoop)
    ways = {StmtKind::Break, StmtKind::Break, StmtKind::Continue};
  if (context.inSwitch)
    ways.push_back(StmtKind::BreakSwitch);
  if (context.mayReturn)
    ways.push_back(StmtKind::Return);
  Stmt made{.kind = random.of(ways)};
  TypeId result = program.functions[context.function].result;
  if (made.kind == StmtKind::Return && result != Function::noType)
    made.exprs.push_back(expression(result, 2, context));
  return made;
}

Stmt Generator::digest(uint32_t function) {
  Stmt made{.kind = StmtKind::Digest};
  made.variables = program.functions[function].locals;
  for (uint32_t i = 0; i < program.variables.size(); ++i)
    if (program.variables[i].storage == Storage::Private)
      made.variables.push_back(i);
  return made;
}

double Generator::costOf(const std::vector<Stmt> &body) const {
  double sum = 0;
  std::function<double(const Expr &)> ofExpression = [&](const Expr &expr) {
    double cost = expr.kind == ExprKind::Call ? costs[expr.literal] : 0.1;
    for (const Expr &operand : expr.operands)
      cost += ofExpression(operand);
    return cost;
  };
  for (const Stmt &stmt : body) {
    double here = 1;
    for (const Expr &expr : stmt.exprs)
      here += ofExpression(expr);
    for (const std::vector<Stmt> &inner : stmt.bodies)
      here += costOf(inner) * (stmt.kind == StmtKind::Loop ? stmt.most : 1);
    sum += here;
  }
  return sum;
}

} // namespace pumice::random_programs
