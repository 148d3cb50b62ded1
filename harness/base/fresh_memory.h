// Large vectors whose memory all cores touch first: the system clears a page when it is first written, and one core
// that meets every page of gigabytes so takes longer than all that follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/base/parallel.h"

namespace assay {

// Below it, starting threads takes longer than the pages.
inline constexpr size_t kLargeBytes = size_t{4} << 20;

// `count` elements as std::vector<T>(count) makes them.
template <class T>
std::vector<T> fresh_vector(int64_t count) {
  constexpr int64_t kPage = 4096;
  std::vector<T> values;
  values.reserve(static_cast<size_t>(count));
  const int64_t bytes = count * int64_t{sizeof(T)};
  if (static_cast<size_t>(bytes) >= kLargeBytes) {
    // Storage without elements yet, which may hold any bytes.
    auto* memory = reinterpret_cast<volatile std::byte*>(values.data());
    in_parts(bytes, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i += kPage) memory[i] = std::byte{0};
    });
  }
  values.resize(static_cast<size_t>(count));
  return values;
}

}  // namespace assay
