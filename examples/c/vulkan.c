/*===- vulkan.c - a program shares its VkDevice and buffers with kernels ----------===
 * The program fills a VkBuffer with Vulkan's own commands. A kernel of Pumice reads it in place and
 * writes a buffer of Pumice's, whose VkBuffer the program then copies from. One timeline semaphore
 * orders the three steps on the device; the host waits once, at the end.
 *
 *   vulkan [ROUNDS]
 *===------------------------------------------------------------------------===*/
#include <pumice/pumice_vulkan.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kernel[] =
    "gpu.module @kernels {\n"
    "  gpu.func @scale(%n: index, %a: i32, %x: memref<?xi32>, %y: memref<?xi32>) kernel {\n"
    "    %i = gpu.global_id x\n"
    "    %inside = arith.cmpi ult, %i, %n : index\n"
    "    scf.if %inside {\n"
    "      %xi = memref.load %x[%i] : memref<?xi32>\n"
    "      %product = arith.muli %a, %xi : i32\n"
    "      memref.store %product, %y[%i] : memref<?xi32>\n"
    "    }\n"
    "    gpu.return\n"
    "  }\n"
    "}\n";

enum { COUNT = 10000, BYTES = 4 * COUNT, GROUP = 64 };

static void check(pumice_status status, const char *what) {
  if (status == PUMICE_OK)
    return;
  fprintf(stderr, "%s: %s: %s\n", what, pumice_status_name(status), pumice_last_error());
  exit(1);
}

static void must(VkResult result, const char *what) {
  if (result == VK_SUCCESS)
    return;
  fprintf(stderr, "%s: VkResult %d\n", what, result);
  exit(1);
}

/* ---- The program's own Vulkan objects ---- */

typedef struct {
  pumice_vulkan_physical_device from;
  VkDevice device;
  uint32_t family;
  VkQueue queue;
  VkCommandPool pool;
  VkDebugUtilsMessengerEXT messenger;
} program;

static int messages = 0; /* of the validation layer */

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT type,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user) {
  (void)severity, (void)type, (void)user;
  if (!strstr(data->pMessage, "unknown VkStructureType") && /* the layer may be older */
      !strstr(data->pMessage, "is not supported by this layer")) {
    ++messages;
    fprintf(stderr, "Vulkan validation: %s\n", data->pMessage);
  }
  return VK_FALSE;
}

static int has_layer(const char *name) {
  VkLayerProperties layers[64];
  uint32_t count = 64;
  vkEnumerateInstanceLayerProperties(&count, layers);
  while (count-- > 0)
    if (!strcmp(layers[count].layerName, name))
      return 1;
  return 0;
}

/* The validation layer is on if it is installed. */
static void make_instance(program *p) {
  const char *layer = "VK_LAYER_KHRONOS_validation";
  const char *debug = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkApplicationInfo application;
  VkInstanceCreateInfo info;
  VkDebugUtilsMessengerCreateInfoEXT listener;
  uint32_t count = 1;
  memset(&application, 0, sizeof application);
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = p->from.api_version = VK_API_VERSION_1_2;
  memset(&listener, 0, sizeof listener);
  listener.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  listener.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                             VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  listener.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  listener.pfnUserCallback = on_message;
  memset(&info, 0, sizeof info);
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (has_layer(layer)) {
    info.pNext = &listener;
    info.enabledLayerCount = info.enabledExtensionCount = 1;
    info.ppEnabledLayerNames = &layer;
    info.ppEnabledExtensionNames = &debug;
  }
  must(vkCreateInstance(&info, NULL, &p->from.instance), "vkCreateInstance");
  if (info.enabledLayerCount) {
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(p->from.instance,
                                                                  "vkCreateDebugUtilsMessengerEXT");
    must(create(p->from.instance, &listener, NULL, &p->messenger), "the messenger");
  }
  vkEnumeratePhysicalDevices(p->from.instance, &count, &p->from.physical_device);
  if (!p->from.physical_device) {
    fprintf(stderr, "there is no Vulkan device\n");
    exit(1);
  }
}

