// dequantize in plain loops: every element of every block by the table of its format.
//
// In f32 every operation except the last is exact, fused or not, so that every element has one right value; a kernel
// that declares narrower arithmetic rounds more often.
#pragma once

#include <type_traits>
#include <vector>

#include "harness/op/reference.h"
#include "reference/block_format.h"

namespace assay::reference {

// The exact value as f32 arithmetic has it, which rounds once at most.
template <class S>
S rounded_once(const BlockFormat& format, const BlockElement& element) {
  const double exact = value_of<double>(format, element);
  const double rounded = to_double(DType::f32, from_double(DType::f32, exact));
  if constexpr (std::is_same_v<S, Tracked>) return Tracked(rounded, 0, Tracked::flushed(rounded));
  return S(rounded);
}

template <class S>
bool has_f32_arithmetic() {
  if constexpr (std::is_same_v<S, Tracked>) return Tracked::unit <= 0x1p-24;
  return true;
}

template <class S>
void dequantize(ReferenceIo<S>& io) {
  const BlockFormat format = block_format(io.text("format"));
  const auto& q = io.in("q");  // (rows, K / elements * bytes)
  auto& y = io.out("y");       // (rows, K)

  std::vector<uint8_t> block(static_cast<size_t>(format.bytes));
  const bool one_right_value = io.c().dtype == DType::f32 && has_f32_arithmetic<S>();
  const auto count = static_cast<int64_t>(y.values.size()) / format.elements;
  for (int64_t b = 0; b < count; ++b) {
    for (int64_t i = 0; i < format.bytes; ++i)
      block[static_cast<size_t>(i)] = static_cast<uint8_t>(plain(q[b * format.bytes + i]));
    for (int64_t i = 0; i < format.elements; ++i) {
      const BlockElement element = element_of(format, block, i);
      y[b * format.elements + i] = one_right_value ? rounded_once<S>(format, element) : value_of<S>(format, element);
    }
  }
}

}  // namespace assay::reference
