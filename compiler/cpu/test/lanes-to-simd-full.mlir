// A short arm with accesses to neighbouring memory is emitted twice. The copy without masks runs if
// all lanes take the arm.
// RUN: pumice-opt %s -pumice-lanes-to-simd='width=4' -canonicalize | FileCheck %s
// RUN: pumice-opt %s -pumice-lanes-to-simd='width=4' -canonicalize | grep -c "intr.masked.store" | FileCheck %s --check-prefix=COUNT
// COUNT: 4

// CHECK-LABEL: llvm.func @arm
// The last lane shows whether all lanes are below the bound, and the first lane whether any is.
// CHECK: %[[REST:.+]] = arith.cmpi uge
// CHECK: llvm.cond_br %{{.+}}, ^[[FULL:bb[0-9]+]], ^[[SOME:bb[0-9]+]]
// CHECK: ^[[FULL]]:
// CHECK-NOT: masked
// CHECK: llvm.store %{{.+}} : vector<4xi32>
// CHECK: ^[[SOME]]:
// CHECK: llvm.intr.masked.store
func.func @arm() attributes {lane.kernel, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %out = lane.buffer 0, 0
  %four = arith.constant 4 : i64
  %x = lane.builtin local_id_x
  %wide = arith.extui %x : i32 to i64
  %at = arith.muli %wide, %four overflow<nsw> : i64
  %to = lane.offset %out[%at]
  %bound = lane.builtin workgroup_id_x
  %c = arith.cmpi ult, %x, %bound : i32
  lane.if %c {
    lane.store %x to %to align 4 : i32
    lane.end
  } else {
    lane.end
  }
  return
}

// The same holds for the code after an exit. Code that only some lanes run is not copied again.
// CHECK-LABEL: llvm.func @rest
// CHECK: llvm.icmp "eq" %{{.+}}, %{{.+}} : i4
// CHECK: llvm.store %{{.+}} : vector<4xi32>
// CHECK: llvm.intr.masked.store
// CHECK: llvm.intr.masked.store
// CHECK: llvm.intr.masked.store
func.func @rest() attributes {lane.kernel, lane.workgroup_size = array<i32: 16, 1, 1>} {
  %out = lane.buffer 0, 0
  %four = arith.constant 4 : i64
  %x = lane.builtin local_id_x
  %wide = arith.extui %x : i32 to i64
  %at = arith.muli %wide, %four overflow<nsw> : i64
  %to = lane.offset %out[%at]
  %bound = lane.builtin workgroup_id_x
  %c = arith.cmpi ult, %x, %bound : i32
  lane.scope {
    lane.if %c {
      lane.exit 1
    } else {
      lane.end
    }
    lane.store %x to %to align 4 : i32
    %odd = lane.load %to align 4 : i32
    %d = arith.cmpi ult, %odd, %bound : i32
    lane.if %d {
      lane.store %bound to %to align 4 : i32
      lane.end
    } else {
      lane.end
    }
    lane.end
  }
  return
}
