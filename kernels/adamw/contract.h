// adamw: what it means. One step of the optimiser: moments of the gradient, then the weights.
//
//   m = beta1 m + (1 - beta1) g'   v = beta2 v + (1 - beta2) g'^2   with g' = scale g
//   p = p - lr (m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + decay p)
//
// lr, beta1, beta2, eps, decay and scale are f32 numbers, and so is what follows from them: 1 - beta2 of 0.999 is
// 0.00099998713, not 0.001. A kernel that is handed doubles, or 1 - beta as a number of its own, computes something
// else.
//
// m and v are f32. With master=kept the weights are f32 too, and p is what they are rounded to. Gradients and moments
// are finite or NaN: the contract says nothing of a state that overflowed. Magnitudes keep squares of gradients finite
// in f32.
#pragma once

#include <cmath>

#include "harness/op/contract.h"
#include "kernels/properties/slices.h"
#include "reference/adamw.h"

namespace assay::ops::adamw {

// One element in four is so small that eps counts beside the root of v.
inline void shrink_some(const Case& c, const char* stream, double by, Tensor& tensor) {
  Rng kinds = Rng::stream(c.seed, stream);
  for (int64_t i = 0; i < tensor.count(); ++i)
    if (kinds.below(4) == 0) tensor.set(i, tensor.at(i) * by);
}

inline void make_moment(const Case& c, Rng& rng, Tensor& m) {
  apply_fill(c, rng, 1e6, m);
  shrink_some(c, "state/small", 0x1p-24, m);
}

inline void make_square(const Case& c, Rng& rng, Tensor& v) {
  apply_fill(c, rng, 1e12, v);
  for (int64_t i = 0; i < v.count(); ++i) v.set(i, std::fabs(v.at(i)));
  shrink_some(c, "state/small", 0x1p-48, v);
}

inline void make_gradient(const Case& c, Rng& rng, Tensor& g) {
  apply_fill(c, rng, 1e6, g);
  shrink_some(c, "state/small", 0x1p-24, g);
}

inline void make_weight(const Case& c, Rng& rng, Tensor& weight) { apply_fill(c, rng, 1e6, weight); }

// The weights after a step that `change` makes of the right one's parts.
struct Step {
  double gradient, weight, m, v;                // g', and the state before
  double beta1, beta2, fresh1, fresh2, c1, c2;  // 1 - beta, 1 - beta^t
  double eps, decay, lr;

