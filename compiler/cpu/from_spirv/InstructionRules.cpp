//===- InstructionRules.cpp - finds rules by name, and values' scalars ------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"
#include "compiler/dialect/spvx/SpvxDialect.h"
#include "compiler/import/spirv/ProgramVariables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

//===-------------------------------------------------------------------------===//
// Rules
//===-------------------------------------------------------------------------===//

static const llvm::StringMap<const Rule *> &rules() {
  static const llvm::StringMap<const Rule *> map = [] {
    llvm::StringMap<const Rule *> all;
    for (ArrayRef<Rule> family :
         {arithmeticRules(), atomicRules(), bitRules(), comparisonRules(), compositeRules(),
          conversionRules(), cooperativeRules(), dotProductRules(), flowRules(), glslRules(),
          glslPackingRules(), glslVectorRules(), groupRules(), matrixRules(), memoryRules(),
          openClRules(), printfRules(), quadRules(), subgroupRules()})
      for (const Rule &rule : family)
        all[rule.name] = &rule;
    for (const Alias &alias : openClAliases())
      all[alias.name] = all.at(alias.same);
    return all;
  }();
  return map;
}

ArrayRef<StringRef> pumice::cpu::loweredInstructions() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> list;
    for (const auto &entry : rules())
      list.push_back(entry.getKey());
    llvm::sort(list);
    return list;
  }();
  return names;
}

/// Returns the name of an extension's instruction as SPIR-V spells it. The spirv dialect writes the
/// vendor's suffix as a prefix.
static std::string suffixed(StringRef name) {
  for (StringRef vendor : {"KHR.", "EXT.", "INTEL."})
    if (name.starts_with(vendor)) {
      StringRef rest = name.drop_front(vendor.size());
      if (rest == "SubgroupBallot" || rest == "AssumeTrue" || vendor != "KHR.")
        return (rest + vendor.drop_back()).str();
      return (rest + "KHR").str();
    }
  return name.str();
}

std::string pumice::cpu::instructionName(Operation *op) {
  if (auto named = dyn_cast<spvx::InstructionOp>(op))
    return named.getName().str();
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("spirv."))
    return name.str();
  if (name.consume_front("GL."))
    return ("GLSL.std.450/" + name).str();
  if (name.consume_front("CL."))
    return ("OpenCL.std/" + name).str();
  return suffixed(name);
}

std::string pumice::cpu::spelledName(Operation *op) {
  std::string name = instructionName(op);
  return StringRef(name).contains('/') ? name : "Op" + name;
}

bool pumice::cpu::isDecorated(Operation *op, StringRef decoration) {
  auto all = op->getAttrOfType<DictionaryAttr>("spvx.decorations");
  return all && all.contains(decoration);
}

/// Applies a rule to each component. If an operand is a scalar, it is used for every component.
static LogicalResult lowerEach(Lowering &l, Operation *op, EachRule each) {
  SmallVector<Type> types;
  if (!l.types.scalars(op->getResult(0).getType(), types))
    return l.error() << instructionName(op) << " with the result type "
                     << op->getResult(0).getType() << " is not supported";
  SmallVector<Scalars> operands;
  for (Value operand : op->getOperands()) {
    // Operations on pointers have "Ptr" in their names. The check is needed because not every
    // operation has been verified.
    if (isa<spirv::PointerType>(operand.getType()) &&
        !StringRef(instructionName(op)).contains("Ptr"))
      return l.error() << instructionName(op) << " of a pointer is not supported; load it first";
    operands.push_back(l.get(operand));
  }
  Scalars results;
  for (auto [i, type] : llvm::enumerate(types)) {
    Scalars components;
    for (const Scalars &operand : operands) {
      if (operand.size() != 1 && operand.size() != types.size())
        return l.error() << instructionName(op) << " of " << operand.size() << " components into "
                         << types.size();
      components.push_back(operand.size() == 1 ? operand.front() : operand[i]);
    }
    results.push_back(each(l, type, components));
  }
  return l.finish(op, std::move(results));
}

