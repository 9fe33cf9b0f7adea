//===- PrintMemref.cpp - printMemrefF32 and its relatives -------------------===//
// The names and the form of the output are those of MLIR's runner utilities. So programs written
// for them, and checks of their output, work unchanged. All element types are supported, and also
// memory that only the device sees.
//===-------------------------------------------------------------------------===//
#include "tools/run-host/HostSymbols.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

using namespace pumice;
using namespace pumice::run;

namespace {

//===-------------------------------------------------------------------------===//
// Elements
//===-------------------------------------------------------------------------===//

/// Converts a float of 16 bits or fewer, given the widths of its fields. It has IEEE's infinity and
/// NaN. With `finite`, it has no infinity and one NaN.
template <int exponentBits, int mantissaBits, bool finite = false> double small(uint32_t bits) {
  int bias = (1 << (exponentBits - 1)) - 1;
  uint32_t mantissa = bits & ((1u << mantissaBits) - 1);
  uint32_t exponent = bits >> mantissaBits & ((1u << exponentBits) - 1);
  bool negative = bits >> (mantissaBits + exponentBits) & 1;
  uint32_t top = (1u << exponentBits) - 1;
  double value;
  if (exponent == top && (!finite || mantissa == (1u << mantissaBits) - 1))
    value = mantissa ? std::nan("") : HUGE_VAL;
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - bias - mantissaBits);
  else
    value = std::ldexp(mantissa + (1u << mantissaBits),
                       static_cast<int>(exponent) - bias - mantissaBits);
  return negative ? -value : value;
}

template <typename T> T load(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

/// One element type: its name in function names, its size, and how to print it.
struct Element {
  const char *suffix;
  uint64_t bytes;
  std::string (*text)(const std::byte *);
};

template <typename T> std::string integer(const std::byte *from) {
  return std::to_string(load<T>(from));
}
template <typename T> std::string floating(const std::byte *from) { return number(load<T>(from)); }
template <typename T> std::string complex(const std::byte *from) {
  return "(" + number(load<T>(from)) + "," + number(load<T>(from + sizeof(T))) + ")";
}
template <typename T, double (*decode)(uint32_t)> std::string narrow(const std::byte *from) {
  return number(decode(load<T>(from)));
}

constexpr Element elements[] = {
    {"I1", 1, [](const std::byte *from) { return integer<uint8_t>(from); }},
    {"I8", 1, integer<int8_t>},
    {"I16", 2, integer<int16_t>},
    {"I32", 4, integer<int32_t>},
    {"I64", 8, integer<int64_t>},
    {"Ind", 8, integer<int64_t>},
    {"U8", 1, integer<uint8_t>},
    {"U16", 2, integer<uint16_t>},
    {"U32", 4, integer<uint32_t>},
    {"U64", 8, integer<uint64_t>},
    {"F8E5M2", 1, narrow<uint8_t, small<5, 2>>},
    {"F8E4M3", 1, narrow<uint8_t, small<4, 3>>},
    {"F8E4M3FN", 1, narrow<uint8_t, small<4, 3, true>>},
    {"F16", 2, narrow<uint16_t, small<5, 10>>},
    {"BF16", 2, narrow<uint16_t, small<8, 7>>},
    {"F32", 4, floating<float>},
    {"F64", 8, floating<double>},
    {"C32", 8, complex<float>},
    {"C64", 16, complex<double>},
};

//===-------------------------------------------------------------------------===//
// Memrefs
//===-------------------------------------------------------------------------===//

/// The reason why elements could not be read. It is kept outside the frames that `end` leaves.
Status unreadable;

/// Is called before a function returns to compiled code, when its frame owns nothing any more.
void endIfUnreadable() {
  if (!unreadable.isOk())
    RunningProgram::current->end(std::exchange(unreadable, Status::ok()));
}

/// Where the elements can be read: at their address, or in `copy`. Null if they cannot.
const std::byte *readable(const Memref &memref, std::vector<std::byte> &copy) {
  RunningProgram &program = *RunningProgram::current;
  Memref::Reach reach = memref.reach();
  Region *region = program.runtime->memory().find(memref.aligned + reach.first);
  if (!region || !(region->reserved || region->freedAt) || reach.end == 0)
    return memref.aligned;
  copy.resize(static_cast<size_t>(reach.end - reach.first));
  Status read =
      program.runtime->read(copy.data(), *region, memref.aligned + reach.first, copy.size());
  if (!read.isOk()) {
    copy.clear();
    unreadable = std::move(read).at("a memref to be printed");
    return nullptr;
  }
  return copy.data() - reach.first;
}

struct Printer {
  const Memref &memref;
  const std::byte *base;
  const Element &element;
  std::string out;

  void print(size_t dimension, int64_t at) {
    if (dimension == memref.sizes.size()) {
      out += element.text(base + at * static_cast<int64_t>(element.bytes));
      return;
    }
    bool innermost = dimension + 1 == memref.sizes.size();
    out += '[';
    for (int64_t i = 0; i < memref.sizes[dimension]; ++i) {
      if (i != 0) {
        out += innermost ? ", " : ", \n";
        out.append(innermost ? memref.sizes.size() : dimension + 1, ' ');
      }
      print(dimension + 1, at + i * memref.strides[dimension]);
    }
    out += ']';
  }
};

std::string list(std::span<const int64_t> values) {
  std::string result = "[";
  for (size_t i = 0; i < values.size(); ++i)
    result += (i ? ", " : "") + std::to_string(values[i]);
  return result + "]";
}

void put(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout); // keeps the order relative to the output of kernels
}

