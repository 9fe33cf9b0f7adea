//===- SelectTargetTest.cpp - attribute, text and SPIR-V's side -------------===//
#include "compiler/dialect/vk/SelectTarget.h"

#include "compiler/dialect/vk/JsonTarget.h"
#include "compiler/target/Tables.h"
#include "compiler/target/Triples.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVEnums.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <set>

using namespace pumice;
using namespace pumice::target;
using namespace pumice::vk;

TEST(SelectTarget, TriplesSurviveEveryForm) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.getOrLoadDialect<vk::VkDialect>();
  for (const TripleInfo &info : allTriples()) {
    Result<TargetEnv> env = lookupTriple(info.name);
    ASSERT_TRUE(env.isOk()) << env.status().message();
    EXPECT_EQ(env->name, info.name);

    vk::TargetEnvAttr attr = vk::toAttr(&context, *env);
    ASSERT_TRUE(attr) << info.name;
    EXPECT_EQ(vk::toTargetEnv(attr), *env) << info.name;

    std::string text;
    llvm::raw_string_ostream(text) << attr;
    EXPECT_EQ(mlir::parseAttribute(text, &context), attr) << text;
    Result<TargetEnv> resolved = vk::resolveTarget(&context, text);
    ASSERT_TRUE(resolved.isOk()) << resolved.status().message();
    EXPECT_EQ(*resolved, *env) << info.name;

    Result<TargetEnv> read = readTargetJson(toJson(*env));
    ASSERT_TRUE(read.isOk()) << read.status().message();
    EXPECT_EQ(*read, *env) << info.name;

    EXPECT_TRUE(vk::toSpirvTargetEnv(&context, *env)) << info.name;
  }
}

TEST(SelectTarget, MlirKnowsEveryCapabilityAndExtensionButThese) {
  // MLIR 22 cannot express these, so modules could not use them.
  const std::set<std::string_view> unknown = {"CooperativeMatrixNV", "FloatControls2",
                                              "SPV_KHR_float_controls2",
                                              "SPV_KHR_maximal_reconvergence"};
  std::set<std::string_view> found;
  for (const FeatureInfo &info : allFeatures())
    for (std::string_view name : splitWords(info.capabilities))
      if (!mlir::spirv::symbolizeCapability({name.data(), name.size()}))
        found.insert(name);
  for (const ExtensionInfo &info : allExtensions())
    if (std::string_view name = info.spirvExtension;
        !name.empty() && !mlir::spirv::symbolizeExtension({name.data(), name.size()}))
      found.insert(name);
  EXPECT_EQ(found, unknown);
}
