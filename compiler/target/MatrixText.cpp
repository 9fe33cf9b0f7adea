//===- MatrixText.cpp - cooperative-matrix shapes and fragment maps as text -===//
#include "compiler/target/MatrixText.h"

#include "compiler/target/Tables.h"

#include <charconv>

namespace pumice::target {

static constexpr std::string_view typeNames[] = {"f16", "f32", "f64", "bf16", "s8",  "s16",
                                                 "s32", "s64", "u8",  "u16",  "u32", "u64"};
static constexpr std::string_view scopeNames[] = {"subgroup", "workgroup", "device", "queuefamily"};
static constexpr std::string_view useNames[] = {"a", "b", "accumulator"};

std::string_view nameOf(ComponentType type) { return typeNames[static_cast<size_t>(type)]; }
std::string_view nameOf(MatrixScope scope) { return scopeNames[static_cast<size_t>(scope)]; }
std::string_view nameOf(MatrixUse use) { return useNames[static_cast<size_t>(use)]; }

std::string toString(const CooperativeMatrixShape &shape) {
  std::string result =
      std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
  for (ComponentType type : {shape.a, shape.b, shape.c, shape.result})
    (result += " ") += nameOf(type);
  (result += " ") += nameOf(shape.scope);
  return shape.saturating ? result + " saturating" : result;
}

static std::string toString(const std::vector<FragmentMap::Base> &bases) {
  std::string result;
  for (const FragmentMap::Base &base : bases)
    result += " (" + std::to_string(base[0]) + "," + std::to_string(base[1]) + ")";
  return result;
}

std::string toString(const FragmentMap &map) {
  std::string result(nameOf(map.use));
  result += " " + std::to_string(map.rows) + "x" + std::to_string(map.columns) + " ";
  ((result += nameOf(map.type)) += " ") += nameOf(map.scope);
  return result + " components" + toString(map.components) + " lanes" + toString(map.lanes);
}

namespace {

Status bad(std::string_view text, std::string message) {
  if (text.size() > 120)
    text = text.substr(0, 120);
  return Status(StatusCode::InvalidArgument, "'" + std::string(text) + "': " + std::move(message));
}

/// Returns the enumerator whose name in `names` is `word`.
template <typename Enum, size_t size>
std::optional<Enum> findName(const std::string_view (&names)[size], std::string_view word) {
  for (size_t i = 0; i < size; ++i)
    if (names[i] == word)
      return static_cast<Enum>(i);
  return std::nullopt;
}

/// Parses numbers such as "16x8". Returns false if their count differs from the size of `numbers`.
bool parseNumbers(std::string_view word, char separator, std::span<uint32_t> numbers) {
  const char *at = word.data(), *end = word.data() + word.size();
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i && (at == end || *at++ != separator))
      return false;
    auto [next, error] = std::from_chars(at, end, numbers[i]);
    if (error != std::errc())
      return false;
    at = next;
  }
  return at == end;
}

} // namespace

Result<CooperativeMatrixShape> parseMatrixShape(std::string_view text) {
  constexpr const char *form =
      "a shape reads like '16x16x16 f16 f16 f32 f32 subgroup', with 'saturating' at the end if so";
  std::vector<std::string_view> words = splitWords(text);
  CooperativeMatrixShape shape;
  uint32_t sizes[3];
  if (words.size() < 6 || words.size() > 7 || !parseNumbers(words[0], 'x', sizes))
    return bad(text, form);
  shape.m = sizes[0], shape.n = sizes[1], shape.k = sizes[2];
  ComponentType *types[] = {&shape.a, &shape.b, &shape.c, &shape.result};
  for (size_t i = 0; i < 4; ++i) {
    auto type = findName<ComponentType>(typeNames, words[1 + i]);
    if (!type)
      return bad(
          text, "'" + std::string(words[1 + i]) +
                    "' is not a component type; expected one of f16 f32 f64 bf16 s8 s16 s32 s64 u8 "
                    "u16 u32 u64");
    *types[i] = *type;
  }
  auto scope = findName<MatrixScope>(scopeNames, words[5]);
  if (!scope)
    return bad(text, "'" + std::string(words[5]) +
                         "' is not a scope; expected one of subgroup workgroup device queuefamily");
  shape.scope = *scope;
  shape.saturating = words.size() == 7;
  if (shape.saturating && words[6] != "saturating")
    return bad(text, form);
  return shape;
}

Result<FragmentMap> parseFragmentMap(std::string_view text) {
  constexpr const char *form = "a fragment map reads like 'accumulator 16x16 f32 subgroup "
                               "components (0,1) (0,8) lanes (1,0) (2,0)'";
  std::vector<std::string_view> words = splitWords(text);
  uint32_t sizes[2];
  if (words.size() < 6 || !parseNumbers(words[1], 'x', sizes) || words[4] != "components")
    return bad(text, form);
  auto use = findName<MatrixUse>(useNames, words[0]);
  auto type = findName<ComponentType>(typeNames, words[2]);
  auto scope = findName<MatrixScope>(scopeNames, words[3]);
  if (!use || !type || !scope)
    return bad(text, form);
  FragmentMap map{*use, sizes[0], sizes[1], *type, *scope, {}, {}};
  std::vector<FragmentMap::Base> *bases = &map.components;
  for (std::string_view word : std::span(words).subspan(5)) {
    FragmentMap::Base base;
    if (word == "lanes" && bases == &map.components)
      bases = &map.lanes;
    else if (word.size() > 2 && word.front() == '(' && word.back() == ')' &&
             parseNumbers(word.substr(1, word.size() - 2), ',', base))
      bases->push_back(base);
    else
      return bad(text, form);
  }
  if (bases != &map.lanes)
    return bad(text, form);
  return map;
}

static bool isPowerOfTwo(uint32_t value) { return value && !(value & (value - 1)); }

Status verify(const CooperativeMatrixShape &shape) {
  for (uint32_t size : {shape.m, shape.n, shape.k})
    if (size == 0 || size > 4096)
      return bad(toString(shape), "sizes must lie between 1 and 4096");
  return Status::ok();
}

Status verify(const FragmentMap &map) {
  std::string text = toString(map);
  if (!isPowerOfTwo(map.rows) || !isPowerOfTwo(map.columns) || map.rows > 4096 ||
      map.columns > 4096)
    return bad(text, "rows and columns must be powers of two up to 4096");
  if (map.components.size() > 12 || map.lanes.size() > 7)
    return bad(text, "more bases than a fragment has bits");
  // Uses Gaussian elimination over F2 to check that the bases reach every element.
  std::vector<uint32_t> reduced;
  uint32_t reached = 1;
  auto add = [&](const FragmentMap::Base &base) {
    uint32_t vector = base[0] * map.columns + base[1];
    for (uint32_t other : reduced)
      vector = std::min(vector, vector ^ other);
    if (vector) {
      reduced.push_back(vector);
      reached *= 2;
    }
  };
  for (const auto *bases : {&map.components, &map.lanes})
    for (const FragmentMap::Base &base : *bases) {
      if (base[0] >= map.rows || base[1] >= map.columns)
        return bad(text, "the base (" + std::to_string(base[0]) + "," + std::to_string(base[1]) +
                             ") lies outside the fragment");
      add(base);
    }
  if (reached != map.rows * map.columns)
    return bad(text, "the bases reach " + std::to_string(reached) + " of " +
                         std::to_string(map.rows * map.columns) + " elements");
  return Status::ok();
}

} // namespace pumice::target
