// Facts that hold of a turn of queries and keys, whatever the reference says.
#pragma once

#include "kernels/heads/problem.h"
#include "kernels/properties/agreement.h"

namespace assay::ops::rope_qk {

// The rows of a tensor that turn, and where the tables have their angles.
struct Turned {
  const char *in, *out, *heads;
  int64_t slots;
};

inline std::vector<Turned> turned(const Case& c) {
  return {{"q", "q_out", "H", c.dim("T")}, {"k", "k_out", "HK", c.dim("k_stride")}};
}

// Turning back gives x (cos² + sin²). The first run's errors are turned with the rest; the second run adds its own.
inline std::optional<std::string> not_undone(const PropertyRun& run) {
  Case back = run.c;
  back.set("direction", run.c.text("direction") == "forward" ? "backward" : "forward");
  Tensors given = run.given;
  for (const Turned& t : turned(run.c))
    for (int64_t i = 0; i < given.get(t.in).count(); ++i) given.get(t.in).set_bits(i, run.got.get(t.out).bits(i));
  const Result<Tensors> got = run.run(back, given);
  if (!got) return got.error().what;
  const Tensor &cosines = run.given.get("cos"), &sines = run.given.get("sin");
  const int64_t stride = run.c.dim("ad"), half = heads::head_dim(run.c) / 2, tokens = run.c.dim("T");
  const bool neighbours = run.c.text("pairs") == "neighbours";
  for (const Turned& t : turned(run.c)) {
    const Tensor &x = run.given.get(t.in), &once = run.got.get(t.out), &undone = got->get(t.out);
    const std::vector<double> first = run.budget(t.out), second = run.budget_on(back, given, t.out);
    for (int64_t row = 0; row < run.c.dim(t.heads) * t.slots; ++row)
      for (int64_t i = 0; row % t.slots < tokens && i < half; ++i) {
        const int64_t angle = (run.c.dim("pos_offset") + row % t.slots) * half + i;
        const double c = cosines.at(angle), s = sines.at(angle), length = c * c + s * s;
        const int64_t a = row * stride + (neighbours ? 2 * i : i), b = neighbours ? a + 1 : a + half;
        const double turned_error = std::fabs(c) * (first[static_cast<size_t>(a)] + first[static_cast<size_t>(b)]) +
                                    std::fabs(s) * (first[static_cast<size_t>(a)] + first[static_cast<size_t>(b)]);
        for (const int64_t at : {a, b}) {
          if (!std::isfinite(once.at(a)) || !std::isfinite(once.at(b)) || !std::isfinite(length)) continue;
          const double allowed = turned_error + second[static_cast<size_t>(at)];
          if (!properties::agree(undone.dtype(), x.at(at) * length, undone.at(at), allowed))
            return fmt::format("{}{} is {:.9g} there and back, and {:.9g} ± {:.3g} is right", t.out,
                               index_text(undone.shape(), at), undone.at(at), x.at(at) * length, allowed);
        }
      }
  }
  return std::nullopt;
}

// Row `token` of every head, as a tensor of one slot each.
inline Tensor one_slot(const Tensor& tensor, int64_t token) {
  const int64_t heads = tensor.shape()[0], slots = tensor.shape()[1], lanes = tensor.shape()[2];
  Tensor cut(tensor.name(), tensor.dtype(), tensor.role(), {heads, 1, lanes});
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t d = 0; d < lanes; ++d) cut.set_bits(h * lanes + d, tensor.bits((h * slots + token) * lanes + d));
  return cut;
}

// The last token alone, in buffers of one slot, at the position that it had.
inline std::optional<std::string> moved_by_its_place(const PropertyRun& run) {
  const int64_t last = run.c.dim("T") - 1, lanes = run.c.dim("ad");
  if (last < 0 || (last == 0 && run.c.dim("k_stride") == 1)) return std::nullopt;
  Case alone = run.c;
  alone.set("T", "1");
  alone.set("k_stride", "1");
  alone.set("pos_offset", std::to_string(run.c.dim("pos_offset") + last));
  Tensors given;
  for (const Tensor& tensor : run.given) given.push_back(tensor.shape().size() == 3 ? one_slot(tensor, last) : tensor);
  const Result<Tensors> got = run.run(alone, std::move(given));
  if (!got) return got.error().what;
  for (const Turned& t : turned(run.c)) {
    const std::vector<double> all = run.budget(t.out);
    std::vector<double> budget;
    for (int64_t h = 0; h < run.c.dim(t.heads); ++h)
      for (int64_t d = 0; d < lanes; ++d)
        budget.push_back(d < heads::head_dim(run.c) ? all[static_cast<size_t>((h * t.slots + last) * lanes + d)]
                                                    : INFINITY);  // in place they are not the op's
    if (auto seen = properties::first_disagreement(one_slot(run.got.get(t.out), last), got->get(t.out), budget))
      return seen;
  }
  return std::nullopt;
}

}  // namespace assay::ops::rope_qk
