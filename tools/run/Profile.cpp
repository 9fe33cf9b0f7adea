//===- Profile.cpp - reports the times of a run -----------------------------===//
#include "tools/run/Profile.h"

#include "support/JsonWriter.h"

#include <algorithm>
#include <cstdio>

namespace pumice::run {
namespace {
struct Line {
  std::string label;
  std::vector<double> device;                    // the time of each piece of work in nanoseconds
  std::vector<double> byteRates, operationRates; // known rates of work that took time
  double deviceTotal = 0, hostTotal = 0, bytes = 0, operations = 0;
  bool isKernel = false;

  void add(const Measured &measured);
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

/// Returns a kernel's label, or the kind of a copy or fill in brackets.
std::string nameOf(const hal::ProfileRecord &record) {
  if (record.kind == hal::ProfileRecord::Kind::Dispatch)
    return record.label;
  return "[" + std::string(kindName(record.kind)) + "]";
}

double duration(const hal::ProfileRecord &record) {
  return record.deviceEnd > record.deviceBegin ? double(record.deviceEnd - record.deviceBegin) : 0;
}

void Line::add(const Measured &measured) {
  double nanoseconds = duration(measured);
  device.push_back(nanoseconds);
  deviceTotal += nanoseconds;
  hostTotal += double(measured.hostNanoseconds);
  bytes += double(measured.bytes);
  operations += measured.operations;
  isKernel = measured.kind == hal::ProfileRecord::Kind::Dispatch;
  if (measured.bytes > 0 && nanoseconds > 0)
    byteRates.push_back(double(measured.bytes) / nanoseconds);
  if (measured.operations > 0 && nanoseconds > 0)
    operationRates.push_back(measured.operations / nanoseconds);
}

/// Formats "12.3 us": three digits in a suitable unit. Each unit is a thousand times the one
/// before.
std::string unitText(double value, std::span<const char *const> units) {
  size_t unit = 0;
  for (; value >= 1000 && unit + 1 < units.size(); ++unit)
    value /= 1000;
  int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  const char *name = units[unit];
  char text[32];
  std::snprintf(text, sizeof text, "%.*f%s%s", *name ? digits : 0, value, *name ? " " : "", name);
  return text;
}

std::string timeText(double nanoseconds) {
  constexpr const char *units[] = {"ns", "us", "ms", "s"};
  return unitText(nanoseconds, units);
}

/// Returns "-" if the amount is unknown.
std::string amountText(double amount) {
  constexpr const char *units[] = {"", "k", "M", "G", "T", "P"};
  return amount > 0 ? unitText(amount, units) : "-";
}

/// Formats a rate per nanosecond, which is the rate in billions per second.
std::string rateText(double rate) {
  if (!(rate > 0))
    return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", rate);
  return text;
}

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
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

std::string profileTable(std::span<const QueueProfile> queues) {
  std::vector<Line> lines;
  for (const QueueProfile &queue : queues)
    for (const Measured &measured : queue.work) {
      std::string name = nameOf(measured);
      auto line = std::ranges::find(lines, name, &Line::label);
      if (line == lines.end()) {
        line = lines.insert(lines.end(), Line());
        line->label = std::move(name);
      }
      line->add(measured);
    }
  std::ranges::sort(lines, [](const Line &a, const Line &b) {
    return std::pair(b.deviceTotal, std::string_view(a.label)) <
           std::pair(a.deviceTotal, std::string_view(b.label));
  });
  std::vector<std::array<std::string, 9>> rows{
      {"kernel", "launches", "device", "each", "host", "bytes", "GB/s", "operations", "GFLOP/s"}};
  for (const Line &line : lines) {
    // Copies differ in size, so their rate is all bytes divided by the total time.
    double rate = line.isKernel          ? median(line.byteRates)
                  : line.deviceTotal > 0 ? line.bytes / line.deviceTotal
                                         : 0;
    rows.push_back({line.label, std::to_string(line.device.size()), timeText(line.deviceTotal),
                    timeText(median(line.device)), timeText(line.hostTotal), amountText(line.bytes),
                    rateText(rate), amountText(line.operations),
                    rateText(median(line.operationRates))});
  }
  std::array<size_t, 9> widths{};
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

std::string chromeTrace(std::span<const QueueProfile> queues, const hal::DeviceInfo &device) {
  uint64_t start = UINT64_MAX;
  for (const QueueProfile &queue : queues)
    for (const Measured &measured : queue.work)
      start = std::min(start, measured.deviceBegin);
  JsonWriter json;
  auto beginEvent = [&](const char *phase, size_t thread) {
    json.beginObject(JsonWriter::Inline).member("ph", phase).member("pid", 1);
    if (thread > 0)
      json.member("tid", thread);
  };
  auto writeName = [&](size_t thread, const char *what, const std::string &name) {
    beginEvent("M", thread);
    json.member("name", what).key("args").beginObject(JsonWriter::Inline).member("name", name);
    json.end().end();
  };
  json.beginObject().member("displayTimeUnit", "ns").key("traceEvents").beginArray();
  writeName(0, "process_name", device.id + " " + device.name);
  for (size_t i = 0; i < queues.size(); ++i) {
    writeName(i + 1, "thread_name", queues[i].name);
    for (const Measured &measured : queues[i].work) {
      beginEvent("X", i + 1);
      json.member("name", nameOf(measured)).member("cat", kindName(measured.kind));
      json.key("ts").raw(microseconds(measured.deviceBegin - start));
      json.key("dur").raw(microseconds(uint64_t(duration(measured))));
      json.key("args").beginObject(JsonWriter::Inline);
      json.key("host_us").raw(microseconds(measured.hostNanoseconds));
      if (measured.bytes > 0)
        json.member("bytes", measured.bytes);
      if (measured.operations > 0)
        json.member("operations", uint64_t(measured.operations));
      json.end().end();
    }
  }
  return json.end().end().take() + "\n";
}

} // namespace pumice::run
