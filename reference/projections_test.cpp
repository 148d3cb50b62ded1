// The references of a layer's projections: forwards against rows of which one element is 1, backwards against
// differences of the forwards, and what their contracts reject.
//
// All data are small integers, and each result is linear in each element: equal means equal, and a step of 1 gives the
// derivative.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "harness/op/registry.h"

namespace assay {
namespace {

using testing::HasSubstr;

struct Problem {
  const Contract& contract;
  Case c;
  Tensors given;

  explicit Problem(const std::string& line)
      : contract(*find_op(parse_case(line)->op)),
        c(*conform(contract, *parse_case(line), line)),
        given(make_tensors(contract, c)) {}

  std::vector<RefTensor<double>> results() const { return contract.reference.value(c, given); }
};

std::string line_of(const std::string& op, const std::string& params) {
  return op + "/reference f32 " + params + " fill=integers seed=7 schedule=0";
}

// Makes the matrix zeros, except for a 1 in column `one` of each row.
void make_one_hot(Tensor& matrix, int64_t one) {
  for (int64_t i = 0; i < matrix.count(); ++i) matrix.set(i, i % matrix.shape().back() == one ? 1 : 0);
}

TEST(ProjectionReferences, ARowWithOneElementPicksAColumnOfEachHead) {
  Problem qkv(line_of("qkv_project", "H=4 HK=2 ad=3 aE=5 T=2 kv_stride=4 biases=q,k,v"));
  make_one_hot(qkv.given.get("x"), 2);
  const auto results = qkv.results();
  for (const auto& [p, w, bias] : {std::tuple(size_t{0}, "wq", "bq"), {size_t{1}, "wk", "bk"}, {size_t{2}, "wv", "bv"}})
    for (int64_t h = 0; h < results[p].shape[0]; ++h)
      for (int64_t t = 0; t < 2; ++t)
        for (int64_t d = 0; d < 3; ++d)
          EXPECT_EQ(results[p](h, t, d), qkv.given.get(w).at((h * 3 + d) * 5 + 2) + qkv.given.get(bias).at(h * 3 + d));
  EXPECT_EQ(results[1](1, 3, 0), qkv.given.get("k").at((4 + 3) * 3)) << "slots from T on keep what they had";
}

TEST(ProjectionReferences, ALaneOfOneHeadPicksAColumnOfWo) {
  for (const std::string layout : {"by_row", "by_head"}) {
    Problem project(line_of("attention_project", "H=2 ad=3 aE=4 T=2 wo=" + layout + " biases=o"));
    Tensor& attn = project.given.get("attn");
    for (int64_t i = 0; i < attn.count(); ++i) attn.set(i, i / 6 == 1 && i % 3 == 2 ? 1 : 0);  // lane 2 of head 1
    const auto results = project.results();
    for (int64_t e = 0; e < 4; ++e)
      EXPECT_EQ(results[0](1, e), project.given.get("wo").at(layout == "by_head" ? (4 + e) * 3 + 2 : e * 6 + 5) +
                                      project.given.get("bo").at(e));
  }
}

TEST(ProjectionReferences, TheFirstHalfOfAFeedForwardLayerIsItsGate) {
  Problem mlp(line_of("mlp_swiglu", "aI=3 aE=4 T=2 form=prefill biases=1,2"));
  make_one_hot(mlp.given.get("x"), 1);
  const auto results = mlp.results();
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(results[0](1, i), mlp.given.get("w1").at(i * 4 + 1) + mlp.given.get("b1").at(i));
  for (int64_t i = 0; i < 3; ++i) {
    const double gate = results[0](1, i), up = results[0](1, 3 + i);
    EXPECT_NEAR(results[1](1, i), gate / (1 + std::exp(-gate)) * up, 1e-12);
  }
  for (int64_t e = 0; e < 4; ++e) {
    double sum = mlp.given.get("b2").at(e);
    for (int64_t i = 0; i < 3; ++i) sum += results[1](1, i) * mlp.given.get("w2").at(e * 3 + i);
    EXPECT_NEAR(results[2](1, e), sum, 1e-12);
  }
}

// sum over the forward's results of each times what the backward is given for it.
double loss(const Problem& forward, const Problem& backward) {
  double total = 0;
  for (const RefTensor<double>& result : forward.results())
    for (int64_t i = 0; i < std::ssize(result.values); ++i)
      total += result[i] * backward.given.get("d" + result.name).at(i);
  return total;
}

// The gradient "dx" of each tensor "x" of the forward; accumulated ones less what they started from.
void expect_differences(const std::string& forward_line, const std::string& backward_line) {
  SCOPED_TRACE(backward_line);
  Problem forward(forward_line);
  const Problem backward(backward_line);
  for (Tensor& tensor : forward.given)
    if (tensor.role() == Role::input && tensor.name()[0] != 'b') tensor = backward.given.get(tensor.name());
  const double here = loss(forward, backward);
  for (const RefTensor<double>& gradient : backward.results()) {
    const Tensor& before = backward.given.get(gradient.name);
    Tensor& at = forward.given.get(gradient.name.substr(1));
    ASSERT_EQ(at.count(), std::ssize(gradient.values)) << gradient.name;
    for (int64_t i = 0; i < at.count(); ++i) {
      const double initial = before.role() == Role::accumulate ? before.at(i) : 0, value = at.at(i);
      at.set(i, value + 1);
      EXPECT_EQ(gradient[i] - initial, loss(forward, backward) - here)
          << gradient.name << index_text(gradient.shape, i);
      at.set(i, value);
    }
  }
}

TEST(ProjectionReferences, GradientsAreDifferencesOfTheForward) {
  for (const std::string dims : {"H=1 HK=1 ad=1 aE=1 T=1", "H=4 HK=2 ad=3 aE=5 T=3", "H=3 HK=1 ad=2 aE=4 T=2"})
    for (const std::string biases : {"none", "k", "q,k,v"})
      for (const std::string dw : {"overwrite", "accumulate"})
        expect_differences(line_of("qkv_project", dims + " kv_stride=" + dims.back() + " biases=" + biases),
                           line_of("qkv_project_backward", dims + " biases=" + biases + " dw=" + dw));
  for (const std::string dims : {"H=1 ad=1 aE=1 T=1", "H=3 ad=2 aE=5 T=4"})
    for (const std::string layout : {"by_row", "by_head"})
      for (const std::string biases : {"none", "o"})
        for (const std::string dw : {"overwrite", "accumulate"}) {
          const std::string params = dims + " wo=" + layout + " biases=" + biases;
          expect_differences(line_of("attention_project", params),
                             line_of("attention_project_backward", params + " dw=" + dw));
        }
}

TEST(ProjectionContracts, WhatDoesNotFitIsRejectedWithItsNumbers) {
  const auto error = [](const std::string& op, const std::string& params) {
    const std::string line = line_of(op, params);
    const Result<Case> c = conform(*find_op(op), *parse_case(line), line);
    return c ? std::string() : c.error().line();
  };
  EXPECT_THAT(error("qkv_project", "H=3 HK=2 ad=1 aE=1 T=1 kv_stride=1 biases=none"),
              HasSubstr("H=3 is no multiple of HK=2"));
  EXPECT_THAT(error("qkv_project_backward", "H=3 HK=2 ad=1 aE=1 T=1 biases=none dw=overwrite"),
              HasSubstr("H=3 is no multiple of HK=2"));
  EXPECT_THAT(error("qkv_project", "H=2 HK=2 ad=1 aE=1 T=5 kv_stride=4 biases=none"),
              HasSubstr("kv_stride=4 slots of a head do not hold T=5 tokens"));
  EXPECT_EQ(error("qkv_project", "H=2 HK=2 ad=1 aE=1 T=5 kv_stride=5 biases=none"), "");
  EXPECT_THAT(error("mlp_swiglu", "aI=1 aE=1 T=2 form=fused biases=none"),
              HasSubstr("form=fused is of one token, and there are T=2"));
  EXPECT_THAT(error("mlp_swiglu", "aI=256 aE=48 T=1 form=fused biases=none w1_format=q4_0"),
              HasSubstr("aE=48 is no multiple of 32, the elements of a block of q4_0 (w1_format=q4_0)"));
  EXPECT_THAT(error("mlp_swiglu", "aI=128 aE=256 T=1 form=fused biases=none activations=q8_k"),
              HasSubstr("aI=128 is no multiple of 256, the elements of a block of q8_k (activations=q8_k)"));
  EXPECT_THAT(error("qkv_project", "H=2 HK=2 ad=1 aE=300 T=1 kv_stride=1 biases=none wk_format=q6_k"),
              HasSubstr("aE=300 is no multiple of 256, the elements of a block of q6_k (wk_format=q6_k)"));
  EXPECT_THAT(error("attention_project", "H=3 ad=32 aE=1 T=1 wo=by_row biases=none wo_format=q4_k"),
              HasSubstr("H*ad=96 is no multiple of 256, the elements of a block of q4_k (wo_format=q4_k)"));
  EXPECT_THAT(error("attention_project", "H=1 ad=32 aE=1 T=1 wo=by_head biases=none wo_format=q4_0"),
              HasSubstr("wo_format=q4_0 is of weights by row, and wo=by_head"));
  EXPECT_EQ(error("attention_project", "H=8 ad=32 aE=1 T=1 wo=by_row biases=none wo_format=q4_k"), "");
}

// A case line from before blocks means what it meant.
TEST(ProjectionContracts, WithoutABlocksAttributeThereAreNone) {
  const Problem old(line_of("mlp_swiglu", "aI=3 aE=5 T=2 form=prefill biases=none"));
  EXPECT_EQ(old.c.text("w1_format"), "none");
  EXPECT_EQ(old.c.text("activations"), "none");
  EXPECT_EQ(old.given.get("w1").dtype(), DType::f32);
}

// Blocks of integers mean them exactly, so the products of both are what they are without blocks.
TEST(ProjectionReferences, BlocksOfIntegersMeanThem) {
  for (const std::string format : {"q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q4_k", "q6_k"}) {
    const std::string dims = "H=2 HK=1 ad=3 aE=512 T=2 kv_stride=2 biases=q,k,v";
    const Problem plain(line_of("qkv_project", dims));
    const Problem blocks(line_of("qkv_project", dims + " wq_format=" + format + " wv_format=" + format));
    EXPECT_EQ(blocks.given.get("wq").dtype(), DType::u8) << format;
    const auto want = plain.results(), got = blocks.results();
    for (size_t t = 0; t < 3; ++t) EXPECT_EQ(got[t].values, want[t].values) << format << " " << want[t].name;
  }
}

}  // namespace
}  // namespace assay
