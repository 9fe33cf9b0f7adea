// Four answers for one dimension, in one number.
func.func @answers(%dimension: i32) -> i32 {
  %c10 = arith.constant 10 : index
  %0 = gen.num_work_groups %dimension
  %1 = gen.work_group_size %dimension
  %2 = gen.work_group_id %dimension
  %3 = gen.local_id %dimension
  %4 = arith.muli %0, %c10 : index
  %5 = arith.addi %4, %1 : index
  %6 = arith.muli %5, %c10 : index
  %7 = arith.addi %6, %2 : index
  %8 = arith.muli %7, %c10 : index
  %9 = arith.addi %8, %3 : index
  %10 = arith.index_cast %9 : index to i32
  return %10 : i32
}

// The number of the element that a work-item reads and writes.
func.func @element() -> index {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %group = gen.work_group_id %c1_i32
  %x = gen.local_id %c0_i32
  %z = gen.local_id %c2_i32
  %0 = arith.muli %group, %c2 : index
  %1 = arith.addi %0, %x : index
  %2 = arith.muli %1, %c5 : index
  %3 = arith.addi %2, %z : index
  return %3 : index
}

func.func @place() -> index {
  %c2_i32 = arith.constant 2 : i32
  %z = gen.local_id %c2_i32
  return %z : index
}
