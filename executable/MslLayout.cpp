//===- MslLayout.cpp - how MSL takes its arguments --------------------------===//
#include "executable/MslLayout.h"

#include <charconv>

namespace pumice::executable {
namespace {

constexpr std::string_view firstLine = "// pumice-msl 1";
constexpr size_t mostEntries = 1024;

/// Splits the line at blanks, without the slashes.
std::vector<std::string_view> wordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  line.remove_prefix(2);
  while (!line.empty()) {
    size_t begin = line.find_first_not_of(' ');
    if (begin == line.npos)
      break;
    line.remove_prefix(begin);
    size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

template <typename Number> bool parse(std::string_view word, Number &number) {
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

bool parseSize(std::string_view word, MslLayout::Size &size) {
  if (!word.starts_with('c'))
    return parse(word, size.threads);
  uint32_t id = 0;
  if (!parse(word.substr(1), id))
    return false;
  size.constant = id;
  return true;
}

bool parseLine(const std::vector<std::string_view> &words, MslLayout &layout) {
  auto is = [&](std::string_view what, size_t count) {
    return words.size() == count && words[0] == what;
  };
  if (is("kernel", 2)) {
    layout.kernel = words[1];
    return true;
  }
  if (is("threadgroup", 4))
    return parseSize(words[1], layout.threadgroup[0]) &&
           parseSize(words[2], layout.threadgroup[1]) && parseSize(words[3], layout.threadgroup[2]);
  if (is("parameters", 2) || is("sizes", 2)) {
    uint32_t index = 0;
    bool parsed = parse(words[1], index);
    (words[0] == "sizes" ? layout.sizes : layout.parameters) = index;
    return parsed;
  }
  if (is("buffer", 6) && words[2] == "set" && words[4] == "binding") {
    MslLayout::Buffer &buffer = layout.buffers.emplace_back();
    return layout.buffers.size() < mostEntries && parse(words[1], buffer.index) &&
           parse(words[3], buffer.set) && parse(words[5], buffer.binding);
  }
  if (is("constant", 4)) {
    MslLayout::Constant &constant = layout.constants.emplace_back();
    constant.type = words[2];
    return layout.constants.size() < mostEntries && parse(words[1], constant.id) &&
           parse(words[3], constant.bits);
  }
  return false;
}

} // namespace

std::string mslLayoutText(const MslLayout &layout) {
  std::string text = std::string(firstLine) + "\n// kernel " + layout.kernel + "\n// threadgroup";
  for (const MslLayout::Size &size : layout.threadgroup)
    text +=
        size.constant ? " c" + std::to_string(*size.constant) : " " + std::to_string(size.threads);
  text += "\n";
  if (layout.parameters)
    text += "// parameters " + std::to_string(*layout.parameters) + "\n";
  if (layout.sizes)
    text += "// sizes " + std::to_string(*layout.sizes) + "\n";
  for (const MslLayout::Buffer &buffer : layout.buffers)
    text += "// buffer " + std::to_string(buffer.index) + " set " + std::to_string(buffer.set) +
            " binding " + std::to_string(buffer.binding) + "\n";
  for (const MslLayout::Constant &constant : layout.constants)
    text += "// constant " + std::to_string(constant.id) + " " + constant.type + " " +
            std::to_string(constant.bits) + "\n";
  return text;
}

Result<MslLayout> readMslLayout(std::string_view source) {
  MslLayout layout;
  bool first = true;
  while (!source.empty()) {
    size_t end = std::min(source.find('\n'), source.size());
    std::string_view line = source.substr(0, end);
    source.remove_prefix(std::min(end + 1, source.size()));
    if (first && line != firstLine)
      return Status(StatusCode::DataCorrupt, "the MSL does not begin with '" +
                                                 std::string(firstLine) +
                                                 "'; 'pumice compile' writes it so");
    if (!line.starts_with("// "))
      break;
    if (!first && !parseLine(wordsOf(line), layout))
      return Status(StatusCode::DataCorrupt,
                    "the layout of the MSL has the line '" + std::string(line.substr(0, 80)) + "'");
    first = false;
  }
  if (layout.kernel.empty())
    return Status(StatusCode::DataCorrupt, "the layout of the MSL names no kernel");
  for (MslLayout::Size &size : layout.threadgroup)
    if (size.constant)
      for (const MslLayout::Constant &constant : layout.constants)
        if (constant.id == *size.constant)
          size.threads = static_cast<uint32_t>(constant.bits);
  return layout;
}

} // namespace pumice::executable
