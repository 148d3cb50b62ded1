// The grids that variants launch for their work, in blocks of the case's size, and the reason why there is none.
#pragma once

#include <algorithm>

#include "harness/op/variant.h"

namespace assay::device {

inline Launch thread_for_each(const Call& call, int64_t items) {
  return {.grid = dim3(ceil_div(items, call.block())), .block = dim3(call.block())};
}

inline Launch block_for_each(const Call& call, int64_t items) {
  return {.grid = dim3(static_cast<unsigned>(items)), .block = dim3(call.block())};
}

constexpr int64_t kFillsH200 = 132 * 16;  // 16 blocks on each of its multiprocessors

// For kernels that stride over a grid of any size (Variant::any_grid): a thread for each item, in `blocks_max` blocks
// at most. Further items are left to the loop.
inline Launch striding(const Call& call, int64_t items, int64_t blocks_max = 65535) {
  const int64_t blocks = (items - 1) / call.block() + 1;
  return {.grid = dim3(call.grid(std::min(blocks, blocks_max))), .block = dim3(call.block())};
}

// Variant::unsupported of a kernel that launches `each` ("a block per row"): as many blocks as the product of `dims`.
inline decltype(Variant::unsupported) too_many_blocks(std::string each, std::vector<std::string> dims) {
  return [=](const Case& c) -> std::optional<std::string> {
    int64_t blocks = 1;
    for (const std::string& dim : dims) blocks *= c.dim(dim);
    if (blocks > INT32_MAX) return each + ", and a grid has at most 2^31 - 1 blocks";
    return std::nullopt;
  };
}

// Variant::unsupported of a kernel that launches as many threads as the product of `dims`.
inline decltype(Variant::unsupported) too_many_threads(std::vector<std::string> dims) {
  return [=](const Case& c) -> std::optional<std::string> {
    int64_t threads = 1;
    for (const std::string& dim : dims) threads *= c.dim(dim);
    if (threads > int64_t{INT32_MAX} * *c.block) return "a grid has at most 2^31 - 1 blocks";
    return std::nullopt;
  };
}

}  // namespace assay::device
