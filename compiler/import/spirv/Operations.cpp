//===- Operations.cpp - single instructions of a SPIR-V function ------------===//
#include "compiler/dialect/spvx/SpvxDialect.h"
#include "compiler/import/spirv/FunctionReader.h"
#include "compiler/import/spirv/OperandKinds.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace pumice::spirv_import;

LogicalResult FunctionReader::check(Operation *op, const Instruction &in) {
  positions[op] = in.at;
  reading.complaint.clear();
  if (succeeded(mlir::verify(op, /*verifyRecursively=*/false)))
    return success();
  return reading.fail(in, reading.complaint);
}

void FunctionReader::decorate(Operation *op, uint32_t id) {
  if (DictionaryAttr found = decorationsOf(reading.context, source, id, constants))
    op->setAttr("spvx.decorations", found);
}

Value FunctionReader::value(uint32_t id, const Instruction &user) {
  if (auto found = values.find(id); found != values.end())
    return found->second;
  Instruction in = source.definition(id);
  if (!in) {
    (void)reading.fail(user, "id " + Twine(id) + " is not defined");
    return {};
  }
  if (Constants::isConstant(in.opcode)) {
    FailureOr<Constant> found = constants.get(id, user);
    return failed(found) ? Value() : values[id] = constant(*found, user);
  }
  // A variable of another function has the storage class Function, so it is not a module variable.
  if (!Constants::isModuleVariable(in)) {
    (void)reading.fail(user, "id " + Twine(id) + " has no value here");
    return {};
  }
  FlatSymbolRefAttr symbol = module.variable(id, user);
  Type type = symbol ? types.get(in.type(), in) : Type();
  if (!type)
    return {};
  OpBuilder::InsertionGuard guard(builder);
  if (lastConstant)
    builder.setInsertionPointAfter(lastConstant);
  else
    builder.setInsertionPointToStart(entry);
  OperationState state(here(user), "spirv.mlir.addressof");
  state.addAttribute("variable", symbol);
  state.addTypes(type);
  lastConstant = builder.create(state);
  return values[id] = lastConstant->getResult(0);
}

/// Creates a constant at the top of the function, behind the existing ones.
Value FunctionReader::constant(const Constant &constant, const Instruction &user) {
  OpBuilder::InsertionGuard guard(builder);
  if (lastConstant)
    builder.setInsertionPointAfter(lastConstant);
  else
    builder.setInsertionPointToStart(entry);
  bool plain = (constant.type.isIntOrFloat() || isa<VectorType>(constant.type)) &&
               !isAddress(constant.value);
  OperationState state(here(user), !constant.value ? "spirv.Undef"
                                   : plain         ? "spirv.Constant"
                                                   : "spvx.op");
  if (constant.value && !plain) {
    bool null = isa<UnitAttr>(constant.value);
    state.addAttribute("name", builder.getStringAttr(null ? "ConstantNull" : "ConstantComposite"));
    if (!null)
      state.addAttribute("value", constant.value);
  } else if (constant.value) {
    state.addAttribute("value", constant.value);
  }
  state.addTypes(constant.type);
  lastConstant = builder.create(state);
  if (failed(check(lastConstant, user)))
    return {};
  return lastConstant->getResult(0);
}

/// Reads an index. For a member of a struct, MLIR requires an i32 constant.
Value FunctionReader::index(uint32_t id, const Instruction &user) {
  Instruction in = source.definition(id);
  if (!in || !Constants::isConstant(in.opcode) || in.opcode == OpUndef)
    return value(id, user);
  FailureOr<Constant> found = constants.get(id, user);
  if (failed(found))
    return {};
  auto number = dyn_cast_if_present<IntegerAttr>(found->value);
  if (!number || number.getType().isInteger(32) || !number.getValue().isSignedIntN(32))
    return value(id, user);
  Type type = builder.getI32Type();
  return constant({type, IntegerAttr::get(type, number.getValue().getSExtValue())}, user);
}

