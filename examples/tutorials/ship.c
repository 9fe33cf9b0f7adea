/*===- ship.c - compute the norms of a matrix's rows with a kernel from a file ===
 * The program of the tutorial ship.py, which writes the file.
 *
 *   ship norms.pumice [DEVICE]
 *===------------------------------------------------------------------------===*/
#include <pumice/pumice.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 100, COLUMNS = 777 };

static void check(pumice_status status, const char *what) {
  if (status == PUMICE_OK)
    return;
  fprintf(stderr, "%s: %s: %s\n", what, pumice_status_name(status), pumice_last_error());
  exit(1);
}

int main(int argc, char **argv) {
  static float x[ROWS * COLUMNS], norms[ROWS];
  pumice_device *device = NULL;
  pumice_device_info info = PUMICE_INIT(pumice_device_info);
  pumice_executable *executable = NULL;
  pumice_function *function = NULL;
  pumice_queue *queue = NULL;
  pumice_buffer *in = NULL, *out = NULL;
  pumice_launch_options grid = pumice_groups(ROWS, 1, 1);
  pumice_argument arguments[3];
  int wrong = 0, i;

  if (argc < 2) {
    fprintf(stderr, "usage: ship norms.pumice [DEVICE]\n");
    return 2;
  }
  check(pumice_device_open(argc > 2 ? argv[2] : NULL, &device), "open");
  check(pumice_device_get_info(device, &info), "info");
  check(pumice_executable_load_file(device, argv[1], &executable), "load");
  check(pumice_executable_function(executable, "norms", NULL, &function), "function");
  check(pumice_queue_create(device, NULL, &queue), "queue");
  check(pumice_buffer_create(device, sizeof x, PUMICE_MEMORY_DEVICE, &in), "buffer");
  check(pumice_buffer_create(device, sizeof norms, PUMICE_MEMORY_DEVICE, &out), "buffer");

  for (i = 0; i < ROWS * COLUMNS; ++i) /* row r holds r + 1 */
    x[i] = (float)(i / COLUMNS + 1);
  check(pumice_queue_upload(queue, in, 0, x, sizeof x), "upload");
  arguments[0] = pumice_argument_buffer(out);
  arguments[1] = pumice_argument_buffer(in);
  arguments[2] = pumice_argument_i32(COLUMNS);
  check(pumice_launch(queue, function, &grid, arguments, 3), "launch");
  check(pumice_queue_download(queue, norms, out, 0, sizeof norms), "download");
  check(pumice_queue_finish(queue, PUMICE_FOREVER), "finish");

  for (i = 0; i < ROWS; ++i)
    wrong += fabs(norms[i] - (i + 1) * sqrt(COLUMNS)) > 1e-3 * norms[i];
  printf("%d of %d norms are right on %s\n", ROWS - wrong, ROWS, info.name);

  pumice_buffer_release(out);
  pumice_buffer_release(in);
  pumice_queue_release(queue);
  pumice_function_release(function);
  pumice_executable_release(executable);
  pumice_device_release(device);
  return wrong != 0;
}
