//===- RunDataTest.cpp - launch files: valid ones, and errors ---------------===//
// These tests need no device. The modules are those of executable/test/spirv.
//===-------------------------------------------------------------------------===//
#include "tools/run/Files.h"
#include "tools/run/Resolve.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <set>

using namespace pumice;
using namespace pumice::run;

namespace {
const std::string modules = PUMICE_SPIRV_SAMPLES;

Result<std::vector<LaunchSpec>> parse(const std::string &text, const std::string &input = "k.spv") {
  return parseLaunchFile(text, "launch.json", input);
}

std::string parseError(const std::string &text) { return parse(text).status().message(); }

/// Resolves the first case. Returns its error, if any.
Status resolveText(const std::string &text, const std::string &module, ResolvedLaunch *out = {}) {
  static std::vector<LaunchSpec> launches; // the result points into it
  auto parsed = parse(text, modules + "/" + module);
  if (!parsed.isOk())
    return parsed.status();
  launches = std::move(*parsed);
  CodeFiles files({});
  auto resolved = resolve(launches[0], files);
  if (!resolved.isOk())
    return resolved.status();
  if (out)
    *out = std::move(*resolved);
  return Status::ok();
}

std::string resolveError(const std::string &text, const std::string &module) {
  return resolveText(text, module).message();
}

void expectIn(const std::string &part, const std::string &text) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST(LaunchFile, ErrorsNameThePath) {
  const std::pair<const char *, const char *> wrong[] = {
      {R"({"buffer": {}})", "launch.json:1:12: $.buffer: unknown key \"buffer\"; did you mean "
                            "\"buffers\"? There are $schema, buffers, "},
      {R"({"buffers": []})", "$.buffers: expected an object: buffers by name; found a list of 0"},
      {R"({"buffers": {"x": {"type": "\u001b[m", "count": 1}}})",
       R"('"\u001b[m"' is not an element type)"},
      {R"({"buffers": {"x": {"data": ["\u001b"]}}})", R"('"\u001b"' is neither nan)"},
      {R"({"buffers": {"x": {"count": 0}}})", "$.buffers.x.count: expected a whole number from 1"},
      {R"({"buffers": {"x": {"count": -1}}})", "$.buffers.x.count: expected a whole number from 1"},
      {R"({"buffers": {"x": {"count": 99999999999}}})",
       "$.buffers.x.count: expected a whole number from 1 to 4294967296; found 99999999999"},
      {R"({"buffers": {"x": {"shape": [65536, 65537]}}})",
       "$.buffers.x.shape[1]: expected an extent of at least 1, and at most 4294967296 elements"},
      {R"({"buffers": {"x": {}}})",
       "$.buffers.x: its length is unknown; give count, shape, data or file"},
      {R"({"buffers": {"x y": {"type": "f12", "count": 1}}})",
       "$.buffers[\"x y\"].type: 'f12' is not an element type; expected i1"},
      {R"({"buffers": {"x": {"type": "u8", "data": [1, 256]}}})",
       "$.buffers.x.data[1]: 256 does not fit u8"},
      {R"({"buffers": {"x": {"type": "i32", "data": [[1], [2.5]]}}})",
       "$.buffers.x.data[1][0]: 2.5 does not fit i32, which takes whole numbers"},
      {R"({"buffers": {"x": {"data": [{}]}}})", "$.buffers.x.data[0].address: expected the name"},
      {R"({"buffers": {"x": {"data": [{"address": "x"}]}}})",
       "an address needs a buffer of type i64 or u64, not f32"},
      {R"({"buffers": {"x": {"data": [1], "fill": 2}}})",
       "$.buffers.x.fill: both data and fill say what it holds; leave one out"},
      {R"({"buffers": {"x": {"count": 1, "data": [1, 2]}}})",
       "$.buffers.x.data: 2 elements are more than the buffer's 1"},
      {R"({"buffers": {"x": {"count": 2, "step": 2}}})", "$.buffers.x.step: step needs iota"},
      {R"({"buffers": {"x": {"count": 2, "random": {"min": 2}}}})", "min is more than max"},
      {R"({"buffers": {"x": {"file": "nothing.bin"}}})",
       "$.buffers.x.file: cannot read 'nothing.bin': No such file"},
      {R"({"buffers": {"x": {"count": 2, "shape": [2]}}})", "both count and shape say"},
      {R"({"buffers": {"x": {"count": 2, "set": 1}}})",
       "$.buffers.x.binding: expected the binding of the set or element; it is missing"},
      {R"({"buffers": {"x": {"count": 2, "memory": "disk"}}})", "\"disk\" is neither device nor"},
      {R"({"buffers": {"x": {"count": 1, "expect": [[]]}}})",
       "$.buffers.x.expect: expect is empty; give a list, fill, iota, random or file"},
      {R"({"buffers": {"x": {"count": 1, "tolerance": {"ulps": 1}}}})", "compares nothing"},
      {R"({"buffers": {"x": {"count": 1, "print": {"most": 1}}}})",
       "$.buffers.x.print.most: unknown key \"most\""},
      {R"({"groups": [1, 2, 3, 4]})", "$.groups: expected a number, or a list of one to three"},
      {R"({"groups": 1, "threads": 1})", "both groups and threads"},
      {R"({"module": "a", "executable": "b"})", "both module and executable"},
      {R"({"dispatches": [{}], "groups": 1})", "$.groups: with dispatches, this must be inside"},
      {R"({"dispatches": [{}, {"push_constants": [{"value": 1, "address": "x"}]}]})",
       "$.dispatches[1].push_constants[0].address: both value and address"},
      {R"({"bindings": [{"binding": 0}]})",
       "$.bindings[0].buffer: expected the name of a buffer; it is missing"},
      {R"({"repeat": 0})", "$.repeat: expected a whole number from 1 to 16777216; found 0"},
      {R"({"cases": []})", "$.cases: expected one launch at least; found a list of 0"},
      {R"({"$schema": 1})", "$[\"$schema\"]: expected a string; found 1"},
      {R"({"module": ""})", "$.module: expected a non-empty string, or no module"},
      {R"({"work": {"bytes": 1e19}})", "$.work.bytes: expected a number from 0 to 1e+18; found"},
      {R"({"cases": [{}, {"grups": 1}]})", "$.cases[1].grups: unknown key"},
      {R"([])", "$: expected an object with buffers and dispatches; found a list of 0"},
      {"{\n  \"groups\": tru}", "launch.json:2:13: expected a value"},
  };
  for (auto [text, error] : wrong)
    expectIn(error, parseError(text));
  expectIn("$.module: nothing to run", parseLaunchFile("{}", "l.json", "").status().message());
}

TEST(LaunchFile, Contents) {
  auto parsed = parse(R"({"buffers": {
    "a": {"type": "i16", "data": [[1, -1], [65535]]},
    "b": {"type": "u8", "count": 5, "iota": 3, "step": -1, "modulo": 3},
    "c": {"type": "bf16", "count": 2, "fill": 1.5},
    "d": {"type": "i32", "count": 1000, "random": {"seed": 4, "min": -2, "max": 2}},
    "e": {"count": 1000, "random": {"seed": 4}, "expect": {"random": {"seed": 4}}},
    "f": {"type": "u64", "data": [1, {"address": "a", "offset": 2}], "shape": [3]}}})");
  ASSERT_TRUE(parsed.isOk()) << parsed.status().message();
  const LaunchSpec &launch = (*parsed)[0];
  auto print = [&](const char *name) {
    const BufferSpec &buffer = *launch.find(name);
    return printElements(buffer.type, buffer.initial, 8);
  };
  EXPECT_EQ(print("a"), "[1, -1, -1]");
  EXPECT_EQ(print("b"), "[3, 2, 1, 3, 2]");
  EXPECT_EQ(print("c"), "[1.5, 1.5]");
  std::set<int32_t> seen;
  for (size_t i = 0; i < 1000; ++i) {
    int32_t value;
    std::memcpy(&value, launch.find("d")->initial.data() + i * 4, 4);
    seen.insert(value);
  }
  EXPECT_EQ(seen, (std::set<int32_t>{-2, -1, 0, 1, 2}));
  const BufferSpec &e = *launch.find("e"), &f = *launch.find("f");
  EXPECT_EQ(e.initial, *e.expected);
  // Documented: the numbers are the same everywhere.
  EXPECT_EQ(printElements(Type::f32, e.initial, 2), "[0.43145582, ..., 0.3166215]");
  EXPECT_EQ(f.initial.size(), 24u);
  ASSERT_EQ(f.addresses.size(), 1u);
  EXPECT_EQ(f.addresses[0].at, 8u);
  EXPECT_EQ(f.addresses[0].offset, 2u);
}

TEST(LaunchFile, WholeNumbersMayHavePointAndExponent) {
  auto parsed = parse(R"({"threads": 64.0, "repeat": 1e2, "buffers": {
    "x": {"type": "i64", "shape": [2.0], "data": [9007199254740993.0, -3e0]},
    "y": {"data": [-0.0, 1e-1]}}})");
  ASSERT_TRUE(parsed.isOk()) << parsed.status().message();
  const LaunchSpec &launch = (*parsed)[0];
  EXPECT_EQ((*launch.dispatches[0].threads)[0], 64u);
  EXPECT_EQ(launch.repeat, 100u);
  EXPECT_EQ(printElements(Type::i64, launch.find("x")->initial), "[9007199254740993, -3]");
  EXPECT_EQ(printElements(Type::f32, launch.find("y")->initial), "[-0, 0.1]");
  for (const char *part : {"64.5", "1e-1", "-1.0", "1e400"})
    expectIn("$.threads: expected a whole number from 0",
             parseError(std::string("{\"threads\": ") + part + "}"));
}

