// heads_to_tokens in plain loops: a copy, so it also runs on bare bits.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void heads_to_tokens(ReferenceIo<S>& io) {
  const int64_t heads = io.dim("H"), tokens = io.dim("T"), lanes = io.dim("ad");
  const auto& in = io.in("in");  // (H, T, ad)
  auto& out = io.out("out");     // (T, H*ad)
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t t = 0; t < tokens; ++t)
      for (int64_t d = 0; d < lanes; ++d) out(t, h * lanes + d) = in(h, t, d);
}

}  // namespace assay::reference
