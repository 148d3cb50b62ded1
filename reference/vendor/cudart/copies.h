// Copies of the CUDA runtime on the current stream, with failures remembered as those of a launch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/op/variant.h"

namespace assay::vendor {

// `rows` rows of `width` bytes, that begin `from_pitch` and `to_pitch` bytes apart; nothing where there are none.
void copy_rows(void* to, int64_t to_pitch, const void* from, int64_t from_pitch, int64_t width, int64_t rows);
void clear_rows(void* to, int64_t to_pitch, int64_t width, int64_t rows);

// Why rows that begin so many bytes apart cannot be copied by one call.
std::optional<std::string> refused_pitch(int64_t bytes);

}  // namespace assay::vendor
