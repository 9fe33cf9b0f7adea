//===- Helpers.cpp - functions that launchers call --------------------------===//
// A launcher contains only the helpers that it calls, since compilers warn about others.
//===-------------------------------------------------------------------------===//
#include "compiler/export/Launcher.h"

#include <utility>

using namespace pumice;
using namespace pumice::exporting;

namespace {

using Helper = std::pair<std::string, std::string>;

/// Sums and products of grids and conditions. An operation without a result notes the problem.
std::vector<Helper> sums() {
  return {{"whole_sum", R"(/* Adds. */
static int64_t whole_sum(int64_t a, int64_t b, const char **problem) {
  if (b < 0 ? a < INT64_MIN - b : a > INT64_MAX - b) {
    *problem = "exceeds 64 bits";
    return 0;
  }
  return a + b;
}
)"},
          {"whole_difference", R"(/* Subtracts. */
static int64_t whole_difference(int64_t a, int64_t b, const char **problem) {
  if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b) {
    *problem = "exceeds 64 bits";
    return 0;
  }
  return a - b;
}
)"},
          {"whole_product", R"(/* Multiplies. */
static int64_t whole_product(int64_t a, int64_t b, const char **problem) {
  if (b > 0    ? a > INT64_MAX / b || a < INT64_MIN / b
      : b < -1 ? a > INT64_MIN / b || a < INT64_MAX / b
               : b < 0 && a == INT64_MIN) {
    *problem = "exceeds 64 bits";
    return 0;
  }
  return a * b;
}
)"}};
}

/// The other arithmetic of grids and conditions.
std::vector<Helper> arithmetic() {
  return {{"floor_divide", R"(/* Divides as Python's // does. */
static int64_t floor_divide(int64_t a, int64_t b, const char **problem) {
  int64_t quotient;
  if (b == 0 || (a == INT64_MIN && b == -1)) {
    *problem = b == 0 ? "divides by zero" : "exceeds 64 bits";
    return 0;
  }
  quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
)"},
          {"floor_modulo", R"(/* Returns the remainder of Python's %. */
static int64_t floor_modulo(int64_t a, int64_t b, const char **problem) {
  int64_t rest;
  if (b == 0)
    *problem = "divides by zero";
  if (b == 0 || b == -1)
    return 0;
  rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
)"},
          {"whole_divide", R"(/* Divides as C does. */
static int64_t whole_divide(int64_t a, int64_t b, const char **problem) {
  if (b == 0 || (a == INT64_MIN && b == -1)) {
    *problem = b == 0 ? "divides by zero" : "exceeds 64 bits";
    return 0;
  }
  return a / b;
}
)"},
          {"whole_unsigned", R"(/* Returns a number that has a sign. */
static int64_t whole_unsigned(uint64_t a, const char **problem) {
  if (a > INT64_MAX)
    *problem = "exceeds 63 bits";
  return a > INT64_MAX ? 0 : (int64_t)a;
}
)"},
          {"smaller", R"(/* Returns the smaller number. */
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
)"},
          {"larger", R"(/* Returns the larger number. */
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
)"},
          {"shift_left", R"(/* Multiplies by a power of two. */
static int64_t shift_left(int64_t a, int64_t bits, const char **problem) {
  if (bits < 0)
    *problem = "shifts by a negative number";
  else if (a != 0 && (bits > 62 || a > INT64_MAX >> bits || a < INT64_MIN >> bits))
    *problem = "exceeds 64 bits";
  else
    return a == 0 ? 0 : (int64_t)((uint64_t)a << bits);
  return 0;
}
)"},
          {"shift_right", R"(/* Divides by a power of two, and rounds down. */
static int64_t shift_right(int64_t a, int64_t bits, const char **problem) {
  if (bits < 0) {
    *problem = "shifts by a negative number";
    return 0;
  }
  return a >> (bits > 63 ? 63 : bits);
}
)"}};
}

/// Helpers for arguments.
std::vector<Helper> conversions() {
  return {{"is_aligned",
           R"(/* Returns whether the memory of an argument begins at a multiple of `bytes`. */
static int is_aligned(const pumice_argument *argument, uint64_t bytes) {
  uint64_t address;
  if (!argument->buffer)
    return 1;
  address = pumice_buffer_address(argument->buffer);
  if (!address)
    address = (uint64_t)(uintptr_t)pumice_buffer_map(argument->buffer);
  return (address + argument->offset) % bytes == 0;
}
)"},
          {"overlap", R"(/* Returns whether two arguments share memory. */
static int overlap(const pumice_argument *a, const pumice_argument *b) {
  uint64_t size, a_end, b_end;
  if (!a->buffer || a->buffer != b->buffer)
    return 0;
  size = pumice_buffer_bytes(a->buffer);
  a_end = a->bytes == PUMICE_TO_END ? size : a->offset + a->bytes;
  b_end = b->bytes == PUMICE_TO_END ? size : b->offset + b->bytes;
  return a->offset < b_end && b->offset < a_end;
}
)"},
          {"to_f16", R"(/* Rounds to the nearest float of 16 bits. */
static uint16_t to_f16(float value) {
  uint32_t bits, sign, rest;
  float scaled;
  memcpy(&bits, &value, sizeof bits);
  sign = bits >> 16 & 0x8000u;
  rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u)
    return (uint16_t)(sign | 0x7e00u);
  if (rest >= 0x477ff000u)
    return (uint16_t)(sign | 0x7c00u);
  if (rest < 0x38800000u) { /* subnormal: the addition rounds to multiples of 2^-24 */
    memcpy(&scaled, &rest, sizeof scaled);
    scaled += 0.5f;
    memcpy(&rest, &scaled, sizeof rest);
    return (uint16_t)(sign | (rest - 0x3f000000u));
  }
  rest += 0xc8000fffu + (rest >> 13 & 1u);
  return (uint16_t)(sign | rest >> 13);
}
)"},
          {"to_bf16", R"(/* Rounds to the nearest bfloat16. */
static uint16_t to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return (uint16_t)(bits >> 16 | 0x40u);
  return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
)"}};
}

/// The function that launches, and the failure of an expression.
std::vector<Helper> starting() {
  return {
      {"fail_problem", R"(/* Fails since an expression of the arguments has no value. */
static pumice_status fail_problem(const char *kernel, const char *problem) {
  char text[256];
  snprintf(text, sizeof text,
           "kernel '%.100s': an expression for its grid or its choice %s; pass other arguments",
           kernel, problem);
  return pumice_fail(PUMICE_INVALID_ARGUMENT, text);
}
)"},
      {"start",
       R"(/* Launches the entry point `entry` with the arguments whose indices are in `taken`. */
static pumice_status start(pumice_executable *kernels, pumice_queue *queue, const char *kernel,
                           const char *entry, const pumice_function_options *options,
                           const char *problem, const int64_t grid[3],
                           const pumice_argument *all, const unsigned *taken, unsigned count) {
  pumice_argument arguments[MOST_ARGUMENTS];
  pumice_launch_options launch = PUMICE_INIT(pumice_launch_options);
  pumice_function *function = NULL;
  pumice_status status;
  unsigned i;
  if (problem)
    return fail_problem(kernel, problem);
  for (i = 0; i < 3; ++i) {
    if (grid[i] < 0 || grid[i] > UINT32_MAX) {
      char text[256];
      snprintf(text, sizeof text,
               "kernel '%.100s': axis %u of the grid is %lld; expected 0 to 2^32-1", kernel, i,
               (long long)grid[i]);
      return pumice_fail(PUMICE_INVALID_ARGUMENT, text);
    }
    launch.groups[i] = (uint32_t)grid[i];
  }
  for (i = 0; i < count; ++i)
    arguments[i] = all[taken[i]];
  status = pumice_executable_function(kernels, entry, options, &function);
  if (status == PUMICE_OK)
    status = pumice_launch(queue, function, &launch, arguments, count);
  pumice_function_release(function);
  return status;
}
)"}};
}

const std::vector<Helper> &helpers() {
  static const std::vector<Helper> all = [] {
    std::vector<Helper> joined = sums();
    for (const auto &more : {arithmetic(), conversions(), starting()})
      joined.insert(joined.end(), more.begin(), more.end());
    return joined;
  }();
  return all;
}

} // namespace

std::string exporting::helperText(const std::string &name) {
  for (const auto &[key, text] : helpers())
    if (key == name)
      return text;
  return {};
}

const std::vector<std::string> &exporting::helperOrder() {
  static const std::vector<std::string> order = [] {
    std::vector<std::string> names;
    for (const auto &[key, text] : helpers())
      names.push_back(key);
    return names;
  }();
  return order;
}
