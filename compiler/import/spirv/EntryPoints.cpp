//===- EntryPoints.cpp - execution modes and decorations as attributes ------===//
#include "compiler/import/spirv/EntryPoints.h"

#include "compiler/import/spirv/Annotations.h"
#include "compiler/import/spirv/FunctionReader.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVEnums.h"
#include "mlir/IR/Builders.h"

#include <map>

using namespace mlir;
using namespace pumice::spirv_import;

namespace {

constexpr uint32_t modelGLCompute = 5, modelKernel = 6;

using Modes = std::map<std::string, SmallVector<int32_t>>;

DictionaryAttr dictionaryOf(MLIRContext *context, const Modes &modes) {
  Builder builder(context);
  SmallVector<NamedAttribute> attributes;
  for (const auto &[name, numbers] : modes)
    attributes.push_back(builder.getNamedAttr(
        name, numbers.empty() ? Attribute(builder.getUnitAttr())
                              : Attribute(builder.getDenseI32ArrayAttr(numbers))));
  return builder.getDictionaryAttr(attributes);
}

/// Reads three sizes, none of which may be 0.
FailureOr<DenseI32ArrayAttr> sizes(Reading &reading, Constants &constants, const Instruction &in,
                                   bool ids) {
  SmallVector<int32_t> numbers;
  for (int d = 0; d < 3; ++d) {
    FailureOr<uint64_t> number = uint64_t{in[2 + d]};
    if (ids)
      number = constants.integer(in[2 + d], in);
    if (failed(number))
      return failure();
    if (*number == 0 || *number > INT32_MAX)
      return reading.fail(in, "a size of " + Twine(*number));
    numbers.push_back(static_cast<int32_t>(*number));
  }
  return DenseI32ArrayAttr::get(reading.context, numbers);
}

/// Adds the default fast-math mode of a type: the width and the mask. The default applies to
/// operations without a decoration.
LogicalResult addFastMathDefault(Reading &reading, Constants &constants, const Instruction &in,
                                 Modes &modes) {
  Instruction type = reading.source.definition(in[2]);
  FailureOr<uint64_t> mask = constants.integer(in[3], in);
  if (failed(mask))
    return failure();
  if (!type || type.opcode != OpTypeFloat)
    return reading.fail(in, "id " + Twine(in[2]) + " is not a floating-point type");
  modes["FPFastMathDefault"].append({static_cast<int32_t>(type[1]), static_cast<int32_t>(*mask)});
  return success();
}

LogicalResult addMode(Reading &reading, Constants &constants, const Instruction &in,
                      Operation *function, Modes &modes) {
  using Mode = mlir::spirv::ExecutionMode;
  if (in[1] == modeFastMathDefault && in.opcode == OpExecutionModeId)
    return addFastMathDefault(reading, constants, in, modes);
  std::optional<Mode> mode = mlir::spirv::symbolizeExecutionMode(in[1]);
  if (!mode)
    return reading.fail(in, "execution mode " + Twine(in[1]) + " is not known");
  bool ids = in.opcode == OpExecutionModeId;
  bool size = *mode == Mode::LocalSize || *mode == Mode::LocalSizeId;
  if (size || *mode == Mode::LocalSizeHint || *mode == Mode::LocalSizeHintId) {
    FailureOr<DenseI32ArrayAttr> numbers = sizes(reading, constants, in, ids);
    if (failed(numbers))
      return failure();
    function->setAttr(size ? "lane.workgroup_size" : "lane.workgroup_size_hint", *numbers);
    return success();
  }
  if (*mode == Mode::SubgroupSize) {
    if (in[2] == 0 || in[2] > 128 || !llvm::isPowerOf2_32(in[2]))
      return reading.fail(in, "subgroups of " + Twine(in[2]));
    function->setAttr("lane.subgroup_size",
                      IntegerAttr::get(IntegerType::get(reading.context, 32), in[2]));
    return success();
  }
  if (useOfMode(in[1]) != AnnotationUse::Kept)
    return success();
  SmallVector<int32_t> &numbers = modes[mlir::spirv::stringifyExecutionMode(*mode).str()];
  for (uint32_t operand : in.operands.drop_front(std::min<size_t>(2, in.operands.size()))) {
    FailureOr<uint64_t> number = uint64_t{operand};
    if (ids)
      number = constants.integer(operand, in);
    if (failed(number))
      return failure();
    numbers.push_back(static_cast<int32_t>(*number));
  }
  return success();
}

/// Adds the workgroup size. A constant with the decoration WorkgroupSize overrides the execution
/// mode.
LogicalResult addWorkgroupSize(Reading &reading, Constants &constants, Operation *function) {
  constexpr uint32_t builtIn = 11, workgroupSize = 25;
  for (uint32_t id : reading.source.decorated) {
    Instruction in = reading.source.definition(id);
    const Decoration *found = reading.source.decoration(id, builtIn);
    if (!in || !Constants::isConstant(in.opcode) || found->literals.empty() ||
        found->literals[0] != workgroupSize)
      continue;
    FailureOr<Constant> constant = constants.get(id, in);
    if (failed(constant))
      return failure();
    auto numbers = dyn_cast_if_present<DenseIntElementsAttr>(constant->value);
    if (!numbers || numbers.size() != 3 || !numbers.getElementType().isInteger(32))
      return reading.fail(in, "the workgroup size is not a vector of three 32-bit integers");
    SmallVector<int32_t> size;
    for (const APInt &number : numbers) {
      if (!number.isStrictlyPositive())
        return reading.fail(in, "a workgroup size of " + Twine(number.getSExtValue()));
      size.push_back(static_cast<int32_t>(number.getSExtValue()));
    }
    function->setAttr("lane.workgroup_size", DenseI32ArrayAttr::get(reading.context, size));
  }
  return success();
}

} // namespace

