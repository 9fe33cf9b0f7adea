func.func @get_local_id() -> index {
  %c0_i32 = arith.constant 0 : i32
  %0 = gen.local_id %c0_i32
  func.return %0 : index
}
