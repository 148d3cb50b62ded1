// Shapes of one case.
#include "harness/adapter/bind/probe.h"

#include <algorithm>

#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

int64_t elements(const TensorSpec& tensor, const Case& c) {
  int64_t count = 1;
  for (const int64_t extent : shape_of(tensor, c)) count *= extent;
  return count;
}

}  // namespace

Case probe(const Contract& contract) {
  Case c;
  c.op = contract.name;
  int64_t extent = 512;
  for (const DimSpec& dim : contract.dims) {
    c.set(dim.name, std::to_string(nearest(dim, extent)));
    extent -= 2;  // even ones, because a head may have to be; falling, because padding comes last
  }
  for (const AttrSpec& attr : contract.attrs) c.set(attr.name, attr.choices.front());
  return c;
}

bool Extents::is_empty() const { return std::find(shape.begin(), shape.end(), 0) != shape.end(); }

std::vector<Extents> extents_by(const Contract& contract, const TensorSpec& tensor, const AttrSpec& attr) {
  std::vector<Extents> all;
  Case c = probe(contract);
  for (const std::string& choice : attr.choices) {
    c.set(attr.name, choice);
    all.push_back({shape_of(tensor, c), dtype_of(tensor, c)});
  }
  return all;
}

std::vector<Role> roles_by(const Contract& contract, const TensorSpec& tensor, const AttrSpec& attr) {
  std::vector<Role> all;
  Case c = probe(contract);
  for (const std::string& choice : attr.choices) {
    c.set(attr.name, choice);
    all.push_back(role_of(tensor, c));
  }
  return all;
}

bool count_alike(const DimSpec& one, const DimSpec& other) {
  const auto counted = [](const DimSpec& dim) { return dim.meaning.substr(dim.meaning.find_last_of(' ') + 1); };
  return counted(one) == counted(other);
}

bool is_extent(const Contract& contract, const DimSpec& dim) {
  const Case c = probe(contract);
  for (const TensorSpec& tensor : contract.tensors)
    for (const std::string& extent : tensor.shape_by ? tensor.shape_by(c) : tensor.shape) {
      const std::string product = "*" + extent + "*";
      if (product.find("*" + dim.name + "*") != std::string::npos) return true;
    }
  return false;
}

bool may_be_constant(const Contract& contract, const TensorSpec& tensor) {
  if (tensor.role != Role::input || tensor.derive || tensor.dtype_by || tensor.absent) return false;
  if (tensor.dtype && !is_float(*tensor.dtype)) return false;
  if (std::ranges::find(contract.attrs, tensor.name, &AttrSpec::of_input) != contract.attrs.end()) return false;
  const Case c = probe(contract);
  const int64_t own = elements(tensor, c);
  const auto axes = [&](const TensorSpec& each) { return each.shape_by ? each.shape_by(c).size() : each.shape.size(); };
  return own > 0 && std::any_of(contract.tensors.begin(), contract.tensors.end(), [&](const TensorSpec& other) {
           return other.role != Role::input && elements(other, c) > own && axes(other) > axes(tensor);
         });
}

bool are_alternatives(const Contract& contract, const TensorSpec& one, const TensorSpec& other) {
  if (&one == &other || !one.absent || !other.absent) return false;
  for (const AttrSpec& attr : contract.attrs)
    for (const std::string& choice : attr.choices) {
      Case c = probe(contract);
      c.set(attr.name, choice);
      if (!one.absent(c) && !other.absent(c)) return false;
    }
  return true;
}

bool is_of_absent_tensors(const Contract& contract, const std::string& dim,
                          const std::function<bool(const TensorSpec&)>& is_taken) {
  const auto has_it = [&](const TensorSpec& tensor) {
    const ShapeText shape = tensor.shape_by ? tensor.shape_by(probe(contract)) : tensor.shape;
    return std::ranges::any_of(shape, [&](const std::string& extent) { return mentions(tokens_of(extent), dim); });
  };
  return std::ranges::any_of(contract.tensors, has_it) &&
         std::ranges::none_of(contract.tensors, [&](const TensorSpec& tensor) {
           return has_it(tensor) && (!tensor.absent || is_taken(tensor));
         });
}

}  // namespace assay
