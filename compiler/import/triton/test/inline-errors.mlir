// RUN: pumice-opt %s --split-input-file --pumice-inline-triton-calls --verify-diagnostics

tt.func public @kernel(%n: i32) attributes {noinline = false} {
  tt.call @a(%n) : (i32) -> ()
  tt.return
}
tt.func private @a(%n: i32) attributes {noinline = true} {
  tt.call @b(%n) : (i32) -> ()
  tt.return
}
tt.func private @b(%n: i32) attributes {noinline = true} {
  // expected-error@below {{kernels cannot recurse: 'a' calls 'b' calls 'a'; use a loop}}
  tt.call @a(%n) : (i32) -> ()
  tt.return
}

// -----

tt.func public @kernel(%c: i1) attributes {noinline = false} {
  // expected-error@below {{'a' has several blocks; structure its control flow first}}
  tt.call @a(%c) : (i1) -> ()
  tt.return
}
tt.func private @a(%c: i1) attributes {noinline = true} {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  tt.return
}

// -----

tt.func public @kernel(%n: i32) attributes {noinline = false} {
  // expected-error@below {{'a' has no body; define it in the kernel's module}}
  tt.call @a(%n) : (i32) -> ()
  tt.return
}
tt.func private @a(%n: i32) attributes {noinline = true}

// -----

// Each function calls the next one twice, so the code would double at each level.
tt.func public @kernel(%n: i32) attributes {noinline = false} {
  %a = tt.call @f1(%n) : (i32) -> i32
  tt.return
}
tt.func private @f1(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f2(%n) : (i32) -> i32
  %b = tt.call @f2(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f2(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f3(%n) : (i32) -> i32
  %b = tt.call @f3(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f3(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f4(%n) : (i32) -> i32
  %b = tt.call @f4(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f4(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f5(%n) : (i32) -> i32
  %b = tt.call @f5(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f5(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f6(%n) : (i32) -> i32
  %b = tt.call @f6(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f6(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f7(%n) : (i32) -> i32
  // expected-error@below {{the calls in 'f6' expand to more than 1048576 operations; call fewer functions, or smaller ones}}
  %b = tt.call @f7(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f7(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f8(%n) : (i32) -> i32
  %b = tt.call @f8(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f8(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f9(%n) : (i32) -> i32
  %b = tt.call @f9(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f9(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f10(%n) : (i32) -> i32
  %b = tt.call @f10(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f10(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f11(%n) : (i32) -> i32
  %b = tt.call @f11(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f11(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f12(%n) : (i32) -> i32
  %b = tt.call @f12(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f12(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f13(%n) : (i32) -> i32
  %b = tt.call @f13(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f13(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f14(%n) : (i32) -> i32
  %b = tt.call @f14(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f14(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f15(%n) : (i32) -> i32
  %b = tt.call @f15(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f15(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f16(%n) : (i32) -> i32
  %b = tt.call @f16(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f16(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f17(%n) : (i32) -> i32
  %b = tt.call @f17(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f17(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f18(%n) : (i32) -> i32
  %b = tt.call @f18(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f18(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f19(%n) : (i32) -> i32
  %b = tt.call @f19(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f19(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f20(%n) : (i32) -> i32
  %b = tt.call @f20(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f20(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f21(%n) : (i32) -> i32
  %b = tt.call @f21(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f21(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f22(%n) : (i32) -> i32
  %b = tt.call @f22(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f22(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f23(%n) : (i32) -> i32
  %b = tt.call @f23(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f23(%n: i32) -> i32 attributes {noinline = true} {
  %a = tt.call @f24(%n) : (i32) -> i32
  %b = tt.call @f24(%a) : (i32) -> i32
  tt.return %b : i32
}
tt.func private @f24(%n: i32) -> i32 attributes {noinline = true} {
  tt.return %n : i32
}