namespace {
/// While an object of this class exists, an instruction is lowered. Flushes its denormal operands
/// if their width requires it, and then its result.
class WithoutDenormals {
public:
  using Values = DenseMap<Value, Scalars>;
  WithoutDenormals(Lowering &l, Operation *op, Values &values) : l(l), op(op), values(values) {
    if (!l.floats.flushesAny() || !computesFloats(instructionName(op)))
      return;
    active = true;
    for (Value operand : op->getOperands())
      if (auto found = values.find(operand); found != values.end() && !before.count(operand)) {
        before[operand] = found->second;
        flush(found->second);
      }
  }
  ~WithoutDenormals() {
    if (!active)
      return;
    for (auto &[operand, scalars] : before)
      values[operand] = std::move(scalars);
    for (Value result : op->getResults())
      if (auto found = values.find(result); found != values.end())
        flush(found->second);
  }
  WithoutDenormals(const WithoutDenormals &) = delete;
  WithoutDenormals &operator=(const WithoutDenormals &) = delete;

private:
  void flush(Scalars &scalars) {
    for (Value &scalar : scalars)
      scalar = floats::flushed(l, scalar);
  }
  Lowering &l;
  Operation *op;
  Values &values;
  Values before;
  bool active = false;
};
} // namespace

LogicalResult Lowering::lower(Operation *op) {
  std::string name = instructionName(op);
  current = op;
  if (auto found = rules().find(name); found != rules().end()) {
    floats.setInstruction(op);
    WithoutDenormals flushed(*this, op, values);
    LogicalResult done = found->second->whole ? found->second->whole(*this, op)
                                              : lowerEach(*this, op, found->second->each);
    return broken ? failure() : done;
  }
  return error() << "Op" << name << " is not supported by the CPU's compiler";
}

//===-------------------------------------------------------------------------===//
// Values
//===-------------------------------------------------------------------------===//

Lowering::Lowering(Operation *source, Operation *kernel)
    : b(source->getLoc(), source->getContext()), source(source), kernel(kernel),
      types(source->getContext()) {
  constexpr size_t most = 32; // each access lists all other restrict buffers
  for (auto global : source->getParentRegion()->getOps<spirv::GlobalVariableOp>())
    if (global->hasAttr("binding") && isDecorated(global, "Restrict") && restricted.size() < most)
      restricted.push_back(global);
  for (auto variable : spirv_import::programVariables(source->getParentOfType<ModuleOp>()))
    inProgram.insert(variable);
}

Scalars Lowering::get(Value value) {
  if (auto found = values.find(value); found != values.end())
    return found->second;
  if (const Whole *memory = whole(value)) {
    if (FailureOr<Scalars> loaded = load(memory->pointer, memory->alignment); succeeded(loaded))
      return *loaded;
  } else if (isa<spirv::PointerType>(value.getType())) {
    FailureOr<Pointer> where = pointer(value);
    FailureOr<Value> number = failed(where) ? FailureOr<Value>(failure()) : address(*where);
    if (succeeded(number))
      return {*number};
  } else {
    error() << "a value is used before its definition";
  }
  broken = true;
  SmallVector<Type> list;
  types.scalars(value.getType(), list);
  Scalars placeholders;
  for (Type type : list)
    placeholders.push_back(zero(type ? type : b.getI32Type()));
  return placeholders;
}

LogicalResult Lowering::finish(Operation *op, Scalars scalars) {
  Value result = op->getResult(0);
  SmallVector<Type> list;
  if (types.scalars(result.getType(), list) && list.size() != scalars.size())
    return error() << "Op" << instructionName(op) << " makes " << scalars.size() << " scalars; its "
                   << "result type " << result.getType() << " has " << list.size();
  values[result] = std::move(scalars);
  return success();
}

