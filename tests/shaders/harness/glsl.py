"""Builds the complete GLSL text of a shader: the common preamble, its buffers, and its body."""

EXTENSIONS = """
GL_EXT_shader_explicit_arithmetic_types GL_EXT_shader_8bit_storage GL_EXT_shader_16bit_storage
GL_EXT_shader_subgroup_extended_types_int8 GL_EXT_shader_subgroup_extended_types_int16
GL_EXT_shader_subgroup_extended_types_int64 GL_EXT_shader_subgroup_extended_types_float16
GL_KHR_shader_subgroup_basic GL_KHR_shader_subgroup_vote GL_KHR_shader_subgroup_ballot
GL_KHR_shader_subgroup_arithmetic GL_KHR_shader_subgroup_shuffle
GL_KHR_shader_subgroup_shuffle_relative GL_KHR_shader_subgroup_clustered
GL_KHR_shader_subgroup_quad GL_KHR_memory_scope_semantics GL_EXT_shader_atomic_int64
GL_EXT_shader_atomic_float GL_EXT_shader_atomic_float2 GL_EXT_scalar_block_layout
GL_EXT_buffer_reference GL_EXT_buffer_reference2 GL_EXT_buffer_reference_uvec2
GL_EXT_nonuniform_qualifier GL_EXT_control_flow_attributes GL_EXT_null_initializer
GL_EXT_shared_memory_block GL_EXT_debug_printf GL_EXT_spirv_intrinsics
GL_EXT_subgroupuniform_qualifier GL_EXT_terminate_invocation
""".split()


def whole(case):
    if "#version" in case.body:
        return case.body
    lines = ["#version 460"]
    lines += [f"#extension {name} : enable" for name in EXTENSIONS]
    lines += [f"#define {name} {text}" for name, text in case.variant.items()]
    lines.append("#define I gl_GlobalInvocationID.x")
    lines.append(f"#define N {case.lanes}u")
    if "local_size" not in case.body:
        x, y, z = case.size
        lines.append(f"layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;")
    for buffer in case.buffers:
        if buffer.access != "raw":
            how = "readonly " if buffer.access == "in" else ""
            lines.append(f"layout(std430, set = {buffer.place[0]}, binding = {buffer.place[1]}) {how}"
                         f"buffer Buffer_{buffer.name} {{ {buffer.type} {buffer.name}[]; }};")
    # With this line, errors count the lines of the shader's own file.
    return "\n".join(lines) + "\n#line 1\n" + case.body
