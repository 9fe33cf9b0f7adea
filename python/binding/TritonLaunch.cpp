//===- TritonLaunch.cpp - Triton's launches that copy nothing ---------------===//
// Triton calls a launcher with the kernel's arguments as the user passed them. On the CPU device
// all of the process's memory is one buffer, so that nothing is made or copied for a launch. On
// other devices this code serves launches whose arguments are all arrays of the device. `staged`
// does the rest. The code is C++ because its time is added to every launch.
//===-------------------------------------------------------------------------===//
#include "python/binding/TritonLaunch.h"

#include "python/binding/Arguments.h"
#include "python/binding/Errors.h"
#include "python/binding/Hooks.h"
#include "python/binding/Text.h"
#include "python/binding/Threads.h"
#include "python/binding/TorchDevice.h"

#include <nanobind/stl/string.h>

#include <array>
#include <atomic>
#include <map>

namespace nb = nanobind;
using namespace nb::literals;

namespace pumice::python {
namespace {

/// The first address of the buffer of all memory. No memory is at lower addresses.
constexpr uint64_t firstAddress = 4096, allBytes = uint64_t{1} << 56;

/// How one argument of the kernel's Python function is passed to the kernel.
struct Step {
  enum Kind { Skip, Take, Tuple, Descriptor, PaddedDescriptor } kind = Skip;
  std::vector<Step> parts; // the parts of a tuple
};

Step stepOf(nb::handle said) {
  Step step;
  if (nb::isinstance<nb::tuple>(said)) {
    step.kind = Step::Tuple;
    for (nb::handle part : nb::borrow<nb::tuple>(said))
      step.parts.push_back(stepOf(part));
    return step;
  }
  constexpr std::array<const char *, 5> names = {"skip", "take", "", "descriptor",
                                                 "padded descriptor"};
  auto name = nb::cast<std::string>(said);
  for (size_t i = 0; i < names.size(); ++i)
    if (name == names[i])
      step.kind = static_cast<Step::Kind>(i);
  return step;
}

/// Names and types that launches look up. They are made once.
struct Known {
  PyObject *dataPtr = PyUnicode_InternFromString("data_ptr");
  PyObject *nbytes = PyUnicode_InternFromString("nbytes");
  PyObject *isContiguous = PyUnicode_InternFromString("is_contiguous");
  PyObject *elementSize = PyUnicode_InternFromString("element_size");
  PyObject *stride = PyUnicode_InternFromString("stride");
  PyObject *isCpu = PyUnicode_InternFromString("is_cpu");
  PyObject *buffer = PyUnicode_InternFromString("_buffer");
  PyObject *offset = PyUnicode_InternFromString("_offset");
  PyObject *base = PyUnicode_InternFromString("base");
  PyObject *shape = PyUnicode_InternFromString("shape");
  PyObject *strides = PyUnicode_InternFromString("strides");
  PyObject *padding = PyUnicode_InternFromString("padding");
  PyObject *queue = PyUnicode_InternFromString("_queue");
};

const Known &known() {
  static const Known *made = new Known; // lives as long as the process
  return *made;
}

nb::object attribute(nb::handle object, PyObject *name) {
  nb::object value = nb::steal(PyObject_GetAttr(object.ptr(), name));
  if (!value)
    throw nb::python_error();
  return value;
}

/// Calls a method without arguments. Returns null, and sets no error, if it is missing or fails.
nb::object answer(nb::handle object, PyObject *method) {
  PyObject *self = object.ptr();
  nb::object value = nb::steal(PyObject_VectorcallMethod(method, &self, 1, nullptr));
  if (!value)
    PyErr_Clear();
  return value;
}

/// The memory of a pointer argument, to find arguments that share it.
struct Place {
  const pumice_buffer *buffer;
  uint64_t begin, end; // 0 until it is known
  bool isWritten;
  nb::object value;
  uint32_t argument; // the argument's number
};

uint64_t numberOf(const nb::object &value) {
  uint64_t number = value && PyLong_Check(value.ptr()) ? PyLong_AsUnsignedLongLong(value.ptr()) : 0;
  PyErr_Clear();
  return number;
}

/// Returns how many bytes a tensor extends from its address, or 1 if that is not known. Triton's
/// view of a tensor as another type (`isView`) has the tensor as its base.
uint64_t extentOf(nb::handle value, bool isView = false) {
  nb::object bytes = nb::steal(PyObject_GetAttr(value.ptr(), known().nbytes));
  if (!bytes) {
    PyErr_Clear();
    nb::object base = nb::steal(isView ? nullptr : PyObject_GetAttr(value.ptr(), known().base));
    PyErr_Clear();
    return base ? extentOf(base, true) : 1;
  }
  nb::object contiguous = answer(value, known().isContiguous);
  if (!contiguous || contiguous.ptr() == Py_True)
    return std::max<uint64_t>(numberOf(bytes), 1);
  uint64_t last = 0; // the last element, counted from the first
  nb::object strides = answer(value, known().stride), shape = attribute(value, known().shape);
  Py_ssize_t rank = strides ? PySequence_Size(strides.ptr()) : 0;
  PyErr_Clear();
  for (Py_ssize_t d = 0; d < rank; ++d)
    last += (numberOf(nb::steal(PySequence_GetItem(shape.ptr(), d))) - 1) *
            numberOf(nb::steal(PySequence_GetItem(strides.ptr(), d)));
  return (last + 1) * numberOf(answer(value, known().elementSize));
}

/// Returns whether two arguments share memory that one of them writes.
bool overlap(Place &a, Place &b) {
  if (!(a.isWritten || b.isWritten) || a.buffer != b.buffer)
    return false;
  Place &lower = a.begin <= b.begin ? a : b, &upper = a.begin <= b.begin ? b : a;
  if (!lower.end)
    lower.end = lower.begin + extentOf(lower.value);
  return upper.begin < lower.end;
}

/// Returns a number that identifies the calling thread. The system's own thread numbers are
/// reused.
uint64_t thisThread() {
  static std::atomic<uint64_t> threads = 0;
  thread_local const uint64_t number = ++threads;
  return number;
}

/// The function that takes kernels' output. It belongs to the process, since output may come after
/// the launcher is gone. `assertionFailed` says that some failure may not have been reported yet.
PyObject *output = nullptr;
std::atomic<bool> assertionFailed = false;

/// Takes output. It runs on any thread that waits, for launches of any thread.
void print(void *launchedBy, const char *text, size_t bytes) {
  if (!Py_IsInitialized())
    return; // the process ends
  WithPython locked;
  unlessAtEnd([&] {
    try {
      auto thread = reinterpret_cast<uint64_t>(launchedBy);
      if (nb::cast<bool>(nb::handle(output)(textOf({text, bytes}), thread)))
        assertionFailed = true;
    } catch (nb::python_error &raised) {
      raised.discard_as_unraisable("a kernel's output");
    }
  });
}

/// Takes output of launches with tensors of vk.
void printOfTorch(void *launchedBy, const char *text, size_t bytes) {
  std::string rest = withoutFailures({text, bytes});
  if (!rest.empty())
    print(launchedBy, rest.data(), rest.size());
}

class Launcher {
public:
  Launcher(nb::object device, nb::tuple steps, nb::object arrayType, nb::object tensorType,
           nb::object hostArray, nb::object staged, nb::object overlapping, nb::object checked,
           nb::object said, nb::object raiseFailures, nb::object spanOf, nb::object afterLoss)
      : device(std::move(device)), arrayType(std::move(arrayType)),
        tensorType(std::move(tensorType)), hostArray(std::move(hostArray)),
        staged(std::move(staged)), overlapping(std::move(overlapping)), checked(std::move(checked)),
        raiseFailures(std::move(raiseFailures)), spanOf(std::move(spanOf)),
        afterLoss(std::move(afterLoss)) {
    if (!output)
      output = said.release().ptr();
    for (nb::handle step : steps)
      this->steps.push_back(stepOf(step));
    if (this->staged.is_none())
      importMemory(nb::cast<const Device &>(this->device.attr("_handle")));
  }

