// The words of findings about textures, surfaces and the instructions on them.
#pragma once

#include <cstdint>
#include <string>

#include "harness/simt/include/simt/texture_calls.h"
#include "harness/simt/include/simt/textures.h"

namespace assay::simt {

// For a handle that is not what an instruction needs: "which has been destroyed".
std::string why_no_texture(uint64_t handle);

// Ends the launch with a finding unless an instruction with this geometry, such as "tex.2d", can access the image.
void check_geometry(const void* pc, const char* opcode, Geometry geometry, const Image& image);

// Ends the launch: `opcode` has been given this handle.
[[noreturn]] void stop_for_handle(const void* pc, const char* opcode, uint64_t handle);

}  // namespace assay::simt
