//===- EmitStatements.cpp - a program as SPIR-V: functions, control flow ----===//
#include "tests/random/Emitter.h"

#include <utility>

namespace pumice::random_programs {

void Emitter::branchTo(Id target) {
  if (!ended)
    writer.emit(spv::OpBranch, {target});
  ended = true;
}

void Emitter::function(uint32_t number_) {
  const Function &made = program.functions[number_];
  current = number_;
  Id nothing = writer.declare(spv::OpTypeVoid, 0, {});
  Id result = made.result == Function::noType ? nothing : typeOf(made.result);
  SpirvWriter::Operands signature{result};
  for (uint32_t parameter : made.parameters) {
    Id type = typeOf(program.variables[parameter].type);
    bool pointer = program.variables[parameter].storage == Storage::Parameter;
    signature.push_back(pointer ? pointerTo(spv::StorageClassFunction, type) : type);
  }
  writer.emit(spv::OpFunction, {result, functions[number_], made.control,
                                writer.declare(spv::OpTypeFunction, 0, signature)});
  for (size_t i = 0; i < made.parameters.size(); ++i)
    variables[made.parameters[i]] = writer.emit(spv::OpFunctionParameter, signature[i + 1], {});
  begin(writer.fresh());
  writer.beginBody();
  TypeId u32 = types.scalar(Base::U32), uvec3 = types.vector(Base::U32, 3);
  localIndex = builtIn(spv::BuiltInLocalInvocationIndex, u32);
  Id group = builtIn(spv::BuiltInWorkgroupId, uvec3),
     count = builtIn(spv::BuiltInNumWorkgroups, uvec3);
  auto emit = [&](spv::Op op, Id a, Id b) { return writer.emit(op, uintType(), {a, b}); };
  workgroupIndex = emit(spv::OpIAdd, part(uvec3, group, 0),
                        emit(spv::OpIMul, part(uvec3, group, 1), part(uvec3, count, 0)));
  globalIndex = emit(spv::OpIAdd, localIndex,
                     emit(spv::OpIMul, workgroupIndex, number(program.invocationsPerGroup())));
  for (uint32_t local : made.locals) {
    TypeId type = program.variables[local].type;
    variables[local] = writer.functionVariable(pointerTo(spv::StorageClassFunction, typeOf(type)));
    writer.emit(spv::OpStore, {variables[local], nullOf(type)});
  }
  around = {};
  running.clear();
  continuing = false;
  statements(made.body);
  if (!ended && made.result == Function::noType)
    writer.emit(spv::OpReturn, SpirvWriter::Operands{});
  else if (!ended)
    writer.emit(spv::OpReturnValue, {nullOf(made.result)});
  writer.endFunction();
}

void Emitter::statements(const std::vector<Stmt> &body) {
  for (const Stmt &stmt : body)
    if (!ended)
      statement(stmt);
}

void Emitter::statement(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Store:
    return store(stmt.exprs[0], expression(stmt.exprs[1]));
  case StmtKind::Copy: {
    const Expr &to = stmt.exprs[0], &from = stmt.exprs[1];
    Id target = 0, source = 0, toAddress = 0;
    Storage of = program.variables[from.variable].storage;
    if (of != Storage::Value) {
      toAddress = pointer(to, target);
      Id fromAddress = pointer(from, source);
      if (source == target) {
        writer.emit(spv::OpCopyMemory, {toAddress, fromAddress});
        return;
      }
    }
    return store(to, load(from));
  }
  case StmtKind::Take:
    return take(stmt);
  case StmtKind::If:
    return conditional(stmt);
  case StmtKind::Loop:
    return loop(stmt);
  case StmtKind::Switch:
    return choice(stmt);
  case StmtKind::Break:
    if (around.leave)
      branchTo(around.leave);
    return;
  case StmtKind::Continue:
    if (around.next)
      branchTo(around.next);
    return;
  case StmtKind::BreakSwitch:
    if (around.leaveSwitch)
      branchTo(around.leaveSwitch);
    return;
  case StmtKind::Return:
    if (stmt.exprs.empty())
      writer.emit(spv::OpReturn, SpirvWriter::Operands{});
    else
      writer.emit(spv::OpReturnValue, {expression(stmt.exprs[0])});
    ended = true;
    return;
  case StmtKind::Evaluate:
    expression(stmt.exprs[0]);
    return;
  case StmtKind::Exchange:
    return exchange(stmt);
  case StmtKind::Barrier:
    return barrier();
  case StmtKind::Gate:
    return gate(stmt);
  case StmtKind::Count:
    return count(stmt);
  case StmtKind::Digest:
    return digest(stmt);
  }
}

