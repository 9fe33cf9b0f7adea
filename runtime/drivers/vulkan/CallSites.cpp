//===- CallSites.cpp - the calls of Vulkan that the driver's sources hold ---===//
#include "runtime/drivers/vulkan/CallSites.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

namespace pumice::vulkan::test {
namespace {

std::string contentsOf(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Replaces comments and quoted text by blanks. The numbers of lines stay the same.
void blankOut(std::string &text) {
  enum { Code, Line, Block, Quoted } state = Code;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i], next = i + 1 < text.size() ? text[i + 1] : 0;
    if (state == Code) {
      if (c == '/' && (next == '/' || next == '*'))
        state = next == '/' ? Line : Block;
      else if (c == '"' || (c == '\'' && (i == 0 || !std::isalnum(text[i - 1])))) // not 1'000
        state = Quoted, quote = c;
      if (state == Code || state == Quoted)
        continue;
    } else if (state == Quoted && c == '\\') {
      text[i++] = ' ';
    } else if ((state == Line && c == '\n') || (state == Quoted && c == quote)) {
      state = Code;
      continue;
    } else if (state == Block && c == '*' && next == '/') {
      text[i++] = ' ';
      state = Code;
    }
    if (text[i] != '\n')
      text[i] = ' ';
  }
}

/// Returns the position after the parenthesis that closes the one at `open`.
size_t closing(const std::string &text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0)
      return i + 1;
  }
  return text.size();
}

int lineOf(const std::string &text, size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

/// The names of functions in Vulkan's headers: all functions, those that can fail, and those of
/// devices.
struct Headers {
  std::set<std::string> all, failing, ofDevices;

  Headers() {
    const std::regex type(R"(typedef (\w+) \(VKAPI_PTR \*PFN_(vk\w+)\)\((\w*))");
    for (const char *name : {"vulkan_core.h", "vulkan_beta.h"}) {
      std::istringstream text(contentsOf(std::filesystem::path(PUMICE_VULKAN_HEADERS) / name));
      for (std::string line; std::getline(text, line);)
        if (std::smatch found; std::regex_search(line, found, type)) {
          all.insert(found[2]);
          if (found[1] == "VkResult")
            failing.insert(found[2]);
          if (found[3] == "VkDevice" || found[3] == "VkQueue" || found[3] == "VkCommandBuffer")
            ofDevices.insert(found[2]);
        }
    }
  }
};

const Headers &knownHeaders() {
  static const Headers headers;
  return headers;
}

bool mayFailByHeaders(const std::string &function) {
  const Headers &headers = knownHeaders();
  return !headers.all.contains(function) || headers.failing.contains(function);
}

} // namespace

SourceCalls findCalls(const std::string &file, std::string text,
                      bool (*mayFail)(const std::string &function)) {
  blankOut(text);
  // The definitions of the macros are not calls.
  for (std::smatch found;
       std::regex_search(text, found, std::regex(R"(#define PUMICE_VK(\\\n|[^\n])*)"));)
    for (auto at = found[0].first; at != found[0].second; ++at)
      if (*at != '\n')
        text[static_cast<size_t>(at - text.cbegin())] = ' ';
  SourceCalls result;
  const std::regex macro(R"(\bPUMICE_VK(_STATUS|_ALWAYS)?\()");
  const std::regex name(R"(\bvk[A-Z]\w*)");
  for (std::sregex_iterator i(text.begin(), text.end(), name), end; i != end; ++i)
    result.named.insert(i->str());
  std::string rest = text;
  for (std::sregex_iterator i(text.begin(), text.end(), macro), end; i != end; ++i) {
    auto begin = static_cast<size_t>(i->position());
    size_t behind = closing(text, begin + static_cast<size_t>(i->length()) - 1);
    std::string inside = text.substr(begin, behind - begin);
    std::smatch function;
    std::regex_search(inside, function, std::regex(R"(,\s*(vk\w+))"));
    if ((*i)[1] != "_ALWAYS")
      result.calls.push_back({file, lineOf(text, begin), lineOf(text, behind - 1), function[1]});
    for (size_t at = begin; at < behind; ++at)
      if (rest[at] != '\n')
        rest[at] = ' ';
  }
  // All other calls have the form `vkName(...)` or `= table.vkName;`.
  const std::regex bare(R"(\b(vk[A-Z]\w*)\s*\(|=\s*&?[\w.:>()-]*\b(vk[A-Z]\w*)\s*[;,])");
  for (std::sregex_iterator i(rest.begin(), rest.end(), bare), end; i != end; ++i) {
    std::string function = (*i)[1].matched ? (*i)[1] : (*i)[2];
    if (mayFail(function))
      result.bare.push_back(file + ":" +
                            std::to_string(lineOf(rest, static_cast<size_t>(i->position()))) + " " +
                            function);
  }
  return result;
}

SourceCalls driverCalls() {
  const std::filesystem::path folder = PUMICE_DRIVER_FOLDER;
  std::vector<std::filesystem::path> files;
  std::istringstream list(PUMICE_DRIVER_SOURCES); // the library's sources, from CMake
  for (std::string name; std::getline(list, name, ',');)
    files.push_back(folder / name);
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".h")
      files.push_back(entry.path());
  SourceCalls all;
  for (const std::filesystem::path &file : files) {
    SourceCalls found = findCalls(file.filename().string(), contentsOf(file), mayFailByHeaders);
    std::ranges::move(found.calls, std::back_inserter(all.calls));
    std::ranges::move(found.bare, std::back_inserter(all.bare));
    all.named.merge(found.named);
  }
  return all;
}

bool isOfDevice(const std::string &function) { return knownHeaders().ofDevices.contains(function); }

} // namespace pumice::vulkan::test
