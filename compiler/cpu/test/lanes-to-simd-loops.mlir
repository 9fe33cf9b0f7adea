// RUN: pumice-opt %s --pumice-lanes-to-simd=width=4 --split-input-file | FileCheck %s
// Tests where loops check for cancellation, and which hints LLVM gets for them.

// The launch gives the bound: the loop runs in pieces of 16384 iterations, which contain no test.
// CHECK-LABEL: llvm.func @counts
// CHECK: arith.cmpi slt, %[[NOW:.*]], %{{.*}} : i32
// CHECK-NOT: llvm.load volatile
// The start of the next piece:
// CHECK: %[[LEFT:.*]] = llvm.sub %[[N:.*]], %[[COUNTER:.*]] : i32
// CHECK: %[[END:.*]] = llvm.add %[[COUNTER]], %[[PIECE:.*]] : i32
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[COUNTER]], %[[N]] : i32
// CHECK: %[[FAR:.*]] = llvm.icmp "ugt" %[[LEFT]], %[[PIECE]] : i32
// CHECK: %[[BOTH:.*]] = llvm.and %[[MORE]], %[[FAR]] : i1
// CHECK: llvm.select %[[BOTH]], %[[END]], %[[N]] : i1, i32
// The end of a piece:
// CHECK: arith.cmpi slt, %[[NOW]], %[[N]] : i32
// CHECK: llvm.load volatile
func.func @counts() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 1, 1>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %args = lane.push_constants
  %n = lane.load %args align 4 : i32
  %p = lane.buffer 0, 0
  %i = lane.var i32
  lane.set %i, %zero : i32
  lane.loop {
    %c = lane.get %i : i32
    %more = arith.cmpi slt, %c, %n : i32
    lane.if %more {
      lane.end
    } else {
      lane.exit 1
    }
    lane.store %c to %p align 4 : i32
    lane.end
  } continuing {
    %c = lane.get %i : i32
    %next = arith.addi %c, %one : i32
    lane.set %i, %next overwrite : i32
    lane.end
  }
  func.return
}

// -----

// Constant bounds need no test except between workgroups. LLVM gets Unroll and PartialCount.
// CHECK-LABEL: llvm.func @short
// CHECK-NOT: llvm.load volatile
// CHECK: llvm.br ^{{.*}} {loop_annotation = #[[UNROLL:loop_annotation[0-9]*]]}
// CHECK: llvm.load volatile
// CHECK-NOT: llvm.load volatile
func.func @short() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 1, 1>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = arith.constant 1000 : i32
  %p = lane.buffer 0, 0
  %i = lane.var i32
  lane.set %i, %zero : i32
  lane.loop control 256 operands [4] {
    %c = lane.get %i : i32
    %more = arith.cmpi slt, %c, %n : i32
    lane.if %more {
      lane.end
    } else {
      lane.exit 1
    }
    lane.store %c to %p align 4 : i32
    lane.end
  } continuing {
    %c = lane.get %i : i32
    %next = arith.addi %c, %one : i32
    lane.set %i, %next overwrite : i32
    lane.end
  }
  func.return
}

// -----

// A loop that does not count tests in every iteration.
// CHECK-LABEL: llvm.func @waits
// CHECK: llvm.load volatile
// CHECK: llvm.cond_br %{{.*}} weights([10000, 1]), ^{{.*}}, ^{{.*}} {loop_annotation = #{{.*}}}
func.func @waits() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 1, 1>} {
  %zero = arith.constant 0 : i32
  %p = lane.buffer 0, 0
  lane.loop control 2 {
    %x = lane.load %p align 4 : i32
    %more = arith.cmpi eq, %x, %zero : i32
    lane.if %more {
      lane.end
    } else {
      lane.exit 1
    }
    lane.end
  } continuing {
    lane.end
  }
  func.return
}

// -----

// MaxIterations promises few iterations, but even if the promise is broken, the launch must end.
// The number of copies that LLVM is asked for is limited by the size of the body.
// CHECK: #llvm.loop_unroll<disable = false>{{$}}
// CHECK-LABEL: llvm.func @few
// CHECK: llvm.load volatile
// CHECK: llvm.cond_br %{{.*}} weights([10000, 1]), ^{{.*}}, ^{{.*}} {loop_annotation = #{{.*}}}
func.func @few() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 1, 1>} {
  %zero = arith.constant 0 : i32
  %p = lane.buffer 0, 0
  lane.loop control 304 operands [2, 100, 1000000] {
    %x = lane.load %p align 4 : i32
    %more = arith.cmpi eq, %x, %zero : i32
    lane.if %more {
      lane.end
    } else {
      lane.exit 1
    }
    lane.end
  } continuing {
    lane.end
  }
  func.return
}

