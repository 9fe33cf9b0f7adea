// Returns a number that depends on the result of each operation over a sub-group.
func.func @mix(%hash: i32, %result: i32) -> i32 {
  %c31 = arith.constant 31 : i32
  %0 = arith.muli %hash, %c31 : i32
  %1 = arith.addi %0, %result : i32
  return %1 : i32
}

func.func @mix_float(%hash: i32, %result: f32) -> i32 {
  %0 = arith.fptosi %result : f32 to i32
  %1 = func.call @mix(%hash, %0) : (i32, i32) -> i32
  return %1 : i32
}

func.func @exchange(%value: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %five = arith.constant 5 : i32
  %thirteen = arith.constant 13 : i32
  %float = arith.sitofp %value : i32 to f32
  %lane = gen.sub_group_local_id
  %size = gen.sub_group_size
  %h0 = func.call @mix(%lane, %size) : (i32, i32) -> i32

  %xor = gen.sub_group_shuffle xor %value, %five : i32
  %h1 = func.call @mix(%h0, %xor) : (i32, i32) -> i32
  %from = arith.xori %lane, %three : i32
  %idx = gen.sub_group_shuffle idx %float, %from : f32
  %h2 = func.call @mix_float(%h1, %idx) : (i32, f32) -> i32
  // Work-items whose source the sub-group lacks take 0 instead of an undefined value.
  %up = gen.sub_group_shuffle up %value, %three : i32
  %has_lower = arith.cmpi uge, %lane, %three : i32
  %up_or_zero = arith.select %has_lower, %up, %zero : i32
  %h3 = func.call @mix(%h2, %up_or_zero) : (i32, i32) -> i32
  %down = gen.sub_group_shuffle down %value, %three : i32
  %has_upper = arith.cmpi ult, %lane, %thirteen : i32
  %down_or_zero = arith.select %has_upper, %down, %zero : i32
  %h4 = func.call @mix(%h3, %down_or_zero) : (i32, i32) -> i32
  %first = gen.sub_group_broadcast %value, %five : i32
  %h5 = func.call @mix(%h4, %first) : (i32, i32) -> i32

  %sum = gen.sub_group_reduce add %float uniform : f32
  %h6 = func.call @mix_float(%h5, %sum) : (i32, f32) -> i32
  %least = gen.sub_group_reduce smin %value uniform : i32
  %h7 = func.call @mix(%h6, %least) : (i32, i32) -> i32
  %most = gen.sub_group_reduce umax %value : i32
  %h8 = func.call @mix(%h7, %most) : (i32, i32) -> i32
  %largest = gen.sub_group_reduce max %float : f32
  %h9 = func.call @mix_float(%h8, %largest) : (i32, f32) -> i32
  %bits = gen.sub_group_reduce xor %value uniform : i32
  %h10 = func.call @mix(%h9, %bits) : (i32, i32) -> i32
  %prefix = gen.sub_group_scan add %value uniform : i32
  %h11 = func.call @mix(%h10, %prefix) : (i32, i32) -> i32
  %before = gen.sub_group_scan smax %value exclusive : i32
  %h12 = func.call @mix(%h11, %before) : (i32, i32) -> i32
  %any = gen.sub_group_scan or %value : i32
  %h13 = func.call @mix(%h12, %any) : (i32, i32) -> i32
  return %h13 : i32
}