TEST(LaunchFile, TruthValues) {
  auto parsed = parse(R"({"buffers": {
    "a": {"type": "i1", "data": [1, 0, true, false, "0x1", 1.0]},
    "b": {"type": "i1", "count": 5, "iota": 0, "modulo": 2},
    "c": {"type": "i1", "count": 1000, "random": {"seed": 1}}}})");
  ASSERT_TRUE(parsed.isOk()) << parsed.status().message();
  const BufferSpec &c = *(*parsed)[0].find("c");
  EXPECT_EQ((*parsed)[0].find("a")->initial, (std::vector<uint8_t>{1, 0, 1, 0, 1, 1}));
  EXPECT_EQ((*parsed)[0].find("b")->initial, (std::vector<uint8_t>{0, 1, 0, 1, 0}));
  EXPECT_EQ(std::set(c.initial.begin(), c.initial.end()), (std::set<uint8_t>{0, 1}));
  const std::pair<const char *, const char *> wrong[] = {
      {R"("data": [1, 255])", "$.buffers.x.data[1]: 255 is not an i1; give 0, 1, true or false"},
      {R"("data": [-1])", "-1 is not an i1"},
      {R"("data": [256])", "256 is not an i1"},
      {R"("data": ["0x2"])", "0x2 is not an i1"},
      {R"("data": ["nan"])", "nan is not an i1"},
      {R"("count": 2, "fill": 3)", "$.buffers.x.fill: 3 is not an i1"},
      {R"("count": 3, "iota": 0)", "$.buffers.x.iota: 2 is not an i1"},
      {R"("count": 3, "random": {"max": 2})", "$.buffers.x.random.max: 2 is not an i1"},
      {R"("data": [1], "expect": [2])", "$.buffers.x.expect[0]: 2 is not an i1"},
  };
  for (auto [keys, error] : wrong)
    expectIn(error, parseError(R"({"buffers": {"x": {"type": "i1", )" + std::string(keys) + "}}}"));
}

