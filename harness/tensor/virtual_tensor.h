// Tensors of more elements than memory holds: reserved addresses whose pages come into being when they are touched.
//
// The elements repeat those of a small tensor, the base, along every axis: element (i, j) is the base's (i mod rows,
// j mod cols). So any element is known without the others, whatever made the base: a fill, an op's own data, or what
// follows from other tensors. With an odd number of rows, rows that lie a power of two apart differ, and a wrapped
// index shows. Around the elements lie addresses that nothing may touch, as far as a wrong index of 32 bits reaches.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/base/error.h"
#include "harness/tensor/tensor.h"

namespace assay {

// The element of a tensor of shape `base` that element i of one of `shape` repeats.
int64_t repeated_element(const std::vector<int64_t>& shape, const std::vector<int64_t>& base, int64_t i);

class VirtualTensor {
 public:
  // Bits that an element has and the base has not.
  struct Change {
    int64_t element;
    uint64_t bits;
  };

  // An output's base holds poison. `shape` has as many extents as the base's; the base must outlive the tensor. An
  // error where the process may not have the addresses.
  static Result<VirtualTensor> reserve(const Tensor& base, std::vector<int64_t> shape);

  const Tensor& base() const { return *base_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t count() const { return count_; }
  std::byte* data() const { return data_; }
  int64_t base_element(int64_t i) const { return repeated_element(shape_, base_->shape(), i); }

  // Whether the address is the tensor's, or lies between it and what else there is.
  bool reserves(uintptr_t address) const;
  // Makes the memory around the address readable and writable, with what it is to hold. False: no element lies there,
  // or the process may have no more pieces of memory. Safe in the handler of a fault.
  bool touch(uintptr_t address);
  // The number of the element at an address, whether the tensor has it or not: negative before its start.
  int64_t element_at(uintptr_t address) const;

  // The elements that were changed since the last forget(), ascending.
  std::vector<Change> changes() const;
  // Where memory beside the elements was written, as Tensor::guard_broken_at; 0 where none was.
  int64_t guard_broken_at() const;
  int64_t touched_bytes() const;
  void forget();  // all of it is as before the first touch

 private:
  VirtualTensor(const Tensor& base, std::vector<int64_t> shape, int64_t count);
  std::byte* chunk_begin(int64_t chunk) const;
  void fill_chunk(int64_t chunk, std::byte* to) const;
  void copy_elements(int64_t begin, int64_t end, std::byte* to) const;
  int64_t element_before(const std::byte* at) const;

  const Tensor* base_;
  std::vector<int64_t> shape_;
  int64_t count_;
  std::unique_ptr<std::byte, Unmap> mapping_;
  std::byte *first_chunk_ = nullptr, *end_chunk_ = nullptr, *data_ = nullptr;
  std::vector<bool> present_;     // by chunk
  std::vector<int64_t> touched_;  // chunks, in the order of their first touch
};

}  // namespace assay
