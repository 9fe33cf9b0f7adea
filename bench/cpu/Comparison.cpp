//===- Comparison.cpp - compares measurements with their limits -------------===//
#include "bench/cpu/Comparison.h"

#include <algorithm>
#include <cstdio>

namespace pumice::bench {
namespace {

constexpr double us = 1e-3, ns = 1e-6; // in milliseconds

const Limit table[] = {
    {"saxpy", "saxpy", true, 1.6, 1.1},
    {"sum16", "sum, 16 elements an invocation", true, 1.6, 1.1},
    {"sum", "sum, one element an invocation", true, 6, 2.5},
    {"matmul", "matmul, naive", true, 8, 3},
    {"matmul_tiled", "matmul, 16x16 tiles", true, 8, 3},
    {"matmul_cooperative", "matmul, cooperative matrices", true, 2, 1.2},
    {"matmul_bf16", "matmul, cooperative, bf16", true, 2, 1.2},
    {"matmul_int8", "matmul, cooperative, int8", true, 2, 1.2},
    {"softmax", "softmax", true, 3, 1.3},
    {"mandelbrot", "mandelbrot", true, 1.6, 1.1},
    {"nbody", "n-body", true, 1.6, 1.1},
    {"histogram", "histogram", true, 1.6, 1.1},
    {"scan", "scan in blocks of 1024", true, 3, 1.3},
    {"submit", "empty dispatch, submit + wait", false, 3 * us, 1 * us},
    {"batch", "a dispatch among 1000", false, 1 * us, 0.4 * us},
    {"barrier", "a barrier of 256 invocations", false, 30 * ns, 10 * ns},
    {"workgroup", "an empty workgroup", false, 5 * ns, 5 * ns},
    {"first", "first dispatch of matmul, cold", false, 60, 30},
    {"cached", "first dispatch, disk cache", false, 2, 2},
};

std::string number(const char *format, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

/// Formats a time with three digits, in a suitable unit.
std::string timeText(double milliseconds) {
  double value = milliseconds;
  const char *unit = " ms";
  if (value < 1e-3)
    value *= 1e6, unit = " ns";
  else if (value < 0.1)
    value *= 1e3, unit = " us";
  return number(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value) + unit;
}

std::optional<double> timeOf(const Row &row, const std::string &peer) {
  auto found = row.milliseconds.find(peer);
  return found == row.milliseconds.end() ? std::nullopt : std::optional(found->second);
}

std::string limitText(const Limit &limit, double value) {
  return limit.ofNative ? number("%g x", value) : timeText(value);
}

/// Returns the fastest peer with a right result, except for native and Pumice.
std::optional<std::pair<std::string, double>> fastestPeer(const Row &row) {
  std::optional<std::pair<std::string, double>> best;
  for (const auto &[peer, milliseconds] : row.milliseconds)
    if (peer != "native" && peer != "pumice" && (!best || milliseconds < best->second))
      best = {peer, milliseconds};
  return best;
}

/// Returns the time limit: not slower than the fastest peer, and within the table's limit if that
/// is known.
std::optional<double> limitOf(const Row &row) {
  std::optional<double> native = timeOf(row, "native"), limit;
  if (!row.limit->ofNative)
    limit = row.limit->reach;
  else if (native)
    limit = row.limit->reach * *native;
  if (auto peer = fastestPeer(row); peer && row.limit->ofNative)
    limit = std::min(limit.value_or(peer->second), peer->second);
  return limit;
}

/// A kernel counts as "as fast as native" if it takes at most this many times native's time. Two
/// runs of the same code may differ as much.
constexpr double asFast = 1.1;

size_t widthOf(const std::string &text) { // counts UTF-8 characters, not bytes
  return size_t(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

} // namespace

/// Returns the text that replaces a time. The reason is printed below the table.
static std::string failureText(const Row &row, const std::string &peer) {
  auto found = row.wrong.find(peer);
  if (found == row.wrong.end())
    return "-";
  return found->second.starts_with("wrong") ? "wrong" : "failed";
}

std::span<const Limit> limits() { return table; }

std::string verdictOf(const Row &row) {
  std::optional<double> time = timeOf(row, "pumice"), native = timeOf(row, "native");
  if (!time)
    return row.wrong.contains("pumice") ? "NO" : "";
  if (std::optional<double> limit = limitOf(row); limit && *time > *limit)
    return "NO";
  if (!row.limit->ofNative)
    return *time <= row.limit->then ? "then" : "reach";
  auto peer = fastestPeer(row);
  bool beatsPeers = !peer || *time * 2 <= peer->second || (native && *time <= *native * asFast);
  return native && *time <= *native * row.limit->then && beatsPeers ? "then" : "reach";
}

std::string tableOf(const std::vector<Row> &rows, const std::vector<std::string> &peers) {
  std::vector<std::vector<std::string>> cells{{"kernel", "size", "reach", "then"}};
  for (const std::string &peer : peers) {
    cells[0].push_back(peer);
    if (peer != "native")
      cells[0].push_back("x");
  }
  bool ours = std::ranges::find(peers, "pumice") != peers.end();
  if (ours)
    cells[0].insert(cells[0].end(), {"fastest peer", "x", "met"});
  for (const Row &row : rows) {
    std::vector<std::string> &line = cells.emplace_back();
    line = {std::string(row.limit->title), row.size, limitText(*row.limit, row.limit->reach),
            limitText(*row.limit, row.limit->then)};
    std::optional<double> native = timeOf(row, "native");
    for (const std::string &peer : peers) {
      std::optional<double> time = timeOf(row, peer);
      line.push_back(time ? timeText(*time) : failureText(row, peer));
      if (peer != "native")
        line.push_back(time && native ? number("%.2f", *time / *native) : "");
    }
    if (!ours)
      continue;
    auto fastest = fastestPeer(row);
    std::optional<double> time = timeOf(row, "pumice");
    line.push_back(fastest ? fastest->first : "-");
    line.push_back(fastest && time ? number("%.2f", fastest->second / *time) : "");
    line.push_back(verdictOf(row));
  }
  std::vector<size_t> widths(cells[0].size());
  for (const auto &line : cells)
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], widthOf(line[i]));
  std::string text;
  for (const auto &line : cells) {
    std::string out;
    for (size_t i = 0; i < line.size(); ++i) {
      std::string space(widths[i] - widthOf(line[i]), ' ');
      out += (i < 2 ? line[i] + space : space + line[i]) + "  ";
    }
    text += out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
  }
  for (const Row &row : rows)
    for (const auto &[peer, why] : row.wrong)
      text += std::string(row.limit->title) + ", " + peer + ": " + why + "\n";
  return text;
}

std::vector<Measurement> measurementsOf(const std::vector<Row> &rows) {
  std::vector<Measurement> results;
  for (const Row &row : rows) {
    bool measured = row.milliseconds.contains("pumice") || row.wrong.contains("pumice");
    std::string subject = measured ? "pumice" : "native";
    std::optional<double> time = timeOf(row, subject);
    if (!time && !row.wrong.contains(subject))
      continue; // Pumice was not measured; the table has the others
    Measurement m{.kernel = std::string(row.limit->title),
                  .size = row.size,
                  .device = measured ? "cpu:0" : "native",
                  .milliseconds = time.value_or(0),
                  .peers = row.milliseconds,
                  .correct = time.has_value()};
    m.peers.erase(subject);
    if (measured)
      m.limit = limitOf(row);
    for (const auto &[peer, why] : row.wrong)
      m.note += (m.note.empty() ? "" : "; ") + peer + ": " + why;
    results.push_back(std::move(m));
  }
  return results;
}

} // namespace pumice::bench
