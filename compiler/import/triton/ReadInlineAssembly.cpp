//===- ReadInlineAssembly.cpp - reads the PTX of inline assembly ------------===//
//   before: %y = tt.elementwise_inline_asm "tanh.approx.f32 $0, $1;" {constraints = "=f,f",
//             packed_element = 1 : i32, pure = true} %x : tensor<64xf32> -> tensor<64xf32>
//   after:  %y = math.tanh %x : tensor<64xf32>
// If one piece of assembly takes several elements (`packed_element`), it becomes a
// tt.map_elementwise over that number of elements. docs/inline-assembly.md lists the supported
// instructions.
// Needs: nothing. Leaves: no tt.elementwise_inline_asm.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/AnyOrder.h"
#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/Passes.h"
#include "compiler/import/triton/ptx/Translation.h"

namespace pumice::triton {
#define GEN_PASS_DEF_READINLINEASSEMBLY
#include "compiler/import/triton/Passes.h.inc"
} // namespace pumice::triton

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

/// The largest supported `packed_element`. Triton's own back ends would run out of registers
/// before.
static constexpr uint32_t mostPacked = 64;

static bool isPointer(Type type) { return isa<triton::PointerType>(scalarOf(type)); }

static unsigned bitsOf(Type type) {
  return isPointer(type) ? 64 : scalarOf(type).getIntOrFloatBitWidth();
}

/// Returns how many elements of this type share a register. Only elements of less than 32 bits
/// share one.
static unsigned elementsPerRegister(Type type, unsigned pack) {
  unsigned bits = bitsOf(type);
  return bits < 32 ? std::min(32 / bits, pack) : 1;
}

namespace {

/// One piece of assembly. It takes `pack` elements of each operand.
class Assembly {
public:
  explicit Assembly(ElementwiseInlineAsmOp op) : op(op), pack(op.getPackedElement()) {}

  LogicalResult read();
  /// Returns `pack` values for the first result, then for the second, and so on. `operands` has the
  /// same order.
  FailureOr<SmallVector<Value>> translate(OpBuilder &b, Type like, ValueRange operands);

private:
  LogicalResult checkRegisters();
  LogicalResult checkRegister(size_t index, Type type);
  LogicalResult error(const Twine &what) { return op.emitError("inline assembly: ") << what; }
  void setOperand(Translation &t, size_t &at, Type type, ValueRange elements);
  void takeResult(Translation &t, size_t &at, Type type, SmallVectorImpl<Value> &results);

  ElementwiseInlineAsmOp op;
  unsigned pack;
  std::vector<Constraint> constraints;
  Program program;
};

} // namespace

//===-------------------------------------------------------------------------===//
// The text and the constraints
//===-------------------------------------------------------------------------===//

LogicalResult Assembly::checkRegister(size_t index, Type type) {
  if (scalarOf(type).isInteger(1) && pack > 1)
    return error("booleans have no packed form; use pack=1, or x.to(tl.int8)");
  unsigned bits = bitsOf(type) * elementsPerRegister(type, pack);
  if (constraints[index].bits >= bits)
    return success();
  return error("$" + Twine(index) + " is a register of " + Twine(constraints[index].bits) +
               " bits by its constraint, and holds " + Twine(bits) +
               " bits; h holds 16, r and f 32, l and d 64");
}

LogicalResult Assembly::checkRegisters() {
  size_t results = 0, operands = 0;
  auto registersOf = [&](Type type) { return pack / elementsPerRegister(type, pack); };
  for (Type type : op.getResultTypes())
    results += registersOf(type);
  for (Type type : op.getOperandTypes())
    operands += registersOf(type);
  auto outputs = static_cast<size_t>(
      llvm::count_if(constraints, [](const Constraint &one) { return one.isOutput; }));
  if (outputs != results || constraints.size() - outputs != operands)
    return error("the constraints '" + op.getConstraints() + "' name " + Twine(outputs) +
                 " results and " + Twine(constraints.size() - outputs) + " operands; with pack=" +
                 Twine(pack) + ", the values take " + Twine(results) + " and " + Twine(operands));
  size_t at = 0;
  for (Type type : llvm::concat<const Type>(llvm::to_vector(op.getResultTypes()),
                                            llvm::to_vector(op.getOperandTypes())))
    for (size_t i = registersOf(type); i > 0; --i)
      if (failed(checkRegister(at++, type)))
        return failure();
  return success();
}

