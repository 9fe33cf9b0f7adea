//===- SourceLines.cpp - lines of the source in a serialized module ---------===//
#include "compiler/spirv/SourceLines.h"

#include "executable/SpirvWords.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

#include <array>

using namespace mlir;
using namespace pumice::executable::spirv; // for the numbers of opcodes

/// Returns the innermost position in a source, or null if none is known.
static FileLineColLoc lineOf(Location location) {
  FileLineColLoc found;
  location->walk([&](Location inner) {
    auto line = dyn_cast<FileLineColLoc>(inner);
    if (!line || line.getLine() == 0)
      return WalkResult::advance();
    found = line;
    return WalkResult::interrupt();
  });
  return found;
}

pumice::spirv::NumberedLines::NumberedLines(Operation *root) : root(root) {
  Builder b(root->getContext());
  StringAttr nothing = b.getStringAttr("");
  root->walk([&](Operation *op) {
    locations.push_back(op->getLoc());
    op->setLoc(FileLineColLoc::get(nothing, static_cast<unsigned>(locations.size()), 0));
  });
}

pumice::spirv::NumberedLines::~NumberedLines() {
  size_t next = 0;
  root->walk([&](Operation *op) { op->setLoc(locations[next++]); });
}

std::vector<uint32_t>
pumice::spirv::NumberedLines::resolve(const std::vector<uint32_t> &words) const {
  constexpr size_t headerWords = 5, boundWord = 3;
  std::vector<uint32_t> result(words.begin(), words.begin() + headerWords);
  llvm::MapVector<StringAttr, uint32_t> files;
  size_t afterStrings = headerWords;
  std::array<uint32_t, 3> last{};
  for (size_t at = headerWords, length = 0; at < words.size(); at += length) {
    uint32_t opcode = words[at] & 0xffff;
    length = words[at] >> 16;
    if (opcode == OpLine) {
      auto line = lineOf(locations[words[at + 2] - 1]);
      if (!line)
        continue;
      auto [file, fresh] = files.insert({line.getFilename(), result[boundWord]});
      result[boundWord] += fresh;
      std::array<uint32_t, 3> now{file->second, line.getLine(), line.getColumn()};
      if (now == last)
        continue;
      last = now;
      result.push_back(words[at]);
      result.insert(result.end(), now.begin(), now.end());
      continue;
    }
    // For lines, the serializer always declares a file and an extension.
    std::string_view text(reinterpret_cast<const char *>(&words[at + 1]), (length - 1) * 4);
    bool isOurs = (opcode == OpString && length == 3 && words[at + 2] == 0) ||
                  (opcode == OpExtension && text.starts_with("SPV_KHR_non_semantic_info"));
    if (!isOurs)
      result.insert(result.end(), words.begin() + at, words.begin() + at + length);
    if (opcode == OpString)
      afterStrings = result.size();
    if (opcode == OpLabel || opcode == OpFunction)
      last = {}; // a line applies up to the end of its block
  }
  std::vector<uint32_t> strings;
  for (auto [name, id] : files) {
    size_t count = name.size() / sizeof(uint32_t) + 1; // a zero ends the name
    strings.push_back(static_cast<uint32_t>(count + 2) << 16 | OpString);
    strings.push_back(id);
    strings.resize(strings.size() + count);
    std::memcpy(&strings[strings.size() - count], name.data(), name.size());
  }
  result.insert(result.begin() + afterStrings, strings.begin(), strings.end());
  return result;
}
