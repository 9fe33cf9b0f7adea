//===- PythonLines.cpp - which line of Python a line of TTIR text stands for ===//
#include "compiler/import/triton/PythonLines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

/// Describes a line without its strings and comments, as far as regions and locations need it.
struct Line {
  int depth = 0; // braces that it opens
  StringRef location;
};

static Line read(StringRef line) {
  Line result;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      quoted = !quoted;
    else if (!quoted)
      result.depth += (line[i] == '{') - (line[i] == '}');
  }
  size_t place = line.rfind(" loc(");
  if (place != StringRef::npos && line.ends_with(")"))
    result.location = line.substr(place + 1);
  return result;
}

/// The location of the operation that begins in the first of `lines`: behind its last region.
static StringRef trailingLocation(ArrayRef<StringRef> lines) {
  int depth = 0;
  for (StringRef text : lines) {
    Line line = read(text);
    depth += line.depth;
    if (depth <= 0)
      return line.location;
  }
  return {};
}

static bool isKnown(Location location) {
  bool known = false;
  location->walk([&](Location inner) {
    known |= isa<FileLineColRange>(inner);
    return WalkResult::advance();
  });
  return known;
}

std::optional<Location> pumice::triton::findPythonLine(MLIRContext *context, StringRef text,
                                                       size_t line) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  if (line == 0 || line > lines.size())
    return std::nullopt;
  StringRef location = trailingLocation(ArrayRef(lines).drop_front(line - 1));
  if (location.empty())
    return std::nullopt;
  // The parser follows aliases and all forms of locations: an empty module at that place.
  std::string module;
  for (StringRef each : lines)
    if (each.starts_with("#loc"))
      module += each.str() + "\n";
  module += "module {} " + location.str() + "\n";
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(module, context);
  if (!parsed || !isKnown(parsed->getLoc()))
    return std::nullopt;
  return parsed->getLoc();
}
