/*===- saxpy.c - compile a kernel, launch it, change a constant, launch again ===
 * The whole way from MLIR text to numbers, in C. The compiler library is loaded by pumice_compile;
 * a program with a .pumice file does not need it (run_file.cpp).
 *
 *   saxpy [DEVICE]
 *===------------------------------------------------------------------------===*/
#include <pumice/pumice.h>

#include <stdio.h>
#include <stdlib.h>

/* y = a x + y. The kernel leaves its workgroup's size open: it becomes a specialization constant,
 * which is set when a function is made from the executable. */
static const char kernel[] =
    "gpu.module @kernels {\n"
    "  gpu.func @saxpy(%n: index, %a: f32, %x: memref<?xf32>, %y: memref<?xf32>) kernel {\n"
    "    %i = gpu.global_id x\n"
    "    %inside = arith.cmpi ult, %i, %n : index\n"
    "    scf.if %inside {\n"
    "      %xi = memref.load %x[%i] : memref<?xf32>\n"
    "      %yi = memref.load %y[%i] : memref<?xf32>\n"
    "      %product = arith.mulf %a, %xi : f32\n"
    "      %sum = arith.addf %product, %yi : f32\n"
    "      memref.store %sum, %y[%i] : memref<?xf32>\n"
    "    }\n"
    "    gpu.return\n"
    "  }\n"
    "}\n";

enum { COUNT = 100000 };

static void check(pumice_status status, const char *what) {
  if (status == PUMICE_OK)
    return;
  fprintf(stderr, "%s: %s: %s\n", what, pumice_status_name(status), pumice_last_error());
  exit(1);
}

static pumice_executable *compile(pumice_device *device) {
  pumice_compile_options options = PUMICE_INIT(pumice_compile_options);
  pumice_blob *bytes = NULL;
  pumice_executable *executable = NULL;
  options.source_name = "saxpy.mlir";
  options.devices = &device;
  options.device_count = 1;
  check(pumice_compile(kernel, sizeof kernel - 1, &options, &bytes), "compile");
  check(
      pumice_executable_load(device, pumice_blob_data(bytes), pumice_blob_size(bytes), &executable),
      "load");
  pumice_blob_release(bytes);
  return executable;
}

/* Launches with workgroups of `size` invocations; the queue keeps the objects that it needs. */
static void launch(pumice_queue *queue, pumice_executable *executable, uint32_t size, float a,
                   pumice_buffer *x, pumice_buffer *y) {
  pumice_function_options options = PUMICE_INIT(pumice_function_options);
  pumice_launch_options grid = pumice_groups((COUNT + size - 1) / size, 1, 1);
  pumice_argument arguments[4];
  pumice_function *function = NULL;
  options.workgroup_size[0] = size;
  options.workgroup_size[1] = options.workgroup_size[2] = 1;
  check(pumice_executable_function(executable, "saxpy", &options, &function), "function");
  arguments[0] = pumice_argument_i64(COUNT);
  arguments[1] = pumice_argument_f32(a);
  arguments[2] = pumice_argument_buffer(x);
  arguments[3] = pumice_argument_buffer(y);
  check(pumice_launch(queue, function, &grid, arguments, 4), "launch");
  pumice_function_release(function);
}

int main(int argc, char **argv) {
  pumice_device *device = NULL;
  pumice_queue *queue = NULL;
  pumice_buffer *x = NULL, *y = NULL;
  pumice_device_info info = PUMICE_INIT(pumice_device_info);
  pumice_executable *executable;
  static float values[COUNT];
  int wrong = 0, i;

  check(pumice_device_open(argc > 1 ? argv[1] : NULL, &device), "open");
  check(pumice_device_get_info(device, &info), "info");
  executable = compile(device);
  check(pumice_queue_create(device, NULL, &queue), "queue");
  check(pumice_buffer_create(device, sizeof values, PUMICE_MEMORY_DEVICE, &x), "x");
  check(pumice_buffer_create(device, sizeof values, PUMICE_MEMORY_DEVICE, &y), "y");

  for (i = 0; i < COUNT; ++i)
    values[i] = (float)i;
  check(pumice_queue_upload(queue, x, 0, values, sizeof values), "upload");
  check(pumice_queue_fill(queue, y, 0, PUMICE_TO_END, 0, 4), "fill");
  launch(queue, executable, 64, 2.0f, x, y);  /* y = 2 x */
  launch(queue, executable, 128, 3.0f, x, y); /* y = 3 x + 2 x */
  check(pumice_queue_download(queue, values, y, 0, sizeof values), "download");
  check(pumice_queue_finish(queue, PUMICE_FOREVER), "finish");

  for (i = 0; i < COUNT; ++i)
    wrong += values[i] != 5.0f * (float)i;
  printf("saxpy on %s: %d of %d values are right\n", info.name, COUNT - wrong, COUNT);

  pumice_buffer_release(y);
  pumice_buffer_release(x);
  pumice_queue_release(queue);
  pumice_executable_release(executable);
  pumice_device_release(device);
  return wrong != 0;
}
