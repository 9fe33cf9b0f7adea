//===- FindMergesTest.cpp - finds merges in random control flow -------------===//
// Makes random control flow graphs without merge marks. Some of the graphs are irreducible. The
// test finds the merges, runs the graph on vectors, and compares the result with an interpreter
// that follows the blocks.
// PUMICE_FLOW_KERNELS: the number of graphs (default 40). PUMICE_FLOW_SEED: the seed of the first
// one. PUMICE_FLOW_SHOW: prints the graphs that fail.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/Passes.h"
#include "compiler/cpu/testing/LoadKernels.h"
#include "compiler/cpu/testing/SimdModule.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

using namespace pumice::cpu::testing;

namespace {

constexpr unsigned variables = 3, invocations = 24, fuel = 40;

/// A basic block. It changes one variable; bits of a variable then choose the next block. Fuel
/// bounds the number of iterations: back edges, and sideways edges of irreducible graphs, are taken
/// only while some is left.
struct Step {
  unsigned target = 0, from = 0; // variables
  uint32_t factor = 1, addend = 0;
  unsigned chooser = 0, shift = 0;  // the variable, and the first of its bits that are tested
  std::vector<unsigned> successors; // none: the end. Two: one bit chooses. More: two bits choose
  std::vector<bool> needsFuel;      // for each successor but the last
};

struct Graph {
  std::vector<Step> blocks;
  std::string text() const;
  void follow(uint32_t invocation, std::vector<uint32_t> &words) const;
};

/// Returns the dominators of each block.
std::vector<std::vector<bool>> dominators(const std::vector<Step> &blocks) {
  size_t count = blocks.size();
  std::vector<std::vector<bool>> of(count, std::vector<bool>(count, true));
  of[0].assign(count, false);
  of[0][0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t to = 1; to < count; ++to) {
      std::vector<bool> common(count, true);
      for (size_t from = 0; from < count; ++from)
        for (unsigned successor : blocks[from].successors)
          for (size_t i = 0; successor == to && i < count; ++i)
            common[i] = common[i] && of[from][i];
      common[to] = true;
      changed |= common != of[to];
      of[to] = common;
    }
  }
  return of;
}

Graph randomGraph(unsigned seed, bool reducible) {
  std::mt19937 random(seed);
  auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  Graph graph;
  unsigned count = 3 + below(12);
  for (unsigned i = 0; i < count; ++i) {
    Step step{below(variables),
              below(variables),
              1 + 2 * below(50),
              below(1000),
              below(variables),
              below(12),
              {},
              {}};
    // Adds forward edges. The last edge is taken if no fuel is left for the others.
    unsigned ways = i + 1 == count ? 0 : below(8) == 0 ? 3 : 1 + below(2);
    for (unsigned way = 0; way < ways; ++way)
      step.successors.push_back(i + 1 + below(std::min(count - i - 1, 4U)));
    if (ways && below(12) == 0)
      step.successors.clear(); // makes the graph end here
    step.needsFuel.assign(step.successors.size(), false);
    graph.blocks.push_back(step);
  }
  for (unsigned tries = below(6); tries > 0; --tries) {
    unsigned from = below(count), to = 1 + below(count - 1);
    Step &step = graph.blocks[from];
    bool isBack = reducible ? dominators(graph.blocks)[from][to] : to <= from;
    if (step.successors.empty() || step.successors.size() > 2 || step.needsFuel[0] || !isBack)
      continue;
    step.successors.insert(step.successors.begin(), to);
    step.needsFuel.insert(step.needsFuel.begin(), true);
  }
  return graph;
}

uint32_t input(uint32_t invocation, unsigned variable) {
  return invocation * (variable + 1) * 2654435761U >> (8 + variable);
}

