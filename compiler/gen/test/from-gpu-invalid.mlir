// RUN: pumice-opt %s -convert-gpu-to-gen --verify-diagnostics

func.func @together(%x: f32, %v: vector<2xf32>, %i: i32, %b: bf16, %n: i4) {
  // expected-error@below {{the gen dialect reduces over a whole sub-group, got clusters of 4: write the reduction as shuffles}}
  %0 = gpu.subgroup_reduce add %x cluster(size = 4) : (f32) -> f32
  // expected-error@below {{the gen dialect has no reduction by 'minimumf', which propagates NaN: use minnumf or maxnumf}}
  %1 = gpu.subgroup_reduce minimumf %x : (f32) -> f32
  // expected-error@below {{the gen dialect reduces i8, i16, i32, i64, f16, f32 and f64, got 'bf16': split or extend it before convert-gpu-to-gen}}
  %2 = gpu.subgroup_reduce add %b : (bf16) -> bf16
  // expected-error@below {{'gpu.shuffle' exchanges i8, i16, i32, i64, f16, bf16, f32 or f64 in the gen dialect, got 'vector<2xf32>': split or cast it before convert-gpu-to-gen}}
  %3, %p = gpu.shuffle xor %v, %i, %i : vector<2xf32>
  // expected-error@below {{'gpu.subgroup_broadcast' exchanges i8, i16, i32, i64, f16, bf16, f32 or f64 in the gen dialect, got 'i4'}}
  %4 = gpu.subgroup_broadcast %n, specific_lane %i : i4
  // expected-error@below {{the gen dialect has no broadcast from the first active work-item: use specific_lane}}
  %5 = gpu.subgroup_broadcast %x, first_active_lane : f32
  // expected-error@below {{the gen dialect has no rotation: write it as gpu.shuffle idx}}
  %6, %q = gpu.rotate %x, 1, 16 : f32
  // expected-error@below {{the gen dialect has no reduction over the work-group: run pumice-lower-all-reduce before convert-gpu-to-gen}}
  %7 = gpu.all_reduce add %x {} : (f32) -> (f32)
  // expected-error@below {{'gpu.subgroup_mma_constant_matrix' has no equivalent in the gen dialect: write gen.matrix_mad, or lower matrices before convert-gpu-to-gen}}
  %8 = gpu.subgroup_mma_constant_matrix %x : !gpu.mma_matrix<16x16xf32, "COp">
  return
}
