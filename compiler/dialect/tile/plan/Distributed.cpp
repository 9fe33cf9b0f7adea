//===- Distributed.cpp - a tensor in the registers of one workgroup ---------===//
#include "compiler/dialect/tile/plan/Distributed.h"
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"

using namespace pumice;
using namespace pumice::tile;

unsigned LaneNumber::rank() const {
  BitSpan span(byLane);
  for (uint64_t column : bySubgroup)
    span.add(column);
  return span.rank();
}

static Status invalid(std::string message) {
  return {StatusCode::InvalidArgument, std::move(message)};
}

Status pumice::tile::checkDistributed(const LinearLayout &layout) {
  PUMICE_RETURN_IF_ERROR(checkTensor(layout));
  const std::vector<Space> &inputs = layout.inputs();
  if (inputs.size() != 3 || inputs[0].name != registerSpace || inputs[1].name != laneSpace ||
      inputs[2].name != subgroupSpace)
    return invalid("the inputs of " + print(layout) +
                   " are not register, lane and subgroup, where a distributed tensor is held");
  if (layout.inputBits() > mostPlaceBits)
    return invalid(print(layout) + " has 2^" + std::to_string(layout.inputBits()) +
                   " registers in all lanes together; the limit is 2^" +
                   std::to_string(mostPlaceBits));
  if (!layout.isSurjective())
    return invalid("some elements are held nowhere by " + print(layout));
  return Status::ok();
}

Status pumice::tile::checkConvertible(const LinearLayout &from, const LinearLayout &to) {
  PUMICE_RETURN_IF_ERROR(checkDistributed(from));
  PUMICE_RETURN_IF_ERROR(checkDistributed(to));
  if (from.outputs() != to.outputs())
    return invalid(print(from) + " and " + print(to) + " are of tensors of different shapes");
  for (std::string_view name : {laneSpace, subgroupSpace})
    if (from.input(name).bits != to.input(name).bits)
      return invalid(print(from) + " and " + print(to) + " differ in the number of " +
                     std::string(name) + "s");
  return Status::ok();
}