LogicalResult FunctionReader::create(const Instruction &in, StringRef operation,
                                     const Twine &spvxName, Type type, Operands &operands,
                                     bool orSpvx) {
  auto build = [&](StringRef name) {
    OperationState state(here(in), name);
    state.addOperands(operands.values);
    if (type && !isa<NoneType>(type))
      state.addTypes(type);
    if (name == "spvx.op") {
      state.addAttribute("name", builder.getStringAttr(spvxName));
      if (!operands.literals.empty())
        state.addAttribute("literals", builder.getDenseI32ArrayAttr(operands.literals));
    } else {
      state.addAttributes(operands.attributes);
    }
    return builder.create(state);
  };
  bool spvx = operation.empty();
  Operation *op = build(spvx ? "spvx.op" : operation);
  if (!spvx && orSpvx && failed(mlir::verify(op, /*verifyRecursively=*/false))) {
    op->erase();
    op = build("spvx.op");
    spvx = true;
  }
  if (spvx)
    if (std::string wrong = misfit(in.opcode, type, operands.values); !wrong.empty())
      return reading.fail(in, wrong);
  if (failed(check(op, in)))
    return failure();
  if (!type)
    return success();
  decorate(op, in[1]);
  return op->getNumResults() ? define(in[1], op->getResult(0)) : success();
}

LogicalResult FunctionReader::decodeValues(const Instruction &in, char letter, size_t &at,
                                           Operands &found) {
  size_t end = letter == 'V' || letter == 'N' ? in.operands.size()
               : letter == 'o'                ? std::min(at + 1, in.operands.size())
                                              : at + 1;
  for (; at < end; ++at) {
    Value operand = letter == 'N' ? index(in[at], in) : value(in[at], in);
    if (!operand)
      return failure();
    found.values.push_back(operand);
  }
  return success();
}

LogicalResult FunctionReader::decodeMemory(const Instruction &in, char letter, size_t &at,
                                           Operands &found) {
  using Access = spirv::MemoryAccess;
  bool sourceToo = letter == 'A';
  if (at >= in.operands.size()) // a copy may have one mask for both sides
    return success();
  uint32_t mask = in[at++], alignment = 0;
  auto known = spirv::symbolizeMemoryAccess(mask);
  constexpr Access scoped[] = {Access::MakePointerAvailable, Access::MakePointerVisible};
  constexpr Access aliases[] = {Access::AliasScopeINTELMask, Access::NoAliasINTELMask};
  if (!known)
    return reading.fail(in, "memory operands " + Twine(mask) + " are not known");
  if (spirv::bitEnumContainsAny(*known, Access::Aligned)) {
    alignment = in[at++];
    if (!llvm::isPowerOf2_32(alignment))
      return reading.fail(in, "an alignment of " + Twine(alignment) + " bytes");
  }
  for (Access each : scoped)
    if (spirv::bitEnumContainsAny(*known, each) && failed(constants.integer(in[at++], in)))
      return failure();
  for (Access each : aliases)
    if (spirv::bitEnumContainsAny(*known, each)) {
      ++at;
      known = spirv::bitEnumClear(*known, each);
    }
  if (at > in.operands.size())
    return reading.fail(in, "its memory operands are incomplete");
  auto add = [&](StringRef maskName, StringRef alignmentName) {
    found.attributes.push_back(
        builder.getNamedAttr(maskName, spirv::MemoryAccessAttr::get(reading.context, *known)));
    if (alignment)
      found.attributes.push_back(builder.getNamedAttr(
          alignmentName, builder.getI32IntegerAttr(static_cast<int32_t>(alignment))));
  };
  if (sourceToo)
    add("source_memory_access", "source_alignment");
  else
    add(letter == 'k' ? "memory_operand" : "memory_access", "alignment");
  found.literals.append({static_cast<int32_t>(*known), static_cast<int32_t>(alignment)});
  bool copies = in.opcode == OpCopyMemory || in.opcode == OpCopyMemorySized;
  if (copies && !sourceToo && at == in.operands.size()) {
    add("source_memory_access", "source_alignment");
    found.literals.append({static_cast<int32_t>(*known), static_cast<int32_t>(alignment)});
  }
  return success();
}

