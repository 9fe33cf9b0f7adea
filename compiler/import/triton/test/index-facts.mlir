// RUN: pumice-opt %s --split-input-file --pumice-print-index-facts --verify-diagnostics
// Facts about integers and pointers, at each operation that returns one.

// The indices of one program's block of a row, the mask, and the pointers.
// expected-remark@+3 {{variable 0: divisibility 16}}
// expected-remark@+2 {{variable 1: divisibility 16}}
// expected-remark@+1 {{variable 2: divisibility 8}}
tt.func public @row(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 8 : i32}) attributes {noinline = false} {
  // expected-remark@below {{constant 64}}
  %size = arith.constant 64 : i32
  // expected-remark@below {{divisibility 1, not negative}}
  %pid = tt.get_program_id x : i32
  // expected-remark@below {{divisibility 64, not negative}}
  %start = arith.muli %pid, %size : i32
  // expected-remark@below {{contiguity [64], constancy [1], divisibility [any], steps [1 2 4 8 16 32] from 0}}
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [64], divisibility [64], steps [0 0 0 0 0 0], not negative}}
  %starts = tt.splat %start : i32 -> tensor<64xi32>
  // expected-remark@below {{contiguity [64], constancy [1], divisibility [64], steps [1 2 4 8 16 32], not negative}}
  %at = arith.addi %starts, %range : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [64], divisibility [8], steps [0 0 0 0 0 0]}}
  %lengths = tt.splat %n : i32 -> tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [8], divisibility [1], steps [0 0 0 ? ? ?], not negative}}
  %inside = arith.cmpi slt, %at, %lengths : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [8], divisibility [1], steps [0 0 0 ? ? ?], not negative}}
  %outside = arith.cmpi sge, %at, %lengths : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ? ? ? ? ?], not negative}}
  %behind = arith.cmpi sgt, %at, %lengths : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [64], divisibility [64], steps [0 0 0 0 0 0] from 64}}
  %sizes = arith.constant dense<64> : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [64], divisibility [1], steps [0 0 0 0 0 0] from 1}}
  %full = arith.cmpi slt, %range, %sizes : tensor<64xi32>
  // expected-remark@below {{divisibility 16}}
  %row = arith.muli %pid, %stride : i32
  // expected-remark@below {{divisibility 16}}
  %begin = tt.addptr %x, %row : !tt.ptr<f16>, i32
  // expected-remark@below {{contiguity [1], constancy [64], divisibility [16], steps [0 0 0 0 0 0]}}
  %begins = tt.splat %begin : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  // expected-remark@below {{contiguity [64], constancy [1], divisibility [16], steps [2 4 8 16 32 64]}}
  %p = tt.addptr %begins, %at : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  tt.return
}

// -----

