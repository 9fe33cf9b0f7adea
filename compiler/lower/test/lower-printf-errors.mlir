// RUN: pumice-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(pumice-lower-printf))'

gpu.module @m {
  gpu.func @f(%x: i32) kernel {
    // expected-error @below {{'%8.3f' cannot print a value of type 'i32': use %d or %u, or convert it}}
    gpu.printf "x = %8.3f\n", %x : i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @f(%x: f32) kernel {
    // expected-error @below {{'%d' cannot print a value of type 'f32': use %f, or convert it}}
    gpu.printf "%d", %x : f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @f(%x: i64) kernel {
    // expected-error @below {{'%u' cannot print a value of type 'i64': use the length l or ll}}
    gpu.printf "%u", %x : i64
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @f(%x: i32) kernel {
    // expected-error @below {{'%lu' cannot print a value of type 'i32': the length is for 64 bits; use none}}
    gpu.printf "%lu", %x : i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @f(%x: i32) kernel {
    // expected-error @below {{printf format takes 2 arguments, not 1}}
    gpu.printf "%d %d", %x : i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @f(%x: i32) kernel {
    // expected-error @below {{printf format: '%s' prints a string, which kernels do not have}}
    gpu.printf "%d %s", %x, %x : i32, i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @f(%x: i32) kernel {
    // expected-error @below {{printf format: '%*' takes its width from an argument}}
    gpu.printf "%*d", %x, %x : i32, i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @f(%x: i32) kernel {
    // expected-error @below {{printf format: '%' ends before its conversion: write %% for a percent sign}}
    gpu.printf "100%"
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @f(%x: i128) kernel {
    // expected-error @below {{'%lld' cannot print a value of type 'i128': 64 bits at most}}
    gpu.printf "%lld", %x : i128
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @f(%x: i32) kernel {
    // expected-error @below {{printf format: a zero byte at position 3 would end it: leave it out}}
    gpu.printf "%d \00 more", %x : i32
    gpu.return
  }
}
