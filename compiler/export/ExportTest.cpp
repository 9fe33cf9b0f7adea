//===- ExportTest.cpp - names, expressions and plans ------------------------===//
#include "compiler/export/Export.h"
#include "compiler/export/Launcher.h"

#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::exporting;
using executable::ElementType;

namespace {

/// Returns an executable whose kernel has the arguments x: buffer of f32, n: i64.
executable::Executable sample(const std::string &name) {
  executable::Executable made;
  made.producer = "test";
  executable::EntryPoint entry;
  entry.name = name;
  entry.workgroupSize = {64, 1, 1};
  executable::Argument x, n;
  x.name = "x";
  x.shape = {executable::dynamic};
  x.strides = {1};
  n.name = "n";
  n.kind = executable::ArgumentKind::Scalar;
  n.element = ElementType::i64;
  n.elementBytes = 8;
  n.access = executable::Access::None;
  entry.arguments = {x, n};
  made.entryPoints = {entry};
  executable::Variant variant;
  variant.kind = executable::VariantKind::Msl;
  variant.target = "apple-m1";
  variant.code = {'/', '/', ' ', '1'};
  executable::Interface interface;
  interface.entryPoint = interface.symbol = name;
  variant.interfaces = {interface};
  made.variants = {variant};
  return made;
}

std::vector<uint8_t> bytesOf(const executable::Executable &contents) {
  auto bytes = executable::write(contents);
  EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
  return *bytes;
}

/// Returns the text of the file whose name ends so.
std::string fileOf(const std::vector<File> &files, std::string_view ending) {
  for (const File &file : files)
    if (file.name.ends_with(ending))
      return std::string(file.bytes.begin(), file.bytes.end());
  ADD_FAILURE() << "no file " << ending;
  return {};
}

std::string failureOf(const std::string &plan, const std::vector<std::vector<uint8_t>> &inputs) {
  std::vector<std::span<const uint8_t>> spans(inputs.begin(), inputs.end());
  auto files = exportFiles(plan, spans);
  EXPECT_FALSE(files.isOk());
  return files.status().message();
}

TEST(ExportNames, AreIdentifiers) {
  CNames names;
  EXPECT_EQ(names.take("softmax"), "softmax");
  EXPECT_EQ(names.take("softmax"), "softmax_2");
  EXPECT_EQ(names.take("a::b c"), "a_b_c");
  EXPECT_EQ(names.take("class"), "a_class");
  EXPECT_EQ(names.take("exp"), "a_exp");
  EXPECT_EQ(names.take("_Reserved__x"), "Reserved_x");
  EXPECT_EQ(names.take("8bit"), "k8bit");
  EXPECT_EQ(names.take("größe"), "gr_e");
  EXPECT_EQ(names.take("\xe2\x82\xac"), "unnamed");
  EXPECT_EQ(names.take(""), "unnamed_2");
  EXPECT_EQ(names.take("pumice_launch"), "a_pumice_launch");
  for (const char *type : {"int64_t", "int32_t", "uint32_t", "size_t", "pumice_status_t"})
    EXPECT_EQ(names.take(type), std::string("a_") + type);
  for (const char *macro : {"INT_MAX", "UINT32_MAX", "INT64_C", "BUFSIZ", "EINVAL", "SEEK_SET"})
    EXPECT_EQ(names.take(macro).substr(0, 2), macro == std::string("INT64_C") ? "IN" : "a_")
        << macro;
  for (const char *ofWindows : {"IN", "OUT", "ERROR", "near", "far", "small", "interface"})
    EXPECT_EQ(names.take(ofWindows), std::string("a_") + ofWindows);
  CNames functions(true);
  EXPECT_EQ(functions.take("ftell"), "a_ftell");
  EXPECT_EQ(functions.take("INT64_C"), "a_INT64_C");
  EXPECT_EQ(functions.take("test"), "a_test"); // a target of CMake
  EXPECT_EQ(names.take("ftell"), "ftell");     // a parameter may hide a function
  EXPECT_EQ(escaped("a\"b\\?\n\xff"), "a\\042b\\134\\077\\012\\377");
  EXPECT_EQ(functions.take("ALL_BUILD"), "a_ALL_BUILD");
  EXPECT_EQ(commented("a */ b // c /* \\"), "a * / b / / c / * ");
  EXPECT_EQ(commented("a\xe2\x80\xae\xe2\x81\xa6 \xc3\xa9\xd8\x9c"),
            "a \xc3\xa9"); // directions of text
}

TEST(ExportPlan, SeveralExecutables) {
  auto one = bytesOf(sample("f")), two = bytesOf(sample("f"));
  auto files = exportFiles(R"({"name": "f", "language": "c", "kernels": [{"name": "f",
      "parameters": [{"name": "x", "kind": "buffer", "element": "f32"},
                     {"name": "n", "kind": "scalar", "element": "i64", "unsigned": true},
                     {"name": "BLOCK", "kind": "constant", "element": "i64"}],
      "specialisations": [
        {"executable": 0, "entry": "f", "note": "n%16=0", "grid": [["//", ["+", "n", 63], 64], 1, 1],
         "when": [["==", ["%", "n", 16], 0], ["aligned", "x", 16]]},
        {"executable": 1, "entry": "f", "grid": ["n", ["min", "n", 4], 1],
         "when": [["==", "BLOCK", 64]]}]}]})",
                           {one, two});
  ASSERT_TRUE(files.isOk()) << files.status().message();
  std::string header = fileOf(*files, "f.h"), source = fileOf(*files, "f.c");
  EXPECT_NE(header.find("pumice_buffer *x, uint64_t n,"), std::string::npos) << header;
  EXPECT_NE(header.find("int64_t BLOCK)"), std::string::npos) << header;
  EXPECT_NE(source.find("if ((floor_modulo(whole_unsigned(n, &problem), 16, &problem) == 0) && "
                        "is_aligned(&all[0], 16)) {"),
            std::string::npos)
      << source;
  EXPECT_NE(
      source.find(
          "{floor_divide(whole_sum(whole_unsigned(n, &problem), 63, &problem), 64, &problem)"),
      std::string::npos)
      << source;
  EXPECT_NE(source.find("if (BLOCK == 64) {"), std::string::npos) << source;
  EXPECT_NE(source.find("\"f.1\""), std::string::npos) << source;
  EXPECT_NE(source.find("no exported specialisation takes these arguments"), std::string::npos);
}

