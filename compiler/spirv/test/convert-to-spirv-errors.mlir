// RUN: pumice-opt %s -split-input-file -verify-diagnostics --pumice-convert-to-spirv

gpu.module @flavour {
  gpu.func @k() kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      pumice.interface = {addressing = "physical", place = "push_constants"}} {
    %n = vk.parameter 8 : i32
    %a = spirv.GL.SAbs %n : i32
    // expected-error @below {{'spirv.CL.s_abs' is an OpenCL instruction, which modules for Vulkan cannot contain; use the equivalent in arith, math or gpu}}
    %b = spirv.CL.s_abs %a : i32
    gpu.return
  }
}
