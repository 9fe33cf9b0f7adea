func.func @get_sub_group_size() -> i32 {
  %0 = gen.sub_group_size
  return %0 : i32
}
