//===- Profile.cpp - where the time of a run went ---------------------------===//
#include "tools/run/Profile.h"

#include "tools/run/Json.h"

#include <algorithm>
#include <cstdio>

namespace pumice::run {
namespace {
struct Line {
  std::string label;
  std::vector<double> device; // nanoseconds of each
  double deviceTotal = 0, hostTotal = 0, bytes = 0;
};

std::string_view kindName(hal::ProfileRecord::Kind kind) {
  switch (kind) {
  case hal::ProfileRecord::Kind::Dispatch:
    return "dispatch";
  case hal::ProfileRecord::Kind::Copy:
    return "copy";
  case hal::ProfileRecord::Kind::Fill:
    return "fill";
  case hal::ProfileRecord::Kind::Upload:
    return "upload";
  case hal::ProfileRecord::Kind::Download:
    return "download";
  }
  return "work";
}

/// Kernels by their labels; copies and the like together, in brackets.
std::string nameOf(const hal::ProfileRecord &record) {
  if (record.kind == hal::ProfileRecord::Kind::Dispatch)
    return record.label;
  return "[" + std::string(kindName(record.kind)) + "]";
}

double duration(const hal::ProfileRecord &record) {
  return record.deviceEnd > record.deviceBegin ? double(record.deviceEnd - record.deviceBegin) : 0;
}

/// "12.3 us": three digits in the unit that suits.
std::string timeText(double nanoseconds) {
  constexpr const char *units[] = {"ns", "us", "ms", "s"};
  size_t unit = 0;
  for (; nanoseconds >= 1000 && unit < 3; ++unit)
    nanoseconds /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s",
                nanoseconds < 10    ? 2
                : nanoseconds < 100 ? 1
                                    : 0,
                nanoseconds, units[unit]);
  return text;
}

/// Per nanosecond is giga per second.
std::string rateText(double amount, double nanoseconds) {
  if (amount <= 0 || nanoseconds <= 0)
    return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", amount / nanoseconds);
  return text;
}

double median(std::vector<double> values) {
  auto middle = values.begin() + ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string microseconds(uint64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", double(nanoseconds) / 1000);
  return text;
}
} // namespace

std::string profileTable(std::span<const hal::ProfileRecord> records, const WorkByLabel &work) {
  std::vector<Line> lines;
  for (const hal::ProfileRecord &record : records) {
    std::string name = nameOf(record);
    auto line = std::ranges::find(lines, name, &Line::label);
    if (line == lines.end())
      line = lines.insert(lines.end(), Line{std::move(name), {}, 0, 0, 0});
    line->device.push_back(duration(record));
    line->deviceTotal += duration(record);
    line->hostTotal += double(record.hostNanoseconds);
    line->bytes += double(record.bytes);
  }
  std::ranges::sort(lines, [](const Line &a, const Line &b) {
    return std::pair(b.deviceTotal, std::string_view(a.label)) <
           std::pair(a.deviceTotal, std::string_view(b.label));
  });
  std::vector<std::array<std::string, 7>> rows{
      {"kernel", "launches", "device", "each", "host", "GB/s", "GFLOP/s"}};
  for (const Line &line : lines) {
    auto known = work.find(line.label);
    Work each = known == work.end() ? Work() : known->second;
    double one = median(line.device);
    // Copies differ in size: all bytes in all the time.
    std::string rate =
        line.bytes > 0 ? rateText(line.bytes, line.deviceTotal) : rateText(each.bytes, one);
    rows.push_back({line.label, std::to_string(line.device.size()), timeText(line.deviceTotal),
                    timeText(one), timeText(line.hostTotal), rate, rateText(each.operations, one)});
  }
  std::array<size_t, 7> widths{};
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string table;
  for (const auto &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      std::string pad(widths[i] - row[i].size(), ' ');
      table += (i ? "  " + pad + row[i] : row[i] + pad);
    }
    table += '\n';
  }
  return table;
}

std::string chromeTrace(std::span<const hal::ProfileRecord> records, const std::string &device) {
  uint64_t start = UINT64_MAX;
  for (const hal::ProfileRecord &record : records)
    start = std::min(start, record.deviceBegin);
  std::string text = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
                     "  {\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": "
                     "{\"name\": " +
                     json::quote(device) + "}}";
  for (const hal::ProfileRecord &record : records)
    text +=
        ",\n  {\"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"name\": " + json::quote(nameOf(record)) +
        ", \"cat\": " + json::quote(kindName(record.kind)) +
        ", \"ts\": " + microseconds(record.deviceBegin - start) +
        ", \"dur\": " + microseconds(uint64_t(duration(record))) +
        ", \"args\": {\"host_us\": " + microseconds(record.hostNanoseconds) +
        ", \"bytes\": " + std::to_string(record.bytes) + "}}";
  return text + "\n]}\n";
}

} // namespace pumice::run
