func.func @get_local_size(%dimension: i32) -> index {
  %0 = gen.work_group_size %dimension
  func.return %0 : index
}
