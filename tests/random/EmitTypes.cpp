//===- EmitTypes.cpp - a program as SPIR-V: types, constants, variables -----===//
#include "tests/random/Emit.h"
#include "tests/random/Emitter.h"

#include <bit>

namespace pumice::random_programs {

std::vector<uint32_t> emitSpirv(const Program &program) { return Emitter(program).run(); }

std::vector<uint32_t> Emitter::run() {
  writer.capability(spv::CapabilityShader);
  declareVariables();
  functions.resize(program.functions.size());
  for (Id &id : functions)
    id = writer.fresh();
  for (uint32_t i = 0; i < functions.size(); ++i)
    function(i);
  writer.entryPoint(functions[0], program.workgroup);
  return writer.finish(program.minorVersion);
}

Emitter::Form Emitter::formOf(Storage storage) {
  if (storage == Storage::Uniform)
    return Form::UniformBuffer;
  bool buffer = storage == Storage::Input || storage == Storage::Own || storage == Storage::Push;
  return buffer ? Form::Buffer : Form::Plain;
}

spv::StorageClass Emitter::classOf(Storage storage) {
  switch (storage) {
  case Storage::Private:
    return spv::StorageClassPrivate;
  case Storage::Input:
  case Storage::Own:
    return spv::StorageClassStorageBuffer;
  case Storage::Shared:
  case Storage::Counters:
    return spv::StorageClassWorkgroup;
  case Storage::Uniform:
    return spv::StorageClassUniform;
  case Storage::Push:
    return spv::StorageClassPushConstant;
  default:
    return spv::StorageClassFunction;
  }
}

static spv::Capability capabilityOf(Base base) {
  switch (base) {
  case Base::I8:
  case Base::U8:
    return spv::CapabilityInt8;
  case Base::I16:
  case Base::U16:
    return spv::CapabilityInt16;
  case Base::I64:
  case Base::U64:
    return spv::CapabilityInt64;
  case Base::F16:
    return spv::CapabilityFloat16;
  case Base::F64:
    return spv::CapabilityFloat64;
  default:
    return spv::CapabilityShader;
  }
}

Emitter::Id Emitter::typeOf(TypeId type, Form form) {
  const Type whole = types[type];
  switch (whole.kind) {
  case Type::Kind::Scalar:
    writer.capability(capabilityOf(whole.base));
    if (form == Form::Buffer && bitsOf(whole.base) == 8)
      writer.capability(spv::CapabilityStorageBuffer8BitAccess);
    if (form == Form::Buffer && bitsOf(whole.base) == 16)
      writer.capability(spv::CapabilityStorageBuffer16BitAccess);
    if (whole.base == Base::Bool)
      return writer.declare(spv::OpTypeBool, 0, {});
    if (isFloat(whole.base))
      return writer.declare(spv::OpTypeFloat, 0, {bitsOf(whole.base)});
    return writer.declare(spv::OpTypeInt, 0, {bitsOf(whole.base), isSigned(whole.base)});
  case Type::Kind::Vector:
    return writer.declare(spv::OpTypeVector, 0, {typeOf(whole.parts[0], form), whole.count});
  case Type::Kind::Matrix:
    writer.capability(spv::CapabilityMatrix);
    return writer.declare(spv::OpTypeMatrix, 0, {typeOf(whole.parts[0], form), whole.count});
  default:
    return laidOut(type, form);
  }
}

/// Returns arrays and structs. Each layout has its own decorated type.
Emitter::Id Emitter::laidOut(TypeId type, Form form) {
  const Type whole = types[type];
  auto key = std::pair(type, static_cast<uint32_t>(form));
  if (auto found = composites.find(key); found != composites.end())
    return found->second;
  SpirvWriter::Operands parts;
  for (TypeId part : whole.parts)
    parts.push_back(typeOf(part, form));
  bool array = whole.kind == Type::Kind::Array;
  if (array)
    parts.push_back(number(whole.count));
  Id made = writer.declare(array ? spv::OpTypeArray : spv::OpTypeStruct, 0, parts, true);
  composites.emplace(key, made);
  if (form == Form::Plain)
    return made;
  Layout layout(types, form == Form::UniformBuffer);
  if (array) {
    writer.decorate(made, spv::DecorationArrayStride, {layout.strideOf(type)});
    return made;
  }
  std::vector<uint32_t> offsets = layout.offsetsOf(type);
  for (uint32_t i = 0; i < whole.count; ++i) {
    writer.decorateMember(made, i, spv::DecorationOffset, {offsets[i]});
    TypeId inner = whole.parts[i];
    while (types[inner].kind == Type::Kind::Array)
      inner = types[inner].parts[0];
    if (types[inner].kind != Type::Kind::Matrix)
      continue;
    bool rowMajor = Layout::isRowMajor(type, i);
    writer.decorateMember(made, i, rowMajor ? spv::DecorationRowMajor : spv::DecorationColMajor);
    writer.decorateMember(made, i, spv::DecorationMatrixStride,
                          {layout.matrixStride(inner, rowMajor)});
  }
  return made;
}

Emitter::Id Emitter::pointerTo(spv::StorageClass storage, Id pointee) {
  return writer.declare(spv::OpTypePointer, 0, {static_cast<uint32_t>(storage), pointee});
}

/// Returns a small integer as a half. The values of f16 here are at most 2048.
static uint32_t halfBits(int64_t value) {
  uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (value == 0)
    return 0;
  uint32_t exponent = (bits >> 23 & 0xff) - 127 + 15;
  return (bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3ff);
}

Emitter::Id Emitter::scalarOf(Base base, uint64_t bits) {
  Id type = typeOf(types.scalar(base));
  auto value = static_cast<int64_t>(bits);
  switch (base) {
  case Base::Bool:
    return writer.declare(bits & 1 ? spv::OpConstantTrue : spv::OpConstantFalse, type, {});
  case Base::F16:
    return writer.declare(spv::OpConstant, type, {halfBits(value)});
  case Base::F32:
    return writer.declare(spv::OpConstant, type,
                          {std::bit_cast<uint32_t>(static_cast<float>(value))});
  case Base::F64:
    bits = std::bit_cast<uint64_t>(static_cast<double>(value));
    break;
  default:
    break;
  }
  auto low = static_cast<uint32_t>(bits);
  if (bitsOf(base) == 64)
    return writer.declare(spv::OpConstant, type, {low, static_cast<uint32_t>(bits >> 32)});
  if (bitsOf(base) < 32) { // signed ones are sign-extended
    low &= (1u << bitsOf(base)) - 1;
    if (isSigned(base) && low >> (bitsOf(base) - 1))
      low |= ~0u << bitsOf(base);
  }
  return writer.declare(spv::OpConstant, type, {low});
}

Emitter::Id Emitter::constantOf(TypeId type, uint64_t scalar) {
  const Type whole = types[type];
  if (whole.kind == Type::Kind::Scalar)
    return scalarOf(whole.base, scalar);
  SpirvWriter::Operands parts;
  for (uint32_t i = 0; i < whole.count; ++i)
    parts.push_back(constantOf(types.part(type, i), scalar));
  return writer.declare(spv::OpConstantComposite, typeOf(type), parts);
}

Emitter::Id Emitter::builtIn(spv::BuiltIn which, TypeId type) {
  Id pointee = typeOf(type), &variable = builtIns[which];
  if (!variable) {
    variable = writer.declare(spv::OpVariable, pointerTo(spv::StorageClassInput, pointee),
                              {spv::StorageClassInput}, true);
    writer.decorate(variable, spv::DecorationBuiltIn, {static_cast<uint32_t>(which)});
    writer.interface(variable);
    if (which == spv::BuiltInSubgroupLocalInvocationId || which == spv::BuiltInSubgroupSize)
      writer.capability(spv::CapabilityGroupNonUniform);
  }
  return writer.emit(spv::OpLoad, pointee, {variable});
}

/// Declares a variable of a struct that holds only `pointee`.
Emitter::Id Emitter::block(Id pointee, spv::StorageClass storage) {
  Id wrapped = writer.declare(spv::OpTypeStruct, 0, {pointee}, true);
  writer.decorate(wrapped, spv::DecorationBlock);
  writer.decorateMember(wrapped, 0, spv::DecorationOffset, {0});
  Id made = writer.declare(spv::OpVariable, pointerTo(storage, wrapped),
                           {static_cast<uint32_t>(storage)}, true);
  if (program.minorVersion >= 4)
    writer.interface(made);
  return made;
}

void Emitter::declareVariables() {
  auto bind = [&](Id variable, uint32_t binding) {
    writer.decorate(variable, spv::DecorationDescriptorSet, {0});
    writer.decorate(variable, spv::DecorationBinding, {binding});
  };
  auto runtimeArray = [&](Id element, uint32_t stride) {
    Id made = writer.declare(spv::OpTypeRuntimeArray, 0, {element}, true);
    writer.decorate(made, spv::DecorationArrayStride, {stride});
    return made;
  };
  for (const Variable &variable : program.variables) {
    Form form = formOf(variable.storage);
    spv::StorageClass storage = classOf(variable.storage);
    Id made = 0;
    if (storage == spv::StorageClassStorageBuffer) {
      Id element = typeOf(variable.type, form);
      uint32_t stride = Layout(types, false).sizeOf(variable.type);
      made = block(runtimeArray(element, stride), storage);
      bool input = variable.storage == Storage::Input;
      bind(made, input ? inputBinding : ownBinding);
      if (input)
        writer.decorate(made, spv::DecorationNonWritable);
    } else if (form != Form::Plain) {
      made = block(typeOf(variable.type, form), storage);
      if (variable.storage == Storage::Uniform)
        bind(made, uniformBinding);
    } else if (storage != spv::StorageClassFunction) {
      TypeId type = variable.type;
      if (variable.storage == Storage::Shared)
        type = types.array(type, program.invocationsPerGroup());
      if (variable.storage == Storage::Counters)
        type = types.array(type, countings * placesOfCounting);
      SpirvWriter::Operands operands{static_cast<uint32_t>(storage)};
      if (storage == spv::StorageClassPrivate)
        operands.push_back(nullOf(type));
      made = writer.declare(spv::OpVariable, pointerTo(storage, typeOf(type)), operands, true);
      if (program.minorVersion >= 4)
        writer.interface(made);
    }
    variables.push_back(made);
  }
  Id number32 = typeOf(types.scalar(Base::U32));
  counts = block(runtimeArray(number32, 4), spv::StorageClassStorageBuffer);
  bind(counts, countsBinding);
}

} // namespace pumice::random_programs