void Graph::follow(uint32_t invocation, std::vector<uint32_t> &words) const {
  uint32_t values[variables], left = fuel;
  for (unsigned i = 0; i < variables; ++i)
    values[i] = input(invocation, i);
  for (unsigned at = 0;;) {
    const Step &step = blocks[at];
    values[step.target] = values[step.from] * step.factor + (values[step.target] ^ step.addend);
    left -= left ? 1 : 0;
    if (step.successors.empty())
      break;
    size_t ways = step.successors.size();
    uint32_t bits = values[step.chooser] >> step.shift;
    size_t chosen = ways == 1 ? 0 : ways == 2 ? (bits & 1 ? 0 : 1) : std::min<size_t>(bits & 3, 2);
    if (step.needsFuel[chosen] && left == 0)
      chosen = ways - 1;
    at = step.successors[chosen];
  }
  words.insert(words.end(), values, values + variables);
}

/// Returns the graph as a flat function. Variables are lane.vars, which mem2reg promotes.
std::string Graph::text() const {
  std::string out;
  llvm::raw_string_ostream os(out);
  os << "func.func @k() attributes {lane.kernel, lane.unmarked, lane.workgroup_size = array<i32: "
     << invocations / 2 << ", 1, 1>} {\n"
     << "%x = lane.builtin local_id_x\n%g = lane.builtin workgroup_id_x\n"
     << "%size = arith.constant " << invocations / 2 << " : i32\n%zero = arith.constant 0 : i32\n"
     << "%one = arith.constant 1 : i32\n%two = arith.constant 2 : i32\n%three = arith.constant 3 : "
        "i32\n"
     << "%base = arith.muli %g, %size : i32\n%id = arith.addi %base, %x : i32\n"
     << "%fuel = lane.var i32\n%full = arith.constant " << fuel << " : i32\n"
     << "lane.set %fuel, %full : i32\n%hash = arith.constant -1640531535 : i32\n";
  for (unsigned i = 0; i < variables; ++i)
    os << "%v" << i << " = lane.var i32\n%m" << i << " = arith.constant " << i + 1 << " : i32\n%s"
       << i << " = arith.constant " << 8 + i << " : i32\n%p" << i << " = arith.muli %id, %m" << i
       << " : i32\n%q" << i << " = arith.muli %p" << i << ", %hash : i32\n%i" << i
       << " = arith.shrui %q" << i << ", %s" << i << " : i32\nlane.set %v" << i << ", %i" << i
       << " : i32\n";
  os << "cf.br ^b0\n";
  for (auto [i, step] : llvm::enumerate(blocks)) {
    auto name = [&, n = i](const char *what) {
      return "%" + std::string(what) + std::to_string(n);
    };
    os << "^b" << i << ":\n"
       << name("f") << " = lane.get %v" << step.from << " : i32\n"
       << name("k") << " = arith.constant " << step.factor << " : i32\n"
       << name("t") << " = lane.get %v" << step.target << " : i32\n"
       << name("a") << " = arith.constant " << step.addend << " : i32\n"
       << name("u") << " = arith.muli " << name("f") << ", " << name("k") << " : i32\n"
       << name("w") << " = arith.xori " << name("t") << ", " << name("a") << " : i32\n"
       << name("n") << " = arith.addi " << name("u") << ", " << name("w") << " : i32\n"
       << "lane.set %v" << step.target << ", " << name("n") << " : i32\n"
       << name("l") << " = lane.get %fuel : i32\n"
       << name("h") << " = arith.cmpi ne, " << name("l") << ", %zero : i32\n"
       << name("d") << " = arith.extui " << name("h") << " : i1 to i32\n"
       << name("e") << " = arith.subi " << name("l") << ", " << name("d") << " : i32\n"
       << "lane.set %fuel, " << name("e") << " : i32\n"
       << name("r") << " = arith.cmpi ne, " << name("e") << ", %zero : i32\n"
       << name("c") << " = lane.get %v" << step.chooser << " : i32\n"
       << name("z") << " = arith.constant " << step.shift << " : i32\n"
       << name("y") << " = arith.shrui " << name("c") << ", " << name("z") << " : i32\n";
    size_t ways = step.successors.size();
    if (ways == 0) {
      os << "cf.br ^end\n";
    } else if (ways == 1) {
      os << "cf.br ^b" << step.successors[0] << "\n";
    } else if (ways == 2) {
      os << name("o") << " = arith.trunci " << name("y") << " : i32 to i1\n";
      std::string condition = name("o");
      if (step.needsFuel[0]) {
        condition = name("j");
        os << condition << " = arith.andi " << name("o") << ", " << name("r") << " : i1\n";
      }
      os << "cf.cond_br " << condition << ", ^b" << step.successors[0] << ", ^b"
         << step.successors[1] << "\n";
    } else {
      os << name("o") << " = arith.andi " << name("y") << ", %three : i32\n";
      std::string flag = name("o");
      if (step.needsFuel[0]) { // without fuel, the last successor replaces the first one
        os << name("j") << " = arith.cmpi eq, " << flag << ", %zero : i32\n"
           << name("jj") << " = arith.cmpi eq, " << name("e") << ", %zero : i32\n"
           << name("jk") << " = arith.andi " << name("j") << ", " << name("jj") << " : i1\n"
           << name("jl") << " = arith.select " << name("jk") << ", %two, " << flag << " : i32\n";
        flag = name("jl");
      }
      os << "cf.switch " << flag << " : i32, [default: ^b" << step.successors[2] << ", 0: ^b"
         << step.successors[0] << ", 1: ^b" << step.successors[1] << "]\n";
    }
  }
  os << "^end:\n%out = lane.buffer 0, 0\n%wide = arith.extui %id : i32 to i64\n"
     << "%bytes = arith.constant " << 4 * variables << " : i64\n"
     << "%at = arith.muli %wide, %bytes : i64\n%place = lane.offset %out[%at]\n";
  for (unsigned i = 0; i < variables; ++i)
    os << "%r" << 1000 + i << " = lane.get %v" << i << " : i32\n";
  os << "lane.store %r1000, %r1001, %r1002 to %place align 4 : i32, i32, i32\nreturn\n}\n";
  return out;
}

