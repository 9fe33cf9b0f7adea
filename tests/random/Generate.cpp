//===- Generate.cpp - a program for each seed: its shape --------------------===//
#include "tests/random/Generate.h"
#include "tests/random/Generator.h"

#include <algorithm>

namespace pumice::random_programs {

Program generate(uint64_t seed) { return Generator(seed).run(); }

Generator::Generator(uint64_t seed) : random(seed) { program.seed = seed; }

void Generator::chooseShape() {
  bases = {Base::I32, Base::U32, Base::I32, Base::U32, Base::F32};
  if (program.seed % 3 != 0) {
    static constexpr Base others[] = {Base::I8,  Base::U8,  Base::I16, Base::U16,
                                      Base::I64, Base::U64, Base::F16, Base::F64};
    for (uint32_t i = random.between(1, 4); i--;)
      bases.push_back(random.of(others));
    program.minorVersion = random.of(std::array<uint32_t, 3>{3, 5, 6});
    static constexpr Base narrow[] = {Base::I8, Base::U8, Base::I16, Base::U16};
    if (isNewer() && random.chance(60))
      bases.push_back(random.of(narrow));
  }
  program.subgroups = program.seed % 4 == 1;
  program.clusters = program.seed % 8 == 5;
  program.optimised = !program.subgroups && program.seed / 5 % 4 == 0;
  static constexpr uint32_t lines[] = {1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 33, 48, 64};
  static constexpr uint32_t short_[] = {1, 2, 3, 4, 5, 7, 8, 16};
  if (program.subgroups || random.chance(60))
    program.workgroup = {random.of(lines), 1, 1};
  else
    program.workgroup = {random.of(short_), random.between(1, 4), random.between(1, 2)};
  program.groups = {random.between(1, 4), random.between(1, 2), 1};
  while (program.invocations() > mostInvocations)
    --program.groups[program.groups[1] > 1];
}

Base Generator::someBase(bool mayBeBool) {
  return mayBeBool && random.chance(15) ? Base::Bool : random.of(bases);
}

TypeId Generator::plainType(bool mayBeBool) {
  return program.types.vector(someBase(mayBeBool), random.chance(65) ? 1 : random.between(2, 4));
}

TypeId Generator::someType(bool memory, unsigned depth) {
  uint32_t dice = depth ? random.below(100) : 0;
  if (dice < 60)
    return plainType(!memory);
  if (dice < 68) {
    Base base = someBase(false);
    if (isFloat(base))
      return program.types.matrix(base, random.between(2, 4), random.between(2, 4));
    return plainType(!memory);
  }
  if (dice < 88)
    return program.types.array(someType(memory, depth - 1), random.between(1, 8));
  std::vector<TypeId> members;
  for (uint32_t i = random.between(1, 4); i--;)
    members.push_back(someType(memory, depth - 1));
  return program.types.structure(members);
}

uint32_t Generator::addVariable(Storage storage, TypeId type, bool uniform) {
  program.variables.push_back({storage, type, uniform});
  return static_cast<uint32_t>(program.variables.size() - 1);
}

/// Makes a block that begins with a u32, for the digest, and has other members after it.
TypeId Generator::blockType(uint32_t least, uint32_t most) {
  std::vector<TypeId> members{program.types.scalar(Base::U32)};
  for (uint32_t i = random.between(least, most); i--;)
    members.push_back(someType(true));
  return program.types.structure(members);
}

/// Makes a block of 32-bit types. Other types need additional features in uniform buffers and push
/// constants.
TypeId Generator::wideBlock(bool push) {
  static constexpr Base wide[] = {Base::I32, Base::U32, Base::F32};
  std::vector<TypeId> members;
  for (uint32_t i = random.between(2, 4); i--;) {
    TypeId member = program.types.vector(random.of(wide), push ? 1 : random.between(1, 4));
    if (!push && random.chance(30))
      member = program.types.array(member, random.between(2, 4));
    members.push_back(member);
  }
  return program.types.structure(members);
}

void Generator::makeVariables() {
  program.input = addVariable(Storage::Input, blockType(2, 4));
  program.own = addVariable(Storage::Own, blockType(2, 4));
  if (random.chance(60))
    program.uniforms = addVariable(Storage::Uniform, wideBlock(false));
  if (random.chance(60))
    program.push = addVariable(Storage::Push, wideBlock(true));
  for (uint32_t i = random.below(3); i--;)
    addVariable(Storage::Private, someType(false));
  for (uint32_t i = random.below(3); i--;)
    sharedVariables.push_back(addVariable(Storage::Shared, someType(false, 1)));
  if (random.chance(40))
    counterVariables.push_back(addVariable(Storage::Counters, program.types.scalar(Base::U32)));
}

void Generator::makeFunction(uint32_t number) {
  Function made;
  bool entry = number == 0;
  if (!entry) {
    for (uint32_t i = random.below(4); i--;) {
      bool pointer = random.chance(30);
      made.parameters.push_back(
          addVariable(pointer ? Storage::Parameter : Storage::Value, someType(false, 1)));
    }
    if (random.chance(85))
      made.result = someType(false, 1);
    made.control = random.of(std::array<uint32_t, 4>{0, 0, 1, 2}); // none, Inline, DontInline
  }
  for (uint32_t i = entry ? random.between(3, 6) : random.between(1, 3); i--;)
    made.locals.push_back(addVariable(Storage::Local, someType(false)));
  // Makes variables that calls can pass by pointer.
  for (const Function &callee : program.functions)
    for (uint32_t parameter : callee.parameters)
      if (program.variables[parameter].storage == Storage::Parameter && random.chance(60))
        made.locals.push_back(addVariable(Storage::Local, program.variables[parameter].type));
  if (entry)
    for (uint32_t i = random.below(3); i--;)
      made.locals.push_back(addVariable(Storage::Local, plainType(), true));
  program.functions[number] = made;

  Context context;
  context.function = number;
  context.uniformFlow = entry;
  context.mayReturn = !entry;
  statementsLeft = static_cast<int>(entry ? random.between(8, 30) : random.between(3, 10));
  std::vector<Stmt> statements = body(context, entry ? 8 : 4);
  if (entry && random.chance(40)) { // no barriers follow: invocations may leave
    if (isNewer() && random.chance(60)) {
      statementsLeft = static_cast<int>(random.between(2, 8));
      statements.push_back(gate(context));
    }
    context.uniformFlow = false;
    context.mayReturn = true;
    statementsLeft = static_cast<int>(random.between(2, 12));
    std::vector<Stmt> tail = body(context, 5);
    statements.insert(statements.end(), tail.begin(), tail.end());
  }
  if (entry || random.chance(20))
    statements.push_back(digest(number));
  if (made.result != Function::noType) {
    Stmt last{.kind = StmtKind::Return};
    last.exprs.push_back(expression(made.result, 2, context));
    statements.push_back(last);
  }
  program.functions[number].body = std::move(statements);
  costs[number] = costOf(program.functions[number].body);
}

Program Generator::run() {
  chooseShape();
  makeVariables();
  program.functions.resize(1 + random.below(4));
  costs.resize(program.functions.size());
  for (auto number = static_cast<uint32_t>(program.functions.size()); number--;)
    makeFunction(number);
  return std::move(program);
}

} // namespace pumice::random_programs
