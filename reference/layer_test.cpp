// The layer's three ops against formulas of another sort: the forward in plain loops, the backward by finite
// differences of the forward, decoding against the rows of a prefill. All in double; what is stored between is f32.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "harness/op/registry.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

constexpr double kStored = 1e-5;  // of what f32 storage between the ops may come to here, relative to the sum's terms

Case case_of(const std::string& op, const std::string& params) {
  const std::string line = op + "/reference f32 " + params + " fill=normal";
  Result<Case> c = parse_case(line);
  const Contract& contract = *find_op(op);
  for (const AttrSpec& attr : contract.attrs)
    if (!c->find(attr.name)) c->set(attr.name, attr.choices[0]);
  c->seed = 5;
  const Result<Case> conforming = conform(contract, *c, print(*c));
  EXPECT_TRUE(conforming) << conforming.error().line();
  return *conforming;
}

// Grouped heads, padding everywhere, and all of what may be there; then less and less of it.
const std::vector<std::string> kShapes = {
    "H=4 HK=2 ad=6 padD=2 aE=7 padE=2 aI=5 padI=1 rope=1 pairs=half biases=1",
    "H=4 HK=2 ad=6 padD=2 aE=7 padE=2 aI=5 padI=1 rope=1 pairs=neighbours biases=0",
    "H=3 HK=1 ad=5 padD=0 aE=4 padE=0 aI=6 padI=0 rope=0 biases=1",
    "H=2 HK=2 ad=2 padD=1 aE=3 padE=1 aI=2 padI=1 rope=0 biases=0",
};

std::vector<double> normalised(const std::vector<double>& row, const Tensor& gamma, double eps) {
  double squares = 0;
  const auto own = static_cast<size_t>(gamma.count());
  for (size_t e = 0; e < own; ++e) squares += row[e] * row[e];
  std::vector<double> result(row.size());
  for (size_t e = 0; e < own; ++e)
    result[e] = row[e] * gamma.at(static_cast<int64_t>(e)) / std::sqrt(squares / static_cast<double>(own) + eps);
  return result;
}

// Element `out` of w x + b, where w's rows are as long as x.
double linear(const Tensor& w, const Tensor& b, int64_t out, const std::vector<double>& x) {
  double sum = b.absent() ? 0 : b.at(out);
  for (size_t i = 0; i < x.size(); ++i) sum += w.at(out * std::ssize(x) + static_cast<int64_t>(i)) * x[i];
  return sum;
}

// Heads of a token after the projection: turned by its position, if asked for.
std::vector<double> heads_of(const Case& c, const Tensors& given, const std::string& which, int64_t heads, int64_t t,
                             const std::vector<double>& n1) {
  const int64_t lanes = c.dim("ad"), half = (lanes - c.dim("padD")) / 2;
  std::vector<double> result(static_cast<size_t>(heads * lanes));
  for (int64_t i = 0; i < heads * lanes; ++i)
    result[static_cast<size_t>(i)] = linear(given.get("w" + which), given.get("b" + which), i, n1);
  if (c.text("rope") == "0" || which == "v") return result;
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t i = 0; i < half; ++i) {
      const bool halves = c.text("pairs") == "half";
      double& a = result[static_cast<size_t>(h * lanes + (halves ? i : 2 * i))];
      double& b = result[static_cast<size_t>(h * lanes + (halves ? i + half : 2 * i + 1))];
      const double cosine = given.get("cos").at(t * half + i), sine = given.get("sin").at(t * half + i);
      const double turned = a * cosine - b * sine;
      b = b * cosine + a * sine;
      a = turned;
    }
  return result;
}

