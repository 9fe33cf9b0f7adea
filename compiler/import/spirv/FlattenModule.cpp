//===- FlattenModule.cpp - dissolves a spirv.module -------------------------===//
#include "compiler/import/spirv/FlattenModule.h"

#include "compiler/dialect/spvx/SpvxDialect.h"
#include "compiler/import/spirv/Types.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::spirv_import;
namespace spv = mlir::spirv;

namespace {

bool isPlain(Type type) { return type.isIntOrFloat() || isa<VectorType>(type); }

/// Converts an array constant, which spirv.Constant may hold as a tensor, to nested lists.
Attribute membersOf(Attribute value, Type type) {
  uint64_t count = memberCountOf(type);
  if (isPlain(type) || isa<UnitAttr>(value))
    return value;
  SmallVector<Attribute> members;
  if (auto list = dyn_cast<ArrayAttr>(value)) {
    for (auto [i, member] : llvm::enumerate(list))
      members.push_back(membersOf(member, memberTypeOf(type, i)));
  } else if (auto numbers = dyn_cast<DenseElementsAttr>(value)) {
    SmallVector<Attribute> flat(numbers.getValues<Attribute>());
    uint64_t each = count ? flat.size() / count : 0;
    Type inner = memberTypeOf(type, 0);
    for (uint64_t i = 0; i < count; ++i) {
      ArrayRef<Attribute> part = ArrayRef<Attribute>(flat).slice(i * each, each);
      if (inner.isIntOrFloat())
        members.push_back(part[0]);
      else if (auto vector = dyn_cast<VectorType>(inner))
        members.push_back(DenseElementsAttr::get(vector, part));
      else
        members.push_back(
            membersOf(DenseElementsAttr::get(RankedTensorType::get({static_cast<int64_t>(each)},
                                                                   numbers.getElementType()),
                                             part),
                      inner));
    }
  }
  return ArrayAttr::get(type.getContext(), members);
}

/// Makes a composite whose members are all equal, at any depth of its type.
Attribute replicated(Attribute value, Type type) {
  auto typed = dyn_cast<TypedAttr>(value);
  if (typed && typed.getType() == type)
    return value;
  if (auto vector = dyn_cast<VectorType>(type))
    return DenseElementsAttr::get(vector, value);
  if (isa<spv::CooperativeMatrixType>(type))
    return ArrayAttr::get(type.getContext(), value);
  SmallVector<Attribute> members;
  for (uint64_t i = 0, end = memberCountOf(type); i < end; ++i)
    members.push_back(replicated(value, memberTypeOf(type, i)));
  return ArrayAttr::get(type.getContext(), members);
}

Value makeConstant(OpBuilder &builder, Location location, Type type, Attribute value) {
  if (isPlain(type))
    return spv::ConstantOp::create(builder, location, type, value);
  bool null = isa<UnitAttr>(value);
  auto op = spvx::InstructionOp::create(builder, location, TypeRange{type},
                                        null ? "ConstantNull" : "ConstantComposite", ValueRange{},
                                        DenseI32ArrayAttr());
  if (!null)
    op->setAttr("value", value);
  return op.getResult(0);
}

/// Returns the value of a specialization constant, or null if the symbol is not one.
Attribute specConstant(spv::ModuleOp module, FlatSymbolRefAttr symbol) {
  Operation *op = SymbolTable::lookupSymbolIn(module, symbol);
  if (auto scalar = dyn_cast_if_present<spv::SpecConstantOp>(op))
    return scalar.getDefaultValue();
  auto composite = dyn_cast_if_present<spv::SpecConstantCompositeOp>(op);
  if (!composite)
    return {};
  SmallVector<Attribute> members;
  for (Attribute member : composite.getConstituents())
    if (Attribute value = specConstant(module, dyn_cast<FlatSymbolRefAttr>(member)))
      members.push_back(value);
  return compositeOf(composite.getType(), members);
}

LogicalResult replaceConstants(spv::ModuleOp module) {
  OpBuilder builder(module.getContext());
  SmallVector<Operation *> old;
  bool bad = false;
  module.walk([&](Operation *op) {
    builder.setInsertionPoint(op);
    if (auto reference = dyn_cast<spv::ReferenceOfOp>(op)) {
      Attribute value = specConstant(module, reference.getSpecConstAttr());
      if (!value) {
        op->emitError() << "@" << reference.getSpecConst() << " is not a specialization constant";
        bad = true;
        return;
      }
      op->replaceAllUsesWith(
          ValueRange{makeConstant(builder, op->getLoc(), op->getResult(0).getType(), value)});
      old.push_back(op);
    } else if (auto operation = dyn_cast<spv::SpecConstantOperationOp>(op)) {
      // The only operation of the region computes the same result outside of it.
      Operation *inner = builder.clone(operation.getRegion().front().front());
      op->replaceAllUsesWith(inner->getResults());
      old.push_back(op);
    } else if (auto splat = dyn_cast<spv::EXTConstantCompositeReplicateOp>(op)) {
      Type type = splat.getType();
      Value made = makeConstant(builder, op->getLoc(), type, replicated(splat.getValue(), type));
      op->replaceAllUsesWith(ValueRange{made});
      old.push_back(op);
    } else if (auto constant = dyn_cast<spv::ConstantOp>(op);
               constant && !isPlain(constant.getType())) {
      Attribute value = membersOf(constant.getValue(), constant.getType());
      op->replaceAllUsesWith(
          ValueRange{makeConstant(builder, op->getLoc(), constant.getType(), value)});
      old.push_back(op);
    }
  });
  for (Operation *op : llvm::reverse(old))
    op->erase();
  return failure(bad);
}

void describeModule(spv::ModuleOp from, ModuleOp to) {
  Builder builder(from.getContext());
  auto number = [&](auto value) { return builder.getI32IntegerAttr(static_cast<int32_t>(value)); };
  to->setAttr("spvx.addressing", number(from.getAddressingModel()));
  to->setAttr("spvx.memory_model", number(from.getMemoryModel()));
  SmallVector<int32_t> capabilities;
  int32_t minor = 0;
  if (std::optional<spv::VerCapExtAttr> triple = from.getVceTriple()) {
    minor = static_cast<int32_t>(triple->getVersion());
    for (spv::Capability each : triple->getCapabilities())
      capabilities.push_back(static_cast<int32_t>(each));
  }
  to->setAttr("spvx.version", builder.getDenseI32ArrayAttr({1, minor}));
  to->setAttr("spvx.capabilities", builder.getDenseI32ArrayAttr(capabilities));
}

LogicalResult addMode(spv::ExecutionModeOp mode, Operation *function) {
  Builder builder(mode.getContext());
  SmallVector<int32_t> numbers;
  for (auto number : mode.getValues().getAsRange<IntegerAttr>())
    numbers.push_back(static_cast<int32_t>(number.getInt()));
  switch (mode.getExecutionMode()) {
  case spv::ExecutionMode::LocalSize:
    if (numbers.size() != 3)
      return mode.emitError() << "a workgroup has three sizes";
    function->setAttr("lane.workgroup_size", builder.getDenseI32ArrayAttr(numbers));
    return success();
  case spv::ExecutionMode::SubgroupSize:
    if (numbers.size() != 1)
      return mode.emitError() << "a subgroup has one size";
    function->setAttr("lane.subgroup_size", builder.getI32IntegerAttr(numbers[0]));
    return success();
  default:
    break;
  }
  SmallVector<NamedAttribute> modes;
  if (auto known = function->getAttrOfType<DictionaryAttr>("spvx.modes"))
    modes.assign(known.begin(), known.end());
  StringRef name = spv::stringifyExecutionMode(mode.getExecutionMode());
  for (NamedAttribute &known : modes)
    if (known.getName() == name)
      if (auto before = dyn_cast<DenseI32ArrayAttr>(known.getValue())) {
        SmallVector<int32_t> all(before.asArrayRef());
        all.append(numbers);
        known.setValue(builder.getDenseI32ArrayAttr(all));
        numbers.clear();
      }
  if (llvm::none_of(modes, [&](NamedAttribute known) { return known.getName() == name; }))
    modes.push_back(builder.getNamedAttr(name, numbers.empty()
                                                   ? Attribute(builder.getUnitAttr())
                                                   : builder.getDenseI32ArrayAttr(numbers)));
  function->setAttr("spvx.modes", builder.getDictionaryAttr(modes));
  return success();
}

LogicalResult describeEntryPoints(spv::ModuleOp module) {
  Builder builder(module.getContext());
  for (auto entry : module.getOps<spv::EntryPointOp>()) {
    auto function =
        dyn_cast_if_present<spv::FuncOp>(SymbolTable::lookupSymbolIn(module, entry.getFnAttr()));
    StringRef model = spv::stringifyExecutionModel(entry.getExecutionModel());
    if (!function || (model != "GLCompute" && model != "Kernel"))
      return entry.emitError() << "@" << entry.getFn() << " is not a compute shader or kernel";
    function->setAttr("spvx.entry_point", builder.getStringAttr(entry.getFn()));
    function->setAttr("spvx.execution_model", builder.getStringAttr(model));
  }
  for (auto mode : module.getOps<spv::ExecutionModeOp>()) {
    Operation *function = SymbolTable::lookupSymbolIn(module, mode.getFnAttr());
    if (!function || failed(addMode(mode, function)))
      return failure();
  }
  return success();
}

/// Returns the decoration for which the dialect has its own attribute: no_contraction or
/// fp_rounding_mode.
std::optional<spv::Decoration> decorationOf(StringRef name) {
  std::string words = llvm::convertToCamelFromSnakeCase(name, /*capitalizeFirst=*/true);
  if (name.starts_with("fp_"))
    words[1] = 'P';
  return spv::symbolizeDecoration(words);
}

/// Collects decorations in the form of the SPIR-V reader. MLIR has a separate attribute for each.
void gatherDecorations(Operation *op) {
  Builder builder(op->getContext());
  NamedAttrList all(op->getAttrOfType<DictionaryAttr>("spvx.decorations"));
  for (NamedAttribute each : llvm::to_vector(op->getDiscardableAttrs())) {
    std::optional<spv::Decoration> decoration = decorationOf(each.getName());
    if (!decoration)
      continue;
    Attribute value = builder.getUnitAttr();
    auto number = [&](auto bits) {
      value = builder.getDenseI32ArrayAttr({static_cast<int32_t>(bits)});
    };
    if (auto rounding = dyn_cast<spv::FPRoundingModeAttr>(each.getValue()))
      number(rounding.getValue());
    else if (auto fast = dyn_cast<spv::FPFastMathModeAttr>(each.getValue()))
      number(fast.getValue());
    else if (auto literal = dyn_cast<IntegerAttr>(each.getValue()))
      number(literal.getInt());
    all.set(spv::stringifyDecoration(*decoration), value);
    op->removeDiscardableAttr(each.getName());
  }
  if (!all.empty())
    op->setAttr("spvx.decorations", all.getDictionary(op->getContext()));
}

} // namespace

LogicalResult pumice::spirv_import::dissolve(spv::ModuleOp module, ModuleOp outer) {
  ::describeModule(module, outer);
  module.walk(gatherDecorations);
  if (failed(describeEntryPoints(module)) || failed(replaceConstants(module)))
    return failure();
  for (auto variable : module.getOps<spv::GlobalVariableOp>()) {
    if (!variable.getInitializerAttr())
      continue;
    Attribute value = specConstant(module, variable.getInitializerAttr());
    if (!value)
      return variable.emitError() << "is initialized with @" << *variable.getInitializer()
                                  << ", which is not a specialization constant";
    variable->setAttr("spvx.initializer", value);
    variable.removeInitializerAttr();
  }
  SymbolTable symbols(outer);
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    if (!isa<spv::FuncOp, spv::GlobalVariableOp>(op))
      continue;
    StringAttr name = SymbolTable::getSymbolName(&op);
    if (symbols.lookup(name))
      return op.emitError() << "another spirv.module has @" << name.getValue() << " too";
    op.moveBefore(module);
    symbols.insert(&op);
  }
  module.erase();
  return success();
}