TEST(Elements, FloatsThatDoNotFit) {
  std::vector<uint8_t> bytes;
  auto error = [&](Type type, Number number) {
    return appendNumber(bytes, type, number).message();
  };
  expectIn("70000 does not fit f16; infinity is written \"inf\" or \"-inf\"",
           error(Type::f16, int64_t{70000}));
  expectIn("-1e+39 does not fit f32", error(Type::f32, -1e39));
  expectIn("3.4e+38 does not fit bf16", error(Type::bf16, 3.4e38));
  EXPECT_EQ(error(Type::f16, 65519.0), ""); // rounds to 65504
  EXPECT_EQ(error(Type::f32, std::string("-inf")), "");
  expectIn("$.buffers.x.fill: 1e400 does not fit f64",
           parseError(R"({"buffers": {"x": {"count": 1, "type": "f64", "fill": 1e400}}})"));
}

TEST(Elements, FloatsArePrintedAsPeopleWriteThem) {
  auto print = [](Type type, const Number &number) {
    std::vector<uint8_t> bytes;
    EXPECT_TRUE(appendNumber(bytes, type, number).isOk());
    return printElement(type, bytes.data());
  };
  const std::pair<double, const char *> of[] = {
      {30, "30"},         {10, "10"},      {32400, "32400"}, {-0.0, "-0"}, {0.1, "0.1"},
      {100000, "100000"}, {1e-7, "1e-07"}, {1e30, "1e+30"},  {2.5, "2.5"}};
  for (auto [number, text] : of) {
    EXPECT_EQ(print(Type::f32, number), text);
    EXPECT_EQ(print(Type::f64, number), text);
  }
  EXPECT_EQ(print(Type::f16, 32400.0), "32400");
  EXPECT_EQ(print(Type::f16, 65504.0), "65504");
  EXPECT_EQ(print(Type::f64, 1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(print(Type::f32, std::string("-inf")), "-inf");
}

TEST(Elements, LongListsShowBothEnds) {
  std::vector<uint8_t> bytes{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(printElements(Type::u8, bytes, 4), "[0, 1, ..., 6, 7]");
  EXPECT_EQ(printElements(Type::u8, bytes, 3), "[0, 1, ..., 7]");
  EXPECT_EQ(printElements(Type::u8, bytes, 1), "[0, ...]");
  EXPECT_EQ(printElements(Type::u8, bytes, 0), "[...]");
  EXPECT_EQ(printElements(Type::u8, bytes, 8), "[0, 1, 2, 3, 4, 5, 6, 7]");
}

TEST(Numpy, RoundTripAndErrors) {
  std::vector<uint8_t> bytes{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0};
  std::vector<int64_t> shape{2, 3};
  std::vector<uint8_t> file = numpyFile(Type::i16, shape, bytes);
  EXPECT_EQ(file.size() % 64, bytes.size());
  auto array = parseNumpy(file);
  ASSERT_TRUE(array.isOk()) << array.status().message();
  EXPECT_EQ(array->shape, shape);
  EXPECT_EQ(array->type(), Type::i16);
  EXPECT_EQ(array->bytes, bytes);
  for (size_t length = 0; length < file.size(); ++length)
    EXPECT_FALSE(parseNumpy(std::span(file).first(length)).isOk());
  for (size_t bit = 0; bit < file.size() * 8; ++bit) { // must answer without a crash
    std::vector<uint8_t> bad = file;
    bad[bit / 8] ^= uint8_t(1u << bit % 8);
    (void)parseNumpy(bad).isOk();
  }
}

TEST(ResolveModule, EverythingByName) {
  ResolvedLaunch launch;
  Status status = resolveText(R"({"threads": 100, "workgroup_size": 8,
    "specialization": {"offset": 2, "7": false},
    "push_constants": {"factor": 3, "size": [4, 5], "weights": [1, 2, 3]},
    "bindings": [{"set": 1, "binding": 2, "buffer": "all", "offset": 256}],
    "buffers": {"x": {"count": 8, "binding": 0}, "all": {"count": 128, "binding": 1},
                "odd": {"count": 1, "binding": 9, "element": 2}}})",
                              "blocks.spv", &launch);
  ASSERT_TRUE(status.isOk()) << status.message();
  const ResolvedDispatch &dispatch = launch.dispatches[0];
  EXPECT_EQ(dispatch.groups[0], 13u);
  std::vector<hal::SpecializationConstant> constants{{1, 4, 0x40000000}, {7, 4, 0}, {3, 4, 8}};
  EXPECT_EQ(dispatch.constants, constants);
  std::vector<hal::BindingSlot> slots{{0, 0, false}, {0, 1, true}, {1, 2, false}};
  EXPECT_EQ(dispatch.slots, slots);
  EXPECT_EQ(dispatch.bindings[2].offset, 256u);
  EXPECT_EQ(dispatch.bindings[2].bytes, 256u);
  EXPECT_EQ(dispatch.uses.at(0), executable::Access::Read);
  EXPECT_EQ(dispatch.uses.at(1), executable::Access::ReadWrite); // uniform and written
  ASSERT_EQ(dispatch.pushConstants.size(), 28u);
  float weights[3];
  std::memcpy(weights, dispatch.pushConstants.data() + 16, sizeof weights);
  EXPECT_EQ(weights[2], 3.0f);
  ASSERT_EQ(launch.notes.size(), 1u);
  expectIn("$.buffers.odd: no entry point that is run uses set 0 binding 9 element 2",
           launch.notes[0]);
}

TEST(ResolveModule, Addresses) {
  ResolvedLaunch launch;
  Status status = resolveText(R"({"push_constants": {"addend": 1,
    "first": {"address": "list", "offset": 16}},
    "buffers": {"list": {"type": "u64", "data": [{"address": "list"}, 0, 0, 0]}}})",
                              "addresses.spv", &launch);
  ASSERT_TRUE(status.isOk()) << status.message();
  ASSERT_EQ(launch.dispatches[0].addresses.size(), 1u);
  EXPECT_EQ(launch.dispatches[0].addresses[0].at, 8u);
  EXPECT_EQ(launch.dispatches[0].addresses[0].offset, 16u);
  EXPECT_EQ(launch.dispatches[0].uses.size(), 1u); // kernels may reach any buffer
}

