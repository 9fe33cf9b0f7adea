//===- ReadSpirv.cpp - SPIR-V words as flat functions of MLIR ---------------===//
// The reader only reads what entry points use. It reads types, constants and variables at their
// first use.
//===-------------------------------------------------------------------------===//
#include "compiler/import/spirv/ReadSpirv.h"

#include "compiler/dialect/lane/LaneDialect.h"
#include "compiler/dialect/spvx/SpvxDialect.h"
#include "compiler/import/spirv/EntryPoints.h"
#include "compiler/import/spirv/FunctionReader.h"
#include "compiler/passes/Progress.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;
using namespace pumice::spirv_import;

namespace {

constexpr size_t mostEntryPoints = 256;

class ModuleReader final : public Module {
public:
  ModuleReader(Reading &reading, const ReadOptions &options, uint64_t identity)
      : reading(reading), source(reading.source), options(options),
        types(reading, constants, identity),
        constants(reading, types, options.specialization, *this), builder(reading.context) {}

  OwningOpRef<ModuleOp> read();
  FlatSymbolRefAttr callee(uint32_t id, const Instruction &user) override;
  FlatSymbolRefAttr variable(uint32_t id, const Instruction &user) override;

private:
  LogicalResult readProgramVariables();
  bool holdsAddresses(uint32_t constant) const;
  FailureOr<ArrayAttr> zeroedBlocks(const Instruction &entryPoint);
  LogicalResult readEntryPoint(const Instruction &in);
  LogicalResult readFunction(uint32_t at, StringAttr symbol, const Instruction *entry);
  LogicalResult addVariable(const Instruction &in, StringAttr symbol);
  LogicalResult addInitializer(const Instruction &in, Type pointee, Operation *op);
  StringAttr uniqueName(StringRef wanted, const char *kind, uint32_t id);

