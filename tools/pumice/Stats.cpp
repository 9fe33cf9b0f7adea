//===- Stats.cpp - pumice compile --stats -----------------------------------===//
#include "tools/pumice/Stats.h"

#include "support/JsonWriter.h"
#include "tools/driver-stats/DriverStatistics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <cstring>
#include <map>

using namespace pumice;
using namespace pumice::tools;

//===-------------------------------------------------------------------------===//
// Choosing drivers
//===-------------------------------------------------------------------------===//

/// Returns the folder where setup/mesa25.sh unpacks: next to this program's folder, or the one that
/// PUMICE_MESA25 names.
static std::string mesa25Folder() {
  if (const char *folder = std::getenv("PUMICE_MESA25"))
    return folder;
  std::string self =
      llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&mesa25Folder));
  return (llvm::sys::path::parent_path(llvm::sys::path::parent_path(self)) + "/mesa25").str();
}

/// Returns the architecture for `name`, which is an architecture ("rdna3") or a GPU of one
/// ("navi31"). Returns an empty text for other names.
static std::string architectureOf(llvm::StringRef name) {
  for (const vulkan::NullFamily &family : vulkan::nullFamilies())
    for (const char *known : {family.architecture, family.mesa22, family.mesa25})
      if (known && name == known)
        return family.architecture;
  return {};
}

static Result<DriverChoice> driverNamed(llvm::StringRef name) {
  DriverChoice choice;
  choice.name = name.str();
  if (name == "device")
    return choice;
  if (name.consume_front("device:")) {
    choice.device = name.str();
    return choice;
  }
  if (name.ends_with(".json")) {
    if (!llvm::sys::fs::exists(name))
      return Status(StatusCode::NotFound, "no driver file '" + name.str() + "'");
    choice.icdFile = name.str();
    return choice;
  }
  if (std::string architecture = architectureOf(name); !architecture.empty())
    return nullDriverFor(architecture, mesa25Folder());
  std::string known;
  for (const vulkan::NullFamily &family : vulkan::nullFamilies())
    known += std::string(family.architecture) + ", ";
  return Status(StatusCode::NotFound, "no driver '" + name.str() + "' to ask; there are " + known +
                                          "'device', 'device:TEXT', and drivers' .json files");
}

//===-------------------------------------------------------------------------===//
// Asking the drivers
//===-------------------------------------------------------------------------===//

static uint64_t countInstructions(const std::vector<uint8_t> &code) {
  std::vector<uint32_t> words(code.size() / sizeof(uint32_t));
  std::memcpy(words.data(), code.data(), words.size() * sizeof(uint32_t));
  uint64_t count = 0;
  constexpr size_t headerWords = 5;
  for (size_t at = headerWords; at < words.size(); ++count)
    at += std::max<uint32_t>(words[at] >> 16, 1);
  return count;
}

static void add(std::optional<uint64_t> &sum, std::optional<uint64_t> value) {
  if (value)
    sum = sum.value_or(0) + *value;
}

static DriverAnswer ask(const DriverChoice &driver, const executable::Variant &variant,
                        const executable::Interface &interface) {
  DriverAnswer answer;
  answer.driver = driver.name;
  Result<vulkan::PipelineReport> report = driverStatistics(driver, requestFor(variant, interface));
  if (!report.isOk()) {
    answer.rejected = report.status();
    return answer;
  }
  answer.device = report->device;
  if (report->executables.empty())
    return answer;
  const vulkan::ExecutableStatistics &main = report->executables.front();
  answer.subgroupSize = main.subgroupSize;
  answer.vectorRegisters = main.vectorRegisters;
  answer.scalarRegisters = main.scalarRegisters;
  add(answer.spilledRegisters, main.spilledVectorRegisters);
  add(answer.spilledRegisters, main.spilledScalarRegisters);
  answer.workgroupMemoryBytes = main.workgroupMemoryBytes;
  answer.scratchBytes = main.scratchBytes;
  answer.codeBytes = main.codeBytes;
  answer.instructions = main.instructions;
  return answer;
}