/// Converts flat text to structured text. If a pass fails, reports it and returns an empty text.
std::string structured(const std::string &text) {
  mlir::MLIRContext context;
  auto module = loadKernels(text, context);
  if (!module) {
    ADD_FAILURE() << "the kernel is not a module:\n" << text;
    return {};
  }
  mlir::PassManager pm(&context);
  auto &inner = pm.nest<mlir::func::FuncOp>();
  inner.addPass(mlir::createMem2Reg());
  inner.addPass(pumice::cpu::createFindMerges());
  inner.addPass(pumice::cpu::createStructureLanes());
  if (failed(pm.run(*module))) {
    ADD_FAILURE() << "a pass fails on\n" << text;
    return {};
  }
  std::string out;
  llvm::raw_string_ostream os(out);
  for (auto function : module->getOps<mlir::func::FuncOp>())
    function.print(os);
  return out;
}

unsigned setting(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

void runRandom(bool reducible) {
  unsigned first = setting("PUMICE_FLOW_SEED", 1), count = setting("PUMICE_FLOW_KERNELS", 40);
  for (unsigned seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Graph graph = randomGraph(seed, reducible);
    std::vector<uint32_t> expected;
    for (unsigned i = 0; i < invocations; ++i)
      graph.follow(i, expected);
    std::string text = graph.text(), kernel = structured(text);
    if (kernel.empty())
      return;
    SimdModule module(kernel, seed % 2 ? 4 : 8);
    LaunchMemory memory;
    memory.buffers.assign(1, std::vector<uint32_t>(expected.size(), 0));
    ASSERT_EQ(module.run("k", {2, 1, 1}, memory), 0U);
    ASSERT_EQ(memory.buffers[0], expected)
        << (std::getenv("PUMICE_FLOW_SHOW") ? text + kernel : "");
  }
}

TEST(FindMerges, RandomReducibleGraphs) { runRandom(true); }
TEST(FindMerges, RandomGraphs) { runRandom(false); }

} // namespace
