//===- ValueNames.cpp - the names of values, kept as locations --------------===//
//   before: %v = … loc("kernel.ttir":12:5)
//   after:  %v = … loc("v"("kernel.ttir":12:5))
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/ValueNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

static bool isPlaceInText(Location location, StringRef sourceName) {
  auto place = dyn_cast<FileLineColLoc>(location);
  return place && place.getFilename() == sourceName;
}

/// Without the percent sign; empty where the printer made it up.
static StringRef nameIn(llvm::SMRange range) {
  if (!range.isValid())
    return {};
  StringRef name(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  name = name.ltrim('%').split('#').first;
  StringRef number = name;
  number.consume_front("arg");
  return llvm::all_of(number, llvm::isDigit) ? StringRef() : name;
}

static Location withoutName(Location location) {
  auto named = dyn_cast<NameLoc>(location);
  return named ? named.getChildLoc() : location;
}

static Location named(StringRef name, Location location) {
  if (name.empty())
    return location;
  return NameLoc::get(StringAttr::get(location.getContext(), name), location);
}

static void nameArguments(Block &block, const AsmParserState &state, StringRef sourceName) {
  const AsmParserState::BlockDefinition *definition = state.getBlockDef(&block);
  for (BlockArgument argument : block.getArguments()) {
    if (!isPlaceInText(argument.getLoc(), sourceName))
      continue;
    StringRef name;
    if (definition && argument.getArgNumber() < definition->arguments.size())
      name = nameIn(definition->arguments[argument.getArgNumber()].loc);
    argument.setLoc(named(name, withoutName(block.getParentOp()->getLoc())));
  }
}

void pumice::triton::keepValueNames(ModuleOp module, const AsmParserState &state,
                                    StringRef sourceName) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    const AsmParserState::OperationDefinition *definition = state.getOpDef(op);
    // One name is all that an operation's location holds.
    if (definition && definition->resultGroups.size() == 1 &&
        isPlaceInText(op->getLoc(), sourceName))
      op->setLoc(named(nameIn(definition->resultGroups[0].definition.loc), op->getLoc()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        nameArguments(block, state, sourceName);
  });
}
