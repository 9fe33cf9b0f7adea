//===- FlattenModules.cpp - merges nested modules into one ------------------===//
#include "compiler/source/FlattenModules.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <deque>

using namespace mlir;
using namespace pumice;

namespace {

/// A symbol of some module.
struct Symbol {
  Operation *op = nullptr;
  ModuleOp module;
  std::string path; // with the modules around it: "a::f"
  std::string name; // in the flat module; differs from `path` if two symbols have the same path
  // Maps a declaration to its definition, or to the declaration that replaces it.
  Symbol *meaning = nullptr;

  bool isDeclaration() const {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    return symbol && symbol.isDeclaration();
  }
  bool isPrivate() const { return SymbolTable::getSymbolVisibility(op) == privately; }
  static constexpr auto privately = SymbolTable::Visibility::Private;
};

bool isKernelModule(Operation *op) { return isa<gpu::GPUModuleOp, mlir::spirv::ModuleOp>(op); }

StringRef nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  return name ? name.getValue() : StringRef();
}

/// Returns whether a module has exactly one region with one block. No verifier has checked this
/// yet.
bool isWhole(ModuleOp module) {
  return module->getNumRegions() == 1 && module->getRegion(0).hasOneBlock();
}

/// Splits a name into components. "a::f" and @a::@f are the same path.
SmallVector<StringRef> componentsOf(SymbolRefAttr attr) {
  SmallVector<StringRef> path;
  attr.getRootReference().getValue().split(path, "::");
  for (FlatSymbolRefAttr nested : attr.getNestedReferences())
    path.push_back(nested.getValue());
  return path;
}

struct Flattener {
  ModuleOp top;
  std::deque<Symbol> symbols;                                 // a deque keeps their addresses
  llvm::DenseMap<Operation *, llvm::StringMap<Symbol *>> own; // the symbols of each module
  llvm::StringMap<SmallVector<Symbol *>> definitions;         // that any module may use, by name

  LogicalResult collect(ModuleOp module, const std::string &path);
  Symbol *findIn(ModuleOp module, ArrayRef<StringRef> path);
  Symbol *find(ModuleOp module, ArrayRef<StringRef> path);
  LogicalResult link(Symbol &declaration);
  LogicalResult linkDeclarations();
  void chooseNames();
  Symbol *lookup(Operation *user, ModuleOp module, SymbolRefAttr attr);
  SymbolRefAttr renamedKernel(ModuleOp module, SymbolRefAttr kernel);
  LogicalResult renameUses(ModuleOp module);
  void move(ModuleOp module);
};

LogicalResult Flattener::collect(ModuleOp module, const std::string &path) {
  llvm::StringMap<Operation *> seen;
  for (Operation &op : *module.getBody()) {
    StringRef name = nameOf(&op);
    if (auto [place, isNew] = seen.try_emplace(name, &op); !name.empty() && !isNew) {
      // MLIR's verifier would report this, but it only sees the merged module.
      InFlightDiagnostic error = op.emitError() << "redefinition of symbol named '" << name << "'";
      error.attachNote(place->second->getLoc()) << "see existing symbol definition here";
      return failure();
    }
    std::string inner = path + (path.empty() || name.empty() ? "" : "::") + name.str();
    if (auto nested = dyn_cast<ModuleOp>(op)) {
      if (isWhole(nested) && failed(collect(nested, inner)))
        return failure();
      continue;
    }
    if (name.empty())
      continue;
    Symbol &symbol = symbols.emplace_back(Symbol{&op, module, inner, "", nullptr});
    own[module][name] = &symbol;
    if (!symbol.isDeclaration() && !symbol.isPrivate() && !isKernelModule(&op))
      definitions[name].push_back(&symbol);
  }
  return success();
}

