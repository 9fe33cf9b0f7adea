//===- ValueNames.cpp - keeps the names of values as locations --------------===//
//   before: %v = … loc("kernel.ttir":12:5)
//   after:  %v = … loc("v"("kernel.ttir":12:5))
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/ValueNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

static bool isPlaceInText(Location location, StringRef sourceName) {
  auto place = dyn_cast<FileLineColLoc>(location);
  return place && place.getFilename() == sourceName;
}

/// Returns the name without its percent sign, or "" if the printer made up the name.
static StringRef nameIn(llvm::SMRange range) {
  if (!range.isValid())
    return {};
  StringRef name(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  name = name.ltrim('%').split('#').first;
  StringRef number = name;
  number.consume_front("arg");
  return llvm::all_of(number, llvm::isDigit) ? StringRef() : name;
}

namespace {

/// The names in a text, as the author of the kernel wrote them.
class Names {
public:
  explicit Names(const AsmParserState &state) {
    for (const AsmParserState::OperationDefinition &operation : state.getOpDefs())
      for (const auto &group : operation.resultGroups)
        used.insert(nameIn(group.definition.loc));
    for (const AsmParserState::BlockDefinition &block : state.getBlockDefs())
      for (const auto &argument : block.arguments)
        used.insert(nameIn(argument.loc));
  }

  /// Removes the number by which the printer distinguishes values of one name: %v, %v_0, %v_1.
  StringRef at(llvm::SMRange range) const {
    StringRef name = nameIn(range);
    auto [stem, number] = name.rsplit('_');
    bool counted = !number.empty() && llvm::all_of(number, llvm::isDigit) && used.contains(stem);
    return counted ? stem : name;
  }

private:
  llvm::StringSet<> used;
};

} // namespace

static Location withoutName(Location location) {
  auto named = dyn_cast<NameLoc>(location);
  return named ? named.getChildLoc() : location;
}

static Location named(StringRef name, Location location) {
  if (name.empty())
    return location;
  return NameLoc::get(StringAttr::get(location.getContext(), name), location);
}

static void nameArguments(Block &block, const AsmParserState &state, const Names &names,
                          StringRef sourceName) {
  const AsmParserState::BlockDefinition *definition = state.getBlockDef(&block);
  for (BlockArgument argument : block.getArguments()) {
    if (!isPlaceInText(argument.getLoc(), sourceName))
      continue;
    StringRef name;
    if (definition && argument.getArgNumber() < definition->arguments.size())
      name = names.at(definition->arguments[argument.getArgNumber()].loc);
    argument.setLoc(named(name, withoutName(block.getParentOp()->getLoc())));
  }
}

void pumice::triton::keepValueNames(ModuleOp module, const AsmParserState &state,
                                    StringRef sourceName) {
  Names names(state);
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    const AsmParserState::OperationDefinition *definition = state.getOpDef(op);
    // An operation's location has room for only one name.
    if (definition && definition->resultGroups.size() == 1 &&
        isPlaceInText(op->getLoc(), sourceName))
      op->setLoc(named(names.at(definition->resultGroups[0].definition.loc), op->getLoc()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        nameArguments(block, state, names, sourceName);
  });
}