LogicalResult Assembly::read() {
  if (!llvm::isPowerOf2_32(pack) || pack > mostPacked)
    return error("pack is " + Twine(static_cast<int>(pack)) + "; expected a power of two up to " +
                 Twine(mostPacked));
  Type truth = IntegerType::get(op->getContext(), 1);
  Type shape = withScalar(op.getResult(0).getType(), truth);
  for (Type type : llvm::concat<const Type>(llvm::to_vector(op.getOperandTypes()),
                                            llvm::to_vector(op.getResultTypes()))) {
    if (isa<TensorDescType>(type))
      return error("a tensor descriptor fits no register; pass a pointer");
    if (withScalar(type, truth) != shape)
      return error("operands and results differ in shape");
  }
  std::string problem;
  FailureOr<std::vector<Constraint>> read = readConstraints(op.getConstraints(), problem);
  if (failed(read))
    return error(problem);
  constraints = std::move(*read);
  if (failed(checkRegisters()))
    return failure();
  auto report = [&](unsigned line, const std::string &what) {
    op.emitError("inline assembly, line ") << line << ": " << what;
  };
  FailureOr<Program> text =
      readText(op.getAsmString(), static_cast<unsigned>(constraints.size()), report);
  if (failed(text))
    return failure();
  program = std::move(*text);
  return success();
}

//===-------------------------------------------------------------------------===//
// Elements and registers
//===-------------------------------------------------------------------------===//

void Assembly::setOperand(Translation &t, size_t &at, Type type, ValueRange elements) {
  unsigned perRegister = elementsPerRegister(type, pack);
  for (size_t first = 0; first < elements.size(); first += perRegister) {
    Cell &cell = t.cells[at++];
    if (isPointer(type)) {
      cell.pointer = elements[first];
      continue;
    }
    SmallVector<Number> parts;
    for (size_t i = first; i < first + perRegister; ++i)
      parts.push_back(ptx::bitsOf(t.number(elements[i])));
    cell.value = resize(join(parts), cell.bits).value;
  }
}

void Assembly::takeResult(Translation &t, size_t &at, Type type, SmallVectorImpl<Value> &results) {
  unsigned perRegister = elementsPerRegister(type, pack), bits = bitsOf(type);
  for (size_t first = 0; first < pack; first += perRegister) {
    Cell &cell = t.cells[at++];
    if (isPointer(type) && cell.pointer && !cell.bytes &&
        cell.pointer.getType() == t.typeOf(scalarOf(type))) {
      results.push_back(cell.pointer);
      continue;
    }
    if (cell.pointer && !cell.value)
      cell.value = (t.number(PtrToIntOp::create(t.b, t.integers(64), cell.pointer)) +
                    t.constant(64, static_cast<uint64_t>(cell.bytes)))
                       .value;
    // If the text never writes a result, the result is zero.
    Number word = cell.value ? t.number(cell.value) : t.constant(cell.bits, 0);
    word = resize(word, std::min(cell.bits, bits * perRegister));
    for (Number part : split(word, bits)) {
      Type element = scalarOf(type);
      if (isPointer(type))
        results.push_back(IntToPtrOp::create(t.b, t.typeOf(element), part.value));
      else if (auto floats = dyn_cast<FloatType>(element))
        results.push_back(asFloat(part, floats).value);
      else
        results.push_back(part.value);
    }
  }
}

