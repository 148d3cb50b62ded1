// quantize in plain loops: every block of a row by exact arithmetic, rounded where it is stored.
//
// Where a kernel is under judgement, decisions that may fall either way are the kernel's (block_decisions.h).
#pragma once

#include <vector>

#include "harness/op/decided.h"
#include "harness/op/reference.h"
#include "reference/block_decisions.h"

namespace assay::reference {

template <class S>
void quantize(ReferenceIo<S>& io) {
  const BlockFormat format = block_format(io.text("format"));
  const auto& x = io.in("x");  // (rows, K)
  auto& q = io.out("q");       // (rows, K / elements * bytes)

  std::vector<double> elements(static_cast<size_t>(format.elements));
  std::vector<uint8_t> block(static_cast<size_t>(format.bytes)), got = block;
  const Tensor* decided = Decided::written("q");
  const auto count = static_cast<int64_t>(x.values.size()) / format.elements;
  for (int64_t b = 0; b < count; ++b) {
    for (int64_t i = 0; i < format.elements; ++i) elements[static_cast<size_t>(i)] = plain(x[b * format.elements + i]);
    quantise(format, elements, block);
    if (decided) {
      for (int64_t i = 0; i < format.bytes; ++i)
        got[static_cast<size_t>(i)] = static_cast<uint8_t>(decided->bits(b * format.bytes + i));
      Followed right = followed(format, elements, got);
      Decided::took(right.decisions);
      block = std::move(right.block);
    }
    for (int64_t i = 0; i < format.bytes; ++i)
      q[b * format.bytes + i] = S(static_cast<double>(block[static_cast<size_t>(i)]));
  }
}

}  // namespace assay::reference
