//===- RandomKernel.cpp - random lane kernels -------------------------------===//
#include "compiler/cpu/testing/RandomKernel.h"

#include <array>
#include <random>
#include <vector>

using namespace pumice::cpu::testing;

namespace {

class Writer {
public:
  explicit Writer(const RandomKernelOptions &options) : options(options), random(options.seed) {}
  std::string kernel();

private:
  enum Construct { If, Switch, Loop, Scope };
  struct Level {
    Construct kind;
    bool continuing = false; // in a loop's continuing region
    bool uniform = false;    // all invocations of the workgroup run this code
  };

  unsigned upTo(unsigned limit) { return random() % limit; }
  bool chance(unsigned percent) { return upTo(100) < percent; }
  std::string fresh() { return "%v" + std::to_string(next++); }
  void line(const std::string &text) { body += text + "\n"; }
  std::string op(const std::string &text) {
    std::string name = fresh();
    line(name + " = " + text);
    return name;
  }
  std::string constant(int64_t value, const char *type = "i32") {
    return op("arith.constant " + std::to_string(value) + " : " + type);
  }
  bool allUniform() const {
    for (const Level &level : levels)
      if (!level.uniform)
        return false;
    return true;
  }

  std::string uniformValue();
  std::string value(unsigned depth);
  std::string address(const std::string &base, const std::string &index, unsigned scale);
  std::string condition(bool uniform);
  std::string variable() { return "%x" + std::to_string(upTo(variables)); }
  void statements(unsigned count);
  void statement();
  void region(Level level, bool mayLeave);
  void ending(bool mayLeave);
  void selection();
  void choice();
  void loop();
  void exchange();

  static constexpr unsigned variables = 4;
  RandomKernelOptions options;
  std::mt19937 random;
  std::string body;
  std::vector<Level> levels;
  unsigned next = 0, budget = 40, invocations = 0;
};

} // namespace

std::string Writer::uniformValue() {
  switch (upTo(3)) {
  case 0:
    return op("lane.builtin workgroup_id_x");
  case 1:
    return op("lane.load " + address("%push", constant(upTo(randomPushWords)), 4) +
              " align 4 : i32");
  default:
    return constant(int(upTo(16)) - 3);
  }
}

std::string Writer::address(const std::string &base, const std::string &index, unsigned scale) {
  std::string wide = op("arith.extsi " + index + " : i32 to i64");
  std::string bytes = op("arith.muli " + wide + ", " + constant(scale, "i64") + " : i64");
  return op("lane.offset " + base + "[" + bytes + "]");
}

std::string Writer::value(unsigned depth) {
  static const char *binary[] = {"addi", "subi", "muli", "xori", "andi", "ori"};
  switch (depth == 0 ? upTo(4) : upTo(9)) {
  case 0:
    return uniformValue();
  case 1:
    return op("lane.get " + variable() + " : i32");
  case 2:
    return op("lane.builtin " + std::string(chance(50) ? "local_index" : "local_id_x"));
  case 3:
    return op(std::string("lane.builtin local_id_") + "yz"[upTo(2)]);
  case 4: {
    std::string low =
        op("arith.andi " + value(depth - 1) + ", " + constant(randomInputWords - 1) + " : i32");
    return op("lane.load " + address("%in", low, 4) + " align 4 : i32");
  }
  case 5: {
    std::string by = op("arith.andi " + value(depth - 1) + ", " + constant(15) + " : i32");
    by = op("arith.addi " + by + ", " + constant(1) + " : i32");
    static const char *division[] = {"divui", "remui", "divsi", "remsi"};
    return op(std::string("arith.") + division[upTo(4)] + " " + value(depth - 1) + ", " + by +
              " : i32");
  }
  case 6: {
    std::string by = constant(1 + upTo(8));
    return op((chance(50) ? "arith.divui " : "arith.remui ") + value(depth - 1) + ", " + by +
              " : i32");
  }
  default: {
    std::string a = value(depth - 1), b = value(depth - 1);
    return op(std::string("arith.") + binary[upTo(6)] + " " + a + ", " + b + " : i32");
  }
  }
}

std::string Writer::condition(bool uniform) {
  static const char *predicate[] = {"eq", "ne", "slt", "sgt", "ult", "uge"};
  std::string a = uniform ? uniformValue() : value(2), b = uniform ? uniformValue() : value(1);
  if (!uniform && chance(60)) { // makes both branches likely
    a = op("arith.andi " + a + ", " + constant(7) + " : i32");
    b = op("arith.andi " + b + ", " + constant(7) + " : i32");
  }
  return op(std::string("arith.cmpi ") + predicate[upTo(6)] + ", " + a + ", " + b + " : i32");
}

/// Writes the terminator of a region: usually lane.end. If `mayLeave` is true, it may also be an
/// exit, a continue or a return.
void Writer::ending(bool mayLeave) {
  if (mayLeave && chance(30) && !levels.empty()) {
    unsigned depth = upTo(levels.size());
    bool uniform = true; // all invocations leave a workgroup construct, or return
    for (unsigned i = 0; i <= depth; ++i)
      uniform &= levels[levels.size() - 1 - i].uniform;
    const Level &target = levels[levels.size() - 1 - depth];
    if (chance(10))
      return line("lane.return");
    if (!target.uniform || uniform) {
      if (target.kind == Loop && !target.continuing && chance(40))
        return line("lane.continue " + std::to_string(depth));
      // Code inside a continuing region may exit, but not continue.
      return line("lane.exit " + std::to_string(depth));
    }
  }
  line("lane.end");
}

void Writer::region(Level level, bool mayLeave) {
  levels.push_back(level);
  line("{");
  statements(upTo(4));
  ending(mayLeave);
  line("}");
  levels.pop_back();
}

