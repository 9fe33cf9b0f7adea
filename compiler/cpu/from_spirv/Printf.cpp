//===- Printf.cpp - lowers printf instructions ------------------------------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <algorithm>
#include <cstdio>

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static bool hasWideIntegers(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isInteger(64);
}

/// Replaces a vector specifier such as "%v3.2f" by "%.2f, %.2f, %.2f", because the values are
/// scalars. Vulkan's tools use "%ul" for "%lu", so it has that meaning here if the value has 64
/// bits.
static std::string withoutVectors(StringRef format, OperandRange values) {
  std::string result;
  while (!format.empty()) {
    size_t percent = format.find('%');
    result += format.take_front(percent).str();
    if (percent == StringRef::npos)
      break;
    format = format.drop_front(percent + 1);
    if (format.consume_front("%")) {
      result += "%%";
      continue;
    }
    size_t end = format.find_first_of("diouxXaAeEfFgGcsp");
    StringRef specifier = format.take_front(end == StringRef::npos ? end : end + 1);
    format = format.drop_front(specifier.size());
    size_t mark = specifier.find('v');
    unsigned count = 1;
    std::string scalar = specifier.str();
    bool isWide = !values.empty() && hasWideIntegers(values.front());
    if (isWide && specifier.ends_with("u") && !specifier.contains('l') && format.consume_front("l"))
      scalar.insert(scalar.size() - 1, "l");
    if (!values.empty())
      values = values.drop_front();
    if (mark != StringRef::npos && mark + 1 < specifier.size() &&
        !specifier.substr(mark + 1, 1).getAsInteger(10, count))
      scalar.erase(mark, 2);
    for (unsigned i = 0; i < count; ++i)
      result += (i ? ", %" : "%") + scalar;
  }
  return result;
}

static LogicalResult lowerPrintf(Lowering &l, Operation *op) {
  auto format = op->getAttrOfType<StringAttr>("format");
  if (!format)
    return l.error() << "a printf without a format";
  Scalars all;
  for (Value operand : op->getOperands())
    llvm::append_range(all, l.get(operand));
  lane::PrintfOp::create(l.b, withoutVectors(format.getValue(), op->getOperands()), all);
  return success();
}

//===-------------------------------------------------------------------------===//
// OpenCL's printf takes its format and its strings from constant arrays of bytes
//===-------------------------------------------------------------------------===//

/// Returns the bytes of a constant array's initializer, up to the first zero.
static std::optional<std::string> textOf(Attribute initializer) {
  std::string text;
  if (isa_and_nonnull<UnitAttr>(initializer)) // a null initializer: all bytes are zero
    return text;
  auto list = dyn_cast_or_null<ArrayAttr>(initializer);
  if (!list)
    return std::nullopt;
  for (Attribute item : list) {
    auto byte = dyn_cast<IntegerAttr>(item);
    if (!byte && !isa<UnitAttr>(item))
      return std::nullopt;
    if (!byte || byte.getValue().isZero())
      break;
    text += static_cast<char>(byte.getValue().getZExtValue());
  }
  return text;
}

/// Returns the string to whose first character a pointer points.
static std::optional<std::string> stringAt(Value pointer) {
  Operation *op = pointer.getDefiningOp();
  while (op && !isa<spirv::AddressOfOp>(op)) {
    std::string name = instructionName(op);
    bool isStep = name.find("AccessChain") != std::string::npos;
    bool isCast =
        llvm::is_contained({"Bitcast", "CopyObject", "PtrCastToGeneric", "GenericCastToPtr"}, name);
    if (!isStep && !isCast)
      return std::nullopt;
    for (Value index : op->getOperands().drop_front())
      if (!matchPattern(index, m_Zero()))
        return std::nullopt;
    op = op->getOperand(0).getDefiningOp();
  }
  if (!op)
    return std::nullopt;
  Operation *global =
      SymbolTable::lookupNearestSymbolFrom(op, cast<spirv::AddressOfOp>(op).getVariableAttr());
  return global ? textOf(global->getAttr("spvx.initializer")) : std::nullopt;
}

/// Formats a constant string for "%s" as C does, and doubles its percent signs.
static std::string printedString(StringRef specifier, const std::string &text) {
  std::vector<char> room(text.size() + 4096);
  int length = std::snprintf(room.data(), room.size(), specifier.str().c_str(), text.c_str());
  std::string printed(room.data(), std::clamp<size_t>(std::max(length, 0), 0, room.size() - 1));
  std::string escaped;
  for (char c : printed)
    escaped += c == '%' ? "%%" : std::string(1, c);
  return escaped;
}

/// Sets the length modifier according to the type of the value. OpenCL promotes operands as C does,
/// but operands of lane.printf keep their types.
static std::string withLength(StringRef specifier, Value value) {
  std::string made;
  for (char c : specifier.drop_back())
    if (c != 'h' && c != 'l')
      made += c;
  char conversion = specifier.back();
  bool isPointer = isa<LLVM::LLVMPointerType>(value.getType());
  bool isWide = isPointer || value.getType().getIntOrFloatBitWidth() > 32;
  bool isInteger = StringRef("diouxXc").contains(conversion);
  return made + (isInteger && isWide ? "l" : "") + conversion;
}

/// Lowers one conversion, and appends the values to print to `values`. The vector specifier v4, for
/// example, prints four components.
static FailureOr<std::string> lowerSpecifier(Lowering &l, StringRef specifier, Value operand,
                                             Scalars &values) {
  if (specifier.ends_with("s")) {
    std::optional<std::string> text = stringAt(operand);
    if (!text)
      return l.error() << "the string of printf's %s is not a constant of the module";
    return printedString(("%" + specifier).str(), *text);
  }
  Scalars components = l.get(operand);
  std::string scalar = specifier.str();
  if (size_t mark = scalar.find('v'); mark != std::string::npos) {
    size_t end = scalar.find_first_not_of("0123456789", mark + 1);
    scalar.erase(mark, end == std::string::npos ? end : end - mark);
  }
  std::string made;
  for (auto [i, value] : llvm::enumerate(components)) {
    made += (i ? ",%" : "%") + withLength(scalar, value);
    values.push_back(value);
  }
  return made;
}

static LogicalResult lowerOpenClPrintf(Lowering &l, Operation *op) {
  std::optional<std::string> format = stringAt(op->getOperand(0));
  if (!format)
    return l.error() << "printf's format is not a constant of the module";
  std::string made;
  Scalars values;
  unsigned next = 1;
  for (StringRef rest = *format; !rest.empty();) {
    size_t percent = rest.find('%');
    made += rest.take_front(percent).str();
    if (percent == StringRef::npos)
      break;
    rest = rest.drop_front(percent + 1);
    if (rest.consume_front("%")) {
      made += "%%";
      continue;
    }
    size_t end = rest.find_first_of("diouxXaAeEfFgGcsp");
    if (end == StringRef::npos || next >= op->getNumOperands())
      return l.error() << "printf's format has no value, or no type, at '%" << rest << "'";
    FailureOr<std::string> one =
        lowerSpecifier(l, rest.take_front(end + 1), op->getOperand(next++), values);
    if (failed(one))
      return failure();
    made += *one;
    rest = rest.drop_front(end + 1);
  }
  lane::PrintfOp::create(l.b, made, values);
  return l.finish(op, {l.integer(0)});
}

static constexpr Rule rulesOfPrintf[] = {
    {"NonSemantic.DebugPrintf/DebugPrintf", lowerPrintf},
    {"OpenCL.std/printf", lowerOpenClPrintf},
};

ArrayRef<Rule> pumice::cpu::printfRules() { return rulesOfPrintf; }