void Emitter::take(const Stmt &stmt) {
  const Expr &place = stmt.exprs[0];
  Form form = formOf(program.variables[place.variable].storage);
  Id pointee = 0, address = pointer(place, pointee);
  Id old = writer.emit(spv::OpLoad, pointee, {address});
  Id value = expression(stmt.exprs[1]);
  writer.emit(spv::OpStore, {address, inForm(place.type, value, Form::Plain, form)});
  statements(stmt.bodies[0]);
  if (!ended)
    store(stmt.exprs[2], inForm(place.type, old, form, Form::Plain));
}

void Emitter::gate(const Stmt &stmt) {
  Id condition = expression(stmt.exprs[0]);
  Id header = writer.fresh(), first = writer.fresh(), next = writer.fresh(), merge = writer.fresh();
  branchTo(header);
  begin(header);
  writer.emit(spv::OpLoopMerge, {merge, next, 0});
  writer.emit(spv::OpBranchConditional, {condition, first, merge});
  begin(first);
  barrier();
  Around outside = around;
  around = {merge, 0, 0};
  statements(stmt.bodies[0]);
  around = outside;
  branchTo(merge);
  begin(next);
  branchTo(header);
  begin(merge);
}

void Emitter::conditional(const Stmt &stmt) {
  Id condition = expression(stmt.exprs[0]), merge = writer.fresh();
  bool hasElse = !stmt.bodies[1].empty();
  Id yes = writer.fresh(), no = hasElse ? writer.fresh() : merge;
  writer.emit(spv::OpSelectionMerge, {merge, stmt.detail < 3 ? stmt.detail : 0});
  writer.emit(spv::OpBranchConditional, {condition, yes, no});
  begin(yes);
  statements(stmt.bodies[0]);
  bool reached = !ended || !hasElse;
  branchTo(merge);
  if (hasElse) {
    begin(no);
    statements(stmt.bodies[1]);
    reached |= !ended;
    branchTo(merge);
  }
  begin(merge);
  if (!reached) {
    writer.emit(spv::OpUnreachable, SpirvWriter::Operands{});
    ended = true;
  }
}

