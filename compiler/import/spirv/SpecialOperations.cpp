//===- SpecialOperations.cpp - instructions with special rules --------------===//
#include "compiler/import/spirv/FunctionReader.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace pumice::spirv_import;

/// Returns the location from the source compiler's debug information, or else the word. Line 0
/// means that no line is known.
Location FunctionReader::here(const Instruction &in) {
  return line ? *line : FileLineColLoc::get(reading.context, reading.sourceName, 0, in.at);
}

std::optional<Location> FunctionReader::lineOf(uint32_t file, uint32_t number, uint32_t column) {
  Instruction name = source.definition(file);
  if (name.opcode == OpExtInst) // a DebugSource, which names the file as a string
    name = source.definition(name[4]);
  StringRef text = name.opcode == OpString ? source.text(name, 1) : StringRef();
  return FileLineColLoc::get(reading.context, text.empty() ? StringRef(reading.sourceName) : text,
                             number, column);
}

LogicalResult FunctionReader::readInstruction(const Instruction &in) {
  const Row *row = findInstruction(in.opcode);
  if (!row)
    return reading.fail(in, "this instruction is not known");
  switch (row->kind) {
  case RowKind::Special:
    return readSpecial(in);
  case RowKind::Refused:
    return reading.refuse(in, *row);
  default:
    return readByTable(in, *row);
  }
}

LogicalResult FunctionReader::readSpecial(const Instruction &in) {
  switch (in.opcode) {
  case OpNop:
  case OpLifetimeStart:
  case OpLifetimeStop:
  case OpAssumeTrueKHR:
  case OpExtInstWithForwardRefsKHR: // occurs only in debug information
    return success();
  case OpLine:
    line = lineOf(in[0], in[1], in[2]);
    return success();
  case OpNoLine:
    line.reset();
    return success();
  case OpVariable:
    return readVariable(in);
  case OpFunctionCall:
    return readCall(in);
  case OpExtInst:
    return readExtended(in);
  case OpUndef: {
    FailureOr<Constant> found = constants.get(in[1], in);
    Value made = failed(found) ? Value() : constant(*found, in);
    return made ? define(in[1], made) : failure();
  }
  case OpCopyObject:
  case OpExpectKHR: {
    Value operand = value(in[2], in);
    if (!operand)
      return failure();
    if (Type type = types.get(in.type(), in); operand.getType() != type) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "the result must have the operand's type, " << operand.getType() << ", got " << type;
      return reading.fail(in, text);
    }
    return define(in[1], operand);
  }
  case OpBitcast:
  case OpCopyLogical:
    return readCast(in);
  case OpCompositeConstructReplicateEXT: {
    Type type = types.get(in.type(), in);
    Value operand = type ? value(in[2], in) : Value();
    if (!operand)
      return failure();
    constexpr uint64_t most = 4096;
    bool matrix = isa<spirv::CooperativeMatrixType>(type);
    uint64_t count = matrix ? 1 : memberCountOf(type);
    if (count == 0 || count > most)
      return reading.fail(in, "its type must have 1 to " + Twine(most) + " members, has " +
                                  Twine(count));
    Operands operands;
    operands.values.assign(count, operand);
    return create(in, "spirv.CompositeConstruct", "CompositeConstruct", type, operands, false);
  }
  default:
    return reading.fail(in, "must not be in a function");
  }
}

/// Returns the number of bits of a value for a bitcast, or 0 if it has none. Addresses have 64
/// bits.
static uint64_t bitsOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  if (isa<spirv::PointerType>(element))
    return 64;
  if (!element.isIntOrFloat() || element.isInteger(1))
    return 0;
  return uint64_t{element.getIntOrFloatBitWidth()} * (vector ? vector.getNumElements() : 1);
}

/// Reads a cast. Types that differ only in signs or decorations in SPIR-V are one type here.
LogicalResult FunctionReader::readCast(const Instruction &in) {
  Type type = types.get(in.type(), in);
  Operands operands;
  if (!type || failed(decode(in, "v", 2, operands)))
    return failure();
  Value operand = operands.values[0];
  if (operand.getType() == type)
    return define(in[1], operand);
  if (in.opcode == OpCopyLogical)
    return memberCountOf(type) && memberCountOf(type) == memberCountOf(operand.getType())
               ? create(in, "", "CopyLogical", type, operands, false)
               : reading.fail(in, "its types do not correspond");
  if (!bitsOf(type) || bitsOf(type) != bitsOf(operand.getType()))
    return reading.fail(in, "its types have different numbers of bits, or cannot be cast");
  return create(in, "spirv.Bitcast", "Bitcast", type, operands, true);
}

