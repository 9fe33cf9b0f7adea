// Control flow that SPIR-V has to have structured, and calls between functions.
module attributes {gpu.container_module} {
  gpu.module @control {
    // How many steps of n -> n / 2 or 3 n + 1 lead to 1: a while loop written with branches.
    gpu.func @collatz(%in: memref<?xi32>, %out: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %i = gpu.global_id x
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %three = arith.constant 3 : i32
      %n = memref.load %in[%i] : memref<?xi32>
      cf.br ^head(%n, %zero : i32, i32)
    ^head(%x: i32, %steps: i32):
      %more = arith.cmpi ugt, %x, %one : i32
      cf.cond_br %more, ^body, ^done
    ^body:
      %next_steps = arith.addi %steps, %one : i32
      %bit = arith.andi %x, %one : i32
      %odd = arith.cmpi eq, %bit, %one : i32
      cf.cond_br %odd, ^odd, ^even
    ^odd:
      %triple = arith.muli %x, %three : i32
      %up = arith.addi %triple, %one : i32
      cf.br ^head(%up, %next_steps : i32, i32)
    ^even:
      %half = arith.divui %x, %two : i32
      cf.br ^head(%half, %next_steps : i32, i32)
    ^done:
      memref.store %steps, %out[%i] : memref<?xi32>
      gpu.return
    }

    // Returns early for odd lanes, and leaves a nested loop from the inside.
    gpu.func @early_return(%in: memref<?xi32>, %out: memref<?xi32>, %limit: i32) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %i = gpu.global_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %zero = arith.constant 0 : i32
      %rest = arith.remui %i, %c2 : index
      %odd = arith.cmpi eq, %rest, %c1 : index
      cf.cond_br %odd, ^leave, ^outer(%c0, %zero : index, i32)
    ^outer(%k: index, %sum: i32):
      %in_range = arith.cmpi ult, %k, %i : index
      cf.cond_br %in_range, ^inner(%c0, %sum : index, i32), ^store(%sum : i32)
    ^inner(%j: index, %s: i32):
      %e = memref.load %in[%j] : memref<?xi32>
      %t = arith.addi %s, %e : i32
      %large = arith.cmpi sgt, %t, %limit : i32
      cf.cond_br %large, ^store(%t : i32), ^again
    ^again:
      %j1 = arith.addi %j, %c1 : index
      %inner_more = arith.cmpi ule, %j1, %k : index
      cf.cond_br %inner_more, ^inner(%j1, %t : index, i32), ^outer_next
    ^outer_next:
      %k1 = arith.addi %k, %c1 : index
      cf.br ^outer(%k1, %t : index, i32)
    ^store(%result: i32):
      memref.store %result, %out[%i] : memref<?xi32>
      gpu.return
    ^leave:
      gpu.return
    }

    gpu.func @switches(%in: memref<?xi32>, %out: memref<2x?xi32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %i = gpu.global_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %ten = arith.constant 10 : i32
      %hundred = arith.constant 100 : i32
      %e = memref.load %in[%i] : memref<?xi32>
      cf.switch %e : i32, [
        default: ^other(%ten : i32),
        -3: ^negative,
        0: ^other(%hundred : i32),
        4: ^four
      ]
    ^negative:
      %m = arith.muli %e, %ten : i32
      cf.br ^four2(%m : i32)
    ^four:
      cf.br ^four2(%e : i32)
    ^four2(%f: i32):
      %g = arith.addi %f, %hundred : i32
      cf.br ^end(%g : i32)
    ^other(%h: i32):
      %k = arith.addi %h, %e : i32
      cf.br ^end(%k : i32)
    ^end(%r: i32):
      memref.store %r, %out[%c0, %i] : memref<2x?xi32>
      %at = arith.index_cast %e : i32 to index
      %s = scf.index_switch %at -> i32
      case 1 {
        scf.yield %ten : i32
      }
      case 5 {
        %x = arith.subi %e, %ten : i32
        scf.yield %x : i32
      }
      default {
        %y = arith.xori %e, %hundred : i32
        scf.yield %y : i32
      }
      memref.store %s, %out[%c1, %i] : memref<2x?xi32>
      gpu.return
    }

    // A loop with two entries.
    gpu.func @irreducible(%in: memref<?xi32>, %out: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %i = gpu.global_id x
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %fifty = arith.constant 50 : i32
      %n = memref.load %in[%i] : memref<?xi32>
      %bit = arith.andi %n, %one : i32
      %odd = arith.cmpi ne, %bit, %zero : i32
      cf.cond_br %odd, ^a(%n, %zero : i32, i32), ^b(%n, %one : i32, i32)
    ^a(%x: i32, %s: i32):
      %x3 = arith.muli %x, %three : i32
      %s1 = arith.addi %s, %one : i32
      cf.br ^b(%x3, %s1 : i32, i32)
    ^b(%y: i32, %t: i32):
      %y1 = arith.addi %y, %t : i32
      %small = arith.cmpi slt, %y1, %fifty : i32
      cf.cond_br %small, ^a(%y1, %t : i32, i32), ^end(%y1, %t : i32, i32)
    ^end(%z: i32, %u: i32):
      %r = arith.muli %z, %u : i32
      memref.store %r, %out[%i] : memref<?xi32>
      gpu.return
    }