  void launch(PyObject *given);
  struct Launch;

private:
  struct NeedsStaging {};

  /// Raises the error of a lost device, and opens the device again. If an earlier loss took an
  /// array, the error names it.
  [[noreturn]] void raiseLoss(const Error &error, nb::object queue, PyObject *given) const;

  void importMemory(const Device &owner) {
    pumice_buffer *all = nullptr;
    Status status = pumice_buffer_import_host(owner.get(), reinterpret_cast<void *>(firstAddress),
                                              allBytes, nullptr, nullptr, &all);
    status.value();
    memory = Buffer(all);
  }
  bool takeAll(Launch &launch, PyObject *given) const;
  void take(Launch &launch, const Step &step, nb::handle value) const;
  void takeDescriptor(Launch &launch, nb::handle value, bool padded) const;
  void takePointer(Launch &launch, nb::handle value) const;
  void takeTorchMemory(Launch &launch, nb::handle value, const TorchMemory &found) const;
  uint64_t addressOf(Launch &launch, nb::handle value) const;
  uint64_t addressOfBytes(Launch &launch, nb::handle value) const;

  nb::object device; // pumice.Device
  Buffer memory;     // the process's memory; null if the device has its own memory
  std::vector<Step> steps;
  nb::object arrayType, tensorType, hostArray, staged;
  nb::object overlapping; // launches kernels whose arguments share memory; None if this one can
  nb::object checked;     // launches checked kernels; None if this one can
  nb::object raiseFailures;
  nb::object spanOf;    // returns the storage that an argument is part of
  nb::object afterLoss; // opens a lost device again, and returns the error to raise
};

/// The state of one launch.
struct Launcher::Launch {
  const Kernel &kernel;
  const nb::object &spanOf; // the launcher's
  std::vector<Argument> arguments;
  std::vector<Place> places;
  bool waits = false;      // the host's memory must hold the results when the call returns
  bool usesArrays = false; // some arguments are arrays of the device
  int torchDevice = -1;    // the number N of "vk:N" if some arguments are its tensors
  // The storages that the places are parts of. They are found when an access is out of bounds.
  std::vector<pumice_memory_range> storages;
  bool knowsStorages = false;

