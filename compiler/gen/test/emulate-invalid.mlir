// RUN: pumice-opt %s -pumice-emulate-gen=memory=other --verify-diagnostics

// expected-error@below {{pumice-emulate-gen accesses memory by llvm or spirv, got 'other'}}
module {
}