// Two dimensions, and a loop that advances the pointers.
// expected-remark@+3 {{variable 0: divisibility 16}}
// expected-remark@+2 {{variable 1: divisibility 4}}
// expected-remark@+1 {{variable 2: divisibility 1}}
tt.func public @block(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 4 : i32}, %n: i32) attributes {noinline = false} {
  // expected-remark@below {{constant 0}}
  %zero = arith.constant 0 : i32
  // expected-remark@below {{constant 8}}
  %eight = arith.constant 8 : i32
  // expected-remark@below {{contiguity [4], constancy [1], divisibility [any], steps [1 2] from 0}}
  %rows = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  // expected-remark@below {{contiguity [4, 1], constancy [1, 1], divisibility [any, 1], steps [1 2, ] from 0}}
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  // expected-remark@below {{contiguity [1, 1], constancy [4, 1], divisibility [4, 4], steps [0 0, ]}}
  %strides = tt.splat %stride : i32 -> tensor<4x1xi32>
  // expected-remark@below {{contiguity [1, 1], constancy [1, 1], divisibility [4, 4], steps [1*a 2*a, ] from 0}}
  %offset = arith.muli %row, %strides : tensor<4x1xi32>
  // expected-remark@below {{contiguity [8], constancy [1], divisibility [any], steps [1 2 4] from 0}}
  %columns = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  // expected-remark@below {{contiguity [1, 8], constancy [1, 1], divisibility [1, any], steps [1 2 4] from 0}}
  %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  // expected-remark@below {{contiguity [1, 1], constancy [1, 8], divisibility [4, 4], steps [1*a 2*a, 0 0 0] from 0}}
  %offsets = tt.broadcast %offset : tensor<4x1xi32> -> tensor<4x8xi32>
  // expected-remark@below {{contiguity [1, 8], constancy [4, 1], divisibility [1, any], steps [0 0, 1 2 4] from 0}}
  %others = tt.broadcast %column : tensor<1x8xi32> -> tensor<4x8xi32>
  // expected-remark@below {{contiguity [1, 8], constancy [1, 1], divisibility [1, 4], steps [1*a 2*a, 1 2 4] from 0}}
  %at = arith.addi %offsets, %others : tensor<4x8xi32>
  // expected-remark@below {{contiguity [1, 1], constancy [4, 8], divisibility [16, 16], steps [0 0, 0 0 0]}}
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  // expected-remark@below {{contiguity [1, 8], constancy [1, 1], divisibility [4, 16], steps [4*a 8*a, 4 8 16]}}
  %first = tt.addptr %xs, %at : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
  // expected-remark@below {{contiguity [1, 1], constancy [4, 8], divisibility [8, 8], steps [0 0, 0 0 0] from 8}}
  %steps = arith.constant dense<8> : tensor<4x8xi32>
  // expected-remark@+3 {{variable 0: divisibility 8, not negative}}
  // expected-remark@+2 {{variable 1: contiguity [1, 8], constancy [1, 1], divisibility [4, 16], steps [4*a 8*a, 4 8 16]}}
  // expected-remark@+1 {{contiguity [1, 8], constancy [1, 1], divisibility [4, 16], steps [4*a 8*a, 4 8 16]}}
  %last = scf.for %k = %zero to %n step %eight iter_args(%p = %first) -> (tensor<4x8x!tt.ptr<f32>>) : i32 {
    // expected-remark@below {{contiguity [1, 8], constancy [1, 1], divisibility [4, 16], steps [4*a 8*a, 4 8 16]}}
    %next = tt.addptr %p, %steps : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
    scf.yield %next : tensor<4x8x!tt.ptr<f32>>
  }
  tt.return
}

// -----

// Remainders and quotients are consecutive, or equal, in groups that cannot wrap, if no index is
// negative.
// expected-remark@+2 {{variable 0: divisibility 16}}
// expected-remark@+1 {{variable 1: divisibility 1}}
tt.func public @wrapped(%m: i32 {tt.divisibility = 16 : i32}, %sign: i32) attributes {noinline = false} {
  // expected-remark@below {{constant 64}}
  %size = arith.constant 64 : i32
  // expected-remark@below {{divisibility 1, not negative}}
  %pid = tt.get_program_id y : i32
  // expected-remark@below {{divisibility 64, not negative}}
  %start = arith.muli %pid, %size : i32
  // expected-remark@below {{contiguity [64], constancy [1], divisibility [any], steps [1 2 4 8 16 32] from 0}}
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [64], divisibility [64], steps [0 0 0 0 0 0], not negative}}
  %starts = tt.splat %start : i32 -> tensor<64xi32>
  // expected-remark@below {{contiguity [64], constancy [1], divisibility [64], steps [1 2 4 8 16 32], not negative}}
  %at = arith.addi %starts, %range : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [64], divisibility [16], steps [0 0 0 0 0 0]}}
  %ms = tt.splat %m : i32 -> tensor<64xi32>
  // expected-remark@below {{contiguity [16], constancy [1], divisibility [16], steps [1 2 4 8 ? ?], not negative}}
  %rest = arith.remsi %at, %ms : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [16], divisibility [1], steps [0 0 0 0 ? ?]}}
  %group = arith.divsi %at, %ms : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [64], divisibility [8], steps [0 0 0 0 0 0] from 8}}
  %eight = arith.constant dense<8> : tensor<64xi32>
  // expected-remark@below {{contiguity [8], constancy [1], divisibility [any], steps [1 2 4 0 0 0] from 0}}
  %in = arith.remsi %at, %eight : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [8], divisibility [1], steps [0 0 0 1 2 4], not negative}}
  %of = arith.divsi %at, %eight : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [64], divisibility [1], steps [0 0 0 0 0 0] from 7}}
  %seven = arith.constant dense<7> : tensor<64xi32>
  // expected-remark@below {{contiguity [8], constancy [1], divisibility [any], steps [1 2 4 0 0 0] from 0}}
  %masked = arith.andi %at, %seven : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [64], divisibility [1], steps [0 0 0 0 0 0] from 3}}
  %three = arith.constant dense<3> : tensor<64xi32>
  // expected-remark@below {{contiguity [1], constancy [8], divisibility [1], steps [0 0 0 1 2 4], not negative}}
  %shifted = arith.shrsi %at, %three : tensor<64xi32>
  // expected-remark@below {{divisibility 64}}
  %any = arith.muli %sign, %size : i32
  // expected-remark@below {{contiguity [1], constancy [64], divisibility [64], steps [0 0 0 0 0 0]}}
  %anys = tt.splat %any : i32 -> tensor<64xi32>
  // expected-remark@below {{contiguity [64], constancy [1], divisibility [64], steps [1 2 4 8 16 32]}}
  %perhaps = arith.addi %anys, %range : tensor<64xi32>
  // As in Triton, indices are assumed to count up from zero. The fact that they may be negative is
  // kept.
  // expected-remark@below {{contiguity [16], constancy [1], divisibility [16], steps [1 2 4 8 ? ?]}}
  %unknown = arith.remsi %perhaps, %ms : tensor<64xi32>
  // expected-remark@below {{constant 0}}
  %zero = arith.constant 0 : i32
  // expected-remark@below {{divisibility 64, not negative}}
  %positive = arith.maxsi %any, %zero : i32
  // expected-remark@below {{contiguity [1], constancy [64], divisibility [64], steps [0 0 0 0 0 0], not negative}}
  %positives = tt.splat %positive : i32 -> tensor<64xi32>
  // expected-remark@below {{contiguity [64], constancy [1], divisibility [64], steps [1 2 4 8 16 32], not negative}}
  %surely = arith.addi %positives, %range : tensor<64xi32>
  // expected-remark@below {{contiguity [16], constancy [1], divisibility [16], steps [1 2 4 8 ? ?], not negative}}
  %known = arith.remsi %surely, %ms : tensor<64xi32>
  tt.return
}