/// Adds numbers as named attributes. They are literals, or ids of constants.
LogicalResult FunctionReader::decodeEnum(const Instruction &in, char letter, size_t &at,
                                         Operands &found) {
  bool optional = letter == 'f' || letter == 'p';
  if (optional && at >= in.operands.size())
    return success();
  uint32_t number = in[at++];
  if (!StringRef("lgfp").contains(letter)) {
    FailureOr<uint64_t> constant = constants.integer(number, in);
    if (failed(constant))
      return failure();
    number = static_cast<uint32_t>(*constant);
  }
  found.literals.push_back(static_cast<int32_t>(number));
  Attribute attribute;
  MLIRContext *context = reading.context;
  auto make = [&]<class AttributeType>(auto known, AttributeType *) {
    if (known)
      attribute = AttributeType::get(context, *known);
  };
  StringRef name;
  switch (letter) {
  case 'X':
  case 'M':
    name = letter == 'X' ? "execution_scope" : "memory_scope";
    make(spirv::symbolizeScope(number), static_cast<spirv::ScopeAttr *>(nullptr));
    break;
  case 's':
  case 'e':
  case 'u':
  case 'b':
    name = letter == 's'   ? "semantics"
           : letter == 'e' ? "equal_semantics"
           : letter == 'u' ? "unequal_semantics"
                           : "memory_semantics";
    make(spirv::symbolizeMemorySemantics(number),
         static_cast<spirv::MemorySemanticsAttr *>(nullptr));
    break;
  case 'g':
    name = "group_operation";
    make(spirv::symbolizeGroupOperation(number), static_cast<spirv::GroupOperationAttr *>(nullptr));
    break;
  case 'f':
    name = "format";
    make(spirv::symbolizePackedVectorFormat(number),
         static_cast<spirv::PackedVectorFormatAttr *>(nullptr));
    break;
  case 'y':
    name = "matrix_layout";
    make(spirv::symbolizeCooperativeMatrixLayoutKHR(number),
         static_cast<spirv::CooperativeMatrixLayoutKHRAttr *>(nullptr));
    break;
  case 'p':
    name = "matrix_operands";
    make(spirv::symbolizeCooperativeMatrixOperandsKHR(number),
         static_cast<spirv::CooperativeMatrixOperandsKHRAttr *>(nullptr));
    break;
  default: // 'l': only an spvx.op may have it
    return success();
  }
  if (!attribute)
    return reading.fail(in, Twine(number) + " is not a known " + name);
  found.attributes.push_back(builder.getNamedAttr(name, attribute));
  return success();
}

LogicalResult FunctionReader::decode(const Instruction &in, StringRef letters, size_t at,
                                     Operands &found) {
  for (char letter : letters) {
    bool given = at < in.operands.size();
    if (!given && !StringRef("oVNicfpaAk").contains(letter))
      return reading.fail(in, "operand " + Twine(at) + " is missing");
    LogicalResult result = success();
    if (StringRef("voVN").contains(letter)) {
      result = decodeValues(in, letter, at, found);
    } else if (StringRef("aAk").contains(letter)) {
      result = decodeMemory(in, letter, at, found);
    } else if (letter == 'i' || letter == 'c') {
      SmallVector<int32_t> numbers(in.operands.begin() + std::min(at, in.operands.size()),
                                   in.operands.end());
      at = in.operands.size();
      found.literals.append(numbers);
      found.attributes.push_back(builder.getNamedAttr(letter == 'i' ? "indices" : "components",
                                                      builder.getI32ArrayAttr(numbers)));
    } else if (letter == 't') {
      Type type = types.get(in[at++], in);
      if (!type)
        return failure();
      found.attributes.push_back(
          builder.getNamedAttr("cooperative_matrix_type", TypeAttr::get(type)));
    } else {
      result = decodeEnum(in, letter, at, found);
    }
    if (failed(result))
      return failure();
  }
  if (at != in.operands.size())
    return reading.fail(in, "has " + Twine(in.operands.size()) + " operands, " + Twine(at) +
                                " are expected");
  return success();
}

LogicalResult FunctionReader::readByTable(const Instruction &in, const Row &row) {
  StringRef letters = row.operands;
  bool orSpvx = letters.consume_front("~");
  Type type;
  if (letters.consume_front("T")) {
    type = types.get(in.type(), in);
    if (!type)
      return failure();
    if (isa<NoneType, FunctionType>(type))
      return reading.fail(in, "its type has no values");
  }
  Operands operands;
  if (failed(decode(in, letters, type ? 2 : 0, operands)))
    return failure();
  if (failed(create(in, row.operation, row.name, type, operands, orSpvx)))
    return failure();
  bool inElements = in.opcode == OpPtrAccessChain || in.opcode == OpInBoundsPtrAccessChain ||
                    in.opcode == OpPtrDiff;
  if (!inElements)
    return success();
  // The distance of elements is a decoration of the base's pointer type.
  constexpr uint32_t arrayStride = 6;
  const Decoration *stride = source.decoration(source.definition(in[2]).type(), arrayStride);
  if (stride && !stride->literals.empty())
    values[in[1]].getDefiningOp()->setAttr(
        "spvx.stride", builder.getI32IntegerAttr(static_cast<int32_t>(stride->literals[0])));
  return success();
}