// Rows of y, without their padding.
std::vector<std::vector<double>> layer_in_plain_loops(const Case& c, const Tensors& given) {
  const int64_t width = c.dim("aE"), own = width - c.dim("padE"), lanes = c.dim("ad"), dim = lanes - c.dim("padD");
  const int64_t heads = c.dim("H"), group = heads / c.dim("HK"), inner = c.dim("aI");
  const auto eps = static_cast<double>(static_cast<float>(c.real("eps")));
  std::vector<std::vector<double>> keys, values, rows;
  for (int64_t t = 0; t < c.dim("T"); ++t) {
    std::vector<double> x(static_cast<size_t>(width));
    for (int64_t e = 0; e < own; ++e) x[static_cast<size_t>(e)] = given.get("x").at(t * width + e);
    const std::vector<double> n1 = normalised(x, given.get("gamma1"), eps);
    const std::vector<double> q = heads_of(c, given, "q", heads, t, n1);
    keys.push_back(heads_of(c, given, "k", c.dim("HK"), t, n1));
    values.push_back(heads_of(c, given, "v", c.dim("HK"), t, n1));
    std::vector<double> a(static_cast<size_t>(heads * lanes));
    for (int64_t h = 0; h < heads; ++h) {
      std::vector<double> weights;
      double total = 0;
      for (const std::vector<double>& key : keys) {
        double score = 0;
        for (int64_t d = 0; d < dim; ++d)
          score += q[static_cast<size_t>(h * lanes + d)] * key[static_cast<size_t>(h / group * lanes + d)];
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(dim))));
        total += weights.back();
      }
      for (size_t j = 0; j < weights.size(); ++j)
        for (int64_t d = 0; d < dim; ++d)
          a[static_cast<size_t>(h * lanes + d)] +=
              weights[j] / total * values[j][static_cast<size_t>(h / group * lanes + d)];
    }
    for (int64_t e = 0; e < own; ++e) x[static_cast<size_t>(e)] += linear(given.get("wo"), given.get("bo"), e, a);
    const std::vector<double> n2 = normalised(x, given.get("gamma2"), eps);
    std::vector<double> g;
    for (int64_t i = 0; i < inner; ++i) {
      const double gate = linear(given.get("w1"), given.get("b1"), i, n2);
      g.push_back(gate / (1 + std::exp(-gate)) * linear(given.get("w1"), given.get("b1"), inner + i, n2));
    }
    for (int64_t e = 0; e < own; ++e) x[static_cast<size_t>(e)] += linear(given.get("w2"), given.get("b2"), e, g);
    x.resize(static_cast<size_t>(own));
    rows.push_back(std::move(x));
  }
  return rows;
}

TEST(Layer, ForwardIsItsFormula) {
  for (const std::string& shape : kShapes)
    for (const char* probs : {"none", "saved"}) {
      const Case c = case_of("layer_forward", shape + " T=3 max_seq=4 probs=" + probs);
      const Tensors given = make_tensors(*find_op(c.op), c);
      const auto results = find_op(c.op)->reference.value(c, given);
      const auto rows = layer_in_plain_loops(c, given);
      for (int64_t t = 0; t < 3; ++t)
        for (int64_t e = 0; e < std::ssize(rows[0]); ++e)
          EXPECT_NEAR(results[0](t, e), rows[static_cast<size_t>(t)][static_cast<size_t>(e)], 1e-9) << print(c);
    }
}

// sum of dy·y over what is no padding, as the forward computes it from the tensors that the backward was given.
double loss(const Case& backward, const Tensors& given) {
  Case c = case_of("layer_forward", "T=1 max_seq=1 " + kShapes[2]);
  for (Param& param : c.params)
    if (const std::string* text = backward.find(param.name())) param.set(*text);
  Tensors inputs = make_tensors(*find_op(c.op), c);
  for (Tensor& tensor : inputs)
    for (int64_t i = 0; tensor.role() == Role::input && i < tensor.count(); ++i)
      tensor.set_bits(i, given.get(tensor.name()).bits(i));
  const auto results = find_op(c.op)->reference.value(c, inputs);
  double sum = 0;
  const int64_t width = c.dim("aE");
  for (int64_t i = 0; i < given.get("dy").count(); ++i)
    if (i % width < width - c.dim("padE")) sum += given.get("dy").at(i) * results[0][i];
  return sum;
}

// Along a random direction of one tensor: what the loss changes by, and what the gradient says that it does.
void expect_gradient(const Case& c, const Tensors& given, const RefTensor<double>& gradient, const std::string& of,
                     Rng& rng) {
  constexpr double kStep = 0x1p-10;
  constexpr double kRounding = 3e-9;  // of the loss, and of gradients that cancel, as that of a bias of all keys
  Tensors less = given, more = given;
  std::vector<double> direction;
  for (int64_t i = 0; i < given.get(of).count(); ++i) {
    const double step = kStep * normal(rng), now = given.get(of).at(i);
    less.get(of).set(i, now - step);
    more.get(of).set(i, now + step);
  }
  double said = 0, terms = 0;
  for (int64_t i = 0; i < given.get(of).count(); ++i) {
    const double change = more.get(of).at(i) - less.get(of).at(i);
    if (std::isnan(change)) continue;  // padding of x
    said += gradient[i] * change;
    terms += std::fabs(gradient[i] * change);
  }
  EXPECT_GT(terms, 0) << of;
  EXPECT_NEAR(loss(c, more) - loss(c, less), said, kStored * terms + kRounding) << of << " in " << print(c);
}

