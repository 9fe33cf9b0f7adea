//===- Builtins.cpp - OpenCL's built-in functions in the LLVM dialect -------===//
#include "compiler/gen/Builtins.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace pumice::gen;

StringRef pumice::gen::typeCode(Type type, bool isSigned) {
  if (type.isF16())
    return "Dh";
  if (type.isF32())
    return "f";
  if (type.isF64())
    return "d";
  assert(type.isInteger() && "there is no other float in OpenCL C");
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return isSigned ? "c" : "h";
  case 16:
    return isSigned ? "s" : "t";
  case 32:
    return isSigned ? "i" : "j";
  default:
    return isSigned ? "l" : "m";
  }
}

unsigned pumice::gen::countOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? static_cast<unsigned>(vector.getNumElements()) : 1;
}

BuiltinType pumice::gen::builtinType(Type type, bool isSigned) {
  return {.code = typeCode(getElementTypeOrSelf(type), isSigned), .lanes = countOf(type)};
}

namespace {

/// Writes types after the rules of the Itanium ABI. A compound type that was written before is
/// replaced by its number.
class Mangler {
public:
  explicit Mangler(std::string &out) : out(out) {}

  void write(const BuiltinType &type) {
    if (!type.pointsTo)
      return writeVector(type);
    std::string qualifiers = type.isConst ? "K" : "";
    if (unsigned space = *type.pointsTo) {
      std::string word = "AS" + std::to_string(space);
      qualifiers = "U" + std::to_string(word.size()) + word + qualifiers;
    }
    std::string pointee = qualifiers + spelled(type);
    if (replace("P" + pointee))
      return;
    out += "P";
    if (qualifiers.empty()) {
      writeVector(type);
    } else if (!replace(pointee)) {
      out += qualifiers;
      writeVector(type);
      written.push_back(pointee);
    }
    written.push_back("P" + pointee);
  }

private:
  static std::string spelled(const BuiltinType &type) {
    std::string scalar = type.code.str();
    return type.lanes == 1 ? scalar : "Dv" + std::to_string(type.lanes) + "_" + scalar;
  }

  void writeVector(const BuiltinType &type) {
    std::string text = spelled(type);
    if (type.lanes == 1) {
      out += text;
    } else if (!replace(text)) {
      out += text;
      written.push_back(text);
    }
  }

  /// Writes the number of a type that was written before. Returns whether it was.
  bool replace(const std::string &text) {
    auto *found = llvm::find(written, text);
    if (found == written.end())
      return false;
    size_t number = found - written.begin();
    assert(number < 11 && "numbers from 11 on have letters");
    out += number == 0 ? "S_" : "S" + std::to_string(number - 1) + "_";
    return true;
  }

  std::string &out;
  SmallVector<std::string> written;
};

} // namespace

std::string pumice::gen::mangle(StringRef name, ArrayRef<BuiltinType> parameters) {
  std::string out = "_Z" + std::to_string(name.size()) + name.str();
  if (parameters.empty())
    return out + "v";
  Mangler mangler(out);
  for (const BuiltinType &type : parameters)
    mangler.write(type);
  return out;
}

/// Returns the function, which it declares at the start of the module if it is not there.
static LLVM::LLVMFuncOp declare(OpBuilder &builder, Operation *at, StringRef name,
                                const Builtin &builtin, LLVM::LLVMFunctionType type) {
  Operation *module = SymbolTable::getNearestSymbolTable(at);
  if (Operation *known = SymbolTable::lookupSymbolIn(module, name)) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(known);
    if (function && function.getFunctionType() == type)
      return function;
    InFlightDiagnostic error = at->emitError("needs '")
                               << name << "' as a function of type " << type
                               << ", but the module has something else of this name: rename it";
    error.attachNote(known->getLoc()) << "it is here";
    return {};
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&module->getRegion(0).front());
  auto function = LLVM::LLVMFuncOp::create(builder, at->getLoc(), name, type);
  function.setCConv(LLVM::cconv::CConv::SPIR_FUNC);
  if (builtin.convergent) {
    function.setConvergent(true);
    function.setNoUnwind(true);
  }
  return function;
}

LLVM::CallOp pumice::gen::callBuiltin(OpBuilder &builder, Operation *at, const Builtin &builtin,
                                      ValueRange arguments, const CallStyle &style) {
  assert(arguments.size() == builtin.parameters.size() && "one argument for each parameter");
  Type result = builtin.result ? builtin.result : LLVM::LLVMVoidType::get(builder.getContext());
  auto type = LLVM::LLVMFunctionType::get(result, SmallVector<Type>(arguments.getTypes()));
  LLVM::LLVMFuncOp function =
      declare(builder, at, mangle(builtin.name, builtin.parameters), builtin, type);
  if (!function)
    return {};
  auto call = LLVM::CallOp::create(builder, at->getLoc(), function, arguments);
  if (style.spirCalls)
    call.setCConv(function.getCConv());
  return call;
}
