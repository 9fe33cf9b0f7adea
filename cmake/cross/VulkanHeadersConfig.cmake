# Provides Vulkan's headers without the rest of /usr/include; see Zig.cmake.
add_library(Vulkan::Headers INTERFACE IMPORTED)
target_include_directories(Vulkan::Headers INTERFACE ${PUMICE_HOST_HEADERS})
set(VulkanHeaders_FOUND ON)