/// A kernel can reach anything through an address, so the address must be inside its buffer.
TEST(ResolveModule, AddressesStayInTheirBuffers) {
  auto error = [](const std::string &inPush, const std::string &inData) {
    return resolveError(
        R"({"push_constants": {"addend": 1, "first": {"address": "list", "offset": )" + inPush +
            R"(}}, "buffers": {"list": {"type": "u64", "data": [0, 0,
                            {"address": "list", "offset": )" +
            inData + "}]}}}",
        "addresses.spv");
  };
  EXPECT_EQ(error("24", "24"), ""); // the end is valid, since code may compare with it
  expectIn("$.push_constants.first.offset: byte 25 is outside of buffer \"list\" of 24 bytes",
           error("25", "0"));
  expectIn("$.buffers.list.data[2].offset: byte 1600000 is outside of buffer \"list\" of 24 bytes",
           error("0", "1600000"));
  expectIn("byte 2 is outside of buffer \"x\" of 1 byte",
           resolveError(R"({"entry": "sized", "arguments": [{"buffer": "x", "offset": 2}, 1],
                            "buffers": {"x": {"type": "u8", "count": 1}}})",
                        "kernels.spv"));
  expectIn("$.arguments[0].offset: byte 33 is outside of buffer \"x\" of 32 bytes",
           resolveError(R"({"entry": "sized", "arguments": [{"buffer": "x", "offset": 33}, 1],
                            "buffers": {"x": {"count": 8}}})",
                        "kernels.spv"));
}

