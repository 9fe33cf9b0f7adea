//===- EmitPlaces.cpp - a program as SPIR-V: memory -------------------------===//
#include "tests/random/Emitter.h"

namespace pumice::random_programs {

bool Emitter::isBelow(const Expr &expr, uint32_t count) const {
  if (expr.kind == ExprKind::Constant)
    return expr.literal < count;
  if (expr.kind == ExprKind::BuiltIn) {
    auto which = static_cast<BuiltIn>(expr.literal);
    return (which == BuiltIn::LocalIndex && program.invocationsPerGroup() <= count) ||
           (which == BuiltIn::GlobalIndex && program.invocations() <= count) ||
           (which == BuiltIn::WorkgroupIndex && program.groupCount() <= count);
  }
  if (expr.kind == ExprKind::Counter)
    for (const Running &loop : running)
      if (loop.loop == expr.literal)
        return loop.most < count; // loops that test at their end run once more
  return false;
}

Emitter::Id Emitter::index(const Expr &expr, uint32_t count) {
  Id value = expression(expr);
  if (isBelow(expr, count))
    return value;
  Id type = typeOf(expr.type);
  if ((count & (count - 1)) == 0)
    return writer.emit(spv::OpBitwiseAnd, type, {value, constantOf(expr.type, count - 1)});
  if (types[expr.type].base != Base::U32)
    value = bitcast(types.scalar(Base::U32), value);
  return writer.emit(spv::OpUMod, uintType(), {value, number(count)});
}

/// Returns the address, and the type of the value there.
Emitter::Id Emitter::pointer(const Expr &place, Id &pointee) {
  const Variable &variable = program.variables[place.variable];
  Form form = formOf(variable.storage);
  spv::StorageClass storage = classOf(variable.storage);
  SpirvWriter::Operands indices;
  if (form != Form::Plain)
    indices.push_back(number(0));
  if (variable.storage == Storage::Own)
    indices.push_back(globalIndex);
  size_t step = 0, operand = 0;
  bool first = !place.path.empty();
  auto leading = [&](uint32_t count) {
    indices.push_back(index(place.operands[operand++], count));
    ++step;
  };
  if (variable.storage == Storage::Input)
    leading(inputElements);
  else if (variable.storage == Storage::Counters)
    leading(countings * placesOfCounting);
  else if (variable.storage == Storage::Shared && first && place.path[0] == -2)
    leading(program.invocationsPerGroup());
  else if (variable.storage == Storage::Shared)
    indices.push_back(localIndex);
  TypeId at = variable.type;
  for (; step < place.path.size(); ++step) {
    int32_t member = place.path[step];
    if (member < 0)
      indices.push_back(index(place.operands[operand++], types[at].count));
    else
      indices.push_back(number(static_cast<uint32_t>(member)));
    at = types.part(at, member < 0 ? 0 : static_cast<uint32_t>(member));
  }
  pointee = typeOf(at, form);
  if (indices.empty())
    return variables[place.variable];
  indices.insert(indices.begin(), variables[place.variable]);
  bool inBounds = ++emitted % 2;
  return writer.emit(inBounds ? spv::OpInBoundsAccessChain : spv::OpAccessChain,
                     pointerTo(storage, pointee), indices);
}

Emitter::Id Emitter::part(TypeId type, Id whole, uint32_t index) {
  return writer.emit(spv::OpCompositeExtract, typeOf(types.part(type, index)), {whole, index});
}

/// Converts the value to a type of another layout.
Emitter::Id Emitter::inForm(TypeId type, Id value, Form from, Form to) {
  const Type whole = types[type];
  if (typeOf(type, from) == typeOf(type, to))
    return value;
  if (program.minorVersion >= 4 && ++emitted % 2)
    return writer.emit(spv::OpCopyLogical, typeOf(type, to), {value});
  SpirvWriter::Operands parts;
  for (uint32_t i = 0; i < whole.count; ++i) {
    TypeId inner = types.part(type, i);
    Id taken = writer.emit(spv::OpCompositeExtract, typeOf(inner, from), {value, i});
    parts.push_back(inForm(inner, taken, from, to));
  }
  return writer.emit(spv::OpCompositeConstruct, typeOf(type, to), parts);
}

Emitter::Id Emitter::load(const Expr &place) {
  const Variable &variable = program.variables[place.variable];
  Form form = formOf(variable.storage);
  if (variable.storage == Storage::Value) { // has no memory, so its parts are extracted
    Id value = variables[place.variable];
    size_t operand = 0;
    TypeId at = variable.type;
    for (int32_t step : place.path) {
      uint32_t member = step < 0 ? 0 : static_cast<uint32_t>(step);
      if (step < 0) {
        const Expr &chosen = place.operands[operand++];
        if (types.isVector(at)) {
          value = writer.emit(spv::OpVectorExtractDynamic, typeOf(types.part(at, 0)),
                              {value, index(chosen, types[at].count)});
          at = types.part(at, 0);
          continue;
        }
        expression(chosen); // still evaluated; the first part is used
      }
      value = part(at, value, member);
      at = types.part(at, member);
    }
    return value;
  }
  Id pointee = 0, address = pointer(place, pointee);
  return inForm(place.type, writer.emit(spv::OpLoad, pointee, {address}), form, Form::Plain);
}

void Emitter::store(const Expr &place, Id value) {
  Form form = formOf(program.variables[place.variable].storage);
  Id pointee = 0, address = pointer(place, pointee);
  writer.emit(spv::OpStore, {address, inForm(place.type, value, Form::Plain, form)});
}

} // namespace pumice::random_programs
