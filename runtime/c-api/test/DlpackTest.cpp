//===- DlpackTest.cpp - tensors in, tensors out -----------------------------===//
#include "runtime/c-api/test/CApiFixture.h"

#include <cstdlib>
#include <memory>
#include <utility>

using namespace pumice::capi_test;

namespace {

constexpr pumice_dl_type i32{PUMICE_DL_INT, 32, 1};

/// A tensor of another library. It counts how often it is released.
template <typename Managed> struct Lent {
  alignas(64) int32_t data[256] = {};
  int64_t shape[2] = {4, 8}, strides[2] = {16, 1};
  int released = 0;
  Managed managed{};

  Lent() {
    for (int i = 0; i < 256; ++i)
      data[i] = i;
    managed.tensor.data = data;
    managed.tensor.device_type = PUMICE_DL_CPU;
    managed.tensor.rank = 2;
    managed.tensor.type = i32;
    managed.tensor.shape = shape;
    managed.tensor.strides = strides;
    managed.tensor.byte_offset = 64;
    managed.context = this;
    managed.deleter = [](Managed *self) { ++static_cast<Lent *>(self->context)->released; };
  }
};

class Dlpack : public OnDevice {
protected:
  void needImport() {
    pumice_device_info info = PUMICE_INIT(pumice_device_info);
    ASSERT_OK(pumice_device_get_info(device, &info));
    if (info.host_import_alignment == 0)
      GTEST_SKIP() << info.name << " cannot import host memory";
  }
};

TEST_F(Dlpack, TensorsOfTheCpu) {
  needImport();
  if (IsSkipped())
    return;
  Lent<pumice_dl_managed> lent;
  pumice_buffer *buffer = nullptr;
  ASSERT_OK(pumice_buffer_from_dlpack(device, &lent.managed, &buffer));
  EXPECT_EQ(pumice_buffer_bytes(buffer), (3 * 16 + 8) * 4u);
  EXPECT_EQ(pumice_buffer_map(buffer), lent.data + 16);
  EXPECT_EQ(contents(buffer)[0], 16);
  ASSERT_OK(pumice_queue_fill(queue, buffer, 0, 4, 99, 4));
  pumice_buffer_release(buffer);
  ASSERT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
  EXPECT_EQ(lent.data[16], 99);
  pumice_queue_release(queue);
  queue = nullptr;
  EXPECT_EQ(lent.released, 1);
}

TEST_F(Dlpack, VersionedTensors) {
  needImport();
  if (IsSkipped())
    return;
  Lent<pumice_dl_managed_versioned> lent;
  pumice_buffer *buffer = nullptr;
  lent.managed.version_major = 2;
  EXPECT_FAILS(pumice_buffer_from_dlpack_versioned(device, &lent.managed, &buffer),
               PUMICE_UNSUPPORTED, "version 2.0");
  EXPECT_EQ(lent.released, 0);
  lent.managed.version_major = 1;
  ASSERT_OK(pumice_buffer_from_dlpack_versioned(device, &lent.managed, &buffer));
  pumice_buffer_release(buffer);
  EXPECT_EQ(lent.released, 1);
}

TEST_F(Dlpack, ReadOnlyTensors) {
  needImport();
  if (IsSkipped())
    return;
  Lent<pumice_dl_managed_versioned> lent;
  lent.managed.version_major = 1;
  lent.managed.flags = PUMICE_DL_READ_ONLY;
  pumice_buffer *buffer = nullptr, *other = newBuffer(64 * 4);
  ASSERT_OK(pumice_buffer_from_dlpack_versioned(device, &lent.managed, &buffer));
  const char *said = "lent for reading only";
  EXPECT_FAILS(pumice_queue_fill(queue, buffer, 0, 4, 9, 4), PUMICE_INVALID_ARGUMENT, said);
  EXPECT_FAILS(pumice_queue_upload(queue, buffer, 0, lent.data, 4), PUMICE_INVALID_ARGUMENT, said);
  EXPECT_FAILS(pumice_queue_copy(queue, buffer, 0, other, 0, 4), PUMICE_INVALID_ARGUMENT, said);
  ASSERT_OK(pumice_queue_copy(queue, other, 0, buffer, 0, 16)); // reading it is allowed
  EXPECT_EQ(contents(other)[1], 17);

  pumice_function *function = affine(8);
  pumice_launch_options one = pumice_groups(1, 1, 1);
  pumice_argument arguments[3] = {pumice_argument_buffer(buffer), pumice_argument_buffer(other),
                                  pumice_argument_i32(1)};
  ASSERT_OK(pumice_launch(queue, function, &one, arguments, 3));
  EXPECT_EQ(contents(other)[1], 2 * 17 + 1);
  std::swap(arguments[0].buffer, arguments[1].buffer);
  EXPECT_FAILS(pumice_launch(queue, function, &one, arguments, 3), PUMICE_INVALID_ARGUMENT, said);

  // An export of a read-only tensor is read-only too, or is rejected.
  pumice_tensor_layout layout = PUMICE_INIT(pumice_tensor_layout);
  int64_t shape[1] = {4};
  layout.type = i32;
  layout.rank = 1;
  layout.shape = shape;
  pumice_dl_managed *plain = nullptr;
  EXPECT_FAILS(pumice_buffer_to_dlpack(buffer, &layout, &plain), PUMICE_UNSUPPORTED,
               "pumice_buffer_to_dlpack_versioned");
  pumice_dl_managed_versioned *tensor = nullptr;
  ASSERT_OK(pumice_buffer_to_dlpack_versioned(buffer, &layout, &tensor));
  EXPECT_EQ(tensor->flags, uint64_t{PUMICE_DL_READ_ONLY});
  pumice_buffer *back = nullptr;
  ASSERT_OK(pumice_buffer_from_dlpack_versioned(device, tensor, &back));
  EXPECT_FAILS(pumice_queue_fill(queue, back, 0, 4, 9, 4), PUMICE_INVALID_ARGUMENT, said);
  pumice_buffer_release(back);
  pumice_buffer_release(buffer);
  EXPECT_EQ(lent.released, 1);

  pumice_dl_managed_versioned *writable = nullptr;
  ASSERT_OK(pumice_buffer_to_dlpack_versioned(other, &layout, &writable));
  EXPECT_EQ(writable->flags, 0u);
  writable->flags = PUMICE_DL_READ_ONLY;
  EXPECT_FAILS(pumice_buffer_from_dlpack_versioned(device, writable, &back), PUMICE_UNSUPPORTED,
               "read-only");
  writable->deleter(writable);
}

TEST_F(Dlpack, TensorsThatMakeNoSense) {
  Lent<pumice_dl_managed> lent;
  pumice_buffer *buffer = nullptr;
  auto fails = [&](pumice_status code, const char *part) {
    EXPECT_FAILS(pumice_buffer_from_dlpack(device, &lent.managed, &buffer), code, part);
    EXPECT_EQ(buffer, nullptr);
    lent.shape[0] = 4;
    lent.strides[0] = 16;
    lent.managed.tensor.rank = 2;
    lent.managed.tensor.type = i32;
    lent.managed.tensor.shape = lent.shape;
    lent.managed.tensor.data = lent.data;
    lent.managed.tensor.device_type = PUMICE_DL_CPU;
    lent.managed.tensor.byte_offset = 64;
  };
  lent.managed.tensor.byte_offset = UINT64_MAX; // the sum wraps around, to one byte before the data
  fails(PUMICE_INVALID_ARGUMENT, "byte_offset 18446744073709551615");
  lent.shape[0] = -1;
  fails(PUMICE_INVALID_ARGUMENT, "shape[0] must not be negative, got -1");
  lent.shape[0] = INT64_MAX;
  fails(PUMICE_INVALID_ARGUMENT, "exceeds 64 bits");
  lent.strides[0] = -16;
  fails(PUMICE_UNSUPPORTED, "strides[0] is -16");
  lent.managed.tensor.rank = -1;
  fails(PUMICE_INVALID_ARGUMENT, "rank must be from 0 to 64, got -1");
  lent.managed.tensor.shape = nullptr;
  fails(PUMICE_INVALID_ARGUMENT, "shape is NULL");
  lent.managed.tensor.type.bits = 0;
  fails(PUMICE_INVALID_ARGUMENT, "0 bits");
  lent.managed.tensor.data = nullptr;
  fails(PUMICE_INVALID_ARGUMENT, "data is NULL");
  lent.managed.tensor.device_type = 2;
  fails(PUMICE_UNSUPPORTED, "device type is 2");
  EXPECT_EQ(lent.released, 0);
  EXPECT_FAILS(pumice_buffer_from_dlpack(device, nullptr, &buffer), PUMICE_INVALID_ARGUMENT,
               "tensor is NULL");
}

TEST_F(Dlpack, EmptyTensors) {
  Lent<pumice_dl_managed> lent;
  lent.shape[1] = 0;
  lent.managed.tensor.data = nullptr;
  pumice_buffer *buffer = nullptr;
  ASSERT_OK(pumice_buffer_from_dlpack(device, &lent.managed, &buffer));
  EXPECT_EQ(pumice_buffer_bytes(buffer), 0u);
  pumice_buffer_release(buffer);
  EXPECT_EQ(lent.released, 1);
}

TEST_F(Dlpack, OurOwnTensorsComeBack) {
  for (pumice_memory memory : {PUMICE_MEMORY_DEVICE, PUMICE_MEMORY_HOST}) {
    pumice_buffer *origin = nullptr, *back = nullptr;
    ASSERT_OK(pumice_buffer_create(device, 64, memory, &origin));
    ASSERT_OK(pumice_queue_fill(queue, origin, 0, PUMICE_TO_END, 7, 4));
    ASSERT_OK(pumice_queue_fill(queue, origin, 32, 4, 8, 4));
    int64_t shape[2] = {2, 3};
    pumice_tensor_layout layout = PUMICE_INIT(pumice_tensor_layout);
    layout.byte_offset = 32;
    layout.type = i32;
    layout.rank = 2;
    layout.shape = shape;
    pumice_dl_managed *tensor = nullptr;
    ASSERT_OK(pumice_buffer_to_dlpack(origin, &layout, &tensor));
    EXPECT_EQ(tensor->tensor.strides[0], 3);
    EXPECT_EQ(tensor->tensor.device_type,
              pumice_buffer_map(origin) ? PUMICE_DL_CPU : PUMICE_DL_VULKAN);
    pumice_buffer_release(origin); // the tensor keeps the buffer alive
    ASSERT_OK(pumice_buffer_from_dlpack(device, tensor, &back));
    EXPECT_EQ(pumice_buffer_bytes(back), 24u);
    std::vector<int32_t> values = contents(back);
    EXPECT_EQ(values[0], 8);
    EXPECT_EQ(values[1], 7);
    pumice_buffer_release(back);
  }
}

TEST_F(Dlpack, LayoutsOutsideTheBuffer) {
  pumice_buffer *buffer = newBuffer(64);
  int64_t shape[1] = {17};
  pumice_tensor_layout layout = PUMICE_INIT(pumice_tensor_layout);
  layout.type = i32;
  layout.rank = 1;
  layout.shape = shape;
  pumice_dl_managed_versioned *tensor = nullptr;
  EXPECT_FAILS(pumice_buffer_to_dlpack_versioned(buffer, &layout, &tensor), PUMICE_INVALID_ARGUMENT,
               "68 bytes");
  EXPECT_FAILS(pumice_buffer_to_dlpack_versioned(buffer, nullptr, &tensor), PUMICE_INVALID_ARGUMENT,
               "layout is NULL");
  shape[0] = 16;
  ASSERT_OK(pumice_buffer_to_dlpack_versioned(buffer, &layout, &tensor));
  EXPECT_EQ(tensor->version_major, 1u);
  tensor->deleter(tensor);
}

} // namespace
