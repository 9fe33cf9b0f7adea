//===- LayoutText.cpp - layouts as people read them -------------------------===//
#include "compiler/dialect/tile/layout/LayoutText.h"

#include <algorithm>
#include <cctype>

using namespace pumice;
using namespace pumice::tile;

//===-------------------------------------------------------------------------===//
// Printing
//===-------------------------------------------------------------------------===//

static std::string listOf(std::span<const std::string> items) {
  std::string text = "[";
  for (size_t i = 0; i < items.size(); ++i)
    text += (i ? ", " : "") + items[i];
  return text + "]";
}

std::string pumice::tile::print(const LinearLayout &layout) {
  std::vector<std::string> items;
  for (const Space &space : layout.outputs()) {
    bool isDimension = space.name == dimensionName(static_cast<unsigned>(items.size()));
    items.push_back((isDimension ? "" : space.name + ": ") + std::to_string(space.size()));
  }
  std::string text = listOf(items);
  for (const Space &space : layout.inputs()) {
    items.clear();
    for (uint64_t image : layout.columns(space.name)) {
      std::vector<std::string> coordinates;
      for (uint64_t coordinate : coordinatesOf(layout.outputs(), image))
        coordinates.push_back(std::to_string(coordinate));
      items.push_back(coordinates.size() == 1 ? coordinates[0] : listOf(coordinates));
    }
    text += ", " + space.name + " = " + listOf(items);
  }
  return text;
}

//===-------------------------------------------------------------------------===//
// Parsing
//===-------------------------------------------------------------------------===//

namespace {

/// Reads text from its front, and keeps the first failure.
class Reader {
public:
  explicit Reader(std::string_view text) : text(text) {}

  bool failed() const { return !failure.isOk(); }
  Status status() const { return failure; }

  /// Takes `token` if it comes next.
  bool take(std::string_view token) {
    skipBlanks();
    if (failed() || !text.substr(at).starts_with(token))
      return false;
    at += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token))
      fail("expected '" + std::string(token) + "'");
  }
  bool atEnd() {
    skipBlanks();
    return at == text.size();
  }
  bool atNumber() {
    skipBlanks();
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
  }
  uint64_t number() {
    if (!atNumber())
      return fail("expected a number"), 0;
    uint64_t value = 0;
    for (; atNumberCharacter(); ++at) {
      if (value >> 33)
        return fail("the number is larger than a layout can be"), 0;
      value = value * 10 + static_cast<uint64_t>(text[at] - '0');
    }
    return value;
  }
  std::string word() {
    skipBlanks();
    size_t start = at;
    while (at < text.size() &&
           (std::isalpha(static_cast<unsigned char>(text[at])) || text[at] == '_' ||
            (at > start && std::isdigit(static_cast<unsigned char>(text[at])))))
      ++at;
    if (start == at)
      fail("expected a name");
    return std::string(text.substr(start, at - start));
  }
  void fail(const std::string &message) {
    if (!failed())
      failure = Status(StatusCode::InvalidArgument,
                       "layout, character " + std::to_string(at) + ": " + message);
  }

private:
  void skipBlanks() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }
  bool atNumberCharacter() const {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
  }

  std::string_view text;
  size_t at = 0;
  Status failure;
};

/// Reads a list in brackets. Calls `item` to read each of its items.
template <typename Item> void readList(Reader &reader, Item item) {
  reader.expect("[");
  if (reader.take("]"))
    return;
  do
    item();
  while (!reader.failed() && reader.take(","));
  reader.expect("]");
}

} // namespace

static Space readOutput(Reader &reader, unsigned position) {
  Space space{dimensionName(position)};
  if (!reader.atNumber()) {
    space.name = reader.word();
    reader.expect(":");
  }
  uint64_t size = reader.number();
  Result<unsigned> bits = bitsOf(size, "the size of '" + space.name + "'");
  if (bits.isOk())
    space.bits = *bits;
  else
    reader.fail(bits.status().message());
  return space;
}

static Bases readInput(Reader &reader, size_t outputs) {
  Bases bases{reader.word(), {}};
  reader.expect("=");
  readList(reader, [&] {
    std::vector<uint64_t> image;
    if (outputs == 1 && reader.atNumber())
      image.push_back(reader.number());
    else
      readList(reader, [&] { image.push_back(reader.number()); });
    bases.images.push_back(std::move(image));
  });
  return bases;
}

Result<LinearLayout> pumice::tile::parseLayout(std::string_view text) {
  Reader reader(text);
  std::vector<Space> outputs;
  readList(reader,
           [&] { outputs.push_back(readOutput(reader, static_cast<unsigned>(outputs.size()))); });
  std::vector<Bases> inputs;
  while (!reader.failed() && reader.take(","))
    inputs.push_back(readInput(reader, outputs.size()));
  if (!reader.failed() && !reader.atEnd())
    reader.fail("expected ',' or the end");
  if (reader.failed())
    return reader.status();
  return LinearLayout::fromBases(inputs, std::move(outputs));
}

//===-------------------------------------------------------------------------===//
// Drawing
//===-------------------------------------------------------------------------===//

/// Returns `subgroup/lane:register` of the first point that holds an element.
static std::string holderOf(const LinearLayout &layout, uint64_t point) {
  std::string text;
  if (Field subgroup = layout.input(subgroupSpace); subgroup.bits)
    text = std::to_string(subgroup.of(point)) + "/";
  return text + std::to_string(layout.input(laneSpace).of(point)) + ":" +
         std::to_string(layout.input(registerSpace).of(point));
}

Result<std::string> pumice::tile::drawTable(const LinearLayout &layout) {
  if (layout.outputs().size() > 2 || layout.outputBits() > 12 || layout.inputBits() > 16)
    return Status(StatusCode::InvalidArgument,
                  print(layout) + " cannot be drawn: tables have at most two dimensions, 4096 "
                                  "elements and 65536 places");
  std::vector<std::string> cells(size_t(1) << layout.outputBits());
  std::vector<unsigned> copies(cells.size());
  std::vector<uint64_t> first(cells.size());
  for (uint64_t point = 0; point >> layout.inputBits() == 0; ++point)
    if (uint64_t element = layout(point); copies[element]++ == 0)
      first[element] = point;
  size_t width = 1;
  for (size_t element = 0; element < cells.size(); ++element) {
    cells[element] = copies[element] ? holderOf(layout, first[element]) : "-";
    if (copies[element] > 1)
      cells[element] += "*" + std::to_string(copies[element]);
    width = std::max(width, cells[element].size());
  }
  size_t columns = layout.outputs().empty() ? 1 : layout.outputs().back().size();
  std::string text;
  for (size_t element = 0; element < cells.size(); ++element) {
    bool last = (element + 1) % columns == 0;
    text += cells[element];
    text += last ? "\n" : std::string(width + 1 - cells[element].size(), ' ');
  }
  return text;
}