  Launch(const Kernel &kernel, const nb::object &spanOf) : kernel(kernel), spanOf(spanOf) {
    arguments.reserve(kernel.parameters.size());
    places.reserve(kernel.parameters.size());
  }
  size_t index() const { return arguments.size(); }
  bool hasOverlaps() {
    for (size_t i = 0; i < places.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (overlap(places[i], places[j]))
          return true;
    return false;
  }
  void findStorages();
  const Kernel::Parameter &parameter() const {
    if (index() < kernel.parameters.size())
      return kernel.parameters[index()];
    Error tooMany;
    tooMany.code = PUMICE_INVALID_ARGUMENT;
    tooMany.message = kernel.name + " takes " + std::to_string(kernel.parameters.size()) +
                      " arguments; more are given";
    throw tooMany;
  }
  void takeNumber(nb::handle value) {
    parameter();
    uint64_t bits = 0;
    uint32_t bytes = pack(kernel, index(), value, &bits);
    arguments.push_back(pumice_argument_scalar(&bits, bytes));
  }
};

/// Finds the storages of the arguments. Tensors are parts of storages, and arrays are parts of
/// other arrays; kernels may access all of the storage.
void Launcher::Launch::findStorages() {
  knowsStorages = true;
  for (const Place &place : places) {
    if (place.value.is_none() || PyLong_Check(place.value.ptr()))
      continue;
    try {
      nb::tuple span(spanOf(place.value)); // address, first byte, bytes, whether it may be written
      storages.push_back({reinterpret_cast<const void *>(nb::cast<uint64_t>(span[1])),
                          nb::cast<uint64_t>(span[2]), place.argument, 0});
    } catch (nb::python_error &) {
      // The storage is not known if the argument does not report its size.
    }
  }
}

/// Answers the device when an access is out of bounds. It runs while the launch waits, on any
/// thread.
size_t storagesOf(void *user, pumice_memory_range *ranges, size_t capacity) {
  auto &launch = *static_cast<Launcher::Launch *>(user);
  if (!launch.knowsStorages) {
    WithPython locked;
    unlessAtEnd([&] {
      try {
        launch.findStorages();
      } catch (nb::python_error &) {
        // The error of the access then has fewer details.
      }
    });
  }
  std::copy_n(launch.storages.begin(), std::min(capacity, launch.storages.size()), ranges);
  return launch.storages.size();
}

/// Returns the address of the first byte of a NumPy array, or of another object with a buffer.
uint64_t Launcher::addressOfBytes(Launch &launch, nb::handle value) const {
  Py_buffer view;
  if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_STRIDES) != 0)
    throw nb::python_error();
  auto address = reinterpret_cast<uint64_t>(view.buf);
  bool readOnly = view.readonly;
  uint64_t below = 0, above = static_cast<uint64_t>(view.itemsize);
  for (int d = 0; d < view.ndim && view.len; ++d) {
    Py_ssize_t reach = (view.shape[d] - 1) * view.strides[d];
    (reach < 0 ? below : above) += static_cast<uint64_t>(std::abs(reach));
  }
  launch.places.back().begin = address - below;
  launch.places.back().end = address + (view.len ? above : 0);
  PyBuffer_Release(&view); // the launch's arguments keep the memory
  if (readOnly && launch.parameter().isWritten)
    throw argumentError(launch.kernel, launch.index(),
                        "it is read-only, but the kernel writes it: pass a copy");
  return address;
}

uint64_t Launcher::addressOf(Launch &launch, nb::handle value) const {
  if (PyLong_Check(value.ptr())) {
    uint64_t address = PyLong_AsUnsignedLongLong(value.ptr());
    if (PyErr_Occurred())
      throw nb::python_error();
    return address;
  }
  bool tensor = !tensorType.is_none() && PyObject_IsInstance(value.ptr(), tensorType.ptr()) == 1;
  if (tensor && attribute(value, known().isCpu).ptr() != Py_True)
    throw argumentError(launch.kernel, launch.index(),
                        "its memory is on another device, but the CPU device needs memory of the "
                        "host: pass .cpu()");
  if (!tensor && PyObject_CheckBuffer(value.ptr()))
    return addressOfBytes(launch, value);
  PyObject *self = value.ptr();
  nb::object address = nb::steal(PyObject_VectorcallMethod(known().dataPtr, &self, 1, nullptr));
  if (!address && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    return addressOfBytes(launch, hostArray(value)); // reads it through DLPack
  }
  if (!address)
    throw nb::python_error();
  uint64_t number = PyLong_AsUnsignedLongLong(address.ptr());
  if (PyErr_Occurred())
    throw nb::python_error();
  if (number == 0 && tensor && nb::cast<int64_t>(value.attr("numel")()) != 0)
    throw argumentError(launch.kernel, launch.index(),
                        "it has elements but no memory: pass a real tensor, not a fake one");
  return number;
}

void Launcher::takeTorchMemory(Launch &launch, nb::handle value, const TorchMemory &found) const {
  if (torchDeviceOf(found.device) != nb::cast<const Device &>(device.attr("_handle")).get())
    throw argumentError(launch.kernel, launch.index(),
                        "it is on vk:" + std::to_string(found.device) + ", but the kernel is on " +
                            nb::cast<std::string>(device.attr("id")) +
                            ": run the kernel there, by torch.vk.set_device or pumice.use");
  launch.torchDevice = found.device;
  if (found.buffer)
    launch.places.push_back({found.buffer, found.offset, 0, launch.parameter().isWritten,
                             nb::borrow(value), static_cast<uint32_t>(launch.index())});
  pumice_argument argument = pumice_argument_buffer(found.buffer);
  argument.offset = found.offset;
  argument.bytes = found.bytes;
  launch.arguments.push_back(argument);
}

void Launcher::takePointer(Launch &launch, nb::handle value) const {
  if (!launch.parameter().isBuffer)
    throw argumentError(launch.kernel, launch.index(), "expected a number, got a pointer");
  bool isWritten = launch.parameter().isWritten;
  auto number = static_cast<uint32_t>(launch.index());
  if (reinterpret_cast<PyObject *>(Py_TYPE(value.ptr())) == arrayType.ptr()) {
    auto &buffer = nb::cast<Buffer &>(attribute(value, known().buffer));
    auto offset = nb::cast<uint64_t>(attribute(value, known().offset));
    launch.places.push_back({buffer.get(), offset, 0, isWritten, nb::borrow(value), number});
    launch.arguments.emplace_back(buffer, offset);
    launch.usesArrays = true;
    return;
  }
  if (std::optional<TorchMemory> found = torchMemoryOf(value, tensorType))
    return takeTorchMemory(launch, value, *found);
  if (!memory)
    throw NeedsStaging();
  launch.waits = true;
  launch.places.push_back({memory.get(), 0, 0, isWritten, nb::borrow(value), number});
  uint64_t address = value.is_none() ? 0 : addressOf(launch, value);
  if (Place &place = launch.places.back(); !place.end) // NumPy's arrays have set it
    place.begin = address;
  if (address < firstAddress)
    launch.places.pop_back();
  // An empty tensor has no address, and no kernel accesses it.
  uint64_t offset = address < firstAddress ? 0 : address - firstAddress;
  launch.arguments.emplace_back(memory, offset);
}

/// Takes a descriptor's parts in the order of pumice-lower-descriptors: the pointer, the padding of
/// floats, the shape, the strides.
void Launcher::takeDescriptor(Launch &launch, nb::handle value, bool padded) const {
  takePointer(launch, attribute(value, known().base));
  if (padded) {
    nb::object padding = attribute(value, known().padding);
    bool nan = PyUnicode_Check(padding.ptr()) &&
               PyUnicode_CompareWithASCIIString(padding.ptr(), "nan") == 0;
    launch.takeNumber(nan ? Py_True : Py_False);
  }
  for (PyObject *name : {known().shape, known().strides})
    for (nb::handle number : attribute(value, name))
      launch.takeNumber(number);
}

void Launcher::take(Launch &launch, const Step &step, nb::handle value) const {
  switch (step.kind) {
  case Step::Skip:
    return;
  case Step::Take:
    return launch.parameter().isBuffer ? takePointer(launch, value) : launch.takeNumber(value);
  case Step::Descriptor:
  case Step::PaddedDescriptor:
    return takeDescriptor(launch, value, step.kind == Step::PaddedDescriptor);
  case Step::Tuple:
    for (size_t i = 0; i < step.parts.size(); ++i)
      take(launch, step.parts[i],
           nb::steal(PySequence_GetItem(value.ptr(), static_cast<Py_ssize_t>(i))));
  }
}

constexpr Py_ssize_t firstArgument = 9;

void Launcher::raiseLoss(const Error &error, nb::object queue, PyObject *given) const {
  nb::object values = nb::steal(PyTuple_GetSlice(given, firstArgument, PyTuple_Size(given)));
  nb::object told = afterLoss(device, makeError(error), queue, values);
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(told.ptr())), told.ptr());
  throw nb::python_error();
}