  Reading &reading;
  const Source &source;
  const ReadOptions &options;
  Types types;
  Constants constants;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  StringAttr lastVariable;
  std::set<std::string> symbols;
  std::unordered_map<uint32_t, FlatSymbolRefAttr> functions, variables;
  std::vector<uint32_t> waiting; // called functions that have not been read yet
  std::set<uint32_t> entryFunctions;
};

StringAttr ModuleReader::uniqueName(StringRef wanted, const char *kind, uint32_t id) {
  std::string name = wanted.empty() ? kind + std::to_string(id) : wanted.str();
  if (!symbols.insert(name).second) {
    name += '_' + std::to_string(id);
    while (!symbols.insert(name).second)
      name += '_';
  }
  return builder.getStringAttr(name);
}

FlatSymbolRefAttr ModuleReader::callee(uint32_t id, const Instruction &user) {
  if (entryFunctions.contains(id)) {
    (void)reading.fail(user, "calls an entry point");
    return {};
  }
  FlatSymbolRefAttr &symbol = functions[id];
  if (!symbol) {
    symbol = FlatSymbolRefAttr::get(uniqueName(source.name(id), "function_", id));
    waiting.push_back(id);
  }
  return symbol;
}

FlatSymbolRefAttr ModuleReader::variable(uint32_t id, const Instruction &user) {
  (void)user;
  if (auto found = variables.find(id); found != variables.end())
    return found->second;
  StringAttr symbol = uniqueName(source.name(id), "variable_", id);
  variables[id] = FlatSymbolRefAttr::get(symbol); // its initializer may hold its own address
  if (failed(addVariable(source.definition(id), symbol)))
    return {};
  return variables[id];
}

LogicalResult ModuleReader::addInitializer(const Instruction &in, Type pointee, Operation *op) {
  FailureOr<Constant> initial = constants.get(in[3], in);
  if (failed(initial))
    return failure();
  if (isa<spirv::PointerType>(pointee) && isNull(*initial))
    initial->value = zerosOf(pointee);
  else if (!sameButPointees(initial->type, pointee))
    return reading.fail(in, "its initial value has another type");
  if (initial->value)
    op->setAttr("spvx.initializer", initial->value);
  return success();
}

LogicalResult ModuleReader::addVariable(const Instruction &in, StringAttr symbol) {
  constexpr uint32_t builtIn = 11, binding = 33, descriptorSet = 34;
  auto type = dyn_cast_if_present<spirv::PointerType>(types.get(in.type(), in));
  if (!type || static_cast<uint32_t>(type.getStorageClass()) != in[2])
    return reading.fail(in, "its type is not a pointer of its storage class");
  builder.setInsertionPointToStart(module->getBody());
  if (lastVariable)
    builder.setInsertionPointAfter(module->lookupSymbol(lastVariable));
  OperationState state(FileLineColLoc::get(reading.context, reading.sourceName, 0, in.at),
                       "spirv.GlobalVariable");
  state.addAttribute("type", TypeAttr::get(type));
  state.addAttribute("sym_name", symbol);
  auto number = [&](uint32_t kind, StringRef name) {
    if (const Decoration *found = source.decoration(in[1], kind); found && !found->literals.empty())
      state.addAttribute(name, builder.getI32IntegerAttr(static_cast<int32_t>(found->literals[0])));
  };
  number(binding, "binding");
  number(descriptorSet, "descriptor_set");
  if (const Decoration *found = source.decoration(in[1], builtIn)) {
    auto known = spirv::symbolizeBuiltIn(found->literals.empty() ? ~0u : found->literals[0]);
    if (!known)
      return reading.fail(in, "its built-in is not known");
    state.addAttribute("built_in", builder.getStringAttr(spirv::stringifyBuiltIn(*known)));
  }
  if (DictionaryAttr found = decorationsOf(reading.context, source, in[1], constants))
    state.addAttribute("spvx.decorations", found);
  if (StringRef name = source.name(in[1]); !name.empty() && name != symbol.getValue())
    state.addAttribute("spvx.name", builder.getStringAttr(name));
  Operation *op = builder.create(state);
  lastVariable = symbol;
  if (in.operands.size() > 3 && failed(addInitializer(in, type.getPointeeType(), op)))
    return failure();
  reading.complaint.clear();
  if (failed(mlir::verify(op, /*verifyRecursively=*/false)))
    return reading.fail(in, reading.complaint);
  return success();
}

/// Returns whether a constant contains the address of a variable.
bool ModuleReader::holdsAddresses(uint32_t constant) const {
  std::vector<uint32_t> waiting{constant};
  std::set<uint32_t> seen;
  while (!waiting.empty()) {
    uint32_t id = waiting.back();
    waiting.pop_back();
    Instruction in = source.definition(id);
    if (!seen.insert(id).second || !in)
      continue;
    if (Constants::isModuleVariable(in))
      return true;
    bool composed = in.opcode == OpConstantComposite || in.opcode == OpSpecConstantComposite;
    if (composed || in.opcode == OpSpecConstantOp) // some operands are literals
      for (uint32_t member : in.operands.drop_front(std::min<size_t>(in.operands.size(), 2)))
        waiting.push_back(member);
  }
  return false;
}

/// Reads all program-scope variables, even those that no entry point uses. Then every entry point
/// gets the same addresses (ProgramVariables.h).
LogicalResult ModuleReader::readProgramVariables() {
  for (uint32_t at : source.variables) {
    Instruction in = source.instruction(at);
    auto kind = static_cast<spirv::StorageClass>(in[2]);
    bool constant = kind == spirv::StorageClass::UniformConstant && in.operands.size() > 3 &&
                    holdsAddresses(in[3]);
    if ((kind == spirv::StorageClass::CrossWorkgroup || constant) && !variable(in[1], in))
      return failure();
  }
  return success();
}

LogicalResult ModuleReader::readFunction(uint32_t at, StringAttr symbol, const Instruction *entry) {
  FunctionReader reader(reading, types, constants, *this);
  Operation *op = reader.read(at, symbol, module->getBody());
  if (!op)
    return failure();
  return entry ? describeEntryPoint(reading, constants, *entry, op) : success();
}

/// Returns the zero-initialized blocks of workgroup memory that the interface of an entry point
/// names. The function itself may not use them, but they share memory with other blocks.
FailureOr<ArrayAttr> ModuleReader::zeroedBlocks(const Instruction &entryPoint) {
  constexpr uint32_t block = 2;
  size_t first = entryPoint.operands.size();
  source.text(entryPoint, 2, &first);
  SmallVector<Attribute> names;
  for (uint32_t id : entryPoint.operands.drop_front(std::min(first, entryPoint.operands.size()))) {
    Instruction in = source.definition(id);
    if (!in || in.opcode != OpVariable || in.operands.size() < 4 ||
        static_cast<spirv::StorageClass>(in[2]) != spirv::StorageClass::Workgroup ||
        !source.decoration(source.definition(in.type())[2], block))
      continue;
    FlatSymbolRefAttr name = variable(id, in);
    if (!name)
      return failure();
    names.push_back(name);
  }
  return builder.getArrayAttr(names);
}

LogicalResult ModuleReader::readEntryPoint(const Instruction &in) {
  Instruction function = source.definition(in[1]);
  if (function.opcode != OpFunction)
    return reading.fail(in, "id " + Twine(in[1]) + " is not a function");
  StringAttr symbol = uniqueName(source.text(in, 2), "entry_", in[1]);
  FailureOr<ArrayAttr> zeroed = zeroedBlocks(in);
  if (failed(zeroed) || failed(readFunction(function.at, symbol, &in)))
    return failure();
  if (!zeroed->empty())
    module->lookupSymbol(symbol)->setAttr("spvx.zeroed", *zeroed);
  return success();
}

OwningOpRef<ModuleOp> ModuleReader::read() {
  Location place = FileLineColLoc::get(reading.context, reading.sourceName, 0, 0);
  module = ModuleOp::create(place);
  describeModule(source, *module);
  std::vector<Instruction> chosen;
  for (uint32_t at : source.entryPoints) {
    Instruction in = source.instruction(at);
    if (isCompute(in) && (options.entryPoint.empty() || source.text(in, 2) == options.entryPoint))
      chosen.push_back(in);
    entryFunctions.insert(in[1]);
  }
  if (chosen.empty())
    reading.error = options.entryPoint.empty()
                        ? "holds no compute shader or kernel"
                        : "holds no compute shader or kernel '" + options.entryPoint + "'";
  if (chosen.size() > mostEntryPoints)
    (void)reading.fail(chosen[mostEntryPoints], "more than " + Twine(mostEntryPoints) +
                                                    " entry points; choose one by its name");
  if (reading.error.empty() && failed(readProgramVariables()))
    return {};
  std::set<uint32_t> read;
  for (const Instruction &in : chosen) {
    if (reading.error.empty() && !read.insert(in[1]).second)
      (void)reading.fail(in, "its function is another entry point's too; choose one by its name");
    if (!reading.error.empty() || failed(readEntryPoint(in)))
      return {};
  }
  while (reading.error.empty() && !waiting.empty()) {
    uint32_t id = waiting.back();
    waiting.pop_back();
    if (failed(readFunction(source.definition(id).at, functions[id].getRootReference(), nullptr)))
      return {};
  }
  return reading.error.empty() ? std::move(module) : OwningOpRef<ModuleOp>();
}

/// Returns an FNV-1a hash of the module. With it, modules in one context give their recursive
/// structs different names.
uint64_t identityOf(std::span<const uint32_t> words, const ReadOptions &options) {
  uint64_t hash = 0xcbf29ce484222325;
  auto mix = [&](uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  for (uint32_t word : words)
    mix(word);
  for (auto [id, value] : options.specialization) {
    mix(id);
    mix(value);
  }
  return hash;
}

} // namespace

FailureOr<OwningOpRef<ModuleOp>> pumice::spirv_import::readSpirv(MLIRContext *context,
                                                                 std::span<const uint32_t> words,
                                                                 const ReadOptions &options) {
  context->loadDialect<mlir::spirv::SPIRVDialect, cf::ControlFlowDialect, lane::LaneDialect,
                       spvx::SpvxDialect>();
  std::string error;
  OwningOpRef<ModuleOp> module;
  {
    FailureOr<Source> source = Source::index(words, error);
    if (succeeded(source)) {
      Reading reading{context, *source, options.sourceName, {}, {}};
      ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
        if (reading.complaint.empty())
          reading.complaint = diagnostic.str();
        return success();
      });
      module = ModuleReader(reading, options, identityOf(words, options)).read();
      error = reading.error;
    }
  }
  if (!module)
    return emitError(FileLineColLoc::get(context, options.sourceName, 0, 0)) << error;
  return module;
}

pumice::Result<OwningOpRef<ModuleOp>>
pumice::spirv_import::readUntrustedSpirv(MLIRContext *context, std::span<const uint32_t> words,
                                         const ReadOptions &options) {
  reachStage("reading the SPIR-V");
  FailureOr<OwningOpRef<ModuleOp>> module = readSpirv(context, words, options);
  if (failed(module) || failed(verify(**module)))
    return Status(StatusCode::InvalidArgument, "the SPIR-V could not be read");
  return std::move(*module);
}