// -----

// Some iterations never reach the test of the counter, so the number of iterations is unknown.
// CHECK-LABEL: llvm.func @passes_by
// CHECK: llvm.load volatile
// CHECK: llvm.load volatile
func.func @passes_by() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 1, 1>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = arith.constant 1000 : i32
  %p = lane.buffer 0, 0
  %i = lane.var i32
  lane.set %i, %zero : i32
  lane.loop {
    %x = lane.load %p align 4 : i32
    %again = arith.cmpi eq, %x, %zero : i32
    lane.if %again {
      lane.continue 1
    } else {
      lane.end
    }
    %c = lane.get %i : i32
    %more = arith.cmpi ult, %c, %n : i32
    lane.if %more {
      lane.end
    } else {
      lane.exit 1
    }
    lane.end
  } continuing {
    %c = lane.get %i : i32
    %next = arith.addi %c, %one : i32
    lane.set %i, %next overwrite : i32
    lane.end
  }
  func.return
}

// -----

// The loop tests whether any lane is left, in the middle of an iteration and at its end. Both tests
// leave the loop directly. Otherwise, the first test would lead to the end of the iteration, and to
// the second test.
// CHECK-LABEL: llvm.func @leaves
// CHECK: llvm.bitcast %{{.*}} : vector<4xi1> to i4
// CHECK: llvm.cond_br %{{.*}}, ^{{bb[0-9]+}}, ^[[EXIT:bb[0-9]+]]{{$}}
// CHECK: llvm.bitcast %{{.*}} : vector<4xi1> to i4
// CHECK: llvm.cond_br %{{.*}}, ^{{bb[0-9]+}}, ^[[EXIT]]{{$}}
func.func @leaves() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 1, 1>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = lane.builtin local_index
  %p = lane.buffer 0, 0
  %i = lane.var i32
  lane.set %i, %zero : i32
  lane.loop {
    %c = lane.get %i : i32
    %more = arith.cmpi ult, %c, %n : i32
    lane.if %more {
      lane.end
    } else {
      lane.exit 1
    }
    lane.store %c to %p align 4 : i32
    lane.end
  } continuing {
    %c = lane.get %i : i32
    %next = arith.addi %c, %one : i32
    lane.set %i, %next overwrite : i32
    lane.end
  }
  func.return
}

// -----

// Lanes that continue early may still be left when no lane reaches the end of an iteration.
// CHECK-LABEL: llvm.func @leaves_or_goes_on
// CHECK: llvm.bitcast %{{.*}} : vector<4xi1> to i4
// CHECK: llvm.cond_br %{{.*}}, ^{{bb[0-9]+}}, ^[[EXIT:bb[0-9]+]]{{$}}
// CHECK: llvm.bitcast %{{.*}} : vector<4xi1> to i4
// CHECK-NOT: llvm.cond_br %{{.*}}, ^{{bb[0-9]+}}, ^[[EXIT]]{{$}}
// CHECK: llvm.intr.ctlz
func.func @leaves_or_goes_on() attributes {lane.kernel, lane.workgroup_size = array<i32: 4, 1, 1>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = lane.builtin local_index
  %p = lane.buffer 0, 0
  %i = lane.var i32
  lane.set %i, %zero : i32
  lane.loop {
    %c = lane.get %i : i32
    %again = arith.cmpi eq, %c, %n : i32
    lane.if %again {
      lane.continue 1
    } else {
      lane.end
    }
    lane.store %c to %p align 4 : i32
    %more = arith.cmpi ult, %c, %n : i32
    lane.if %more {
      lane.end
    } else {
      lane.exit 1
    }
    lane.store %n to %p align 4 : i32
    lane.end
  } continuing {
    %c = lane.get %i : i32
    %next = arith.addi %c, %one : i32
    lane.set %i, %next overwrite : i32
    lane.end
  }
  func.return
}