// -----

// Hints from the author of the kernel.
// expected-remark@+3 {{variable 0: divisibility 1}}
// expected-remark@+2 {{variable 1: divisibility 1}}
// expected-remark@+1 {{variable 2: contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
tt.func public @hints(%n: i32, %m: i32, %p: tensor<8x!tt.ptr<f32>>) attributes {noinline = false} {
  // expected-remark@below {{constant 0}}
  %zero = arith.constant 0 : i32
  // expected-remark@below {{constant 4}}
  %four = arith.constant 4 : i32
  // expected-remark@below {{divisibility 1, not negative}}
  %a = arith.addi %n, %m : i32
  // expected-remark@below {{divisibility 1, not negative}}
  %isPositive = arith.cmpi sgt, %a, %zero : i32
  llvm.intr.assume %isPositive : i1
  // expected-remark@below {{divisibility 4}}
  %b = arith.subi %n, %m : i32
  // expected-remark@below {{divisibility 4}}
  %rest = arith.remsi %b, %four : i32
  // expected-remark@below {{divisibility 1}}
  %isMultiple = arith.cmpi eq, %rest, %zero : i32
  llvm.intr.assume %isMultiple : i1
  // expected-remark@below {{contiguity [8], constancy [1], divisibility [any], steps [1 2 4] from 0}}
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %v = tt.load %p {tt.contiguity = dense<4> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>} : tensor<8x!tt.ptr<f32>>
  // expected-remark@below {{contiguity [4], constancy [1], divisibility [16], steps [1 2 ?]}}
  %index = arith.fptosi %v {tt.contiguity = dense<4> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>} : tensor<8xf32> to tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [8], divisibility [1], steps [0 0 0]}}
  %same = arith.fptosi %v {tt.constancy = dense<8> : tensor<1xi32>} : tensor<8xf32> to tensor<8xi32>
  tt.return
}

// -----

// The bound in a comparison may be the largest number.
// expected-remark@+1 {{variable 0: divisibility 1}}
tt.func public @largest(%n: i64) attributes {noinline = false} {
  // expected-remark@below {{constant 9223372036854775807}}
  %most = arith.constant 9223372036854775807 : i64
  // expected-remark@below {{divisibility 1, not negative}}
  %a = arith.addi %n, %n : i64
  // expected-remark@below {{divisibility 1, not negative}}
  %isMore = arith.cmpi sgt, %a, %most : i64
  llvm.intr.assume %isMore : i1
  tt.return
}

// -----