/// `blocks.spv` has 1 (offset, f32), 3 (without a name, u32) and 7 (flag, bool).
TEST(ResolveModule, SpecializationConstants) {
  ResolvedLaunch launch;
  auto resolved = [&](const std::string &constants) {
    Status status = resolveText(
        R"({"push_constants": {"factor": 3, "size": [4, 5], "weights": [1, 2, 3]},
            "buffers": {"x": {"count": 8, "binding": 0}, "u": {"count": 36, "binding": 1},
                        "y": {"count": 8, "set": 1, "binding": 2}},
            "specialization": {)" +
            constants + "}}",
        "blocks.spv", &launch);
    return status.isOk() ? "" : status.message();
  };
  const std::vector<hal::SpecializationConstant> flag{{7, 4, 1}};
  for (const char *value : {"true", "1", R"({"type": "i1", "value": true})",
                            R"({"type": "i1", "value": 1})", R"({"type": "u32", "value": 1})"}) {
    EXPECT_EQ(resolved(std::string("\"flag\": ") + value), "");
    EXPECT_EQ(launch.dispatches[0].constants, flag) << value;
  }
  expectIn("$.specialization.flag: the constant is a bool; give true or false",
           resolved("\"flag\": 2"));
  expectIn("$.specialization.flag.type: the constant is a bool, the type given is f64",
           resolved(R"("flag": {"type": "f64", "value": 1})"));
  expectIn("$.specialization[\"\"]: there is no specialization constant \"\"; there are 1",
           resolved("\"\": 16"));
  expectIn("launch.json:4:42: $.specialization.offset.value: expected a number; it is missing",
           resolved(R"("offset": {"type": "f32"})"));
  expectIn("$.specialization.offset: 1e+60 does not fit f32; infinity is written \"inf\"",
           resolved("\"offset\": 1e60"));
  EXPECT_EQ(resolved("\"offset\": \"inf\""), "");
}

/// The block of `blocks.spv`: factor, size (two), weights (three). Places and names may be mixed.
TEST(ResolveModule, PushConstantsByNameAndPlace) {
  auto error = [&](const std::string &constants) {
    Status status = resolveText(R"({"push_constants": )" + constants + R"(,
            "buffers": {"x": {"count": 8, "binding": 0}, "u": {"count": 36, "binding": 1},
                        "y": {"count": 8, "set": 1, "binding": 2}}})",
                                "blocks.spv", nullptr);
    return status.isOk() ? "" : status.message();
  };
  const std::string rest =
      R"({"name": "size", "value": [4, 5]}, {"name": "weights", "value": [1, 2, 3]})";
  EXPECT_EQ(error(R"([{"name": "factor", "value": 3}, )" + rest + "]"), "");
  EXPECT_EQ(error(R"([{"type": "f32", "value": 3, "at": 0}, )" + rest + "]"), "");
  EXPECT_EQ(error(R"([{"name": "factor", "type": "f32", "value": 3}, )" + rest + "]"), "");
  for (const char *other : {"f16", "i32"})
    expectIn("$.push_constants[0].type: the member factor f32 at 0 is of another type than the " +
                 std::string(other) + " given; leave the type out, or give f32",
             error(R"([{"name": "factor", "type": ")" + std::string(other) + R"(", "value": 3}, )" +
                   rest + "]"));
  expectIn("the member factor", error("[" + rest + "]"));
  expectIn(
      "is given twice",
      error(R"([{"name": "factor", "value": 3}, {"name": "factor", "value": 3}, )" + rest + "]"));
  expectIn("bytes 2 to 5 of the push constants are given twice, at least in part",
           error(R"([{"name": "factor", "value": 3}, {"type": "f32", "value": 3, "at": 2}])"));
}