    func.func @square_sum(%a: i32, %b: i32) -> (i32, i1) {
      %aa = func.call @square(%a) : (i32) -> i32
      %bb = func.call @square(%b) : (i32) -> i32
      %s = arith.addi %aa, %bb : i32
      %less = arith.cmpi slt, %aa, %bb : i32
      return %s, %less : i32, i1
    }
    func.func @square(%a: i32) -> i32 {
      %zero = arith.constant 0 : i32
      %negative = arith.cmpi slt, %a, %zero : i32
      cf.cond_br %negative, ^flip, ^keep
    ^flip:
      %minus = arith.subi %zero, %a : i32
      %p = arith.muli %minus, %minus : i32
      return %p : i32
    ^keep:
      %q = arith.muli %a, %a : i32
      return %q : i32
    }
    func.func @put(%m: memref<?xi32>, %i: index, %v: i32) {
      memref.store %v, %m[%i] : memref<?xi32>
      return
    }
    gpu.func @calls(%in: memref<?xi32>, %out: memref<?xi32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %i = gpu.global_id x
      %five = arith.constant 5 : i32
      %minus = arith.constant -1 : i32
      %e = memref.load %in[%i] : memref<?xi32>
      %s, %less = func.call @square_sum(%e, %five) : (i32, i32) -> (i32, i1)
      %r = arith.select %less, %s, %minus : i32
      func.call @put(%out, %i, %r) : (memref<?xi32>, index, i32) -> ()
      gpu.return
    }

    // scf.while with other values in its body than in its condition, and a 64-bit loop that counts
    // down.
    gpu.func @loops(%in: memref<?xi32>, %out: memref<3x?xi32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %i = gpu.global_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %seven = arith.constant 7 : i32
      %e = memref.load %in[%i] : memref<?xi32>
      %w:2 = scf.while (%x = %e, %n = %zero) : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi sgt, %x, %seven : i32
        %shifted = arith.shrsi %x, %one : i32
        scf.condition(%more) %shifted, %n : i32, i32
      } do {
      ^bb0(%y: i32, %m: i32):
        %m1 = arith.addi %m, %one : i32
        %y1 = arith.subi %y, %m1 : i32
        scf.yield %y1, %m1 : i32, i32
      }
      %both = arith.muli %w#0, %w#1 : i32
      memref.store %both, %out[%c0, %i] : memref<3x?xi32>

      %from = arith.constant -3 : i64
      %to = arith.constant 5 : i64
      %by = arith.constant 2 : i64
      %product = scf.for %k = %from to %to step %by iter_args(%p = %one) -> (i32) : i64 {
        %k32 = arith.trunci %k : i64 to i32
        %q = arith.addi %k32, %e : i32
        %r = arith.muli %p, %q : i32
        scf.yield %r : i32
      }
      memref.store %product, %out[%c1, %i] : memref<3x?xi32>

      // A loop with equal bounds, and a loop in a branch in a loop.
      %c4 = arith.constant 4 : index
      %nested = scf.for %a = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (i32) {
        %a2 = arith.remui %a, %c2 : index
        %even = arith.cmpi eq, %a2, %c0 : index
        %t = scf.if %even -> (i32) {
          %u = scf.for %b = %c0 to %a step %c1 iter_args(%v = %s) -> (i32) {
            %vv = arith.addi %v, %e : i32
            scf.yield %vv : i32
          }
          scf.yield %u : i32
        } else {
          %m = arith.muli %s, %seven : i32
          scf.yield %m : i32
        }
        scf.yield %t : i32
      }
      memref.store %nested, %out[%c2, %i] : memref<3x?xi32>
      gpu.return
    }

    // Lanes leave these loops at different times, with values that the loop computed: the first
    // number from here on that is not negative; what a break in the middle of a loop takes along.
    gpu.func @loop_results(%in: memref<?xi32>, %out: memref<2x?xi32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %i = gpu.global_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %zero = arith.constant 0 : i32
      %three = arith.constant 3 : i32
      %seven = arith.constant 7 : i32
      %found:2 = scf.while (%k = %i) : (index) -> (index, i32) {
        %x = memref.load %in[%k] : memref<?xi32>
        %negative = arith.cmpi slt, %x, %zero : i32
        scf.condition(%negative) %k, %x : index, i32
      } do {
      ^bb0(%k: index, %x: i32):
        %n = arith.addi %k, %c1 : index
        scf.yield %n : index
      }
      memref.store %found#1, %out[%c0, %i] : memref<2x?xi32>

      %e = memref.load %in[%i] : memref<?xi32>
      %odd = arith.trunci %e : i32 to i1
      %rest = arith.remui %e, %three : i32
      %from = arith.index_castui %rest : i32 to index
      cf.br ^head(%from, %zero : index, i32)
    ^head(%j: index, %p: i32):
      %more = arith.cmpi slt, %j, %c3 : index
      cf.cond_br %more, ^body, ^exit(%p : i32)
    ^body:
      cf.cond_br %odd, ^exit(%e : i32), ^next
    ^next:
      %n = arith.addi %j, %c1 : index
      cf.br ^head(%n, %seven : index, i32)
    ^exit(%r: i32):
      memref.store %r, %out[%c1, %i] : memref<2x?xi32>
      gpu.return
    }
  }
}