void Emitter::loop(const Stmt &stmt) {
  enum Form { TestFirst, TestLast, TestInHeader, TestInside, InMemory };
  auto form = static_cast<Form>(stmt.detail % 8);
  Id rounds = expression(stmt.exprs[0]);
  if (!isBelow(stmt.exprs[0], stmt.most + 1))
    rounds = glsl(GLSLstd450UMin, types.scalar(Base::U32), {rounds, number(stmt.most)});
  Id before = writer.block(), header = writer.fresh(), first = writer.fresh(),
     next = writer.fresh(), latch = writer.fresh(), merge = writer.fresh(),
     following = writer.fresh(), counter = 0, memory = 0;
  if (form == InMemory) {
    memory = writer.functionVariable(pointerTo(spv::StorageClassFunction, uintType()));
    writer.emit(spv::OpStore, {memory, number(0)});
  }
  auto goesOn = [&](Id value) {
    return writer.emit(spv::OpULessThan, boolType(), {value, rounds});
  };
  branchTo(header);
  begin(header);
  counter = memory ? writer.emit(spv::OpLoad, uintType(), {memory})
                   : writer.emit(spv::OpPhi, uintType(), {number(0), before, following, latch});
  Id test = form == TestInHeader ? goesOn(counter) : 0;
  writer.emit(spv::OpLoopMerge, {merge, next, stmt.detail / 8});
  if (test) {
    writer.emit(spv::OpBranchConditional, {test, first, merge});
  } else {
    Id check = form == TestLast ? first : writer.fresh();
    writer.emit(spv::OpBranch, {check});
    if (check != first) {
      writer.label(check);
      if (form == TestInside) { // a selection inside the body, one side of which leaves the loop
        Id leaves = writer.fresh(),
           ends = writer.emit(spv::OpUGreaterThanEqual, boolType(), {counter, rounds});
        writer.emit(spv::OpSelectionMerge, {first, 0});
        writer.emit(spv::OpBranchConditional, {ends, leaves, first});
        writer.label(leaves);
        writer.emit(spv::OpBranch, {merge});
      } else {
        writer.emit(spv::OpBranchConditional, {goesOn(counter), first, merge});
      }
    }
  }
  Around outside = around;
  around = {merge, next, 0};
  running.push_back({stmt.literal, counter, stmt.most});
  begin(first);
  statements(stmt.bodies[0]);
  branchTo(next);
  around = {};
  bool outer = std::exchange(continuing, true);
  begin(next);
  statements(stmt.bodies[1]);
  continuing = outer;
  branchTo(latch);
  begin(latch);
  Id one = number(1);
  writer.define(following, spv::OpIAdd, uintType(), {counter, one});
  if (memory)
    writer.emit(spv::OpStore, {memory, following});
  if (form == TestLast)
    writer.emit(spv::OpBranchConditional, {goesOn(following), header, merge});
  else
    writer.emit(spv::OpBranch, {header});
  running.pop_back();
  around = outside;
  begin(merge);
}

void Emitter::choice(const Stmt &stmt) {
  auto cases = static_cast<uint32_t>(stmt.bodies.size() - stmt.hasDefault);
  TypeId type = stmt.exprs[0].type;
  uint32_t last = 1;
  while (last < cases)
    last *= 2;
  Id selector = writer.emit(spv::OpBitwiseAnd, typeOf(type),
                            {expression(stmt.exprs[0]), constantOf(type, last - 1)});
  Id merge = writer.fresh();
  std::vector<Id> labels;
  for (size_t i = 0; i < stmt.bodies.size(); ++i)
    labels.push_back(writer.fresh());
  // If the cases cover every value, the default is unreachable. (A continuing block must lead to
  // its loop's header in any case.)
  bool unreachable = !stmt.hasDefault && cases == last && !continuing;
  Id otherwise = stmt.hasDefault ? labels.back() : unreachable ? writer.fresh() : merge;
  writer.emit(spv::OpSelectionMerge, {merge, spv::SelectionControlMaskNone});
  SpirvWriter::Operands operands{selector, otherwise};
  for (uint32_t i = 0; i < cases; ++i)
    operands.insert(operands.end(), {i, labels[i]});
  writer.emit(spv::OpSwitch, operands);
  Around outside = around;
  around.leaveSwitch = merge;
  for (size_t i = 0; i < stmt.bodies.size(); ++i) {
    begin(labels[i]);
    statements(stmt.bodies[i]);
    bool falls = i + 1 < stmt.bodies.size() && stmt.falls[i] &&
                 !(stmt.hasDefault && i + 2 == stmt.bodies.size());
    branchTo(falls ? labels[i + 1] : merge);
  }
  if (unreachable) {
    begin(otherwise);
    writer.emit(spv::OpUnreachable, SpirvWriter::Operands{});
  }
  around = outside;
  begin(merge);
}

void Emitter::barrier() {
  Id scope = number(spv::ScopeWorkgroup);
  writer.emit(spv::OpControlBarrier, {scope, scope,
                                      number(spv::MemorySemanticsAcquireReleaseMask |
                                             spv::MemorySemanticsWorkgroupMemoryMask)});
}