std::string header(const Memref &memref) {
  char address[32];
  std::snprintf(address, sizeof address, "%p", static_cast<void *>(memref.aligned));
  return "base@ = " + std::string(address) + " rank = " + std::to_string(memref.sizes.size()) +
         " offset = " + std::to_string(memref.offset) + " sizes = " + list(memref.sizes) +
         " strides = " + list(memref.strides);
}

void printData(const char *kind, const Memref &memref, const Element &element) {
  std::vector<std::byte> copy;
  const std::byte *base = readable(memref, copy);
  if (!base && !memref.isEmpty())
    return;
  Printer printer{memref, base, element, kind + header(memref) + " data = \n"};
  if (memref.sizes.empty())
    printer.out += '[';
  printer.print(0, memref.offset);
  printer.out += memref.sizes.empty() ? "]\n" : "\n";
  put(printer.out);
}

template <size_t type> void printUnranked(const void *descriptor) {
  printData("Unranked Memref ", Memref::unranked(descriptor, elements[type].bytes), elements[type]);
  endIfUnreadable();
}

template <size_t type> void printUnpacked(int64_t rank, const void *descriptor) {
  printData("Unranked Memref ", Memref::ranked(descriptor, rank, elements[type].bytes),
            elements[type]);
  endIfUnreadable();
}

template <size_t type> void printShape(const void *descriptor) {
  put("Unranked Memref " + header(Memref::unranked(descriptor, elements[type].bytes)) + "\n");
}

template <size_t type, int64_t rank> void printRanked(const void *descriptor) {
  printData("Memref ", Memref::ranked(descriptor, rank, elements[type].bytes), elements[type]);
  endIfUnreadable();
}

/// Prints and returns how many elements differ. NaN equals NaN.
template <size_t type> int64_t compare(const void *actual, const void *expected) {
  const Element &element = elements[type];
  Memref a = Memref::unranked(actual, element.bytes), b = Memref::unranked(expected, element.bytes);
  if (!std::equal(a.sizes.begin(), a.sizes.end(), b.sizes.begin(), b.sizes.end())) {
    put("shapes differ: " + list(a.sizes) + ", expected " + list(b.sizes) + "\n");
    return 1;
  }
  std::vector<std::byte> copies[2];
  const std::byte *left = readable(a, copies[0]), *right = readable(b, copies[1]);
  if (!a.isEmpty() && (!left || !right))
    return 1;
  int64_t differing = 0;
  auto bytes = static_cast<int64_t>(element.bytes);
  forEachRun(a, b, [&](int64_t atA, int64_t atB, uint64_t count) {
    for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) {
      std::string found = element.text(left + (atA + i) * bytes),
                  wanted = element.text(right + (atB + i) * bytes);
      if (found != wanted && ++differing <= 10)
        put("element " + std::to_string(atA + i) + " is " + found + ", expected " + wanted + "\n");
    }
  });
  return differing;
}

template <size_t type> int64_t verify(const void *actual, const void *expected) {
  int64_t differing = compare<type>(actual, expected);
  endIfUnreadable();
  return differing;
}

template <typename F> void add(HostSymbols &symbols, std::string name, F *function) {
  symbols.emplace_back(std::move(name), reinterpret_cast<void *>(function));
}

template <size_t type, size_t... rank>
void addRanked(HostSymbols &symbols, std::index_sequence<rank...>) {
  (add(symbols, "_mlir_ciface_printMemref" + std::to_string(rank) + "d" + elements[type].suffix,
       printRanked<type, static_cast<int64_t>(rank)>),
   ...);
}

template <size_t type> void addType(HostSymbols &symbols) {
  std::string suffix = elements[type].suffix;
  add(symbols, "_mlir_ciface_printMemref" + suffix, printUnranked<type>);
  add(symbols, "printMemref" + suffix, printUnpacked<type>);
  add(symbols, "_mlir_ciface_printMemrefShape" + suffix, printShape<type>);
  add(symbols, "_mlir_ciface_verifyMemRef" + suffix, verify<type>);
  addRanked<type>(symbols, std::make_index_sequence<5>());
}

template <size_t... type> void addTypes(HostSymbols &symbols, std::index_sequence<type...>) {
  (addType<type>(symbols), ...);
}

} // namespace

void run::addPrintSymbols(HostSymbols &symbols) {
  addTypes(symbols, std::make_index_sequence<std::size(elements)>());
}

//===-------------------------------------------------------------------------===//
// Functions that vector.print calls
//===-------------------------------------------------------------------------===//

static void printI64(int64_t value) { put(std::to_string(value)); }
static void printU64(uint64_t value) { put(std::to_string(value)); }
static void printF32(float value) { put(number(value)); }
static void printF64(double value) { put(number(value)); }
static void printF16(uint16_t bits) { put(number(small<5, 10>(bits))); }
static void printBF16(uint16_t bits) { put(number(small<8, 7>(bits))); }
static void printText(const char *text) { put(text); }
static void printOpen() { put("( "); }
static void printClose() { put(" )"); }
static void printComma() { put(", "); }
static void printNewline() { put("\n"); }

void run::addVectorPrintSymbols(HostSymbols &symbols) {
  add(symbols, "printI64", printI64);
  add(symbols, "printU64", printU64);
  add(symbols, "printF32", printF32);
  add(symbols, "printF64", printF64);
  add(symbols, "printF16", printF16);
  add(symbols, "printBF16", printBF16);
  add(symbols, "printString", printText);
  add(symbols, "printOpen", printOpen);
  add(symbols, "printClose", printClose);
  add(symbols, "printComma", printComma);
  add(symbols, "printNewline", printNewline);
}
