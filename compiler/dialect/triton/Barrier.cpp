//===- Barrier.cpp - the one operation of ttg that TTIR may hold ------------===//
#include "compiler/dialect/triton/Barrier.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace pumice::triton;

#include "compiler/dialect/triton/BarrierDialect.cpp.inc"
#include "compiler/dialect/triton/BarrierEnums.cpp.inc"
/// Parses words with `|` between them: `global_read|global_write`.
static ParseResult parseMemory(OpAsmParser &parser, BarrierMemoryAttr &memory) {
  std::string words;
  do {
    SMLoc place = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    if (!symbolizeBarrierMemory(word))
      return parser.emitError(place)
             << "expected the memory that a barrier orders: none, all, local, global_read, "
                "global_write, tensor_read or tensor_write, got "
             << word;
    words += (words.empty() ? "" : "|") + word.str();
  } while (succeeded(parser.parseOptionalVerticalBar()));
  memory = BarrierMemoryAttr::get(parser.getContext(), *symbolizeBarrierMemory(words));
  return success();
}

static void printMemory(OpAsmPrinter &printer, Operation *, BarrierMemoryAttr memory) {
  if (memory.getValue() == BarrierMemory::All)
    printer << "all"; // the generated function would print all bits as well
  else
    printer << stringifyBarrierMemory(memory.getValue());
}

#define GET_OP_CLASSES
#include "compiler/dialect/triton/Barrier.cpp.inc"

void TritonGpuDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/triton/Barrier.cpp.inc"
      >();
}