LogicalResult FunctionReader::readVariable(const Instruction &in) {
  Type type = types.get(in.type(), in);
  if (!type)
    return failure();
  auto pointer = dyn_cast<spirv::PointerType>(type);
  if (!pointer || pointer.getStorageClass() != spirv::StorageClass::Function ||
      in[2] != static_cast<uint32_t>(spirv::StorageClass::Function))
    return reading.fail(in, "a function's variables are of storage class Function");
  if (builder.getInsertionBlock() != entry)
    return reading.fail(in, "variables must be in the function's first block");
  Operands operands;
  operands.attributes.push_back(builder.getNamedAttr(
      "storage_class",
      spirv::StorageClassAttr::get(reading.context, spirv::StorageClass::Function)));
  // If a variable holds an address, MLIR requires a decoration that says whether it is aliased.
  constexpr uint32_t restrictPointer = 5355;
  Type held = pointer.getPointeeType();
  while (auto array = dyn_cast<spirv::ArrayType>(held))
    held = array.getElementType();
  if (auto address = dyn_cast<spirv::PointerType>(held);
      address && address.getStorageClass() == spirv::StorageClass::PhysicalStorageBuffer)
    operands.attributes.push_back(builder.getNamedAttr(
        source.decoration(in[1], restrictPointer) ? "restrict_pointer" : "aliased_pointer",
        builder.getUnitAttr()));
  if (failed(create(in, "spirv.Variable", "", type, operands, false)))
    return failure();
  if (in.operands.size() < 4)
    return success();
  Value initial = value(in[3], in);
  if (!initial)
    return failure();
  Operands stored;
  stored.values = {values[in[1]], initial};
  return create(in, "spirv.Store", "", {}, stored, false);
}

LogicalResult FunctionReader::readCall(const Instruction &in) {
  Instruction callee = source.definition(in[2]);
  if (callee.opcode != OpFunction)
    return reading.fail(in, "id " + Twine(in[2]) + " is not a function");
  FunctionType type = types.function(callee[3], callee);
  Type result = type ? types.get(in.type(), in) : Type();
  FlatSymbolRefAttr symbol = result ? module.callee(in[2], in) : FlatSymbolRefAttr();
  Operands operands;
  if (!symbol || failed(decode(in, "V", 3, operands)))
    return failure();
  Type wanted = type.getNumResults() ? type.getResult(0) : NoneType::get(reading.context);
  if (ValueRange(operands.values).getTypes() != TypeRange(type.getInputs()) || result != wanted)
    return reading.fail(in, "its arguments or result do not fit the function");
  operands.attributes.push_back(builder.getNamedAttr("callee", symbol));
  return create(in, "spirv.FunctionCall", "", result, operands, false);
}

/// Reads a printf. NonSemantic.DebugPrintf takes a string, and OpenCL's printf a pointer to one.
LogicalResult FunctionReader::readPrintf(const Instruction &in, StringRef set) {
  Instruction format = source.definition(in[4]);
  if (format.opcode != OpString)
    return reading.fail(in, "its format is not a string");
  Operands operands;
  if (failed(decode(in, "V", 5, operands)) ||
      failed(create(in, "", set + "/DebugPrintf", {}, operands, false)))
    return failure();
  builder.getInsertionBlock()->back().setAttr("format",
                                              builder.getStringAttr(source.text(format, 1)));
  return success();
}

LogicalResult FunctionReader::readExtended(const Instruction &in) {
  Instruction import = source.definition(in[2]);
  if (import.opcode != OpExtInstImport)
    return reading.fail(in, "id " + Twine(in[2]) + " is not an instruction set");
  StringRef set = source.text(import, 1);
  constexpr uint32_t debugPrintf = 1, debugLine = 103, debugNoLine = 104;
  if (set == "NonSemantic.DebugPrintf" && in[3] == debugPrintf)
    return readPrintf(in, set);
  if (set == "NonSemantic.Shader.DebugInfo.100" && in[3] == debugLine) {
    // The operands are the ids of: source, first line, last line, first column, last column
    FailureOr<uint64_t> number = constants.integer(in[5], in),
                        column = constants.integer(in[7], in);
    if (failed(number) || failed(column))
      return failure();
    line = lineOf(in[4], static_cast<uint32_t>(*number), static_cast<uint32_t>(*column));
    return success();
  }
  if (set == "NonSemantic.Shader.DebugInfo.100" && in[3] == debugNoLine)
    line.reset();
  if (set.starts_with("NonSemantic.") || set == "OpenCL.DebugInfo.100" || set == "DebugInfo")
    return success();
  bool glsl = set == "GLSL.std.450";
  if (!glsl && set != "OpenCL.std")
    return reading.fail(in, "the instruction set '" + set + "' is not known");
  const ExtendedRow *row = glsl ? findGlsl(in[3]) : findOpenCl(in[3]);
  if (!row)
    return reading.fail(in, set + " has no instruction " + Twine(in[3]));
  Type type = types.get(in.type(), in);
  Operands operands;
  if (!type || failed(decode(in, row->operands, 4, operands)))
    return failure();
  std::string operation = (Twine(glsl ? "spirv.GL." : "spirv.CL.") + row->name).str();
  bool registered = RegisteredOperationName::lookup(operation, reading.context).has_value();
  bool printf = !glsl && StringRef(row->name) == "printf";
  return create(in, registered && !printf ? operation : "", set + "/" + row->name, type, operands,
                false);
}
