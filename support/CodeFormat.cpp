//===- CodeFormat.cpp - what the checks of shared libraries share -----------===//
#include "support/CodeFormat.h"

#include <cstdio>

namespace pumice::code_format {
namespace {

struct Format {
  const char *name, *system;
  std::string_view magic;
};
constexpr Format formats[] = {{"ELF", "Linux",
                               "\x7f"
                               "ELF"},
                              {"PE", "Windows", "MZ"},
                              {"Mach-O", "macOS", "\xcf\xfa\xed\xfe"}};

bool begins(std::span<const uint8_t> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

} // namespace

const char *toString(Machine machine) {
  switch (machine) {
  case Machine::X86:
    return "x86";
  case Machine::X86_64:
    return "x86-64";
  case Machine::Arm:
    return "Arm";
  case Machine::Aarch64:
    return "AArch64";
  case Machine::RiscV:
    return "RISC-V";
  case Machine::Other:
    break;
  }
  return "another machine";
}

std::string nameOf(uint32_t number, std::span<const Number> table) {
  for (const Number &row : table)
    if (row.number == number)
      return toString(row.machine);
  char text[24];
  std::snprintf(text, sizeof text, "machine 0x%x", static_cast<unsigned>(number));
  return text;
}

Status expectFormat(std::span<const uint8_t> bytes, const char *format) {
  const Format *wanted = nullptr;
  for (const Format &one : formats)
    if (std::string_view(one.name) == format)
      wanted = &one;
  if (begins(bytes, wanted->magic))
    return Status::ok();
  for (const Format &one : formats)
    if (begins(bytes, one.magic))
      return Status(StatusCode::Unsupported, std::string("the native code is a library for ") +
                                                 one.system + " (" + one.name +
                                                 "); expected one for " + wanted->system + " (" +
                                                 format + "): compile it for this system");
  return incomplete(format, std::string("it does not begin with the magic number of ") + format);
}

Status expectMachine(uint32_t number, std::span<const Number> table, Machine machine,
                     const std::string &more) {
  for (const Number &row : table)
    if (row.number == number && row.machine == machine && more.empty())
      return Status::ok();
  return Status(StatusCode::Unsupported, "the native code is for " + nameOf(number, table) + more +
                                             "; this is " + toString(machine));
}

Status incomplete(const char *format, std::string why) {
  return Status(StatusCode::DataCorrupt, std::string("the native code is not a complete ") +
                                             format + " file: " + std::move(why));
}

} // namespace pumice::code_format
