// RUN: pumice-opt %s --pumice-lanes-to-simd=width=4 --split-input-file | FileCheck %s
// Where loops look at the launch's wish to end, and what LLVM is told of them.

// A bound that the launch gives: pieces of 16384 turns, without a test in the turns.
// CHECK-LABEL: llvm.func @counts
// CHECK: arith.cmpi slt, %[[NOW:.*]], %{{.*}} : i32
// CHECK-NOT: llvm.load volatile
// The next piece:
// CHECK: %[[LEFT:.*]] = llvm.sub %[[N:.*]], %[[COUNTER:.*]] : i32
// CHECK: %[[END:.*]] = llvm.add %[[COUNTER]], %[[PIECE:.*]] : i32
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[COUNTER]], %[[N]] : i32
// CHECK: %[[FAR:.*]] = llvm.icmp "ugt" %[[LEFT]], %[[PIECE]] : i32
// CHECK: %[[BOTH:.*]] = llvm.and %[[MORE]], %[[FAR]] : i1
// CHECK: llvm.select %[[BOTH]], %[[END]], %[[N]] : i1, i32
// At the end of a piece:
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

// Between constants: no test, but for one between workgroups. Unroll and PartialCount go to LLVM.
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

// No count at all: a test a turn.
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

// MaxIterations promises few turns; a promise that is broken must not keep the launch from ending. No
// more copies are asked of LLVM than a body of its size can have.
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

// Turns that never come to the test of the count: the loop has no end that is known.
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

// Whether somebody is left is asked in the middle of a turn and at its end; who finds nobody is through with the
// loop either way. Without that, the middle would lead to the end, and be asked again.
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

// Lanes that go on with the next turn from elsewhere may be left when nobody reaches the end.
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
