// RUN: pumice-opt %s -convert-gen-to-llvm --split-input-file --verify-diagnostics

module {
  // expected-note@below {{it is here}}
  llvm.func @_Z12get_local_idj(i32) -> i32
  func.func @other_type(%dimension: i32) -> index {
    // expected-error@below {{needs '_Z12get_local_idj' as a function of type '!llvm.func<i64 (i32)>', but the module has something else of this name: rename it}}
    // expected-error@below {{failed to legalize operation 'gen.local_id'}}
    %0 = gen.local_id %dimension
    return %0 : index
  }
}

// -----

// expected-error@below {{llvm.data_layout has pointers of 32 bits, but an index has 64 bits: state index in dlti.dl_spec, or use index-bitwidth=32 in this and other conversions to LLVM}}
module attributes {llvm.data_layout = "e-p:32:32"} {
}

// -----

// expected-error@below {{expected an index of 32 or 64 bits, got 16}}
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 16 : i32>} {
}