/// Returns the initial value of each kind of counting.
static uint32_t startOf(uint32_t counting) {
  switch (static_cast<Counting>(counting)) {
  case Counting::And:
  case Counting::UMin:
    return ~0u;
  case Counting::SMin:
    return 0x7fffffff;
  case Counting::SMax:
    return 0x80000000;
  default:
    return 0;
  }
}

void Emitter::exchange(const Stmt &stmt) {
  const Variable &variable = program.variables[stmt.variable];
  Id address = variables[stmt.variable], pointee = typeOf(variable.type);
  spv::StorageClass storage = spv::StorageClassWorkgroup;
  if (variable.storage == Storage::Shared) {
    Id value = expression(stmt.exprs[0]);
    writer.emit(spv::OpStore, {writer.emit(spv::OpAccessChain, pointerTo(storage, pointee),
                                           {address, localIndex}),
                               value});
  } else { // the first invocation
    Id merge = writer.fresh(), first = writer.fresh();
    Id isFirst = writer.emit(spv::OpIEqual, boolType(), {localIndex, number(0)});
    writer.emit(spv::OpSelectionMerge, {merge, 0});
    writer.emit(spv::OpBranchConditional, {isFirst, first, merge});
    begin(first);
    SpirvWriter::Operands starts;
    for (uint32_t i = 0; i < countings * placesOfCounting; ++i)
      starts.push_back(number(startOf(i / placesOfCounting)));
    TypeId array = types.array(variable.type, countings * placesOfCounting);
    writer.emit(spv::OpStore,
                {address, writer.declare(spv::OpConstantComposite, typeOf(array), starts)});
    branchTo(merge);
    begin(merge);
    barrier();
  }
  Around outside = around;
  around = {}; // invocations must not leave between barriers
  statements(stmt.bodies[0]);
  barrier();
  statements(stmt.bodies[1]);
  barrier();
  around = outside;
}

void Emitter::count(const Stmt &stmt) {
  Id value = expression(stmt.exprs[1]);
  Id place =
      writer.emit(spv::OpIAdd, uintType(),
                  {index(stmt.exprs[0], placesOfCounting), number(stmt.detail * placesOfCounting)});
  bool shared = stmt.variable != noVariable;
  spv::StorageClass storage = shared ? spv::StorageClassWorkgroup : spv::StorageClassStorageBuffer;
  SpirvWriter::Operands indices{shared ? variables[stmt.variable] : counts};
  if (!shared)
    indices.push_back(number(0));
  indices.push_back(place);
  Id address = writer.emit(spv::OpAccessChain, pointerTo(storage, uintType()), indices);
  static constexpr spv::Op opcodes[] = {spv::OpAtomicIAdd, spv::OpAtomicOr,   spv::OpAtomicAnd,
                                        spv::OpAtomicXor,  spv::OpAtomicUMin, spv::OpAtomicUMax,
                                        spv::OpAtomicSMin, spv::OpAtomicSMax};
  writer.emit(opcodes[stmt.detail], uintType(),
              {address, number(shared ? spv::ScopeWorkgroup : spv::ScopeDevice), number(0), value});
}

void Emitter::digest(const Stmt &stmt) {
  Id hash = number(stmt.literal & 0xffff);
  for (uint32_t variable : stmt.variables) {
    TypeId type = program.variables[variable].type;
    hash = fold(type, writer.emit(spv::OpLoad, typeOf(type), {variables[variable]}), hash);
  }
  Id address =
      writer.emit(spv::OpAccessChain, pointerTo(spv::StorageClassStorageBuffer, uintType()),
                  {variables[program.own], number(0), globalIndex, number(0)});
  Id before = writer.emit(spv::OpLoad, uintType(), {address});
  writer.emit(spv::OpStore, {address, writer.emit(spv::OpBitwiseXor, uintType(), {before, hash})});
}

} // namespace pumice::random_programs