Result<Stats> tools::collectStats(const executable::Executable &contents,
                                  const std::vector<std::string> &drivers) {
  std::vector<DriverChoice> chosen;
  for (const std::string &name : drivers) {
    Result<DriverChoice> driver = driverNamed(name);
    if (!driver.isOk())
      return driver.status();
    chosen.push_back(*driver);
  }
  Stats stats;
  std::map<std::string, Result<DriverChoice>> ownDrivers; // by target
  for (const executable::Variant &variant : contents.variants) {
    bool isVulkan = variant.kind == executable::VariantKind::VulkanSpirv;
    if (!isVulkan && variant.kind != executable::VariantKind::OpenclSpirv)
      continue;
    if (!isVulkan && !drivers.empty())
      stats.notes.push_back(variant.target + ": drivers of Vulkan do not take its code");
    std::string architecture = architectureOf(variant.target);
    if (drivers.empty() && !architecture.empty() && !ownDrivers.contains(variant.target)) {
      auto own = ownDrivers.emplace(variant.target, nullDriverFor(architecture, mesa25Folder()));
      if (!own.first->second.isOk())
        stats.notes.push_back(variant.target + ": " +
                              std::string(own.first->second.status().message()));
    }
    for (const executable::Interface &interface : variant.interfaces) {
      KernelStats kernel{interface.entryPoint,
                         variant.target,
                         variant.code.size() / 4,
                         countInstructions(variant.code),
                         {}};
      for (const DriverChoice &driver : chosen)
        if (isVulkan)
          kernel.answers.push_back(ask(driver, variant, interface));
      if (auto own = ownDrivers.find(variant.target); own != ownDrivers.end() && own->second.isOk())
        kernel.answers.push_back(ask(*own->second, variant, interface));
      stats.kernels.push_back(std::move(kernel));
    }
  }
  return stats;
}

//===-------------------------------------------------------------------------===//
// Tables
//===-------------------------------------------------------------------------===//

using Row = std::vector<std::string>;

static Row rowOf(const KernelStats &kernel, const DriverAnswer *answer) {
  auto cell = [](std::optional<uint64_t> value) {
    return value ? std::to_string(*value) : std::string("-");
  };
  Row row{kernel.kernel, kernel.target, std::to_string(kernel.words),
          std::to_string(kernel.instructions)};
  DriverAnswer none;
  const DriverAnswer &a = answer ? *answer : none;
  for (std::optional<uint64_t> value : {a.vectorRegisters, a.scalarRegisters, a.spilledRegisters,
                                        a.workgroupMemoryBytes, a.scratchBytes, a.codeBytes})
    row.push_back(cell(value));
  row.push_back(answer && a.subgroupSize ? std::to_string(a.subgroupSize) : "-");
  row.push_back(!answer ? "-" : a.driver + (a.rejected.isOk() ? "" : ": rejected, see below"));
  return row;
}

/// Prints a table. Columns from `firstNumber` on are aligned to the right.
static void printTable(const std::vector<Row> &rows, size_t firstNumber, size_t lastNumber,
                       llvm::raw_ostream &out) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row &row : rows)
    for (auto [width, cell] : llvm::zip(widths, row))
      width = std::max(width, cell.size());
  for (const Row &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string padding(widths[i] - row[i].size(), ' ');
      bool toTheRight = i >= firstNumber && i <= lastNumber;
      line += (toTheRight ? padding + row[i] : row[i] + padding) + "  ";
    }
    out << llvm::StringRef(line).rtrim() << "\n";
  }
}

/// Returns "registers (4 a lane), 2 times; array (256 bytes a lane)".
static std::string placesOf(const lower::tiles::LoadPlace &load) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "registers (" << load.registers << " a lane)";
  if (load.times > 1)
    out << ", " << load.times << " times";
  if (load.isAhead)
    out << ", a turn ahead";
  if (load.arrayBytes)
    out << "; array (" << load.arrayBytes << " bytes a lane)";
  if (load.workgroupBytes)
    out << "; workgroup memory (" << load.workgroupBytes << " bytes)";
  if (!load.fragments.empty())
    out << "; fragments (" << load.fragments << ")";
  return text;
}

