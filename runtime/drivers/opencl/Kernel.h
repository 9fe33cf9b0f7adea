//===- Kernel.h - one kernel of a program, ready to run ---------------------===//
#pragma once

#include "runtime/drivers/opencl/Memory.h"
#include "runtime/drivers/opencl/Parameters.h"
#include "runtime/drivers/opencl/Program.h"
#include "runtime/hal/Queue.h"

namespace pumice::opencl_driver {

class OpenClDevice;

class OpenClKernel final : public hal::Kernel {
public:
  /// Errors: those of the driver's compiler; Unsupported for what OpenCL cannot run.
  static Result<Ref<hal::Kernel>> create(OpenClDevice &device, const hal::KernelSource &source);

  /// Writes the arguments of a launch to `block`, as `enqueue` takes them.
  void assignBlock(const hal::Dispatch &dispatch, std::vector<std::byte> &block) const;

  /// Returns whether the launch may access memory that no argument is an address of.
  bool followsPointers(const hal::Dispatch &dispatch) const;

  /// Passes the arguments and enqueues the grid. `grid.touchesUnnamedMemory` is the result of
  /// `followsPointers`. If `done` is not null, sets it to an event for the
  /// end. OpenCL's kernels hold their arguments, so the caller holds the scheduler's mutex.
  Status enqueue(cl_command_queue queue, std::span<const std::byte> block,
                 const hal::Dispatch &grid, cl_event *done) const;

private:
  struct Parts {
    std::vector<Parameter> parameters;
    std::array<uint32_t, 3> workgroupSize{1, 1, 1};
    uint32_t dynamicBytes = 0; // of workgroup memory
    bool isShader = false;
  };
  OpenClKernel(OpenClDevice &device, const hal::KernelSource &source, Ref<Program> program,
               cl_kernel handle, Parts parts);
  ~OpenClKernel() override;

  static Result<Ref<hal::Kernel>> createFromShader(OpenClDevice &device,
                                                   const hal::KernelSource &source);
  Status checkHandle() const;
  Status allowPointers() const;
  Status setArguments(std::span<const std::byte> block) const;
  Status setAddress(uint32_t index, uint64_t address) const;
  Status setBuffer(uint32_t index, uint64_t address) const;

  OpenClDevice &owner;
  const Context &context;
  Ref<Program> program;
  cl_kernel handle;
  const Parts parts;
  bool hasWorkgroupParameters = false;
  // The block of the last launch. Setting an argument takes longer than comparing it.
  mutable std::vector<std::byte> last;
  mutable bool isSet = false;          // whether all arguments are as in `last`
  mutable bool allowsPointers = false; // for unified shared memory
  mutable uint64_t lastGeneration = 0; // Memory::generation
  mutable std::vector<cl_mem> pieces;  // parts of buffer objects that arguments name, by argument
};

} // namespace pumice::opencl_driver
