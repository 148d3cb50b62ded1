// Facts that a contract's shapes show without running anything.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/op/contract.h"

namespace assay {

// A case of the contract in which every dim is another number, to compute shapes with.
Case probe(const Contract& contract);

// A tensor's shape and type.
struct Extents {
  std::vector<int64_t> shape;
  DType dtype;
  bool operator==(const Extents&) const = default;
  bool is_empty() const;
};

// Those of a tensor for each choice of an attribute.
std::vector<Extents> extents_by(const Contract& contract, const TensorSpec& tensor, const AttrSpec& attr);

// The role of a tensor for each choice of an attribute.
std::vector<Role> roles_by(const Contract& contract, const TensorSpec& tensor, const AttrSpec& attr);

// Whether two dims count what the last words of their meanings say, as "queries of a sequence" and "keys of a
// sequence".
bool count_alike(const DimSpec& one, const DimSpec& other);

// Whether a dim is an extent of some tensor.
bool is_extent(const Contract& contract, const DimSpec& dim);

// Whether a dim is one of tensors alone that the op may do without, and none of these is taken: the T of positions,
// where seq_len of a kernel without positions counts all tokens.
bool is_of_absent_tensors(const Contract& contract, const std::string& dim,
                          const std::function<bool(const TensorSpec&)>& is_taken);

// Whether no choice of an attribute has two tensors together, as logits and their softmax.
bool are_alternatives(const Contract& contract, const TensorSpec& one, const TensorSpec& other);

// Whether a kernel may do without a tensor's elements and still compute the op where all of them are one number: an
// input of floats that has fewer axes and elements than what is computed from it, such as the scale of a row's
// elements.
bool may_be_constant(const Contract& contract, const TensorSpec& tensor);

}  // namespace assay
