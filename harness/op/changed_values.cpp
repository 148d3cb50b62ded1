// One small case, computed with each choice.
#include "harness/op/changed_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "harness/op/contract_check.h"

namespace assay {
namespace {

constexpr int64_t kSize = 3;  // elements of each dim, where its domain has that

// The case as the contract admits it; nothing where it does not.
std::optional<Case> conforming(const Contract& contract, Case c) {
  if (contract.constraint && contract.constraint(c) && contract.adjust) contract.adjust(c);
  if (contract.constraint && contract.constraint(c)) return std::nullopt;
  const auto conformed = conform(contract, c, print(c));
  return conformed ? std::optional(*conformed) : std::nullopt;
}

// The same tensors, written in the same places.
bool same_tensors(const Contract& contract, const Case& a, const Case& b) {
  return std::ranges::all_of(contract.tensors, [&](const TensorSpec& tensor) {
    return shape_of(tensor, a) == shape_of(tensor, b) && dtype_of(tensor, a) == dtype_of(tensor, b) &&
           role_of(tensor, a) == role_of(tensor, b);
  });
}

// Whether `holds` of the case with another choice of `attr`.
template <class Holds>
bool any_other(const Contract& contract, const AttrSpec& attr, const Case& base, const Holds& holds) {
  return std::any_of(attr.choices.begin() + 1, attr.choices.end(), [&](const std::string& choice) {
    Case other = base;
    other.set(attr.name, choice);
    const std::optional<Case> changed = conforming(contract, other);
    return changed && holds(*changed);
  });
}

bool same_values(const std::vector<RefTensor<double>>& a, const std::vector<RefTensor<double>>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.values.size() == other.values.size() &&
           std::memcmp(one.values.data(), other.values.data(), one.values.size() * sizeof(double)) == 0;
  });
}

}  // namespace

bool changes_values(const Contract& contract, const AttrSpec& attr) {
  if (!contract.reference.value) return false;
  const std::optional<Case> base = conforming(contract, case_of_size(contract, kSize));
  if (!base) return false;
  const Tensors given = make_tensors(contract, *base);
  const auto values = contract.reference.value(*base, given);
  return any_other(contract, attr, *base, [&](const Case& changed) {
    return same_tensors(contract, *base, changed) && !same_values(values, contract.reference.value(changed, given));
  });
}

bool changes_data(const Contract& contract, const AttrSpec& attr, const std::string& tensor) {
  const std::optional<Case> base = conforming(contract, case_of_size(contract, kSize));
  if (!base) return true;  // nobody knows
  const Tensors given = make_tensors(contract, *base);
  const Tensor& before = given.get(tensor);
  return any_other(contract, attr, *base, [&](const Case& changed) {
    const Tensors other = make_tensors(contract, changed);
    const Tensor& after = other.get(tensor);
    return before.bytes() == after.bytes() && std::memcmp(before.data(), after.data(), before.bytes()) != 0;
  });
}

bool is_elementwise(const Contract& contract) {
  Case tall = case_of_size(contract, kSize);
  if (!contract.reference.value || contract.dims.size() < 2) return contract.dims.size() == 1;
  Case wide = tall;
  for (const size_t i : {0, 1}) {
    tall.set(contract.dims[i].name, i == 0 ? "4" : "2");
    wide.set(contract.dims[i].name, i == 0 ? "2" : "4");
  }
  const std::optional<Case> one = conforming(contract, tall), other = conforming(contract, wide);
  if (!one || !other) return false;
  const Tensors given = make_tensors(contract, *one);
  Tensors turned = make_tensors(contract, *other);
  for (const Tensor& tensor : given) {
    Tensor& same = turned.get(tensor.name());
    if (same.count() != tensor.count()) return false;
    for (int64_t i = 0; i < tensor.count(); ++i) same.set_bits(i, tensor.bits(i));
  }
  return same_values(contract.reference.value(*one, given), contract.reference.value(*other, turned));
}

double neutral_value(const Contract& contract, const std::string& tensor) {
  const std::optional<Case> base = conforming(contract, case_of_size(contract, kSize));
  if (!base || !contract.reference.value) return 1;
  Tensors given = make_tensors(contract, *base, {{tensor, 0}});
  const auto values = contract.reference.value(*base, given);
  const auto size_if_other = [&](const TensorSpec& spec) {
    const bool is_other = role_of(spec, *base) == Role::input && spec.name != tensor && !spec.dtype;
    return is_other ? given.get(spec.name).count() : 0;
  };
  Tensor& largest = given.get(std::ranges::max(contract.tensors, {}, size_if_other).name);
  for (int64_t i = 0; i < largest.count(); ++i) largest.set(i, 1.0 / static_cast<double>(i + 2));
  const auto others = contract.reference.value(*base, given);
  const auto is_same = [](double one, double other) {  // 0 times -1 is 0, too
    return one == other || (std::isnan(one) && std::isnan(other));
  };
  for (size_t i = 0; i < values.size(); ++i)
    if (std::ranges::equal(values[i].values, others[i].values, is_same)) return 1;
  return 0;
}

}  // namespace assay
