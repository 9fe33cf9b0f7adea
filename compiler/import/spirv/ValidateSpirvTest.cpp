//===- ValidateSpirvTest.cpp - modules newer than the validator -------------===//
// Unknown values in debug information must not make a module invalid, but other unknown values
// must.
//===-------------------------------------------------------------------------===//
#include "compiler/import/spirv/ValidateSpirv.h"
#include "compiler/target/Triples.h"

#include <gtest/gtest.h>
#include <spirv-tools/libspirv.hpp>

using namespace pumice;
using namespace pumice::spirv_import;

namespace {

constexpr const char *shader = R"(
OpCapability Shader
%debug = OpExtInstImport "OpenCL.DebugInfo.100"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%file = OpString "a.comp"
%name = OpString "float"
OpSource GLSL 450
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%size = OpConstant %uint 32
%function = OpTypeFunction %void
%source = OpExtInst %void %debug DebugSource %file
%unit = OpExtInst %void %debug DebugCompilationUnit 1 4 %source GLSL
%float = OpExtInst %void %debug DebugTypeBasic %name %size Float
%main = OpFunction %void None %function
%entry = OpLabel
OpReturn
OpFunctionEnd
)";

class ValidateSpirv : public testing::Test {
protected:
  ValidateSpirv() {
    EXPECT_TRUE(spvtools::SpirvTools(SPV_ENV_VULKAN_1_2).Assemble(shader, &words));
  }

  /// Returns the first instruction with this opcode, or the first extended instruction with this
  /// number.
  uint32_t *find(uint32_t opcode, uint32_t extended = 0) {
    for (size_t at = 5; at < words.size(); at += words[at] >> 16)
      if ((words[at] & 0xffff) == opcode && (!extended || words[at + 4] == extended))
        return &words[at];
    ADD_FAILURE() << "no instruction " << opcode;
    return nullptr;
  }

  std::string problem() const {
    return validateSpirv(words, {}, *target::lookupTriple("vulkan1.2")).problem;
  }

  static constexpr uint32_t opSource = 3, opMemoryModel = 14, opExtInst = 12;
  std::vector<uint32_t> words;
};

TEST_F(ValidateSpirv, TakesNewerDebugWords) {
  EXPECT_EQ(problem(), "");
  for (uint32_t value : {7u, 12u, 1000u}) {
    find(opSource)[1] = value;
    find(opExtInst, 1)[8] = value; // the unit's language
    find(opExtInst, 2)[7] = value; // the type's encoding
    EXPECT_EQ(problem(), "") << value;
  }
}

TEST_F(ValidateSpirv, RefusesOtherWordsThatItDoesNotKnow) {
  find(opMemoryModel)[2] = 77;
  EXPECT_NE(problem(), "");
}

} // namespace