/* Makes the VkDevice with the features that Pumice requests, and lends it to Pumice. */
static pumice_device *make_device(program *p) {
  const float priority = 1;
  pumice_vulkan_wishes *wishes = NULL;
  pumice_vulkan_wishes_info wished = PUMICE_INIT(pumice_vulkan_wishes_info);
  pumice_vulkan_device_options options = PUMICE_INIT(pumice_vulkan_device_options);
  VkDeviceQueueCreateInfo queues;
  VkDeviceCreateInfo create;
  VkCommandPoolCreateInfo pool;
  pumice_device *device = NULL;
  check(pumice_vulkan_wishes_create(&p->from, NULL, &wishes), "wishes");
  check(pumice_vulkan_wishes_get_info(wishes, &wished), "wishes");
  p->family = wished.queue_family;

  memset(&queues, 0, sizeof queues);
  queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queues.queueFamilyIndex = p->family;
  queues.queueCount = 1;
  queues.pQueuePriorities = &priority;
  memset(&create, 0, sizeof create);
  create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  create.pNext = wished.features;
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queues;
  create.enabledExtensionCount = wished.extension_count;
  create.ppEnabledExtensionNames = wished.extensions;
  must(vkCreateDevice(p->from.physical_device, &create, NULL, &p->device), "vkCreateDevice");
  vkGetDeviceQueue(p->device, p->family, 0, &p->queue);

  options.from = p->from;
  options.device = p->device;
  options.create_info = &create;
  options.queue_family = p->family;
  check(pumice_vulkan_device_create(&options, &device), "device");
  pumice_vulkan_wishes_release(wishes);

  memset(&pool, 0, sizeof pool);
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = p->family;
  must(vkCreateCommandPool(p->device, &pool, NULL, &p->pool), "vkCreateCommandPool");
  return device;
}

static uint32_t host_type(const program *p, uint32_t allowed) {
  const VkMemoryPropertyFlags wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties memory;
  uint32_t type;
  vkGetPhysicalDeviceMemoryProperties(p->from.physical_device, &memory);
  for (type = 0; type < memory.memoryTypeCount; ++type)
    if ((allowed & (1u << type)) && (memory.memoryTypes[type].propertyFlags & wanted) == wanted)
      return type;
  exit(1);
}

/* A buffer that the host maps. Pumice wraps it: see pumice_vulkan_buffer_wrap for the usages. */
static pumice_vulkan_buffer make_buffer(program *p, VkDeviceMemory *memory, int32_t **mapped) {
  pumice_vulkan_buffer range = PUMICE_INIT(pumice_vulkan_buffer);
  VkBufferCreateInfo info;
  VkMemoryRequirements needs;
  VkMemoryAllocateFlagsInfo flags;
  VkMemoryAllocateInfo allocate;
  void *address = NULL;
  range.size = range.bytes = BYTES;
  range.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  memset(&info, 0, sizeof info);
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = range.size;
  info.usage = range.usage;
  must(vkCreateBuffer(p->device, &info, NULL, &range.buffer), "vkCreateBuffer");
  vkGetBufferMemoryRequirements(p->device, range.buffer, &needs);
  memset(&flags, 0, sizeof flags);
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  memset(&allocate, 0, sizeof allocate);
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.pNext = &flags;
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = host_type(p, needs.memoryTypeBits);
  must(vkAllocateMemory(p->device, &allocate, NULL, memory), "vkAllocateMemory");
  must(vkBindBufferMemory(p->device, range.buffer, *memory, 0), "vkBindBufferMemory");
  must(vkMapMemory(p->device, *memory, 0, VK_WHOLE_SIZE, 0, &address), "vkMapMemory");
  *mapped = address;
  return range;
}