/// Returns the symbol at `path` in `module`. Modules without a name count as parts of `module`.
Symbol *Flattener::findIn(ModuleOp module, ArrayRef<StringRef> path) {
  if (path.size() == 1)
    if (Symbol *symbol = own[module].lookup(path.front()))
      return symbol;
  for (auto nested : module.getOps<ModuleOp>()) {
    StringRef name = nameOf(nested);
    bool follows = name.empty() || (path.size() > 1 && name == path.front());
    if (!follows || !isWhole(nested))
      continue;
    if (Symbol *symbol = findIn(nested, name.empty() ? path : path.drop_front()))
      return symbol;
  }
  return nullptr;
}

/// Finds the symbol that `path` means in `module`. Searches the module itself, and then the
/// enclosing ones.
Symbol *Flattener::find(ModuleOp module, ArrayRef<StringRef> path) {
  for (; module; module = module->getParentOfType<ModuleOp>())
    if (Symbol *symbol = findIn(module, path))
      return symbol;
  return nullptr;
}

//===-------------------------------------------------------------------------===//
// Declarations
//===-------------------------------------------------------------------------===//

static LogicalResult checkType(Operation *declaration, Operation *other) {
  auto function = dyn_cast<FunctionOpInterface>(declaration);
  auto same = dyn_cast<FunctionOpInterface>(other);
  if (!function || !same || function.getFunctionType() == same.getFunctionType())
    return success();
  InFlightDiagnostic error = declaration->emitError()
                             << "'" << nameOf(declaration) << "' is declared as "
                             << function.getFunctionType() << ", but elsewhere it is "
                             << same.getFunctionType() << "; declare it with that type";
  error.attachNote(other->getLoc()) << "here";
  return failure();
}

/// Links a declaration to a definition in an enclosing module, or else to the program's only
/// definition of that name.
LogicalResult Flattener::link(Symbol &declaration) {
  StringRef name = nameOf(declaration.op);
  Symbol *found = nullptr;
  for (auto module = declaration.module->getParentOfType<ModuleOp>(); module && !found;
       module = module->getParentOfType<ModuleOp>())
    if (Symbol *symbol = own[module].lookup(name); symbol && !symbol->isDeclaration())
      found = symbol;
  if (!found) {
    ArrayRef<Symbol *> all = definitions[name];
    if (all.size() > 1) {
      InFlightDiagnostic error = declaration.op->emitError()
                                 << "several modules define '" << name
                                 << "'; leave this declaration out, and call one of ";
      llvm::interleaveComma(all, error, [&](Symbol *one) { error << "@\"" << one->path << "\""; });
      return failure();
    }
    if (all.size() == 1)
      found = all.front();
  }
  if (!found)
    return success();
  declaration.meaning = found;
  return checkType(declaration.op, found->op);
}

/// Links declarations. Those that find no definition belong to libraries or to the runtime. One of
/// these declarations remains for each name.
LogicalResult Flattener::linkDeclarations() {
  llvm::StringMap<Symbol *> external;
  for (Symbol &symbol : symbols) {
    if (!symbol.isDeclaration())
      continue;
    if (failed(link(symbol)))
      return failure();
    if (symbol.meaning)
      continue;
    Symbol *&first = external[nameOf(symbol.op)];
    if (!first) {
      first = &symbol;
      continue;
    }
    symbol.meaning = first;
    if (failed(checkType(symbol.op, first->op)))
      return failure();
  }
  return success();
}

//===-------------------------------------------------------------------------===//
// Names
//===-------------------------------------------------------------------------===//

/// Chooses names. Symbols that are linked by name keep it. These are the symbols of the top module,
/// and external ones.
void Flattener::chooseNames() {
  llvm::StringSet<> taken;
  auto isFixed = [&](const Symbol &symbol) {
    return symbol.module == top || symbol.isDeclaration();
  };
  for (Symbol &symbol : symbols)
    if (isFixed(symbol) && !symbol.meaning) {
      symbol.name = nameOf(symbol.op);
      taken.insert(symbol.name);
    }
  for (Symbol &symbol : symbols) {
    if (isFixed(symbol))
      continue;
    symbol.name = symbol.path;
    // Only modules without names can give several symbols the same path.
    for (unsigned number = 1; !taken.insert(symbol.name).second; ++number)
      symbol.name = symbol.path + "_" + std::to_string(number);
  }
}