TEST(Layer, BackwardIsTheSlopeOfTheForward) {
  for (const std::string& shape : kShapes)
    for (const char* tokens : {"T=1 max_seq=1 ", "T=3 max_seq=5 "}) {
      const Case c = case_of("layer_backward", tokens + shape);
      const Tensors given = make_tensors(*find_op(c.op), c);
      Rng rng = Rng::stream(9, "directions");
      int seen = 0;
      for (const RefTensor<double>& gradient : find_op(c.op)->reference.value(c, given)) {
        const std::string of = gradient.name.substr(1);
        const bool is_of_scores = of == "wq" || of == "wk" || of == "bq" || of == "bk";
        if (given.get(of).absent() || (is_of_scores && c.dim("T") == 1))
          continue;  // one key has it all, whatever it is
        ++seen;
        for (int direction = 0; direction < 3; ++direction) expect_gradient(c, given, gradient, of, rng);
      }
      EXPECT_EQ(seen, (c.text("biases") == "1" ? 15 : 9) - (c.dim("T") > 1 ? 0 : c.text("biases") == "1" ? 4 : 2));
    }
}

// Steps compute what later ones take in full, and of gradients of weights a sample where the whole takes too long.
TEST(Layer, GradientsThatNoStepTakesMayBeSamples) {
  const Case c = case_of("layer_backward",
                         "T=3 max_seq=3 H=2 HK=1 ad=4 padD=0 aE=6 padE=0 aI=30 padI=0 rope=1 pairs=half biases=1");
  const Tensors given = make_tensors(*find_op(c.op), c);
  const auto in_full = find_op(c.op)->reference.tracked(c, given);
  const double usual = std::exchange(reference_flops_max, 1.0);
  const auto some = find_op(c.op)->reference.tracked(c, given);
  reference_flops_max = usual;
  for (size_t t = 0; t < some.size(); ++t) {
    int64_t known = 0;
    for (size_t i = 0; i < some[t].values.size(); ++i) {
      if (std::isinf(some[t].values[i].e)) continue;
      ++known;
      EXPECT_EQ(some[t].values[i].v, in_full[t].values[i].v) << some[t].name;
      EXPECT_EQ(some[t].values[i].e, in_full[t].values[i].e) << some[t].name;
    }
    const bool is_sample = some[t].name == "dw1" || some[t].name == "db1";  // 4 of 60 rows; others have 20 at most
    EXPECT_EQ(known, is_sample ? std::ssize(some[t].values) / 15 : std::ssize(some[t].values)) << some[t].name;
  }
}

TEST(Layer, DecodingGivesTheRowsOfAPrefill) {
  for (const std::string& shape : kShapes) {
    const Case whole = case_of("layer_forward", shape + " T=5 max_seq=6");
    const Tensors all = make_tensors(*find_op(whole.op), whole);
    const auto rows = find_op(whole.op)->reference.value(whole, all);
    const int64_t width = whole.dim("aE"), own = width - whole.dim("padE");
    for (const int64_t capacity : {5, 7}) {
      Tensors given;
      for (int64_t t = 0; t < 5; ++t) {
        const Case c =
            case_of("layer_decode", fmt::format("{} capacity={} max_seq=6 idx={} position={}", shape, capacity, t, t));
        Tensors now = make_tensors(*find_op(c.op), c);
        for (Tensor& tensor : now)
          for (int64_t i = 0; i < tensor.count(); ++i)
            if (tensor.name() == "x")
              tensor.set(i, all.get("x").at(t * width + i));
            else if (tensor.role() == Role::input)
              tensor.set_bits(i, all.get(tensor.name()).bits(i));
            else if (tensor.role() == Role::inout && t > 0)
              tensor.set_bits(i, given.get(tensor.name()).bits(i));
        for (const RefTensor<double>& result : find_op(c.op)->reference.value(c, now)) {
          for (int64_t i = 0; i < std::ssize(result.values); ++i) now.get(result.name).set(i, result[i]);
          for (int64_t e = 0; result.name == "y" && e < own; ++e)
            EXPECT_NEAR(result[e], rows[0](t, e), kStored) << print(c);
        }
        given = std::move(now);
      }
    }
  }
}

}  // namespace
}  // namespace assay
