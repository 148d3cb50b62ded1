// Facts that hold of products with quantised rows whatever the reference says, and mutants of wrong kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/blocks/problem.h"
#include "kernels/properties/agreement.h"

namespace assay::ops::gemm_nt_quant {

using reference::BlockElement;
using reference::BlockFormat;

using Bytes = std::vector<uint8_t>;

inline Bytes bytes_of(const Tensor& tensor) {
  Bytes bytes(static_cast<size_t>(tensor.count()));
  for (int64_t i = 0; i < tensor.count(); ++i) bytes[static_cast<size_t>(i)] = static_cast<uint8_t>(tensor.bits(i));
  return bytes;
}

inline reference::Block block_of(const BlockFormat& format, const Bytes& bytes, int64_t b) {
  return reference::Block(bytes).subspan(static_cast<size_t>(b * format.bytes), static_cast<size_t>(format.bytes));
}

// Every element of a tensor of blocks, or of f32, as numbers.
inline std::vector<double> numbers_of(const Tensor& tensor, const std::string& format_name) {
  std::vector<double> numbers;
  if (format_name == "f32") {
    for (int64_t i = 0; i < tensor.count(); ++i) numbers.push_back(tensor.at(i));
    return numbers;
  }
  const BlockFormat format = reference::block_format(format_name);
  const Bytes bytes = bytes_of(tensor);
  for (int64_t i = 0; i < tensor.count() / format.bytes * format.elements; ++i)
    numbers.push_back(reference::decode(format, block_of(format, bytes, i / format.elements), i % format.elements));
  return numbers;
}

inline bool is_unsupported(const Result<Tensors>& got) { return !got && got.error().what.starts_with("unsupported"); }

// C's last row from the last row of A alone.
inline std::optional<std::string> row_depends_on_m(const PropertyRun& run) {
  const int64_t rows = run.c.dim("M"), cols = run.c.dim("N");
  if (rows < 2 || cols == 0) return std::nullopt;
  Case alone = run.c;
  alone.set("M", "1");
  const auto last_row = [&](const Tensor& tensor) {
    const int64_t length = tensor.count() / rows;
    Tensor row(tensor.name(), tensor.dtype(), tensor.role(), {1, length});
    for (int64_t i = 0; i < length; ++i) row.set_bits(i, tensor.bits((rows - 1) * length + i));
    return row;
  };
  Tensors given = run.given;
  for (const char* name : {"a", "c"}) given.get(name) = last_row(run.given.get(name));
  const Result<Tensors> got = run.run(alone, std::move(given));
  if (is_unsupported(got)) return std::nullopt;
  if (!got) return got.error().what;
  const std::vector<double> budget = run.budget("c");
  return properties::first_disagreement(last_row(run.got.get("c")), got->get("c"), {budget.end() - cols, budget.end()});
}

// A in the other way that kernels take it: quantised, or as the f32 numbers nearest to what its codes mean.
inline Tensor other_activations(const Case& other, const Tensor& a, const std::vector<double>& numbers) {
  const int64_t rows = a.shape().front();
  if (other.text("activations") == "f32") {
    Tensor dequantised("a", DType::f32, a.role(), {rows, other.dim("K")});
    for (int64_t i = 0; i < dequantised.count(); ++i) dequantised.set(i, numbers[static_cast<size_t>(i)]);
    return dequantised;
  }
  const BlockFormat format = blocks::format_of(other, "activations");
  Tensor quantised("a", DType::u8, a.role(), {rows, reference::row_bytes(format, other.dim("K"))});
  Bytes block(static_cast<size_t>(format.bytes));
  for (int64_t b = 0; b < quantised.count() / format.bytes; ++b) {
    reference::quantise(
        format,
        std::span(numbers).subspan(static_cast<size_t>(b * format.elements), static_cast<size_t>(format.elements)),
        block);
    for (int64_t i = 0; i < format.bytes; ++i) quantised.set_bits(b * format.bytes + i, block[static_cast<size_t>(i)]);
  }
  return quantised;
}

inline std::optional<std::string> activations_differ(const PropertyRun& run) {
  const int64_t cols = run.c.dim("N"), depth = run.c.dim("K");
  Case other = run.c;
  const std::string &before = run.c.text("activations"), format = run.c.text("format");
  other.set("activations", before != "f32" ? "f32" : blocks::format_of(run.c).elements == 32 ? "q8_0" : "q8_k");
  Tensors given = run.given;
  const std::vector<double> was = numbers_of(run.given.get("a"), before), w = numbers_of(run.given.get("b"), format);
  given.get("a") = other_activations(other, run.given.get("a"), was);
  const std::vector<double> is = numbers_of(given.get("a"), other.text("activations"));
  const Tensors changed = given;
  const Result<Tensors> got = run.run(other, std::move(given));
  if (is_unsupported(got)) return std::nullopt;
  if (!got) return got.error().what;
  const Tensor &once = run.got.get("c"), &again = got->get("c");
  const std::vector<double> budget = run.budget("c"), other_budget = run.budget_on(other, changed, "c");
  for (int64_t i = 0; i < once.count(); ++i) {
    double change = 0, magnitude = 0;
    for (int64_t k = 0; k < depth; ++k) {
      const auto at_a = static_cast<size_t>(i / cols * depth + k), at_w = static_cast<size_t>(i % cols * depth + k);
      change += w[at_w] * (is[at_a] - was[at_a]);
      magnitude += std::fabs(w[at_w] * (std::fabs(is[at_a]) + std::fabs(was[at_a])));
    }
    const double allowed = budget[static_cast<size_t>(i)] + other_budget[static_cast<size_t>(i)] + 0x1p-40 * magnitude;
    const double seen = again.at(i) - once.at(i);
    if (!std::isfinite(change) || !std::isfinite(seen)) continue;  // what may be is the reference's question
    if (!(std::fabs(seen - change) <= allowed))
      return fmt::format("with activations={} c{} changes by {:.9g}, not by {:.9g} ± {:.3g}", other.text("activations"),
                         index_text(once.shape(), i), seen, change, allowed);
  }
  return std::nullopt;
}

// C from weights that `weight` reads out of the blocks of B otherwise: it sees all of them, the number of one and the
// element in it.
template <class Weight>
Mutant with_weights(std::string name, Weight weight) {
  return {std::move(name), [weight](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const BlockFormat format = blocks::format_of(c);
            const Bytes b = bytes_of(given.get("b"));
            const std::vector<double> a = numbers_of(given.get("a"), c.text("activations"));
            const int64_t rows = c.dim("M"), cols = c.dim("N"), depth = c.dim("K"), in_row = depth / format.elements;
            for (int64_t n = 0; n < cols; ++n) {
              std::vector<double> w;
              for (int64_t k = 0; k < depth; ++k)
                w.push_back(weight(format, b, n * in_row + k / format.elements, k % format.elements, in_row));
              for (int64_t m = 0; m < rows; ++m) {
                double sum = given.get("bias").absent() ? 0 : given.get("bias").at(n);
                for (int64_t k = 0; k < depth; ++k)
                  sum += a[static_cast<size_t>(m * depth + k)] * w[static_cast<size_t>(k)];
                outputs[0](m, n) = sum;
              }
            }
          }};
}

// The tensor with the parts of each element changed by `change`.
template <class Change>
Mutant with_elements(std::string name, Change change) {
  return with_weights(std::move(name),
                      [change](const BlockFormat& format, const Bytes& b, int64_t block, int64_t i, int64_t) {
                        BlockElement element = reference::element_of(format, block_of(format, b, block), i);
                        change(format, element);
                        return reference::value_of<double>(format, element);
                      });
}

inline void leave_out_bias(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor& bias = given.get("bias");
  for (int64_t i = 0; i < c.dim("M") * c.dim("N") && !bias.absent(); ++i) outputs[0][i] -= bias.at(i % c.dim("N"));
}

inline std::vector<Mutant> mutants() {
  return {with_weights("last_block_dropped",
                       [](const BlockFormat& format, const Bytes& b, int64_t block, int64_t i, int64_t in_row) {
                         if (block % in_row == in_row - 1) return 0.0;
                         return reference::decode(format, block_of(format, b, block), i);
                       }),
          with_weights("scale_of_the_block_before",
                       [](const BlockFormat& format, const Bytes& b, int64_t block, int64_t i, int64_t) {
                         BlockElement element = reference::element_of(format, block_of(format, b, block), i);
                         element.d =
                             reference::element_of(format, block_of(format, b, std::max<int64_t>(0, block - 1)), i).d;
                         return reference::value_of<double>(format, element);
                       }),
          with_elements("zero_left_out",
                        [](const BlockFormat& format, BlockElement& element) { element.code += format.zero; }),
          with_elements("offset_left_out", [](const BlockFormat&, BlockElement& element) { element.m = 0; }),
          with_elements("high_bits_lost",
                        [](const BlockFormat& format, BlockElement& element) {
                          if (format.has_fifth || format == reference::kQ6_K)
                            element.code = ((element.code + format.zero) & 15) - format.zero;
                        }),
          {"bias_left_out", leave_out_bias}};
}

}  // namespace assay::ops::gemm_nt_quant
