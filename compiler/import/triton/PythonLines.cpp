//===- PythonLines.cpp - finds the Python line of a line of TTIR text -------===//
#include "compiler/import/triton/PythonLines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

/// Describes one line of text, without its strings and comments.
struct Line {
  int depth = 0; // opening braces minus closing braces
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

/// Returns the text of the location behind the last region of an operation. The operation begins in
/// the first of `lines`.
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
  // Parses an empty module that has this location, because the parser resolves aliases and all
  // forms of locations.
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