static VkCommandBuffer begin(program *p) {
  VkCommandBufferAllocateInfo allocate;
  VkCommandBufferBeginInfo info;
  VkCommandBuffer commands = NULL;
  memset(&allocate, 0, sizeof allocate);
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = p->pool;
  allocate.commandBufferCount = 1;
  must(vkAllocateCommandBuffers(p->device, &allocate, &commands), "vkAllocateCommandBuffers");
  memset(&info, 0, sizeof info);
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  must(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
  return commands;
}

/* Runs the commands once the semaphore is at `after`, and then sets it to `then`. */
static void submit(program *p, VkCommandBuffer commands, VkSemaphore semaphore, uint64_t after,
                   uint64_t then) {
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkTimelineSemaphoreSubmitInfo values;
  VkSubmitInfo info;
  must(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  memset(&values, 0, sizeof values);
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = values.signalSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &after;
  values.pSignalSemaphoreValues = &then;
  memset(&info, 0, sizeof info);
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = info.signalSemaphoreCount = info.commandBufferCount = 1;
  info.pWaitSemaphores = info.pSignalSemaphores = &semaphore;
  info.pWaitDstStageMask = &stage;
  info.pCommandBuffers = &commands;
  must(vkQueueSubmit(p->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
}

/* ---- The kernel ---- */

static pumice_function *make_function(pumice_device *device) {
  pumice_compile_options options = PUMICE_INIT(pumice_compile_options);
  pumice_function_options fixed = PUMICE_INIT(pumice_function_options);
  pumice_blob *bytes = NULL;
  pumice_executable *executable = NULL;
  pumice_function *function = NULL;
  options.source_name = "scale.mlir";
  options.devices = &device;
  options.device_count = 1;
  check(pumice_compile(kernel, sizeof kernel - 1, &options, &bytes), "compile");
  check(
      pumice_executable_load(device, pumice_blob_data(bytes), pumice_blob_size(bytes), &executable),
      "load");
  fixed.workgroup_size[0] = GROUP;
  fixed.workgroup_size[1] = fixed.workgroup_size[2] = 1;
  check(pumice_executable_function(executable, "scale", &fixed, &function), "function");
  pumice_executable_release(executable);
  pumice_blob_release(bytes);
  return function;
}

int main(int argc, char **argv) {
  const uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 3;
  program p;
  VkDeviceMemory memory[2];
  int32_t *values[2];
  pumice_vulkan_buffer filled, copied, scaled = PUMICE_INIT(pumice_vulkan_buffer);
  pumice_buffer *x = NULL, *y = NULL;
  pumice_queue *queue = NULL;
  pumice_timeline *timeline = NULL;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  pumice_launch_options grid = pumice_groups((COUNT + GROUP - 1) / GROUP, 1, 1);
  pumice_argument arguments[4];
  uint64_t round, right = 0, i;
  memset(&p, 0, sizeof p);
  make_instance(&p);
  pumice_device *device = make_device(&p);
  pumice_function *function = make_function(device);
  filled = make_buffer(&p, &memory[0], &values[0]);
  copied = make_buffer(&p, &memory[1], &values[1]);

  check(pumice_vulkan_buffer_wrap(device, &filled, NULL, NULL, &x), "wrap");
  check(pumice_buffer_create(device, BYTES, PUMICE_MEMORY_DEVICE, &y), "buffer");
  check(pumice_vulkan_buffer_get(y, &scaled), "the buffer's VkBuffer");
  check(pumice_vulkan_timeline_create(device, VK_NULL_HANDLE, 0, &timeline), "timeline");
  check(pumice_vulkan_timeline_get(timeline, &semaphore), "semaphore");
  check(pumice_queue_create(device, NULL, &queue), "queue");
  arguments[0] = pumice_argument_i64(COUNT);
  arguments[2] = pumice_argument_buffer(x);
  arguments[3] = pumice_argument_buffer(y);

  for (round = 0; round < rounds; ++round) {
    const VkBufferCopy region = {scaled.offset, 0, BYTES};
    VkCommandBuffer commands = begin(&p);
    vkCmdFillBuffer(commands, filled.buffer, 0, BYTES, (uint32_t)round + 1);
    submit(&p, commands, semaphore, 3 * round, 3 * round + 1);

    arguments[1] = pumice_argument_i32(100);
    check(pumice_queue_wait(queue, timeline, 3 * round + 1), "wait");
    check(pumice_launch(queue, function, &grid, arguments, 4), "launch");
    check(pumice_queue_signal(queue, timeline, 3 * round + 2), "signal");
    check(pumice_queue_flush(queue), "flush"); /* before what waits for it is submitted */

    commands = begin(&p);
    vkCmdCopyBuffer(commands, scaled.buffer, copied.buffer, 1, &region);
    submit(&p, commands, semaphore, 3 * round + 2, 3 * round + 3);
  }
  check(pumice_timeline_wait(timeline, 3 * rounds, PUMICE_FOREVER), "wait");
  for (i = 0; i < COUNT; ++i)
    right += values[1][i] == (int32_t)(100 * rounds);
  printf("%d of %d values are right after %d rounds\n", (int)right, COUNT, (int)rounds);

  pumice_queue_release(queue);
  pumice_timeline_release(timeline);
  pumice_buffer_release(x);
  pumice_buffer_release(y);
  pumice_function_release(function);
  pumice_device_release(device);
  vkDeviceWaitIdle(p.device);
  for (i = 0; i < 2; ++i) {
    vkDestroyBuffer(p.device, i ? copied.buffer : filled.buffer, NULL);
    vkFreeMemory(p.device, memory[i], NULL);
  }
  vkDestroyCommandPool(p.device, p.pool, NULL);
  vkDestroyDevice(p.device, NULL);
  if (p.messenger) {
    PFN_vkDestroyDebugUtilsMessengerEXT destroy =
        (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
            p.from.instance, "vkDestroyDebugUtilsMessengerEXT");
    destroy(p.from.instance, p.messenger, NULL);
  }
  vkDestroyInstance(p.from.instance, NULL);
  return right == COUNT && messages == 0 ? 0 : 1;
}
