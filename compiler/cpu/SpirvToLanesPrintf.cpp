//===- SpirvToLanesPrintf.cpp - messages ------------------------------------===//
#include "compiler/cpu/SpirvToLanes.h"
#include "compiler/dialect/lane/LaneDialect.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

/// "%v3.2f" prints a vector: it becomes "%.2f, %.2f, %.2f", since the values are scalars.
static std::string withoutVectors(StringRef format) {
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
  lane::PrintfOp::create(l.b, withoutVectors(format.getValue()), all);
  return success();
}

static constexpr Rule rulesOfPrintf[] = {
    {"NonSemantic.DebugPrintf/DebugPrintf", lowerPrintf},
};

ArrayRef<Rule> pumice::cpu::printfRules() { return rulesOfPrintf; }