bool pumice::spirv_import::isCompute(const Instruction &entryPoint) {
  return entryPoint[0] == modelGLCompute || entryPoint[0] == modelKernel;
}

void pumice::spirv_import::describeModule(const Source &source, ModuleOp module) {
  Builder builder(module.getContext());
  auto number = [&](uint32_t value) {
    return builder.getI32IntegerAttr(static_cast<int32_t>(value));
  };
  module->setAttr("spvx.version", builder.getDenseI32ArrayAttr(
                                      {static_cast<int32_t>(source.version() >> 16),
                                       static_cast<int32_t>(source.version() >> 8 & 255)}));
  SmallVector<int32_t> capabilities(source.capabilities.begin(), source.capabilities.end());
  module->setAttr("spvx.capabilities", builder.getDenseI32ArrayAttr(capabilities));
  module->setAttr("spvx.addressing", number(source.addressing));
  module->setAttr("spvx.memory_model", number(source.memoryModel));
}

LogicalResult pumice::spirv_import::describeEntryPoint(Reading &reading, Constants &constants,
                                                       const Instruction &entryPoint,
                                                       Operation *function) {
  Builder builder(reading.context);
  function->setAttr("spvx.entry_point", builder.getStringAttr(reading.source.text(entryPoint, 2)));
  function->setAttr("spvx.execution_model",
                    builder.getStringAttr(entryPoint[0] == modelKernel ? "Kernel" : "GLCompute"));
  Modes modes;
  for (uint32_t at : reading.source.modes)
    if (Instruction in = reading.source.instruction(at); in[0] == entryPoint[1])
      if (failed(addMode(reading, constants, in, function, modes)))
        return failure();
  if (!modes.empty())
    function->setAttr("spvx.modes", dictionaryOf(reading.context, modes));
  if (failed(addWorkgroupSize(reading, constants, function)))
    return failure();
  if (entryPoint[0] == modelGLCompute && !function->hasAttr("lane.workgroup_size"))
    return reading.fail(entryPoint, "the shader has no workgroup size");
  return success();
}

DictionaryAttr pumice::spirv_import::decorationsOf(MLIRContext *context, const Source &source,
                                                   uint32_t id, Constants &constants) {
  Modes found;
  for (const pumice::spirv_import::Decoration &each : source.decorations(id)) {
    std::optional<mlir::spirv::Decoration> kind = mlir::spirv::symbolizeDecoration(each.kind);
    if (!kind || useOfDecoration(each.kind) != AnnotationUse::Kept)
      continue;
    SmallVector<int32_t> numbers;
    for (uint32_t literal : each.literals) {
      FailureOr<Constant> constant =
          each.ids ? constants.get(literal, source.definition(id)) : FailureOr<Constant>(failure());
      auto number =
          succeeded(constant) ? dyn_cast_if_present<IntegerAttr>(constant->value) : IntegerAttr();
      numbers.push_back(static_cast<int32_t>(number ? number.getValue().getZExtValue() : literal));
    }
    StringRef name = mlir::spirv::stringifyDecoration(*kind);
    name.consume_back("Id"); // AlignmentId with a known constant becomes Alignment
    SmallVector<int32_t> &all = found[name.str()];
    all.append(numbers);
  }
  return found.empty() ? DictionaryAttr() : dictionaryOf(context, found);
}