// Changes of the shape only move bits.
tt.func public @shapes() attributes {noinline = false} {
  // expected-remark@below {{contiguity [32], constancy [1], divisibility [any], steps [1 2 4 8 16] from 0}}
  %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  // expected-remark@below {{contiguity [1, 8], constancy [1, 1], divisibility [1, 8], steps [8 16, 1 2 4] from 0}}
  %matrix = tt.reshape %range : tensor<32xi32> -> tensor<4x8xi32>
  // expected-remark@below {{contiguity [8, 1], constancy [1, 1], divisibility [8, 1], steps [1 2 4, 8 16] from 0}}
  %transposed = tt.trans %matrix {order = array<i32: 1, 0>} : tensor<4x8xi32> -> tensor<8x4xi32>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [8 16 1 2 4] from 0}}
  %line = tt.reshape %transposed : tensor<8x4xi32> -> tensor<32xi32>
  // expected-remark@below {{contiguity [1, 1], constancy [1, 1], divisibility [1, 1], steps [? ?, ? ? ?], not negative}}
  %shuffled = tt.reshape %range allow_reorder : tensor<32xi32> -> tensor<4x8xi32>
  // expected-remark@below {{contiguity [32], constancy [1], divisibility [32], steps [1 2 4 8 16] from 32}}
  %more = tt.make_range {end = 64 : i32, start = 32 : i32} : tensor<32xi32>
  // expected-remark@below {{contiguity [32, 1], constancy [1, 1], divisibility [32, 1], steps [1 2 4 8 16, 32] from 0}}
  %both = tt.join %range, %more : tensor<32xi32> -> tensor<32x2xi32>
  // expected-remark@+2 {{0: contiguity [32], constancy [1], divisibility [any], steps [1 2 4 8 16] from 0}}
  // expected-remark@+1 {{1: contiguity [32], constancy [1], divisibility [32], steps [1 2 4 8 16] from 32}}
  %one, %other = tt.split %both : tensor<32x2xi32> -> tensor<32xi32>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ? ? ? ? ?], not negative}}
  %cat = tt.cat %range, %more : tensor<32xi32> -> tensor<64xi32>
  // expected-remark@+3 {{variable 0: divisibility 1}}
  // expected-remark@+2 {{variable 1: divisibility 1}}
  // expected-remark@+1 {{contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
  %sum = "tt.reduce"(%matrix) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    // expected-remark@below {{divisibility 1}}
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<4x8xi32>) -> tensor<8xi32>
  // expected-remark@below {{contiguity [2], constancy [1], divisibility [4], steps [1 4 8] from 0}}
  %table = arith.constant dense<[0, 1, 4, 5, 8, 9, 12, 13]> : tensor<8xi32>
  tt.return
}

// -----

// Sums of narrow integers wrap, so 200 + i is not consecutive in i8. Equal pointers load equal
// values.
// expected-remark@+3 {{variable 0: divisibility 1}}
// expected-remark@+2 {{variable 1: divisibility 1}}
// expected-remark@+1 {{variable 2: divisibility 1}}
tt.func public @values(%x: !tt.ptr<i32>, %n: i8, %flag: i1) attributes {noinline = false} {
  // expected-remark@below {{contiguity [8], constancy [1], divisibility [any], steps [1 2 4] from 0}}
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  // expected-remark@below {{contiguity [8], constancy [1], divisibility [any], steps [1 2 4] from 0}}
  %small = arith.trunci %range : tensor<8xi32> to tensor<8xi8>
  // expected-remark@below {{contiguity [1], constancy [8], divisibility [1], steps [0 0 0]}}
  %n8 = tt.splat %n : i8 -> tensor<8xi8>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
  %sum = arith.addi %small, %n8 : tensor<8xi8>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
  %wide = arith.extsi %sum : tensor<8xi8> to tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [8], divisibility [4], steps [0 0 0] from 4}}
  %four = arith.constant dense<4> : tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [4], divisibility [1], steps [0 0 1] from 0}}
  %half = arith.divsi %range, %four : tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [8], divisibility [1], steps [0 0 0]}}
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  // expected-remark@below {{contiguity [1], constancy [4], divisibility [1], steps [0 0 4]}}
  %p = tt.addptr %xs, %half : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [4], divisibility [1], steps [0 0 ?]}}
  %loaded = tt.load %p : tensor<8x!tt.ptr<i32>>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
  %again = tt.load %p {isVolatile = true} : tensor<8x!tt.ptr<i32>>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ? ?], not negative}}
  %chosen = arith.select %flag, %range, %half : tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [4], divisibility [1], steps [0 0 4]}}
  %number = tt.ptr_to_int %p : tensor<8x!tt.ptr<i32>> -> tensor<8xi64>
  %bits = tt.bitcast %loaded : tensor<8xi32> -> tensor<8xf32>
  // expected-remark@below {{divisibility 1}}
  %least = arith.cmpi slt, %flag, %flag : i1
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
  %mask = arith.cmpi eq, %range, %four : tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
  %both = arith.andi %mask, %mask : tensor<8xi1>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
  %minusOne = arith.extsi %mask : tensor<8xi1> to tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [4], divisibility [1], steps [0 0 ?]}}
  %rounded = arith.fptosi %bits : tensor<8xf32> to tensor<8xi32>
  tt.return
}

