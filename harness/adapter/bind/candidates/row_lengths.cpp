// Terms of indices, and shapes for every choice of the attributes that change them.
#include "harness/adapter/bind/candidates/row_lengths.h"

#include <algorithm>
#include <iterator>

#include "harness/adapter/bind/probe.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/expression.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;
using Factors = std::multiset<std::string>;
constexpr size_t kLayoutsMax = 64;  // of all attributes together

// The parts of [begin, end) between `sign`s that are outside brackets.
std::vector<Tokens> split_at(const Tokens& tokens, size_t begin, size_t end, std::string_view sign) {
  std::vector<Tokens> parts(1);
  for (size_t i = begin; i < end; ++i) {
    if (token_is(tokens, i, sign)) {
      parts.emplace_back();
      continue;
    }
    const size_t last = is_one_of(tokens[i].text, {"(", "[", "{"}) ? std::min(closing(tokens, i), end - 1) : i;
    for (; i <= last; ++i) parts.back().push_back(tokens[i]);
    i = last;
  }
  return parts;
}

bool is_number_by_value(const KernelSource& kernel, std::string_view name) {
  return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                     [&](const Parameter& p) { return p.name == name && is_whole_number(p); });
}

// Whether a number is called as BLAS calls the distance between a matrix's rows: lda of A.
bool is_leading_dimension(std::string_view count, std::string_view matrix) {
  return plain_name(count) == "ld" + plain_name(matrix);
}

// n of an index that is row * n + column; "" where it is something else.
std::string length_in(const KernelSource& kernel, const BodyAccess& access) {
  std::string length;
  if (access.index.size() + access.moved < 2) return "";
  for (const Term& term : access.index) {
    const auto is_size = [&](const std::string& factor) { return is_number_by_value(kernel, factor); };
    if (std::ranges::count_if(term.factors, is_size) != 1 ||
        (term.factors.size() == 1 && term.of.empty() && term.times == 1))
      continue;
    const std::string& found = *std::ranges::find_if(term.factors, is_size);
    if (!length.empty() && length != found) return "";
    length = found;
  }
  return length;
}

Factors factors_of(const std::string& product) {
  Factors factors;
  const Tokens tokens = tokens_of(product);
  for (const Tokens& factor : split_at(tokens, 0, tokens.size(), "*")) factors.insert(spelled(factor));
  return factors;
}

// The products of the last extents of a shape, all but the first.
std::set<Factors> lengths_of(const ShapeText& shape) {
  std::set<Factors> lengths;
  Factors product;
  for (size_t i = shape.size(); i-- > 1;) {
    product.merge(factors_of(shape[i]));
    lengths.insert(product);
  }
  return lengths;
}

ShapeText shape_for(const TensorSpec& tensor, const Case& c) {
  if (tensor.absent && tensor.absent(c)) return {};
  return tensor.shape_by ? tensor.shape_by(c) : tensor.shape;
}

// The same where nothing lies between rows.
ShapeText without_padding(const Contract& contract, ShapeText shape) {
  for (std::string& extent : shape)
    for (const DimSpec& dim : contract.dims)
      if (extent == dim.name && !dim.unpadded.empty()) extent = dim.unpadded;
  return shape;
}

}  // namespace

namespace {

// By pointers, the only thing that `length_of` finds in their indices; those with several are left out.
template <class LengthOf>
auto lengths_of_pointers(const KernelSource& kernel, LengthOf length_of) {
  std::map<std::string, decltype(length_of(kernel.facts.accesses[0]))> lengths;
  std::set<std::string> several;
  for (const BodyAccess& access : kernel.facts.accesses) {
    const auto length = length_of(access);
    if (length == decltype(length){}) continue;
    if (const auto [known, is_new] = lengths.try_emplace(access.pointer, length); !is_new && known->second != length)
      several.insert(access.pointer);
  }
  for (const std::string& name : several) lengths.erase(name);
  return lengths;
}

}  // namespace

std::map<std::string, std::string> row_lengths(const KernelSource& kernel) {
  auto lengths = lengths_of_pointers(kernel, [&](const BodyAccess& access) { return length_in(kernel, access); });
  for (const Parameter& pointer : kernel.parameters)
    for (const Parameter& count : kernel.parameters)
      if (pointer.is_pointer && is_whole_number(count) && is_leading_dimension(count.name, pointer.name))
        lengths.try_emplace(pointer.name, count.name);
  return lengths;
}

std::map<std::string, int64_t> built_in_row_lengths(const CudaSource& source, const KernelSource& kernel) {
  constexpr int64_t kLengthMin = 16;  // less is what a thread takes
  const Names names = constants_of(source);
  const auto number = [&](const std::string& factor) {  // of WIDTH for Config::WIDTH
    const size_t qualified = factor.rfind("::");
    const auto text = resolved(tokens_of(qualified == factor.npos ? factor : factor.substr(qualified + 2)), names);
    return text ? number_value(*text) : std::nullopt;
  };
  return lengths_of_pointers(kernel, [&](const BodyAccess& access) -> int64_t {
    if (access.index.size() + access.moved < 2) return 0;
    int64_t length = 0;             // the largest: a tile is a part of a row
    std::vector<int64_t> of_sizes;  // what is multiplied by sizes: whole rows
    for (const Term& term : access.index) {
      int64_t times = term.times;
      size_t open = term.of.empty() ? 0 : 1;
      bool has_size = false;
      for (const std::string& factor : term.factors) {
        const auto value = number(factor);
        times *= value.value_or(1);
        open += value ? 0 : 1;
        has_size |= is_number_by_value(kernel, factor);
      }
      if (has_size && open > 1)
        of_sizes.push_back(times);
      else if (open > 0 && times > 1)
        length = std::max(length, times);
    }
    const bool are_rows =
        std::ranges::all_of(of_sizes, [&](int64_t times) { return length > 0 && times % length == 0; });
    return length < kLengthMin || !are_rows ? 0 : length;
  });
}