Symbol *Flattener::lookup(Operation *user, ModuleOp module, SymbolRefAttr attr) {
  SmallVector<StringRef> path = componentsOf(attr);
  Symbol *symbol = own[module].lookup(attr.getRootReference()); // its own name may contain "::"
  if (!symbol || !attr.getNestedReferences().empty())
    symbol = find(module, path);
  if (!symbol)
    return nullptr; // the verifier of the operation that uses it reports this
  if (symbol->meaning)
    symbol = symbol->meaning;
  return symbol;
}

/// Converts @kernels::@add in module @a to @a::@kernels::@add. Keeps unknown symbols, which may be
/// in other files.
SymbolRefAttr Flattener::renamedKernel(ModuleOp module, SymbolRefAttr kernel) {
  SmallVector<StringRef> path = componentsOf(kernel);
  if (path.size() < 2)
    return kernel;
  StringRef name = path.pop_back_val();
  Symbol *found = find(module, path);
  if (!found || !isKernelModule(found->op))
    return kernel;
  SmallVector<StringRef> parts;
  StringRef(found->name).split(parts, "::");
  parts.push_back(name);
  SmallVector<FlatSymbolRefAttr> nested;
  for (StringRef part : ArrayRef(parts).drop_front())
    nested.push_back(FlatSymbolRefAttr::get(top.getContext(), part));
  return SymbolRefAttr::get(top.getContext(), parts.front(), nested);
}

/// Renames uses in the host code of `module` and of nested modules.
LogicalResult Flattener::renameUses(ModuleOp module) {
  WalkResult result = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module)
      return WalkResult::advance();
    if (isKernelModule(op))
      return WalkResult::skip(); // nothing in it refers to outside symbols
    if (auto nested = dyn_cast<ModuleOp>(op))
      return isWhole(nested) && failed(renameUses(nested)) ? WalkResult::interrupt()
                                                           : WalkResult::skip();
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
      if (SymbolRefAttr kernel = launch.getKernelAttr())
        launch.setKernelAttr(renamedKernel(module, kernel));
      return WalkResult::advance();
    }
    bool reached = true;
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](SymbolRefAttr attr) -> std::pair<Attribute, WalkResult> {
      Symbol *symbol = lookup(op, module, attr);
      if (!symbol)
        return {attr, WalkResult::skip()};
      if (symbol->isPrivate() && !symbol->isDeclaration() && symbol->module != module &&
          !symbol->module->isAncestor(module)) {
        op->emitError() << "'" << symbol->path << "' is private to its module; leave 'private' out";
        reached = false;
      }
      return {FlatSymbolRefAttr::get(top.getContext(), symbol->name), WalkResult::skip()};
    });
    replacer.replaceElementsIn(op);
    return reached ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void Flattener::move(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    if (auto nested = dyn_cast<ModuleOp>(op)) {
      if (!isWhole(nested))
        continue;
      move(nested);
      nested.erase();
    } else if (module != top) {
      op.moveBefore(top.getBody(), top.getBody()->end());
    }
  }
}

} // namespace

LogicalResult pumice::flattenModules(ModuleOp top) {
  if (!isWhole(top) || top.getOps<ModuleOp>().empty())
    return success();
  Flattener flattener;
  flattener.top = top;
  if (failed(flattener.collect(top, "")) || failed(flattener.linkDeclarations()))
    return failure();
  flattener.chooseNames();
  if (failed(flattener.renameUses(top)))
    return failure();
  flattener.move(top);
  for (Symbol &symbol : flattener.symbols) {
    if (symbol.meaning)
      symbol.op->erase();
    else
      SymbolTable::setSymbolName(symbol.op, symbol.name);
  }
  return success();
}
