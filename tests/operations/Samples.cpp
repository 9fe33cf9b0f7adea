//===- Samples.cpp - sections, and the values that multiply them ------------===//
#include "tests/operations/Samples.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace pumice::operations;
using llvm::SmallVector;
using llvm::StringRef;

namespace {

/// `// for $A to $B: f16 to f32, i8 to i16`: the names, and the sets of values they take.
struct Values {
  SmallVector<std::string> names;
  std::vector<SmallVector<std::string>> sets;
};

struct Section {
  Sample sample;
  std::vector<Values> values;
};

} // namespace

static SmallVector<std::string> splitAt(StringRef text, StringRef separator) {
  SmallVector<StringRef> pieces;
  text.split(pieces, separator);
  SmallVector<std::string> trimmed;
  for (StringRef piece : pieces)
    trimmed.push_back(piece.trim().str());
  return trimmed;
}

static Values readValues(StringRef text) {
  auto [names, sets] = text.split(':');
  Values values{splitAt(names, " to "), {}};
  for (const std::string &set : splitAt(sets, ", "))
    values.sets.push_back(splitAt(set, " to "));
  return values;
}

/// A second line with the same names adds values.
static void addValues(std::vector<Values> &all, Values more) {
  for (Values &values : all)
    if (values.names == more.names) {
      values.sets.insert(values.sets.end(), more.sets.begin(), more.sets.end());
      return;
    }
  all.push_back(std::move(more));
}

/// Reads the lines that start a section. All other lines are code.
static Section readSection(StringRef text, const std::string &file, size_t firstLine) {
  Section section;
  section.sample.file = file;
  section.sample.target = "lavapipe";
  section.sample.code = std::string(firstLine, '\n');
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    StringRef rest = line;
    if (rest.consume_front("// op: "))
      section.sample.operation = rest.trim().str();
    else if (rest.consume_front("// for "))
      addValues(section.values, readValues(rest));
    else if (rest.consume_front("// on: "))
      section.sample.target = rest.trim().str();
    else if (rest.consume_front("// error: "))
      section.sample.error = rest.trim().str();
    section.sample.code += line.str() + "\n";
  }
  section.sample.name = section.sample.operation;
  return section;
}

static void replaceAll(std::string &text, const std::string &name, const std::string &value) {
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
}

static std::vector<Sample> multiply(std::vector<Sample> samples, const Values &values) {
  std::vector<Sample> product;
  for (const Sample &sample : samples) {
    for (const auto &set : values.sets) {
      Sample next = sample;
      if (set.size() != values.names.size())
        next.error = "broken: " + set[0] + " has not a value for each name";
      for (size_t i = 0; i < std::min(set.size(), values.names.size()); ++i) {
        bool inOperation = next.operation.find(values.names[i]) != std::string::npos;
        for (std::string *text :
             {&next.operation, &next.name, &next.target, &next.error, &next.code})
          replaceAll(*text, values.names[i], set[i]);
        if (!inOperation)
          next.name += " " + set[i];
      }
      product.push_back(std::move(next));
    }
  }
  return product;
}

std::vector<Sample> pumice::operations::readSamples(const std::string &path) {
  std::ifstream stream(path);
  std::stringstream contents;
  contents << stream.rdbuf();
  std::string text = contents.str();
  std::string file = std::filesystem::path(path).filename();

  std::vector<Sample> samples;
  size_t firstLine = 0;
  SmallVector<StringRef> sections;
  StringRef(text).split(sections, "// -----\n");
  for (StringRef sectionText : sections) {
    Section section = readSection(sectionText, file, firstLine);
    firstLine += sectionText.count('\n') + 1;
    if (section.sample.operation.empty())
      section.sample.error = "broken: no line '// op: '";
    std::vector<Sample> products{section.sample};
    for (const Values &values : section.values)
      products = multiply(std::move(products), values);
    samples.insert(samples.end(), products.begin(), products.end());
  }
  return samples;
}

std::vector<Sample> pumice::operations::readAllSamples(const std::string &folder) {
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".mlir")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Sample> samples;
  for (const std::string &path : paths) {
    std::vector<Sample> read = readSamples(path);
    samples.insert(samples.end(), read.begin(), read.end());
  }
  return samples;
}