  double updated(double m_new, double v_new) const {
    return weight - lr * (m_new / c1 / (std::sqrt(v_new / c2) + eps) + decay * weight);
  }
  double new_m() const { return beta1 * m + fresh1 * gradient; }
  double new_v() const { return beta2 * v + fresh2 * gradient * gradient; }
};

template <class Change>
Mutant with_step(std::string name, Change change) {
  return {std::move(name), [change](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const auto number = [&](const char* attr) { return static_cast<double>(static_cast<float>(c.real(attr))); };
            const Tensor &g = given.get("g"), &p = given.get("p"), &m = given.get("m"), &v = given.get("v"),
                         &master = given.get("master");
            const double beta1 = number("beta1"), beta2 = number("beta2"), t = number("t");
            for (int64_t i = 0; i < g.count(); ++i) {
              Step step{.gradient = g.at(i) * number("scale"),
                        .weight = master.absent() ? p.at(i) : master.at(i),
                        .m = m.at(i),
                        .v = v.at(i),
                        .beta1 = beta1,
                        .beta2 = beta2,
                        .fresh1 = 1 - beta1,
                        .fresh2 = 1 - beta2,
                        .c1 = 1 - std::pow(beta1, t),
                        .c2 = 1 - std::pow(beta2, t),
                        .eps = number("eps"),
                        .decay = number("decay"),
                        .lr = number("lr")};
              outputs[0][i] = change(step);
              if (!master.absent()) outputs[3][i] = outputs[0][i];
            }
          }};
}

inline std::vector<Mutant> mutants() {
  return {with_step("no_bias_correction",
                    [](Step s) {
                      s.c1 = s.c2 = 1;
                      return s.updated(s.new_m(), s.new_v());
                    }),
          with_step("moments_of_the_last_step", [](const Step& s) { return s.updated(s.m, s.v); }),
          with_step("decay_in_the_gradient",
                    [](Step s) {
                      s.gradient += s.decay * s.weight;
                      s.decay = 0;
                      return s.updated(s.new_m(), s.new_v());
                    }),
          with_step("eps_inside_the_root", [](const Step& s) {
            return s.weight - s.lr * (s.new_m() / s.c1 / std::sqrt(s.new_v() / s.c2 + s.eps) + s.decay * s.weight);
          })};
}

inline Contract contract() {
  return {
      .name = "adamw",
      .summary =
          "m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2, p -= lr (m/(1 - beta1^t) / (sqrt(v/(1 - "
          "beta2^t)) + eps) + decay p), with g scaled",
      .dims = {{.name = "N",
                .meaning = "parameters",
                .min = 0,
                .boundary = {7, 8, 9, 255, 257},
                .aliases = {"n", "size", "count", "numel", "num_parameters", "n_elements"}}},
      .repeats_along = {"N"},
      .attrs =
          {{.name = "lr",
            .meaning = "learning rate, a number in f32 as those below are",
            .choices = {"1", "1e-3"},
            .aliases = {"learning_rate", "alpha"}},
           {.name = "beta1", .meaning = "decay of m", .choices = {"0.9", "0.8"}, .aliases = {"b1"}},
           {.name = "beta2", .meaning = "decay of v", .choices = {"0.999", "0.95"}, .aliases = {"b2"}},
           {.name = "eps", .meaning = "added to the root", .choices = {"1e-8", "1e-6", "1e-3"}, .aliases = {"epsilon"}},
           {.name = "decay",
            .meaning = "weight decay",
            .choices = {"0", "0.1", "0.01"},
            .aliases = {"weight_decay", "wd"}},
           {.name = "t",
            .meaning = "number of this step, from 1; after 10^9 of them 1 - beta^t is 1, as for a kernel without it",
            .choices = {"1", "1000000000", "2", "1000"},
            .aliases = {"step"}},
           {.name = "scale",
            .meaning = "factor of the gradient",
            .choices = {"1", "0.25"},
            .aliases = {"grad_scale", "inv_scale"}},
           {.name = "master", .meaning = "whether there are weights in f32", .choices = {"none", "kept"}}},
      .numbers = {{.name = "bias_correction1",
                   .expression = "1 - std::pow(static_cast<float>(beta1), static_cast<double>(t))",
                   .aliases = {"bc1", "beta1_correction", "bias_corr1", "beta1_corr", "one_minus_beta1_t"}},
                  {.name = "bias_correction2",
                   .expression = "1 - std::pow(static_cast<float>(beta2), static_cast<double>(t))",
                   .aliases = {"bc2", "beta2_correction", "bias_corr2", "beta2_corr", "one_minus_beta2_t"}}},
      .tensors = {{.name = "g", .shape = {"N"}, .make = make_gradient, .aliases = {"grad", "grads", "grads_memory"}},
                  {.name = "p",
                   .role = Role::accumulate,
                   .shape = {"N"},
                   .make = make_weight,
                   .aliases = {"param", "params", "params_memory", "w", "weight"}},
                  {.name = "m",
                   .role = Role::accumulate,
                   .shape = {"N"},
                   .dtype = DType::f32,
                   .make = make_moment,
                   .aliases = {"m_memory", "exp_avg"}},
                  {.name = "v",
                   .role = Role::accumulate,
                   .shape = {"N"},
                   .dtype = DType::f32,
                   .make = make_square,
                   .aliases = {"v_memory", "exp_avg_sq"}},
                  {.name = "master",
                   .role = Role::accumulate,
                   .shape = {"N"},
                   .dtype = DType::f32,
                   .make = make_weight,
                   .aliases = {"master_params", "master_params_memory"},
                   .absent = [](const Case& c) { return c.text("master") == "none"; }}},
      .admits_infinity = false,
      .why_left_out = "the mathematics says nothing of a state that has overflowed",
      .out_of_reach = {{"divisor", "0 or subnormal", "eps is at least 1e-8"}},
      .no_library = "no call of cuBLAS, cuDNN or CUB is a step of an optimizer",
      .reference = reference_from([](auto& io) { reference::adamw(io); }),
      .properties = {properties::slices_are_independent({{"g", {}}, {"p", {}}, {"m", {}}, {"v", {}}, {"master", {}}},
                                                        {{"p", {}}, {"m", {}}, {"v", {}}})},
      .mutants = mutants(),
      .flops = [](const Case& c) { return 16.0 * static_cast<double>(c.dim("N")); },
  };
}

}  // namespace assay::ops::adamw