TEST(ExportPlan, PartsOfAnArgument) {
  executable::Executable contents = sample("f");
  executable::Argument second = contents.entryPoints[0].arguments[1];
  contents.entryPoints[0].arguments[0].name = second.name = "t";
  contents.entryPoints[0].arguments.insert(contents.entryPoints[0].arguments.begin() + 1, second);
  auto files = exportFiles(R"({"name": "f", "kernels": [{"name": "f", "parameters": [
      {"name": "n", "kind": "scalar", "element": "i64"},
      {"name": "t_0", "argument": "t", "kind": "buffer", "element": "f32"},
      {"name": "t_1", "argument": "t", "kind": "scalar", "element": "i64"}],
      "specialisations": [{"entry": "f", "grid": ["t_1", 1, 1]}]}]})",
                           {bytesOf(contents)});
  ASSERT_TRUE(files.isOk()) << files.status().message();
  EXPECT_NE(fileOf(*files, "f.cpp").find("{1, 2, 0}"), std::string::npos)
      << fileOf(*files, "f.cpp");
  EXPECT_NE(fileOf(*files, "f.hpp").find("&t_0, int64_t t_1"), std::string::npos);
}

TEST(ExportPlan, TwoKernelsOfOneName) {
  auto one = bytesOf(sample("f"));
  EXPECT_NE(failureOf(R"({"name": "a"})", {one, one}).find("several files have a kernel 'f'"),
            std::string::npos);
}

/// A name of a kernel is no key of the templates for CMake and pkg-config.
TEST(ExportPlan, NamesStayWhole) {
  auto files = exportFiles(R"({"name": "MY_NAME_PATHS"})", {bytesOf(sample("SOURCES"))});
  ASSERT_TRUE(files.isOk()) << files.status().message();
  std::string cmake = fileOf(*files, "CMakeLists.txt"), pc = fileOf(*files, ".pc");
  EXPECT_NE(
      cmake.find("add_library(MY_NAME_PATHS STATIC MY_NAME_PATHS.cpp MY_NAME_PATHS_data.cpp)"),
      std::string::npos)
      << cmake;
  EXPECT_NE(pc.find("sources=${folder}/MY_NAME_PATHS.cpp ${folder}/MY_NAME_PATHS_data.cpp\n"),
            std::string::npos)
      << pc;
  for (const File &file : *files)
    EXPECT_TRUE(isOfExport({reinterpret_cast<const char *>(file.bytes.data()), file.bytes.size()}))
        << file.name;
  EXPECT_FALSE(isOfExport("int main() {}"));
}