/// The device chooses among the variants, so a name must mean the same in all candidates.
TEST(ResolveExecutable, VariantsAgreeOnConstants) {
  Result<std::vector<uint8_t>> code = readFile(modules + "/blocks.spv");
  ASSERT_TRUE(code.isOk());
  auto contents = std::make_shared<executable::Executable>();
  contents->entryPoints = {{.name = "main", .workgroupSize = {1, 1, 1}}};
  for (const char *target : {"one", "two"})
    contents->variants.push_back({.target = target,
                                  .interfaces = {{.entryPoint = "main", .symbol = "main"}},
                                  .code = *code});
  // Changes the id of the specialization constant 1 to 5, in its OpDecorate with SpecId (1).
  auto *words = reinterpret_cast<uint32_t *>(contents->variants[1].code.data());
  size_t count = code->size() / 4, changed = 0;
  for (size_t i = 5; i + 3 < count; i += words[i] >> 16)
    if (words[i] == (4u << 16 | 71) && words[i + 2] == 1 && words[i + 3] == 1)
      words[i + 3] = 5, ++changed;
  ASSERT_EQ(changed, 1u);
  auto file = std::make_shared<Code>();
  file->file = "two.pumice";
  file->executable = contents;
  auto resolved = [&](const std::string &text,
                      std::vector<hal::SpecializationConstant> &constants) {
    auto launches = parse(text, file->file);
    EXPECT_TRUE(launches.isOk()) << launches.status().message();
    ResolvedDispatch dispatch;
    dispatch.spec = &launches->front().dispatches[0];
    dispatch.code = file;
    Status status = resolveExecutable(launches->front(), dispatch);
    constants = dispatch.constants;
    return status.isOk() ? "" : status.message();
  };
  std::vector<hal::SpecializationConstant> constants;
  EXPECT_EQ(resolved(R"({"specialization": {"flag": true}})", constants), "");
  EXPECT_EQ(constants, (std::vector<hal::SpecializationConstant>{{7, 4, 1}}));
  expectIn("$.specialization.offset: the executable's variants have other ids or types for the "
           "constants; choose one by target",
           resolved(R"({"specialization": {"offset": 2}})", constants));
  EXPECT_EQ(resolved(R"({"specialization": {"offset": 2}, "target": "two"})", constants), "");
  EXPECT_EQ(constants, (std::vector<hal::SpecializationConstant>{{5, 4, 0x40000000}}));
}

TEST(ResolveKernel, Arguments) {
  ResolvedLaunch launch;
  Status status = resolveText(R"({"entry": "everything", "threads": [96, 4], "global_offset": 5,
    "arguments": [{"buffer": "x", "offset": 8}, -2, {"local": 100}, [1, 2, 3],
                  [7, 4, 5, 6, 8, -9, 0.5], 2.5],
    "buffers": {"x": {"count": 8}}})",
                              "kernels.spv", &launch);
  ASSERT_TRUE(status.isOk()) << status.message();
  const ResolvedDispatch &dispatch = launch.dispatches[0];
  EXPECT_EQ(dispatch.workgroupSize, (std::array<uint32_t, 3>{32, 1, 1})); // 64 does not divide 96
  EXPECT_EQ(dispatch.groups, (std::array<uint32_t, 3>{3, 4, 1}));
  EXPECT_EQ(dispatch.spec->dimensions, 2u);
  EXPECT_EQ(dispatch.spec->globalOffset[0], 5u);
  EXPECT_EQ(dispatch.dynamicMemoryBytes, 128u);
  ASSERT_EQ(dispatch.addresses.size(), 1u);
  EXPECT_EQ(dispatch.addresses[0].offset, 8u);
  ASSERT_EQ(dispatch.pushConstants.size(), 100u);
  auto at = [&](size_t place, auto value) {
    std::memcpy(&value, dispatch.pushConstants.data() + place, sizeof value);
    return value;
  };
  EXPECT_EQ(at(8, int8_t()), -2);
  EXPECT_EQ(at(16, uint64_t()), 0u);
  EXPECT_EQ(at(40, float()), 3.0f);
  EXPECT_EQ(at(48, int8_t()), 7);
  EXPECT_EQ(at(72, float()), 6.0f);
  EXPECT_EQ(at(82, int16_t()), -9);
  EXPECT_EQ(at(88, double()), 0.5);
  EXPECT_EQ(at(96, float()), 2.5f);
}

