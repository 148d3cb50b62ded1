// Matrices of weights that a case may give as blocks of a format, element by element.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/op/reference.h"
#include "reference/block_format.h"

namespace assay::reference {

// A row of blocks, an entry for each element.
using BlockRow = std::vector<BlockElement>;

template <class S>
BlockRow block_row(const RefTensor<S>& blocks, const BlockFormat& format, int64_t row, int64_t k) {
  const int64_t bytes = row_bytes(format, k);
  std::vector<uint8_t> all(static_cast<size_t>(bytes));
  for (int64_t i = 0; i < bytes; ++i)
    all[static_cast<size_t>(i)] = static_cast<uint8_t>(plain(blocks[row * bytes + i]));
  BlockRow elements;
  for (int64_t i = 0; i < k; ++i)
    elements.push_back(element_of(
        format,
        Block(all).subspan(static_cast<size_t>(i / format.elements * format.bytes), static_cast<size_t>(format.bytes)),
        i % format.elements));
  return elements;
}

// The elements of an input, whether the case gives them as they are (`format` none) or as blocks.
template <class S>
class Weights {
 public:
  // shape: of the elements; its last extent is a row's, which has whole blocks.
  Weights(const ReferenceIo<S>& io, const char* tensor, std::string_view format, std::vector<int64_t> shape)
      : given_(io.in(tensor)) {
    if (format == "none") return;
    const int64_t length = shape.back();
    int64_t rows = 1;
    for (size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
    decoded_ = {given_.name, std::move(shape), {}};
    const BlockFormat blocks = block_format(format);
    for (int64_t row = 0; row < rows; ++row)
      for (const BlockElement& element : block_row(given_, blocks, row, length))
        decoded_.values.push_back(value_of<S>(blocks, element));
  }
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;

  template <class... Index>
  const S& operator()(Index... index) const {
    return decoded_.shape.empty() ? given_(index...) : decoded_(index...);
  }

 private:
  const RefTensor<S>& given_;
  RefTensor<S> decoded_;
};

}  // namespace assay::reference