TEST(ExportPlan, LaunchersRejectSharedMemory) {
  executable::Executable contents = sample("f");
  executable::Argument y = contents.entryPoints[0].arguments[0];
  y.name = "y";
  contents.entryPoints[0].arguments.push_back(y);
  auto files = exportFiles(R"({"name": "f"})", {bytesOf(contents)});
  ASSERT_TRUE(files.isOk()) << files.status().message();
  EXPECT_EQ(fileOf(*files, "f.cpp").find("share memory"), std::string::npos);
  contents.entryPoints[0].assumesNoOverlap = true;
  files = exportFiles(R"({"name": "f"})", {bytesOf(contents)});
  ASSERT_TRUE(files.isOk()) << files.status().message();
  EXPECT_NE(fileOf(*files, "f.cpp").find("the arguments 'x' and 'y' share memory"),
            std::string::npos);
}

TEST(ExportPlan, FloatsAreComputedAsInPython) {
  executable::Executable contents = sample("f");
  contents.entryPoints[0].arguments[1].element = ElementType::f32;
  contents.entryPoints[0].arguments[1].elementBytes = 4;
  auto plan = [](const std::string &specialisation) {
    return R"({"name": "f", "language": "c", "kernels": [{"name": "f",
      "parameters": [{"name": "x", "kind": "buffer", "element": "f32"},
                     {"name": "n", "kind": "scalar", "element": "f32"}],
      "specialisations": [)" +
           specialisation + "]}]}";
  };
  auto files = exportFiles(plan(R"({"entry": "f", "when": [[">", ["*", "n", 3], 1]]})"),
                           {bytesOf(contents)});
  ASSERT_TRUE(files.isOk()) << files.status().message();
  EXPECT_NE(fileOf(*files, "f.c").find("if (((double)n * 3) > 1) {"), std::string::npos)
      << fileOf(*files, "f.c");
  for (const char *operation : {"%", "//", "/", "min", "max", "<<", "&"}) {
    std::string when = std::string("[\"") + operation + "\", \"n\", 2]";
    std::string said =
        failureOf(plan(R"({"entry": "f", "when": [)" + when + "]}"), {bytesOf(contents)});
    EXPECT_NE(said.find(std::string("computes '") + operation + "' of a float"), std::string::npos)
        << said;
  }
  EXPECT_NE(failureOf(plan(R"({"entry": "f", "grid": [1, ["+", "n", 1], 1]})"), {bytesOf(contents)})
                .find("an axis of the grid is a float"),
            std::string::npos);
}

TEST(ExportPlan, ErrorsNameThePlace) {
  auto one = bytesOf(sample("f"));
  auto plan = [](const std::string &specialisation, const std::string &element = "i64") {
    return R"({"name": "f", "kernels": [{"name": "f",
      "parameters": [{"name": "x", "kind": "buffer", "element": "f32"},
                     {"name": "n", "kind": "scalar", "element": ")" +
           element + R"("}], "specialisations": [)" + specialisation + "]}]}";
  };
  auto expect = [&](const std::string &text, const std::string &message) {
    std::string said = failureOf(text, {one});
    EXPECT_NE(said.find(message), std::string::npos) << said;
  };
  expect(plan(""), "kernels[0].specialisations: expected at least one");
  expect(plan(R"({"entry": "g"})"), "its executable has no 'g'");
  expect(plan(R"({"entry": "f", "executable": 7})"), "executable 7 is not among the 1");
  expect(plan(R"({"entry": "f", "grid": [1]})"), "grid: expected three expressions, got 1");
  expect(plan(R"({"entry": "f", "when": ["m"]})"), "names 'm', which is not a parameter");
  expect(plan(R"({"entry": "f", "when": [["**", "n", 2]]})"), "got '**' with 2");
  expect(plan(R"({"entry": "f", "grid": ["x", 1, 1]})"), "computes with 'x', which is a buffer");
  for (const char *wrong : {R"(["aligned", 3, 4])", R"(["aligned", "n", 4])",
                            R"(["aligned", "x", 0])", R"(["aligned", "x", "n"])"})
    expect(plan(R"({"entry": "f", "when": [)" + std::string(wrong) + "]}"),
           "expected the name of a buffer and a number of bytes");
  expect(plan(R"({"entry": "f"})", "i32"),
         "argument 'n' of 'f' has the type i64, but the plan says");
  expect(plan(R"({"entry": "f"})", "i31"), "parameters[1].element: expected a type such as f32");
  expect(R"({"name": "f", "language": "rust"})", "language: expected c or c++, got 'rust'");
  std::string deep = "\"n\"";
  for (int i = 0; i < 300; ++i)
    deep = "[\"not\", " + deep + "]";
  expect(plan(R"({"entry": "f", "when": [)" + deep + "]}"), "at most 200 levels");
}

} // namespace