/// Takes all arguments, and returns whether the launch needs no copies.
bool Launcher::takeAll(Launch &launch, PyObject *given) const {
  try {
    for (size_t i = 0; i < steps.size(); ++i)
      take(launch, steps[i], PyTuple_GetItem(given, firstArgument + static_cast<Py_ssize_t>(i)));
    return true;
  } catch (const NeedsStaging &) {
    return false;
  }
}

/// Whether launches are checked.
std::atomic<bool> checking = false;

void callOther(const nb::object &launcher, PyObject *given) {
  auto call = [&] { return PyObject_Call(launcher.ptr(), given, nullptr); };
  if (!nb::steal(unlessAtEnd(call)))
    throw nb::python_error();
}

/// Returns a queue that only this thread uses, so that a failure there affects no other thread.
const Queue &queueOfThread(const Device &device) {
  thread_local std::map<const pumice_device *, Queue> queues;
  Queue &queue = queues[device.get()];
  if (!queue)
    queue = device.createQueue().value();
  return queue;
}

/// Launches a kernel. `given` is (x, y, z, stream, function, metadata, launch metadata, enter hook,
/// exit hook, arguments…).
void Launcher::launch(PyObject *given) {
  if (PyTuple_Size(given) != firstArgument + static_cast<Py_ssize_t>(steps.size()))
    throw nb::type_error(("a compiled kernel takes all of its " + std::to_string(steps.size()) +
                          " arguments in order, constants too; got " +
                          std::to_string(PyTuple_Size(given) - firstArgument))
                             .c_str());
  if (checking && !checked.is_none()) [[unlikely]]
    return callOther(checked, given);
  auto item = [&](Py_ssize_t i) { return PyTuple_GetItem(given, i); };
  Launch launch(nb::cast<Kernel &>(nb::handle(item(4))), spanOf);
  pumice_launch_options options =
      pumice_groups(groupsOf(item(0)), groupsOf(item(1)), groupsOf(item(2)));
  options.print_bytes = printBytes;
  options.print = print;
  options.print_user = reinterpret_cast<void *>(thisThread());
  if (!takeAll(launch, given))
    return callOther(staged, given);
  if (launch.torchDevice >= 0)
    options.print = printOfTorch;
  if (!overlapping.is_none() && launch.hasOverlaps()) [[unlikely]]
    return callOther(overlapping, given);
  if (launch.waits) {
    options.memory = storagesOf;
    options.memory_user = &launch;
  }
  callHook(item(7), item(6));
  nb::object held = attribute(device, known().queue);
  // Launches that wait for their results need no common order if the process has no other launches.
  bool isAlone = launch.waits && !launch.usesArrays && !hasLetBegin();
  Queue ofTorch = launch.torchDevice < 0 ? Queue() : torchQueueOf(launch.torchDevice);
  const Queue &queue = ofTorch   ? ofTorch
                       : isAlone ? queueOfThread(nb::cast<const Device &>(device.attr("_handle")))
                                 : nb::cast<const Queue &>(held);
  try {
    Function function = launch.kernel.function();
    WithoutPython others;
    queue.launch(function, options, launch.arguments).value();
    if (launch.waits)
      queue.finish().value();
    else
      letBegin(queue);
  } catch (const Error &error) {
    if (error.code != PUMICE_DEVICE_LOST)
      throw;
    raiseLoss(error, held, given);
  }
  callHook(item(8), item(6));
  if (launch.waits && assertionFailed) [[unlikely]]
    assertionFailed =
        unlessAtEnd([&] { return nb::cast<bool>(raiseFailures()); }); // whether others failed
}