// -----

// Nothing is known about the results of calls. Each result has its own symbol.
// expected-remark@below {{variable 0: divisibility 16}}
tt.func public @calls(%n: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ?]}}
  %a = tt.call @next(%n) : (i32) -> tensor<4xi32>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ?]}}
  %b = tt.call @next(%n) : (i32) -> tensor<4xi32>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ?]}}
  %c = arith.subi %a, %b : tensor<4xi32>
  tt.return
}
// expected-remark@below {{variable 0: divisibility 1}}
tt.func private @next(%n: i32) -> tensor<4xi32> attributes {noinline = true} {
  // expected-remark@below {{contiguity [4], constancy [1], divisibility [any], steps [1 2] from 0}}
  %range = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  // expected-remark@below {{contiguity [1], constancy [4], divisibility [1], steps [0 0]}}
  %ns = tt.splat %n : i32 -> tensor<4xi32>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [1*a 2*a] from 0}}
  %r = arith.muli %range, %ns : tensor<4xi32>
  tt.return %r : tensor<4xi32>
}

// -----

// Strides are numbers of the kernel. Sums of multiples of one symbol are known, and sums of several
// symbols are not. A number that a loop changes is not a stride.
// expected-remark@+2 {{variable 0: divisibility 1}}
// expected-remark@+1 {{variable 1: divisibility 1}}
tt.func public @strides(%s: i32, %t: i32) attributes {noinline = false} {
  // expected-remark@below {{constant 0}}
  %zero = arith.constant 0 : i32
  // expected-remark@below {{contiguity [8], constancy [1], divisibility [any], steps [1 2 4] from 0}}
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [8], divisibility [1], steps [0 0 0]}}
  %ss = tt.splat %s : i32 -> tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [8], divisibility [1], steps [0 0 0]}}
  %ts = tt.splat %t : i32 -> tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [1*a 2*a 4*a] from 0}}
  %a = arith.muli %range, %ss : tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [1*a 2*a 4*a] from 0}}
  %b = arith.muli %ts, %range : tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
  %two = arith.addi %a, %b : tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [8], divisibility [4], steps [0 0 0] from 4}}
  %four = arith.constant dense<4> : tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [4], steps [4*a 8*a 16*a] from 0}}
  %scaled = arith.muli %a, %four : tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [5*a 10*a 20*a] from 0}}
  %five = arith.addi %scaled, %a : tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [8], divisibility [any], steps [0 0 0] from 0}}
  %none = arith.subi %a, %a : tensor<8xi32>
  // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
  %quotient = arith.divsi %five, %four : tensor<8xi32>
  // expected-remark@+3 {{variable 0: divisibility 1}}
  // expected-remark@+2 {{variable 1: contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
  // expected-remark@+1 {{contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
  %last = scf.for %k = %zero to %t step %s iter_args(%p = %a) -> (tensor<8xi32>) : i32 {
    // expected-remark@below {{contiguity [1], constancy [8], divisibility [1], steps [0 0 0]}}
    %ks = tt.splat %k : i32 -> tensor<8xi32>
    // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [1*a 2*a 4*a] from 0}}
    %step = arith.muli %range, %ks : tensor<8xi32>
    // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
    %same = arith.addi %p, %ks : tensor<8xi32>
    // expected-remark@below {{contiguity [1], constancy [1], divisibility [1], steps [? ? ?]}}
    %next = arith.addi %p, %step : tensor<8xi32>
    scf.yield %next : tensor<8xi32>
  }
  tt.return
}
