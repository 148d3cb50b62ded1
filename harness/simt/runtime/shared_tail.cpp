// Filling the tail, and looking for the first byte that changed.
#include "harness/simt/runtime/shared_tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/simt/include/simt/limits.h"

namespace assay::simt {
namespace {

constexpr size_t kTailBytes = 4096;  // a launch of one small block takes 30 times as long as to fill them
constexpr char kKnown = static_cast<char>(0xb1);

}  // namespace

SharedTail::SharedTail(const Module& module, size_t launched_bytes)
    : begin_(const_cast<char*>(module.dynamic) + launched_bytes),
      bytes_(std::min(kTailBytes, kSharedBytesMax - launched_bytes)),
      launched_bytes_(launched_bytes) {
  std::memset(begin_, kKnown, bytes_);
}

Findings SharedTail::findings(const char* kernel) const {
  if (bytes_ == 0 || (*begin_ == kKnown && std::memcmp(begin_, begin_ + 1, bytes_ - 1) == 0)) return {};
  const char* const changed = std::find_if(begin_, begin_ + bytes_, [](char c) { return c != kKnown; });
  return {{Kind::out_of_bounds,
           fmt::format("kernel {}: byte {} of dynamic shared memory was written, but the launch has {} bytes of it{}; "
                       "check the launch's shared memory (<<<grid, block, bytes>>>, `shared` of an adapter) against "
                       "what the kernel uses",
                       kernel, changed - begin_ + static_cast<ptrdiff_t>(launched_bytes_), launched_bytes_,
                       launched_bytes_ == 0 ? ", or a static array in front of it was overrun" : "")}};
}

}  // namespace assay::simt