std::optional<int64_t> Lowering::constant(Value value) {
  APInt number;
  if (auto literal = value.getDefiningOp<spirv::ConstantOp>())
    if (auto attribute = dyn_cast<IntegerAttr>(literal.getValue()))
      return attribute.getValue().getSExtValue();
  auto found = values.find(value);
  if (found != values.end() && found->second.size() == 1 &&
      matchPattern(found->second.front(), m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

SmallVector<int32_t> Lowering::literals(Operation *op, StringRef attribute) {
  SmallVector<int32_t> numbers;
  Attribute found = op->getAttr(attribute);
  if (isa<spvx::InstructionOp>(op) || !found)
    found = op->getAttr("literals");
  if (auto dense = dyn_cast_or_null<DenseI32ArrayAttr>(found))
    numbers.assign(dense.asArrayRef().begin(), dense.asArrayRef().end());
  else if (auto list = dyn_cast_or_null<ArrayAttr>(found))
    for (Attribute item : list)
      numbers.push_back(cast<IntegerAttr>(item).getInt());
  return numbers;
}

/// The dialect prints its enumerations as words, but stores them as integers.
static std::optional<int64_t> numberIn(Attribute attribute) {
  if (auto value = dyn_cast_or_null<IntegerAttr>(attribute))
    return value.getInt();
  if (auto scope = dyn_cast_or_null<spirv::ScopeAttr>(attribute))
    return static_cast<int64_t>(scope.getValue());
  if (auto semantics = dyn_cast_or_null<spirv::MemorySemanticsAttr>(attribute))
    return static_cast<int64_t>(semantics.getValue());
  if (auto operation = dyn_cast_or_null<spirv::GroupOperationAttr>(attribute))
    return static_cast<int64_t>(operation.getValue());
  if (auto layout = dyn_cast_or_null<spirv::CooperativeMatrixLayoutKHRAttr>(attribute))
    return static_cast<int64_t>(layout.getValue());
  return std::nullopt;
}

FailureOr<SmallVector<int64_t>> Lowering::numbers(Operation *op, ArrayRef<StringRef> attributes) {
  SmallVector<int64_t> found;
  SmallVector<int32_t> listed;
  if (isa<spvx::InstructionOp>(op))
    listed = literals(op, "literals");
  for (auto [i, name] : llvm::enumerate(attributes)) {
    std::optional<int64_t> number = i < listed.size() ? listed[i] : numberIn(op->getAttr(name));
    if (!number)
      return error() << "Op" << instructionName(op) << " without its " << name;
    found.push_back(*number);
  }
  return found;
}

//===-------------------------------------------------------------------------===//
// Small builders
//===-------------------------------------------------------------------------===//

void Lowering::toEntry() {
  Block &entry = cast<func::FuncOp>(kernel).getBody().front();
  if (entryEnd)
    b.setInsertionPointAfter(entryEnd);
  else
    b.setInsertionPointToStart(&entry);
}

Value Lowering::generic(StringRef name, Type result, ValueRange operands) {
  OperationState state(b.getLoc(), name, operands, TypeRange(result));
  return b.create(state)->getResult(0);
}

Value Lowering::zero(Type type) {
  if (isa<IntegerType, FloatType>(type))
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  return generic("llvm.mlir.zero", type, {});
}

Value Lowering::integer(int64_t value, unsigned width) {
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(b.getIntegerType(width),
                          APInt(width, static_cast<uint64_t>(value), false, true)));
}

Value Lowering::real(Type type, double value) {
  if (!isa<FloatType>(type)) {
    error() << (current ? spelledName(current) : "this") << " needs floating-point numbers, found "
            << type;
    broken = true;
    return zero(type);
  }
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

Value Lowering::pick(ArrayRef<Value> list, Value index) {
  unsigned width = index.getType().getIntOrFloatBitWidth();
  Value result = list.back();
  for (size_t i = list.size() - 1; i-- > 0;) {
    Value here = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, index,
                                       integer(static_cast<int64_t>(i), width));
    result = arith::SelectOp::create(b, here, list[i], result);
  }
  return result;
}