TEST(ResolveKernel, Errors) {
  const std::string buffers = R"("entry": "sized", "buffers": {"x": {"count": 8}})";
  const std::pair<std::string, const char *> wrong[] = {
      {R"("threads": 10, "arguments": ["x", 1])", "10 x 1 x 1 threads are not a whole number of"},
      {R"("groups": 600000000, "arguments": ["x", 1])",
       "invocations of dimension 0 are numbered up to 2400000000; an OpenCL kernel's numbers are"},
      {R"("arguments": ["x"])", "'sized' takes 2 arguments; 1 is given"},
      {R"("arguments": ["x", "x"])", "argument 1 'n' is a u32, not a pointer to a buffer"},
      {R"("arguments": [1, 1])", "argument 0 'out' is a pointer; name a buffer, or give 0"},
      {R"("arguments": ["x", [1, 2]])", "argument 1 'n' takes 1 number; found 2"},
      {R"("arguments": ["x", {"local": 4}])", "argument 1 'n' does not point to workgroup memory"},
      {R"("arguments": ["x", 5000000000])", "5000000000 does not fit u32"},
      {R"("arguments": ["x", 1], "push_constants": [{"value": 1}])", "leave one of them out"},
      {R"("arguments": ["x", 1], "dynamic_memory_bytes": 8)", "belongs to executables"},
      {R"("arguments": ["x", 1], "workgroup_size": 8)", "the module fixes it at 4"},
      {R"("arguments": ["y", 1])", "there is no buffer \"y\""},
  };
  for (auto &[text, error] : wrong)
    expectIn(error, resolveError("{" + text + ", " + buffers + "}", "kernels.spv"));
  expectIn("the kernel does not fix its workgroup size; set workgroup_size",
           resolveError(R"({"entry": "everything", "groups": 2, "arguments": []})", "kernels.spv"));
}