FailureOr<SmallVector<Value>> Assembly::translate(OpBuilder &b, Type like, ValueRange operands) {
  Translation t(b, op.getLoc(), like, op, /*isPacked=*/pack > 1);
  for (auto [i, constraint] : llvm::enumerate(constraints))
    t.cells.push_back({("$" + Twine(i)).str(), constraint.bits, {}, {}, 0});
  size_t outputs = static_cast<size_t>(
      llvm::count_if(constraints, [](const Constraint &one) { return one.isOutput; }));
  size_t at = outputs;
  for (auto [i, type] : llvm::enumerate(op.getOperandTypes()))
    setOperand(t, at, type, operands.slice(i * pack, pack));
  for (auto [cell, constraint] : llvm::zip_equal(t.cells, constraints))
    if (constraint.tied) {
      Cell &output = t.cells[*constraint.tied];
      std::tie(output.value, output.pointer, output.bytes) =
          std::tuple(cell.value, cell.pointer, cell.bytes);
    }
  if (failed(t.run(program)))
    return failure();
  SmallVector<Value> results;
  at = 0;
  for (Type type : op.getResultTypes())
    takeResult(t, at, type, results);
  return results;
}

//===-------------------------------------------------------------------------===//
// The operation
//===-------------------------------------------------------------------------===//

/// Emits operations on whole tensors, if the assembly treats each element separately. For a scalar,
/// all elements of the pack are that scalar.
static LogicalResult replaceWhole(ElementwiseInlineAsmOp op, Assembly &assembly, unsigned pack) {
  OpBuilder b(op);
  SmallVector<Value> operands, results;
  for (Value operand : op.getOperands())
    operands.append(pack, operand);
  FailureOr<SmallVector<Value>> made = assembly.translate(b, op.getResult(0).getType(), operands);
  if (failed(made))
    return failure();
  for (size_t i = 0; i < op.getNumResults(); ++i)
    results.push_back((*made)[i * pack]);
  op.replaceAllUsesWith(results);
  op.erase();
  return success();
}

static LogicalResult replacePacked(ElementwiseInlineAsmOp op, Assembly &assembly, unsigned pack) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  if (llvm::any_of(op->getOperandTypes(), isPointer) ||
      llvm::any_of(op->getResultTypes(), isPointer))
    return op.emitError("inline assembly: pointers take one element at a time; use pack=1");
  auto map = MapElementwiseOp::create(b, loc, op.getResultTypes(), op.getOperands(), pack);
  map->setAttr(tile::anyOrderAttrName, b.getUnitAttr());
  Block *body = b.createBlock(&map.getScalar());
  for (Value operand : op.getOperands())
    for (unsigned i = 0; i < pack; ++i)
      body->addArgument(scalarOf(operand.getType()), loc);
  FailureOr<SmallVector<Value>> made = assembly.translate(b, b.getI32Type(), body->getArguments());
  if (failed(made))
    return failure();
  MapElementwiseReturnOp::create(b, loc, *made);
  op.replaceAllUsesWith(map.getResults());
  op.erase();
  return success();
}

static LogicalResult replace(ElementwiseInlineAsmOp op) {
  if (op.getNumResults() == 0)
    return op.emitError("inline assembly: it has no result");
  Assembly assembly(op);
  if (failed(assembly.read()))
    return failure();
  unsigned pack = op.getPackedElement();
  bool isTensor = isa<RankedTensorType>(op.getResult(0).getType());
  return pack == 1 || !isTensor ? replaceWhole(op, assembly, pack)
                                : replacePacked(op, assembly, pack);
}

namespace {

struct ReadInlineAssembly final : triton::impl::ReadInlineAssemblyBase<ReadInlineAssembly> {
  void runOnOperation() override {
    SmallVector<ElementwiseInlineAsmOp> all;
    getOperation().walk([&](ElementwiseInlineAsmOp op) { all.push_back(op); });
    for (ElementwiseInlineAsmOp op : all)
      if (failed(replace(op)))
        return signalPassFailure();
  }
};

} // namespace
