// Asking a tensor's dtype of every choice that a case of the adapter may make.
#include "harness/adapter/build/element_type.h"

#include <algorithm>
#include <set>

#include "harness/adapter/bind/probe.h"

namespace assay {

std::string_view cpp_type(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "float";
    case DType::bf16:
      return "__nv_bfloat16";
    case DType::f16:
      return "__half";
    case DType::u32:
      return "unsigned";
    case DType::u8:
      return "unsigned char";
    case DType::u64:
      return "unsigned long long";
  }
  return "";
}

std::string element_type(const TensorSpec& tensor, const Adapter& adapter, const Contract& contract) {
  if (!tensor.dtype_by) return tensor.dtype ? std::string(cpp_type(*tensor.dtype)) : kElement;
  Case c = probe(contract);
  for (const Fixed& fixed : adapter.fixed)
    if (std::ranges::find(contract.attrs, fixed.name, &AttrSpec::name) != contract.attrs.end())
      c.set(fixed.name, fixed.value);
  std::set<DType> all;
  bool is_of_case = true;
  const auto note = [&] {
    const DType dtype = tensor.dtype_by(c);
    is_of_case &= dtype == c.dtype;
    all.insert(dtype);
  };
  for (const DType dtype : adapter.dtypes) {
    c.dtype = dtype;
    note();
    for (const AttrSpec& attr : contract.attrs) {
      if (std::ranges::find(adapter.fixed, attr.name, &Fixed::name) != adapter.fixed.end()) continue;
      const std::string before = c.text(attr.name);
      for (const std::string& choice : attr.choices) {
        c.set(attr.name, choice);
        note();
      }
      c.set(attr.name, before);
    }
  }
  if (is_of_case) return kElement;
  return all.size() == 1 ? std::string(cpp_type(*all.begin())) : "";
}

}  // namespace assay