RowLengths::RowLengths(const KernelSource& kernel, const Contract& contract) : lengths_(row_lengths(kernel)) {
  for (const DimSpec& dim : contract.dims)
    for (const DimSpec& other : contract.dims) {
      if (&other == &dim) break;
      if (is_extent(contract, dim) && count_alike(dim, other)) alike_.try_emplace(dim.name, other.name);
    }
  std::vector<std::pair<Choices, Case>> cases{{{}, probe(contract)}};
  for (const AttrSpec& attr : contract.attrs) {
    const bool shapes = std::any_of(contract.tensors.begin(), contract.tensors.end(), [&](const TensorSpec& tensor) {
      const std::vector<Extents> all = extents_by(contract, tensor, attr);
      return std::any_of(all.begin(), all.end(), [&](const Extents& each) { return each.shape != all.front().shape; });
    });
    if (!shapes || cases.size() * attr.choices.size() > kLayoutsMax) continue;
    std::vector<std::pair<Choices, Case>> more;
    for (const auto& [choices, c] : cases)
      for (const std::string& choice : attr.choices) {
        more.emplace_back(choices, c);
        more.back().first.push_back({attr.name, choice});
        more.back().second.set(attr.name, choice);
      }
    cases = std::move(more);
  }
  for (const auto& [choices, c] : cases) {
    Layout layout{choices, {}, {}};
    for (const TensorSpec& tensor : contract.tensors) {
      const ShapeText shape = shape_for(tensor, c);
      if (shape.size() > 1) layout.lengths[tensor.name] = lengths_of(shape);
      if (shape.size() > 1) layout.lengths[tensor.name].merge(lengths_of(without_padding(contract, shape)));
      if (shape.size() == 1) layout.wholes[tensor.name] = factors_of(shape[0]);
    }
    layouts_.push_back(std::move(layout));
  }
}

bool RowLengths::agrees(const Layout& layout, const std::map<std::string, const Binding*>& bindings) const {
  return std::all_of(lengths_.begin(), lengths_.end(), [&](const auto& each) {
    const auto pointer = bindings.find(each.first), length = bindings.find(each.second);
    if (pointer == bindings.end() || length == bindings.end() || !pointer->second->spec) return true;
    const Factors factors = factors_of(length->second->expression);
    if (pointer->second->part) return lengths_of(pointer->second->spec->shape).contains(factors);
    const auto whole = layout.wholes.find(pointer->second->spec->name);
    if (whole != layout.wholes.end()) return whole->second != factors;
    const auto rows = layout.lengths.find(pointer->second->spec->name);
    return rows == layout.lengths.end() || has(rows->second, factors, bindings);
  });
}

bool RowLengths::has(const std::set<Factors>& rows, const Factors& length,
                     const std::map<std::string, const Binding*>& bindings) const {
  if (rows.contains(length)) return true;
  const auto is_taken = [&](const std::string& dim) {
    return std::ranges::any_of(bindings, [&](const auto& each) {
      return each.second->kind == Binding::dim && mentions(tokens_of(each.second->expression), dim);
    });
  };
  return std::ranges::any_of(rows, [&](const Factors& row) {
    Factors as_taken;
    for (const std::string& factor : row) {
      const auto other = alike_.find(factor);
      as_taken.insert(other == alike_.end() || is_taken(factor) ? factor : other->second);
    }
    return as_taken == length;
  });
}

std::optional<Choices> RowLengths::agreeing(const std::map<std::string, const Binding*>& bindings) const {
  std::set<std::string> sizes, lengths;
  for (const auto& [name, binding] : bindings)
    if (binding->kind == Binding::dim) sizes.insert(binding->expression);
  for (const auto& [pointer, length] : lengths_) lengths.insert(length);
  const auto is_size = [&](const std::string& length) { return bindings.at(length)->kind == Binding::dim; };
  if (lengths.empty() || (lengths.size() == 1 && sizes.size() == 1 && is_size(*lengths.begin()))) return Choices{};
  std::optional<Choices> common;
  for (const Layout& layout : layouts_) {
    if (!agrees(layout, bindings)) continue;
    if (!common) {
      common = layout.choices;
      continue;
    }
    std::erase_if(*common, [&](const Choice& choice) {
      return std::none_of(layout.choices.begin(), layout.choices.end(), [&](const Choice& other) {
        return other.attr == choice.attr && other.value == choice.value;
      });
    });
  }
  return common;
}

}  // namespace assay
