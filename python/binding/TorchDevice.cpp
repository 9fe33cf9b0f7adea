//===- TorchDevice.cpp - finds tensors of torch's device "vk" ---------------===//
#include "python/binding/TorchDevice.h"

#include <nanobind/stl/string.h>

#include <algorithm>

namespace nb = nanobind;
using namespace nb::literals;

namespace pumice::python {
namespace {

/// Functions of python/torch_shim/Interface.cpp. They are null until that library is loaded.
struct Functions {
  int (*find)(int device, const void *address, pumice_buffer **buffer, uint64_t *offset) = nullptr;
  pumice_queue *(*currentQueue)(int device) = nullptr;
  pumice_device *(*device)(int device) = nullptr;
  void (*keepFailure)(const char *text, uint64_t size) = nullptr;
};
Functions functions;

bool isA(nb::handle value, nb::handle type) {
  return !type.is_none() && PyObject_IsInstance(value.ptr(), type.ptr()) == 1;
}

/// Returns whether a tensor's memory is the host's. Every launch asks this of each tensor.
bool isOfCpu(nb::handle tensor) {
  static PyObject *name = PyUnicode_InternFromString("is_cpu");
  nb::object is = nb::steal(PyObject_GetAttr(tensor.ptr(), name));
  if (!is)
    throw nb::python_error();
  return is.ptr() == Py_True;
}

/// Returns the tensor that `value` is or shows, or null.
nb::object tensorOf(nb::handle value, nb::handle tensorType) {
  if (isA(value, tensorType))
    return nb::borrow(value);
  static PyObject *name = PyUnicode_InternFromString("base");
  nb::object base = nb::steal(PyObject_GetAttr(value.ptr(), name));
  if (base && isA(base, tensorType))
    return base;
  PyErr_Clear();
  return {};
}

/// Returns how many bytes an argument has whose buffer goes on for `rest` bytes: all of them, or
/// those up to the last element of the tensor if 32-bit indices cannot reach the end.
uint64_t withinReach(nb::handle tensor, uint64_t rest) {
  auto size = nb::cast<uint64_t>(tensor.attr("element_size")());
  if (rest / size >> 31 == 0)
    return PUMICE_TO_END;
  uint64_t last = 0;
  auto extents = nb::cast<nb::tuple>(tensor.attr("shape"));
  auto strides = nb::cast<nb::tuple>(tensor.attr("stride")());
  for (size_t d = 0; d < extents.size(); ++d) {
    auto extent = nb::cast<uint64_t>(extents[d]);
    if (extent == 0)
      return PUMICE_TO_END;
    last += (extent - 1) * nb::cast<uint64_t>(strides[d]);
  }
  return std::min((((last + 1) * size) + 3) & ~uint64_t{3}, rest);
}

} // namespace

std::optional<TorchMemory> torchMemoryOf(nb::handle value, nb::handle tensorType) {
  if (!functions.find || value.is_none() || PyLong_Check(value.ptr()))
    return std::nullopt;
  nb::object tensor = tensorOf(value, tensorType);
  if (!tensor || isOfCpu(tensor))
    return std::nullopt;
  TorchMemory memory{nb::cast<int>(tensor.attr("get_device")()), nullptr, 0};
  auto address = nb::cast<uint64_t>(value.attr("data_ptr")());
  if (memory.device < 0 || nb::cast<std::string>(tensor.attr("device").attr("type")) != "vk")
    return std::nullopt;
  bool isFound = functions.find(memory.device, reinterpret_cast<const void *>(address),
                                &memory.buffer, &memory.offset);
  uint64_t rest = isFound ? pumice_buffer_bytes(memory.buffer) - memory.offset : 0;
  if (rest >> 31) [[unlikely]]
    memory.bytes = withinReach(tensor, rest);
  bool isEmpty = address == 0 && nb::cast<int64_t>(tensor.attr("numel")()) == 0;
  return isFound || isEmpty ? std::optional(memory) : std::nullopt;
}

pumice_device *torchDeviceOf(int number) { return functions.device(number); }

Queue torchQueueOf(int number) {
  pumice_queue *queue = functions.currentQueue(number);
  if (!queue)
    throw nb::value_error("the stream of the tensors' device cannot be used");
  pumice_queue_retain(queue);
  return Queue(queue);
}

std::string withoutFailures(std::string_view output) {
  constexpr char mark = '\x1e'; // on both sides of an assertion's text (docs/printf.md)
  std::string rest;
  for (size_t begin; (begin = output.find(mark)) != output.npos;) {
    size_t end = output.find(mark, begin + 1);
    if (end == output.npos)
      break;
    rest += output.substr(0, begin);
    functions.keepFailure(output.data() + begin + 1, end - begin - 1);
    output.remove_prefix(std::min(output.size(), end + 2)); // and a newline
  }
  return rest.append(output);
}

void defineTorchDevice(nb::module_ &m) {
  m.def(
      "set_torch_device",
      [](uintptr_t find, uintptr_t currentQueue, uintptr_t device, uintptr_t keepFailure) {
        functions.find = reinterpret_cast<decltype(functions.find)>(find);
        functions.currentQueue = reinterpret_cast<decltype(functions.currentQueue)>(currentQueue);
        functions.device = reinterpret_cast<decltype(functions.device)>(device);
        functions.keepFailure = reinterpret_cast<decltype(functions.keepFailure)>(keepFailure);
      },
      "find"_a, "current_queue"_a, "device"_a, "keep_failure"_a);
  m.def(
      "torch_memory",
      [](nb::handle tensor, const Device &device) -> nb::object {
        nb::object type = nb::module_::import_("torch").attr("Tensor");
        std::optional<TorchMemory> memory = torchMemoryOf(tensor, type);
        if (!memory || torchDeviceOf(memory->device) != device.get())
          return nb::none();
        pumice_buffer_retain(memory->buffer);
        return nb::make_tuple(nb::cast(Buffer(memory->buffer)), memory->offset,
                              nb::cast(torchQueueOf(memory->device)));
      },
      "tensor"_a, "device"_a);
}

} // namespace pumice::python
