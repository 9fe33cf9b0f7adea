//===- NearestName.cpp - "did you mean" -------------------------------------===//
#include "support/NearestName.h"

#include <algorithm>
#include <vector>

namespace pumice {

/// Returns the Levenshtein distance, ignoring case.
static size_t editDistance(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; };
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string_view nearestName(std::string_view name, std::span<const std::string_view> names) {
  if (name.size() > 200) // too long for a typing error
    return {};
  std::string_view nearest;
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  for (std::string_view candidate : names)
    if (size_t distance = editDistance(name, candidate); distance < best) {
      best = distance;
      nearest = candidate;
    }
  return nearest;
}

} // namespace pumice