TEST(ResolveModule, Errors) {
  const std::string full = R"("buffers": {"x": {"count": 8, "binding": 0},
    "u": {"count": 36, "binding": 1}, "y": {"count": 8, "set": 1, "binding": 2}})";
  const std::string push =
      R"("push_constants": {"factor": 3, "size": [4, 5], "weights": [1, 2, 3]})";
  const std::pair<std::string, const char *> wrong[] = {
      {"{" + push + R"(, "buffers": {"x": {"count": 8, "binding": 0}}})",
       "$.bindings: nothing is bound to set 0 binding 1, uniform buffer"},
      {"{" + push + R"(, "buffers": {"x": {"count": 8, "binding": 0},
        "u": {"count": 35, "binding": 1}}})",
       "$.buffers.u: 140 bytes of buffer \"u\" are bound to set 0 binding 1; entry point 'main' "
       "needs at least 144: rotation f32[3][3] at 0, "},
      {"{" + push + R"(, "buffers": {"x": {"count": 8, "binding": 0, "uniform": true}}})",
       "set 0 binding 0 of entry point 'main' is a storage buffer"},
      {"{" + push + R"(, "buffers": {"x": {"count": 8, "binding": 0},
        "z": {"count": 8, "binding": 0}}})",
       "$.buffers.z.binding: set 0 binding 0 is that of buffer \"x\" already"},
      {"{" + full + "}", "entry point 'main' has push constants: factor f32 at 0, size i32[2] at"},
      {"{" + full + R"(, "push_constants": {"factor": 3}})", "the member size i32[2] at 8 of the"},
      {"{" + full + R"(, "push_constants": {"faktor": 3}})", "did you mean \"factor\"?"},
      {"{" + full + R"(, "push_constants": {"size": 3}})", "values given: 1; size i32[2] at 8"},
      {"{" + full + R"(, "push_constants": {"size": [1, 2.5]}})",
       "$.push_constants.size[1]: 2.5 does not fit i32, which takes whole numbers"},
      {"{" + full + R"(, "push_constants": [{"value": 1, "at": 28}]})",
       "$.push_constants[0].value: bytes 28 to 31 are outside of the push constants"},
      {"{" + full + "," + push + R"(, "specialization": {"offest": 1}})",
       "$.specialization.offest: there is no specialization constant \"offest\"; there are 1 "
       "(offset f32), 3 (u32), 7 (flag bool)"},
      {"{" + full + "," + push + R"(, "specialization": {"1": 1, "offset": 2}})", "given twice"},
      {"{" + full + "," + push + R"(, "entry": "mian"})",
       ".entry: '" PUMICE_SPIRV_SAMPLES "/blocks.spv' has no entry point \"mian\"; it has main"},
      {"{" + full + "," + push + R"(, "arguments": []})",
       "$.arguments: arguments belongs to executables"},
      {"{" + full + "," + push + R"(, "workgroup_size": [1, 4]})",
       "$.workgroup_size: workgroup_size[1] is 4; the module fixes it at 2"},
      {"{" + full + "," + push + R"(, "bindings": [{"binding": 4, "buffer": "x"}]})",
       "$.bindings[0]: entry point 'main' uses no set 0 binding 4; it uses set 0 binding 0, set 0 "
       "binding 1, set 1 binding 2"},
      {"{" + full + "," + push + R"(, "bindings": [{"binding": 0, "buffer": "xx"}]})",
       "$.bindings[0].buffer: there is no buffer \"xx\"; did you mean \"x\"?"},
      {"{" + full + "," + push + R"(, "bindings": [{"binding": 0, "buffer": "x", "offset": 32}]})",
       "$.bindings[0].offset: offset 32 is outside of buffer \"x\" of 32 bytes"},
      {"{" + full + "," + push + R"(, "bindings": [{"binding": 0, "buffer": "x", "bytes": 36}]})",
       "$.bindings[0].bytes: 36 bytes from offset 0 are not in buffer \"x\""},
  };
  for (const char *key : {"global_offset", "dynamic_memory_bytes"})
    expectIn(std::string("$.") + key + ": " + key + " belongs to ",
             resolveError(std::string("{\"") + key + "\": 4}", "blocks.spv"));
  expectIn("$.module: cannot read",
           resolveError(R"({"module": "no.spv", "groups": 1})", "blocks.spv"));
  for (auto &[text, error] : wrong)
    expectIn(error, resolveError(text, "blocks.spv"));
  expectIn("storage image 'picture'; only storage and uniform buffers can be bound",
           resolveError("{}", "images.spv"));
  expectIn("has several entry points; name one by entry: first, second",
           resolveError("{}", "entries.spv"));
  expectIn("cannot read", resolveError("{}", "nothing.spv"));
  expectIn("is neither SPIR-V (it lacks the magic number) nor an executable",
           resolveError("{}", "blocks.comp"));
}

/// Every key that is read is in the schema, and vice versa.
TEST(Schema, HasTheKeysThatAreRead) {
  std::ifstream stream(PUMICE_LAUNCH_SCHEMA);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  auto schema = json::parse(text);
  ASSERT_TRUE(schema.isOk()) << schema.status().message();
  const json::Value *definitions = schema->find("definitions");
  ASSERT_NE(definitions, nullptr);
  const std::pair<const char *, Keys> objects[] = {{"file", fileKeys},
                                                   {"case", caseKeys},
                                                   {"dispatch", dispatchKeys},
                                                   {"buffer", bufferKeys},
                                                   {"content", contentKeys},
                                                   {"random", randomKeys},
                                                   {"print", printKeys},
                                                   {"tolerance", toleranceKeys},
                                                   {"binding", bindingKeys},
                                                   {"address", addressKeys},
                                                   {"pushConstant", pushConstantKeys},
                                                   {"work", workKeys},
                                                   {"specialization", specializationKeys},
                                                   {"bufferArgument", argumentKeys}};
  size_t known = 0;
  for (auto [name, keys] : objects) {
    const json::Value *object = definitions->find(name);
    ASSERT_NE(object, nullptr) << name;
    std::set<std::string> described, read(keys.begin(), keys.end());
    for (const json::Member &member : object->find("properties")->members)
      described.insert(member.name);
    EXPECT_EQ(described, read) << name;
    EXPECT_FALSE(object->find("additionalProperties")->flag) << name;
  }
  for (const json::Member &definition : definitions->members)
    known += definition.value.find("properties") != nullptr;
  EXPECT_EQ(known, std::size(objects)) << "an object of the schema is not compared here";
}

#ifndef _WIN32
// Without the check, `pumice inspect /dev/zero` read until memory was exhausted.
TEST(Files, EndlessDevicesAreRejected) {
  Status status = readFile("/dev/zero").status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(),
            "cannot read '/dev/zero': it is a device, which may never end; name a file");
}
#endif
} // namespace
