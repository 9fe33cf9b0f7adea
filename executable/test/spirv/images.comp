#version 450
// glslangValidator -V --target-env vulkan1.1 images.comp -o images.spv
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform image2D picture;
layout(set = 0, binding = 1) uniform sampler2D textured;
layout(set = 0, binding = 2, r32f) uniform imageBuffer texels;
layout(set = 0, binding = 3) buffer Many { float v[]; } many[4];
void main() {
  imageStore(picture, ivec2(0), texture(textured, vec2(0)) + imageLoad(texels, 0));
  many[gl_LocalInvocationIndex & 3].v[0] = 1;
}