void Writer::selection() {
  bool together = options.barriers && allUniform() && chance(50);
  line("lane.if " + condition(together || chance(20)));
  Level level{If, false, together};
  region(level, true);
  line("else");
  region(level, true);
}

void Writer::choice() {
  std::string number = op("arith.andi " + value(2) + ", " + constant(3) + " : i32");
  unsigned cases = 2 + upTo(3), position = upTo(cases);
  std::string numbers;
  for (unsigned i = 0; i < cases; ++i)
    numbers += (i ? ", " : "") + std::to_string(i == position ? 0 : i < position ? i : i - 1);
  line("lane.switch " + number + " : i32 [" + numbers + "] default " + std::to_string(position));
  for (unsigned i = 0; i < cases; ++i) {
    region({Switch, false, false}, true);
    line(i + 1 < cases ? "," : "");
  }
}

void Writer::loop() {
  bool together = options.barriers && allUniform() && chance(60);
  std::string counter = op("lane.var i32");
  line("lane.set " + counter + ", " + constant(0) + " overwrite : i32");
  std::string bound =
      op("arith.andi " + (together ? uniformValue() : value(1)) + ", " + constant(3) + " : i32");
  line("lane.loop {");
  levels.push_back({Loop, false, together});
  std::string count = op("lane.get " + counter + " : i32");
  line("lane.if " + op("arith.cmpi ult, " + count + ", " + bound + " : i32") +
       " {\nlane.end\n} else {\nlane.exit 1\n}");
  statements(1 + upTo(4));
  ending(true);
  line("} continuing {");
  levels.back().continuing = true;
  if (chance(30))
    statements(1);
  count = op("lane.get " + counter + " : i32");
  std::string more = op("arith.addi " + count + ", " + constant(1) + " : i32");
  line("lane.set " + counter + ", " + more + " overwrite : i32");
  levels.pop_back();
  line("lane.end\n}");
}

/// Lets invocations read what other invocations of the workgroup stored.
void Writer::exchange() {
  std::string index = op("lane.builtin local_index");
  line("lane.store " + value(1) + " to " + address("%shared", index, 4) + " align 4 : i32");
  line("lane.barrier");
  std::string other = op("arith.addi " + index + ", " + value(1) + " : i32");
  other = op("arith.remui " + other + ", " + constant(invocations) + " : i32");
  std::string seen = op("lane.load " + address("%shared", other, 4) + " align 4 : i32");
  line("lane.barrier");
  line("lane.set " + variable() + ", " + seen + " : i32");
}

void Writer::statement() {
  bool nests = budget > 0 && levels.size() < 5;
  if (budget)
    --budget;
  switch (nests ? upTo(8) : upTo(3)) {
  case 0:
    return line("lane.set " + variable() + ", " + value(2) + " : i32");
  case 1: {
    std::string place = op("arith.addi %mine, " + constant(upTo(randomOutputWords)) + " : i32");
    return line("lane.store " + value(2) + " to " + address("%out", place, 4) + " align 4 : i32");
  }
  case 2:
    if (options.barriers && allUniform())
      return exchange();
    return line("lane.set " + variable() + ", " + uniformValue() + " : i32");
  case 3:
  case 4:
    return selection();
  case 5:
    return choice();
  case 6:
    return loop();
  default:
    line("lane.scope");
    return region({Scope, false, options.barriers && allUniform() && chance(50)}, true);
  }
}

void Writer::statements(unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    statement();
}

std::string Writer::kernel() {
  static const std::array<unsigned, 3> sizes[] = {{16, 1, 1}, {64, 1, 1}, {24, 1, 1}, {8, 4, 1},
                                                  {5, 3, 2},  {16, 4, 1}, {4, 4, 4},  {7, 1, 1}};
  auto [x, y, z] = sizes[upTo(8)];
  invocations = x * y * z;
  std::string text = "func.func @k() attributes {lane.kernel, lane.workgroup_size = array<i32: " +
                     std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) +
                     ">, lane.shared_bytes = " + std::to_string(4 * invocations) + " : i64} {\n";
  line("%push = lane.push_constants\n%in = lane.buffer 0, 0\n%out = lane.buffer 0, 1\n"
       "%shared = lane.shared 0\n%local = lane.builtin local_index\n"
       "%group = lane.builtin workgroup_id_x");
  std::string linear = op("arith.muli %group, " + constant(invocations) + " : i32");
  linear = op("arith.addi " + linear + ", %local : i32");
  line("%mine = arith.muli " + linear + ", " + constant(randomOutputWords) + " : i32");
  for (unsigned i = 0; i < variables; ++i) {
    line("%x" + std::to_string(i) + " = lane.var i32");
    line("lane.set %x" + std::to_string(i) + ", " + uniformValue() + " : i32");
  }
  line("lane.set %x0, " + value(1) + " : i32");
  line("lane.set %x2, " + value(1) + " : i32");
  if (options.barriers) { // early returns must leave a known result, too
    std::string slot = address("%shared", "%local", 4);
    line("lane.store %local to " + slot + " align 4 : i32\nlane.barrier");
  }
  statements(6);
  for (unsigned i = 0; i < randomOutputWords; ++i) {
    std::string place = op("arith.addi %mine, " + constant(i) + " : i32");
    std::string last = op("lane.get %x" + std::to_string(i) + " : i32");
    line("lane.store " + last + " to " + address("%out", place, 4) + " align 4 : i32");
  }
  return text + body + "return\n}\n";
}

std::string pumice::cpu::testing::randomKernel(const RandomKernelOptions &options) {
  return Writer(options).kernel();
}
