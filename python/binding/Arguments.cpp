//===- Arguments.cpp - Python values as arguments of launches ---------------===//
#include "python/binding/Arguments.h"

#include "python/binding/Text.h"
#include "python/binding/Threads.h"

#include <nanobind/stl/string.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <deque>

namespace nb = nanobind;

namespace pumice::python {

Error argumentError(const Kernel &kernel, size_t index, const std::string &what) {
  Error made;
  made.code = PUMICE_INVALID_ARGUMENT;
  made.message = std::string(pumice_status_name(made.code)) + ": " + kernel.name + ": argument " +
                 std::to_string(index) + " '" + kernel.parameters[index].name + "': " + what;
  return made;
}

namespace {

/// Rounds to nearest, ties to even. `mantissa` is the number of bits: 10 for f16, 7 for bf16.
uint16_t narrow(double value, unsigned mantissa) {
  const int widest = mantissa == 7 ? 127 : 15;
  auto bits = [&](int exponent, uint32_t fraction) {
    return static_cast<uint16_t>((std::signbit(value) ? 0x8000u : 0) |
                                 (static_cast<uint32_t>(exponent) << mantissa | fraction));
  };
  const int special = 2 * widest + 1;
  if (std::isnan(value))
    return bits(special, 1u << (mantissa - 1));
  double size = std::fabs(value);
  if (size == 0)
    return bits(0, 0);
  if (std::isinf(size))
    return bits(special, 0);
  int exponent = 0;
  std::frexp(size, &exponent);
  exponent = std::max(exponent - 1, 1 - widest); // subnormal numbers have the least exponent
  double units = std::nearbyint(std::ldexp(size, static_cast<int>(mantissa) - exponent));
  if (units >= std::ldexp(1, static_cast<int>(mantissa) + 1))
    units /= 2, ++exponent;
  if (exponent > widest)
    return bits(special, 0);
  auto fraction = static_cast<uint32_t>(units);
  if (fraction < (1u << mantissa))
    return bits(0, fraction);
  return bits(exponent + widest, fraction - (1u << mantissa));
}

uint32_t packFloat(const Kernel &kernel, size_t index, nb::handle value, void *place) {
  const Kernel::Parameter &parameter = kernel.parameters[index];
  double number = 0;
  if (PyFloat_CheckExact(value.ptr()))
    number = PyFloat_AsDouble(value.ptr());
  else if (!nb::try_cast(value, number))
    throw argumentError(kernel, index, "expected a number (" + parameter.element + ")");
  auto store = [&](auto made) {
    std::memcpy(place, &made, sizeof made);
    return static_cast<uint32_t>(sizeof made);
  };
  switch (parameter.bits) {
  case 32:
    return store(static_cast<float>(number));
  case 64:
    return store(number);
  case 16:
    return store(narrow(number, parameter.element == "f16" ? 10 : 7));
  default:
    throw argumentError(kernel, index, "cannot convert a Python number to " + parameter.element);
  }
}

[[gnu::cold]] Error doesNotFit(const Kernel &kernel, size_t index, nb::handle value) {
  return argumentError(kernel, index,
                       nb::cast<std::string>(nb::str(value)) + " does not fit its type (" +
                           kernel.parameters[index].element + ")");
}

} // namespace

uint32_t pack(const Kernel &kernel, size_t index, nb::handle value, void *place) {
  const Kernel::Parameter &parameter = kernel.parameters[index];
  if (parameter.isFloat)
    return packFloat(kernel, index, value, place);
  if (parameter.bits == 1 && PyNumber_Check(value.ptr()) && !PyLong_Check(value.ptr()))
    value = PyObject_IsTrue(value.ptr()) == 1 ? Py_True : Py_False; // NumPy's booleans
  nb::object whole =
      PyLong_CheckExact(value.ptr()) ? nb::borrow(value) : nb::steal(PyNumber_Index(value.ptr()));
  if (!whole) {
    PyErr_Clear();
    throw argumentError(kernel, index, "expected a whole number (" + parameter.element + ")");
  }
  const uint32_t bits = parameter.bits;
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  auto bitsOf = static_cast<uint64_t>(number);
  bool fits = overflow == 0;
  if (overflow > 0) { // only u64 can hold it
    bitsOf = PyLong_AsUnsignedLongLong(whole.ptr());
    fits = !PyErr_Occurred() && bits == 64;
    PyErr_Clear();
  } else if (fits && bits < 64) {
    fits = number >= (parameter.isUnsigned ? 0 : -(1ll << (bits - 1))) && number < (1ll << bits);
  }
  if (!fits)
    throw doesNotFit(kernel, index, value);
  if (bits == 1)
    bitsOf &= 1;
  uint32_t bytes = bits < 8 ? 1 : bits / 8;
  std::memcpy(place, &bitsOf, bytes);
  return bytes;
}

namespace {

/// The data that launch arguments point to. It lives until the launch is recorded.
struct Storage {
  std::deque<std::vector<int64_t>> numbers;
  std::deque<std::vector<std::byte>> vectors;