PyObject *callLauncher(PyObject *self, PyObject *arguments, PyObject *) {
  try {
    nb::inst_ptr<Launcher>(self)->launch(arguments);
    Py_RETURN_NONE;
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const Error &error) {
    raise(error);
  } catch (const nb::builtin_exception &error) {
    PyErr_SetString(error.type() == nb::exception_type::value_error ? PyExc_ValueError
                                                                    : PyExc_TypeError,
                    error.what());
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

PyType_Slot launcherSlots[] = {{Py_tp_call, reinterpret_cast<void *>(callLauncher)}, {0, nullptr}};

/// Triton's own function, and Pumice's for types that Triton's rejects; see `specialize`.
PyObject *specializeKnown = nullptr, *specializeOther = nullptr;

PyObject *specialize(PyObject *, PyObject *const *arguments, Py_ssize_t count) {
  PyObject *made = PyObject_Vectorcall(specializeKnown, arguments, count, nullptr);
  if (made || !(PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_KeyError) ||
                PyErr_ExceptionMatches(PyExc_RuntimeError)))
    return made;
  PyErr_Clear();
  return PyObject_Vectorcall(specializeOther, arguments, count, nullptr);
}

PyMethodDef specializeMethod = {
    "specialize", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(specialize)),
    METH_FASTCALL, nullptr};

nb::object makeSpecialize(nb::object known, nb::object other) {
  specializeKnown = known.release().ptr();
  specializeOther = other.release().ptr();
  return nb::steal(PyCFunction_New(&specializeMethod, nullptr));
}

} // namespace

void defineTriton(nb::module_ &m) {
  nb::class_<Launcher>(m, "TritonLauncher", nb::type_slots(launcherSlots))
      .def(nb::init<nb::object, nb::tuple, nb::object, nb::object, nb::object, nb::object,
                    nb::object, nb::object, nb::object, nb::object, nb::object, nb::object>(),
           "device"_a, "steps"_a, "array_type"_a, "tensor_type"_a.none(), "host_array"_a,
           "staged"_a.none(), "overlapping"_a.none(), "checked"_a.none(), "said"_a,
           "raise_failures"_a, "span_of"_a, "after_loss"_a);
  m.def("set_checking", [](bool now) { checking = now; }, "now"_a);
  m.def("set_print_bytes", [](uint32_t bytes) { printBytes = bytes; }, "bytes"_a);
  m.def("this_thread", thisThread);
  m.def("make_triton_specialize", makeSpecialize, "known"_a, "other"_a);
}

} // namespace pumice::python
