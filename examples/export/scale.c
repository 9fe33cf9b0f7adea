/*===- scale.c - launch an exported kernel in C ------------------------------===
 * The header comes from `pumice export examples/scale.mlir --language c`.
 *
 *   scale [DEVICE]
 *===------------------------------------------------------------------------===*/
#include "scale.h"

#include <stdio.h>
#include <stdlib.h>

enum { VALUES = 64 * 1000 };

static void check(pumice_status status, const char *what) {
  if (status == PUMICE_OK)
    return;
  fprintf(stderr, "%s: %s: %s\n", what, pumice_status_name(status), pumice_last_error());
  exit(1);
}

int main(int argc, char **argv) {
  static float values[VALUES];
  const uint32_t groups[3] = {VALUES / 64, 1, 1}; /* workgroups of 64 invocations */
  pumice_device *device = NULL;
  pumice_device_info info = PUMICE_INIT(pumice_device_info);
  pumice_executable *kernels = NULL;
  pumice_queue *queue = NULL;
  pumice_buffer *x = NULL;
  int wrong = 0, i;

  check(pumice_device_open(argc > 1 ? argv[1] : NULL, &device), "open");
  check(pumice_device_get_info(device, &info), "info");
  check(scale_load(device, &kernels), "load");
  check(pumice_queue_create(device, NULL, &queue), "queue");
  check(pumice_buffer_create(device, sizeof values, PUMICE_MEMORY_DEVICE, &x), "buffer");
  for (i = 0; i < VALUES; ++i)
    values[i] = (float)i;
  check(pumice_queue_upload(queue, x, 0, values, sizeof values), "upload");
  check(scale(kernels, queue, groups, x, 3.0f), "scale");
  check(pumice_queue_download(queue, values, x, 0, sizeof values), "download");
  check(pumice_queue_finish(queue, PUMICE_FOREVER), "finish");
  for (i = 0; i < VALUES; ++i)
    wrong += values[i] != 3.0f * (float)i;
  printf("scale on %s: %d of %d values are right\n", info.name, VALUES - wrong, VALUES);

  pumice_buffer_release(x);
  pumice_queue_release(queue);
  pumice_executable_release(kernels);
  pumice_device_release(device);
  return wrong != 0;
}
