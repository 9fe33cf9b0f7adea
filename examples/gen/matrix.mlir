// Multiplies 8 × 16 by 16 × 16 elements of f16, in a sub-group of 16 work-items.
func.func @multiply(%a: vector<8xi16>, %b: vector<8xi32>, %c: vector<8xf32>) -> vector<8xf32> {
  %d = gen.matrix_mad f16 %a, f16 %b, %c : vector<8xi16>, vector<8xi32>, vector<8xf32>
  return %d : vector<8xf32>
}