  const int64_t *keep(nb::handle tuple) {
    std::vector<int64_t> &kept = numbers.emplace_back();
    for (nb::handle each : nb::borrow<nb::tuple>(tuple))
      kept.push_back(nb::cast<int64_t>(each));
    return kept.data();
  }
};

pumice_argument scalar(const Kernel &kernel, size_t index, nb::handle value, Storage &storage) {
  const Kernel::Parameter &parameter = kernel.parameters[index];
  if (parameter.width == 1) {
    uint64_t bits = 0;
    uint32_t bytes = pack(kernel, index, value, &bits);
    return pumice_argument_scalar(&bits, bytes);
  }
  if (!nb::isinstance<nb::tuple>(value) || nb::len(value) != parameter.width)
    throw argumentError(kernel, index,
                        "expected a tuple of " + std::to_string(parameter.width) + " numbers (" +
                            parameter.element + ")");
  std::vector<std::byte> &bytes = storage.vectors.emplace_back(parameter.width * 8);
  uint32_t used = 0;
  for (nb::handle each : nb::borrow<nb::tuple>(value))
    used += pack(kernel, index, each, bytes.data() + used);
  pumice_argument made = pumice_argument_scalar(bytes.data(), used);
  return made;
}

pumice_argument buffer(const Kernel &kernel, size_t index, nb::handle value, Storage &storage) {
  if (value.is_none())
    return pumice_argument_buffer(nullptr);
  if (!nb::isinstance<nb::tuple>(value) || nb::len(value) != 5)
    throw argumentError(kernel, index, "expected an array of " + kernel.parameters[index].element);
  nb::tuple parts = nb::borrow<nb::tuple>(value);
  pumice_argument made = pumice_argument_buffer(nb::cast<Buffer &>(parts[0]).get());
  made.offset = nb::cast<uint64_t>(parts[1]);
  made.bytes = nb::cast<uint64_t>(parts[2]);
  made.rank = static_cast<uint32_t>(nb::len(nb::handle(parts[3])));
  made.shape = made.rank ? storage.keep(parts[3]) : nullptr;
  made.strides = made.rank && !parts[4].is_none() ? storage.keep(parts[4]) : nullptr;
  return made;
}

/// Sets what follows from the name of the element type.
void describeElement(Kernel::Parameter &made) {
  made.isFloat = made.element[0] == 'f' || made.element == "bf16";
  size_t digits = made.element.find_first_of("0123456789");
  made.bits = digits == std::string::npos // "index"
                  ? 64
                  : static_cast<uint32_t>(std::atoi(made.element.c_str() + digits));
}

Kernel::Parameter parameterOf(const pumice_argument_info &info) {
  Kernel::Parameter made;
  made.name = info.name;
  made.element = info.element;
  made.isBuffer = info.kind == PUMICE_ARGUMENT_BUFFER;
  made.isWritten = made.isBuffer && (info.access & PUMICE_ACCESS_WRITE);
  made.width = info.vector_width;
  describeElement(made);
  return made;
}

} // namespace

static uint64_t losses = 0; // guarded by Python's lock

void Kernel::noteLoss() { ++losses; }

Function Kernel::function() const {
  if (madeAfter != losses) {
    uint64_t after = losses;
    made = make();
    madeAfter = after;
  }
  return made;
}

Kernel::Kernel(const Executable &executable, const std::string &name,
               std::function<Function()> make)
    : name(name), make(std::move(make)), made(this->make()), madeAfter(losses) {
  for (size_t i = 0; i < pumice_executable_entry_point_count(executable.get()); ++i) {
    pumice_entry_point_info entry = PUMICE_INIT(pumice_entry_point_info);
    Status(pumice_executable_entry_point(executable.get(), i, &entry)).value();
    if (name != entry.name)
      continue;
    for (size_t k = 0; k < entry.argument_count; ++k) {
      pumice_argument_info info = PUMICE_INIT(pumice_argument_info);
      Status(pumice_executable_argument(executable.get(), i, k, &info)).value();
      parameters.push_back(parameterOf(info));
    }
  }
}

Kernel::Kernel(const Executable &executable, const std::string &name,
               std::vector<Parameter> parameters, Exported run)
    : name(name), parameters(std::move(parameters)), exported(run), executable(executable) {
  for (Parameter &one : this->parameters)
    describeElement(one);
}

void launch(const Queue &queue, const Kernel &kernel, std::array<uint32_t, 3> groups,
            nb::tuple arguments, nb::object print) {
  if (arguments.size() != kernel.parameters.size()) {
    Error wrong;
    wrong.code = PUMICE_INVALID_ARGUMENT;
    wrong.message = std::string(pumice_status_name(wrong.code)) + ": " + kernel.name + " takes " +
                    std::to_string(kernel.parameters.size()) + " arguments; " +
                    std::to_string(arguments.size()) + " are given";
    throw wrong;
  }
  Storage storage;
  std::vector<Argument> made;
  for (size_t i = 0; i < arguments.size(); ++i)
    made.push_back(kernel.parameters[i].isBuffer ? buffer(kernel, i, arguments[i], storage)
                                                 : scalar(kernel, i, arguments[i], storage));
  if (kernel.exported) {
    WithoutPython others;
    Status(kernel.exported(kernel.executable.get(), queue.get(), groups.data(), made.data()))
        .value();
    return letBegin(queue);
  }
  Function function = kernel.function();
  pumice_launch_options options = pumice_groups(groups[0], groups[1], groups[2]);
  options.print_bytes = printBytes;
  if (print.is_none()) {
    WithoutPython others; // the launch waits if the queue is full
    queue.launch(function, options, made).value();
    return letBegin(queue);
  }
  // The text may come later: the caller waits for the work before it releases `print`.
  options.print = [](void *user, const char *text, size_t bytes) {
    if (!Py_IsInitialized())
      return; // the process ends
    WithPython locked;
    unlessAtEnd([&] {
      try {
        nb::handle(static_cast<PyObject *>(user))(textOf({text, bytes}));
      } catch (nb::python_error &raised) {
        raised.discard_as_unraisable("a kernel's print");
      }
    });
  };
  options.print_user = print.ptr();
  WithoutPython others;
  queue.launch(function, options, made).value();
  letBegin(queue);
}

std::atomic<uint32_t> printBytes = 0;

static std::atomic<bool> letAnyBegin = false;

bool hasLetBegin() { return letAnyBegin; }

uint32_t groupsOf(PyObject *number) {
  long long groups = PyLong_AsLongLong(number);
  if (groups == -1 && PyErr_Occurred()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      throw nb::type_error(
          ("a grid has whole numbers of programs, not " + nb::cast<std::string>(nb::repr(number)))
              .c_str());
    }
    throw nb::python_error();
  }
  if (groups < 0 || groups > INT32_MAX)
    throw nb::value_error(
        ("a grid has 0 to 2^31-1 programs along each axis, not " + std::to_string(groups)).c_str());
  return static_cast<uint32_t>(groups);
}

void letBegin(const Queue &queue) {
  letAnyBegin = true;
  queue.letBegin().value();
}

} // namespace pumice::python