static void printLoads(const std::vector<KernelLoads> &all, llvm::raw_ostream &out) {
  std::vector<Row> rows{{"load", "kernel", "target", "by", "type", "at once", "kept in"}};
  for (const KernelLoads &kernel : all)
    for (const lower::tiles::LoadPlace &load : kernel.loads)
      rows.push_back({load.location, kernel.kernel, kernel.target, load.form, load.type,
                      std::to_string(load.atOnce), placesOf(load)});
  constexpr size_t atOnce = 5;
  if (rows.size() > 1) {
    out << "\n";
    printTable(rows, atOnce, atOnce, out);
  }
}

void tools::printStats(const Stats &stats, llvm::raw_ostream &out) {
  std::vector<Row> rows{{"kernel", "target", "words", "instructions", "VGPRs", "SGPRs", "spilled",
                         "LDS", "scratch", "code", "lanes", "driver"}};
  std::vector<std::string> notes;
  for (const KernelStats &kernel : stats.kernels) {
    if (kernel.answers.empty())
      rows.push_back(rowOf(kernel, nullptr));
    for (const DriverAnswer &answer : kernel.answers) {
      rows.push_back(rowOf(kernel, &answer));
      if (!answer.rejected.isOk())
        notes.push_back(kernel.kernel + " for " + kernel.target +
                        " was rejected: " + std::string(answer.rejected.message()));
    }
  }
  constexpr size_t words = 2, lanes = 10;
  printTable(rows, words, lanes, out);
  printLoads(stats.loads, out);
  llvm::append_range(notes, stats.notes);
  for (const std::string &note : notes)
    out << "note: " << note << "\n";
}

//===-------------------------------------------------------------------------===//
// JSON
//===-------------------------------------------------------------------------===//

// Members are in the order of their names.

static void write(JsonWriter &json, const DriverAnswer &a) {
  json.beginObject();
  if (!a.rejected.isOk()) {
    json.member("driver", a.driver).member("rejected", a.rejected.message()).end();
    return;
  }
  auto number = [&](std::string_view name, std::optional<uint64_t> value) {
    if (value)
      json.member(name, *value);
  };
  number("codeBytes", a.codeBytes);
  json.member("device", a.device).member("driver", a.driver);
  number("instructions", a.instructions);
  number("scalarRegisters", a.scalarRegisters);
  number("scratchBytes", a.scratchBytes);
  number("spilledRegisters", a.spilledRegisters);
  json.member("subgroupSize", a.subgroupSize);
  number("vectorRegisters", a.vectorRegisters);
  number("workgroupMemoryBytes", a.workgroupMemoryBytes);
  json.end();
}

static void write(JsonWriter &json, const lower::tiles::LoadPlace &load) {
  json.beginObject().member("arrayBytesPerLane", load.arrayBytes).member("by", load.form);
  json.member("elements", load.elements).member("elementsAtOnce", load.atOnce);
  if (!load.fragments.empty())
    json.member("fragments", load.fragments);
  json.member("location", load.location).member("registersPerLane", load.registers);
  json.member("times", load.times).member("turnAhead", load.isAhead);
  json.member("type", load.type).member("workgroupMemoryBytes", load.workgroupBytes).end();
}

std::string tools::statsJson(const Stats &stats) {
  JsonWriter json;
  json.beginObject();
  json.list("kernels", stats.kernels, [&](const KernelStats &kernel) {
    json.beginObject();
    json.list("drivers", kernel.answers, [&](const DriverAnswer &a) { write(json, a); });
    json.member("kernel", kernel.kernel).member("spirvInstructions", kernel.instructions);
    json.member("spirvWords", kernel.words).member("target", kernel.target).end();
  });
  json.list("loads", stats.loads, [&](const KernelLoads &kernel) {
    json.beginObject().member("kernel", kernel.kernel);
    json.list("loads", kernel.loads, [&](const auto &load) { write(json, load); });
    json.member("target", kernel.target).end();
  });
  json.list("notes", stats.notes).end();
  return json.take() + "\n";
}
