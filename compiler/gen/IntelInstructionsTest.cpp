//===- IntelInstructionsTest.cpp - calls become instructions of extensions --===//
#include "compiler/gen/IntelInstructions.h"
#include "compiler/Registration.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "mlir/Transforms/Passes.h"

#include <gtest/gtest.h>

#include <map>

using namespace mlir;

namespace {

/// The operands of each instruction of a module, by opcode.
using Instructions = std::multimap<uint32_t, std::vector<uint32_t>>;

Instructions read(const std::vector<uint32_t> &words) {
  Instructions result;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    result.emplace(
        words[at] & 0xffff,
        std::vector<uint32_t>(words.begin() + at + 1, words.begin() + at + (words[at] >> 16)));
  return result;
}

/// Runs convert-gen-to-spirv and the passes after it, and serializes the module.
std::vector<uint32_t> compile(StringRef body) {
  static const bool registered = (pumice::registerPasses(), true);
  (void)registered;
  DialectRegistry registry;
  pumice::registerDialects(registry);
  MLIRContext context(registry);
  std::string text = "module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.3, "
                     "[Addresses, Kernel, Int8, Int16, Vector16, Linkage], []>, "
                     "#spirv.resource_limits<>>} {\n" +
                     body.str() + "\n}";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  PassManager passes(&context);
  constexpr const char *convert =
      "convert-gen-to-spirv{extensions=SPV_INTEL_subgroup_matrix_multiply_accumulate,"
      "SPV_INTEL_2d_block_io}";
  EXPECT_TRUE(succeeded(parsePassPipeline(convert, passes)));
  passes.addPass(createReconcileUnrealizedCastsPass());
  EXPECT_TRUE(succeeded(parsePassPipeline("pumice-wrap-spirv", passes)));
  EXPECT_TRUE(succeeded(passes.run(*module)));
  auto spirvModule = *module->getOps<spirv::ModuleOp>().begin();
  spirvModule.setVceTripleAttr(spirv::VerCapExtAttr::get(
      spirv::Version::V_1_3,
      {spirv::Capability::Addresses, spirv::Capability::Kernel, spirv::Capability::Int8,
       spirv::Capability::Int16, spirv::Capability::Vector16, spirv::Capability::Linkage},
      ArrayRef<spirv::Extension>(), &context));
  SmallVector<uint32_t, 0> words;
  EXPECT_TRUE(succeeded(spirv::serialize(spirvModule, words)));
  return {words.begin(), words.end()};
}

constexpr uint32_t opExtension = 10, opCapability = 17, opFunction = 54, opFunctionCall = 57,
                   opDecorate = 71;

} // namespace

TEST(IntelInstructions, ProductsOfMatrices) {
  std::vector<uint32_t> before = compile(R"(
    spirv.func @product(%a: vector<8xi16>, %b: vector<8xi32>, %c: vector<8xf32>) -> vector<8xf32> "None" {
      %d = gen.matrix_mad bf16 %a, bf16 %b, %c : vector<8xi16>, vector<8xi32>, vector<8xf32>
      spirv.ReturnValue %d : vector<8xf32>
    })");
  EXPECT_EQ(read(before).count(opFunctionCall), 1u);
  Instructions after = read(pumice::gen::writeIntelInstructions(before));
  EXPECT_EQ(after.count(opFunctionCall), 0u);
  EXPECT_EQ(after.count(opFunction), 1u);
  EXPECT_EQ(after.count(opDecorate), 0u);
  ASSERT_EQ(after.count(6237), 1u);
  const std::vector<uint32_t> &product = after.find(6237)->second;
  ASSERT_EQ(product.size(), 7u); // type, result, K, a, b, c, operands
  EXPECT_EQ(product.back(), 0x3000u);
  EXPECT_EQ(after.count(opExtension), 1u);
  auto [first, last] = after.equal_range(opCapability);
  EXPECT_TRUE(std::any_of(first, last, [](auto &each) { return each.second[0] == 6236; }));
  EXPECT_FALSE(std::any_of(first, last, [](auto &each) { return each.second[0] == 5; }));
}

TEST(IntelInstructions, Blocks) {
  std::vector<uint32_t> before = compile(R"(
    spirv.func @blocks(%base: i32, %n: i32) "None" {
      %index = builtin.unrealized_conversion_cast %base : i32 to index
      %t = gen.block_load_2d transposed %index[%n, %n] of %n, %n, %n bits 32 shape 16, 8, 1 : index -> vector<8xi32>
      gen.block_prefetch_2d %index[%n, %n] of %n, %n, %n bits 16 shape 8, 16, 1 : index
      gen.block_store_2d %t, %index[%n, %n] of %n, %n, %n bits 32 shape 8, 16 : vector<8xi32>, index
      spirv.Return
    })");
  Instructions after = read(pumice::gen::writeIntelInstructions(before));
  EXPECT_EQ(after.count(opFunctionCall), 0u);
  ASSERT_EQ(after.count(6233), 1u);
  EXPECT_EQ(after.find(6233)->second.size(), 10u);
  ASSERT_EQ(after.count(6234), 1u);
  EXPECT_EQ(after.find(6234)->second.size(), 9u);
  ASSERT_EQ(after.count(6235), 1u);
  EXPECT_EQ(after.find(6235)->second.size(), 10u);
  auto [first, last] = after.equal_range(opCapability);
  for (uint32_t needed : {6228u, 6230u})
    EXPECT_TRUE(std::any_of(first, last, [&](auto &each) { return each.second[0] == needed; }));
}

TEST(IntelInstructions, OtherModulesStayAsTheyAre) {
  std::vector<uint32_t> before = compile(R"(
    spirv.func @called() "None" { spirv.Return }
    spirv.func @calls() "None" {
      spirv.FunctionCall @called() : () -> ()
      spirv.Return
    })");
  EXPECT_EQ(pumice::gen::writeIntelInstructions(before), before);
}
