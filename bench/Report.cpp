//===- Report.cpp - a benchmark's results, as a table and as JSON -----------===//
#include "bench/Report.h"

#include "support/JsonWriter.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>

using namespace pumice;
using namespace pumice::bench;

/// Returns the value of the first line that begins with `key`, in a file of /proc with lines "key :
/// value".
static std::string procValue(const char *file, const std::string &key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    size_t colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos)
      continue;
    size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "unknown";
}

std::vector<std::pair<std::string, std::string>> bench::describeMachine() {
  std::string load;
  std::ifstream("/proc/loadavg") >> load;
  return {{"cpu", procValue("/proc/cpuinfo", "model name")},
          {"cores", std::to_string(std::thread::hardware_concurrency())},
          {"memory", procValue("/proc/meminfo", "MemTotal")},
          {"load", load}};
}

static std::string fixed(double value, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

static std::string shortest(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  return buffer;
}

static std::string timeText(double milliseconds) {
  return milliseconds < 0.1 ? shortest(milliseconds, 3) : fixed(milliseconds, 2);
}

std::string bench::tableOf(const std::vector<Measurement> &measurements) {
  std::vector<std::vector<std::string>> rows{
      {"kernel", "size", "device", "ms", "limit", "peer", "ms", "ratio", "ok"}};
  for (const Measurement &m : measurements) {
    rows.push_back({m.kernel, m.size, m.device, timeText(m.milliseconds),
                    m.limit ? shortest(*m.limit, 3) : "-", "-", "", "", m.ok() ? "yes" : "NO"});
    bool first = true;
    for (const auto &[name, milliseconds] : m.peers) {
      if (!first)
        rows.push_back({"", "", "", "", "", "", "", "", ""});
      std::vector<std::string> &row = rows.back();
      row[5] = name, row[6] = timeText(milliseconds);
      row[7] = fixed(m.milliseconds / milliseconds, 2);
      first = false;
    }
  }
  std::vector<size_t> widths(rows[0].size());
  for (const std::vector<std::string> &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  for (const Measurement &m : measurements)
    if (!m.note.empty())
      text += m.kernel + ", " + m.size + ": " + m.note + "\n";
  return text;
}

std::string bench::jsonOf(const std::vector<Measurement> &measurements) {
  JsonWriter json;
  json.beginObject().key("machine").beginObject(JsonWriter::Inline);
  for (const auto &[key, value] : describeMachine())
    json.member(key, value);
  json.end().key("results").beginArray();
  for (const Measurement &m : measurements) {
    json.beginObject(JsonWriter::Inline).member("kernel", m.kernel).member("size", m.size);
    json.member("device", m.device).key("ms").raw(shortest(m.milliseconds, 6));
    json.key("peers").beginObject(JsonWriter::Inline);
    for (const auto &[name, milliseconds] : m.peers)
      json.key(name).raw(shortest(milliseconds, 6));
    json.end().key("limit_ms").raw(m.limit ? shortest(*m.limit, 6) : "null");
    json.member("ok", m.ok());
    if (!m.note.empty())
      json.member("note", m.note);
    json.end();
  }
  return json.end().end().take() + "\n";
}

std::vector<double> bench::medians(const std::vector<std::function<void()>> &runs, int rounds,
                                   const WarmUp &warmUp) {
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;
  const auto begin = Clock::now();
  do {
    for (const std::function<void()> &run : runs)
      run();
  } while (Milliseconds(Clock::now() - begin).count() < warmUp.milliseconds);
  std::vector<std::vector<double>> times(runs.size());
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < runs.size(); ++i) {
      if (warmUp.beforeEach)
        runs[i]();
      const auto start = Clock::now();
      runs[i]();
      times[i].push_back(Milliseconds(Clock::now() - start).count());
    }
  std::vector<double> result;
  for (std::vector<double> &all : times) {
    std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
    result.push_back(all[all.size() / 2]);
  }
  return result;
}
