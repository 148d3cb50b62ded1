// Elements for which two values are right: the judge takes either of them and nothing else, counts them, and its audit
// calls neither wrong. Codes likewise, whose reference decides as the kernel did where it may.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/judge/judge.h"
#include "harness/op/decided.h"

namespace assay {
namespace {

constexpr double kThreshold = 0.5;

// y_i is x_i while the sum of x before it is below the threshold, and 0 from there on.
template <class S>
void cut_at_threshold(ReferenceIo<S>& io) {
  const auto& x = io.in("x");  // (n)
  auto& y = io.out("y");       // (n)
  Sum<S> before;
  for (int64_t i = 0; i < io.dim("n"); ++i) {
    const bool kept = plain(before.value()) < kThreshold;
    y[i] = kept ? x[i] : S(0);
    if (before.undecided(kThreshold)) y.either(i, kept ? S(0) : x[i]);
    before.add(x[i]);
  }
}

// Acts as if the element after the last one that is kept were kept too.
void keep_one_more(const Case&, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  for (int64_t i = 0; i < given.get("x").count(); ++i) {
    if (outputs[0][i] != 0) continue;
    outputs[0][i] = given.get("x").at(i);
    return;
  }
}

Contract contract_for(std::vector<double> x) {
  return {
      .name = "cut_at_threshold",
      .summary = "for tests",
      .dims = {{.name = "n", .meaning = "elements"}},
      .tensors = {{.name = "x",
                   .role = Role::input,
                   .shape = {"n"},
                   .make =
                       [x](const Case&, Rng&, Tensor& tensor) {
                         for (int64_t i = 0; i < tensor.count(); ++i) tensor.set(i, x[static_cast<size_t>(i)]);
                       }},
                  {.name = "y", .role = Role::output, .shape = {"n"}}},
      .reference = reference_from([](auto& io) { cut_at_threshold(io); }),
      .mutants = {{"one_more_kept", keep_one_more}},
  };
}

// A run that wrote what the reference computes.
struct Judged {
  explicit Judged(std::vector<double> x)
      : contract(contract_for(x)),
        c(*parse_case("cut_at_threshold/made_up f32 n=" + std::to_string(x.size()) + " fill=normal seed=0 schedule=0")),
        trial(contract, variant, c) {
    trial.expected = trial.oracle().expect();
    for (int64_t i = 0; i < want().count(); ++i) trial.got.get("y").set_bits(i, want().right_bits(i));
  }
  const ExpectedTensor& want() const { return trial.expected[0]; }
  bool is_right(int64_t i, double got) const {
    return want().compare(i, from_double(DType::f32, got)).error_over_budget <= 1;
  }

  Contract contract;
  Variant variant;
  Case c;
  Trial trial;
};

// 0.3f + 0.2f rounds: some order or device may come out on either side of a half.
const std::vector<double> kClose = {0.3f, 0.2f, 0.25, 0.125};

TEST(EitherWay, BothValuesOfAnUndecidedElementAreRightAndNothingElse) {
  const Judged judged(kClose);
  EXPECT_TRUE(judged.is_right(2, 0));
  EXPECT_TRUE(judged.is_right(2, 0.25));
  EXPECT_FALSE(judged.is_right(2, 0.125));
  EXPECT_FALSE(judged.is_right(2, std::nextafter(0.25f, 1.0f)));
  EXPECT_FALSE(judged.is_right(2, std::numeric_limits<double>::quiet_NaN()));
}

// Just below a half in double: the element is kept, and exactly +0 is what the other outcome writes.
TEST(EitherWay, AlternativesAreTakenByTheirBits) {
  const Judged judged({0.3f, 0.19999997f, 0.25});
  EXPECT_TRUE(judged.is_right(2, 0.25));
  EXPECT_TRUE(judged.is_right(2, 0));
  EXPECT_FALSE(judged.is_right(2, -0.0));
  EXPECT_FALSE(judged.is_right(2, 0x1p-149));
}

TEST(EitherWay, DecidedElementsHaveOneRightValue) {
  const Judged judged(kClose);
  EXPECT_EQ(judged.want().alternatives.size(), 1u);
  EXPECT_FALSE(judged.is_right(0, 0));
  EXPECT_FALSE(judged.is_right(1, 0));
  EXPECT_FALSE(judged.is_right(3, 0.125));
}

TEST(EitherWay, SumsThatEveryOrderComputesExactlyDecide) {
  const Judged reached({0.25, 0.25, 0.25, 0.25});
  EXPECT_TRUE(reached.want().alternatives.empty());
  EXPECT_FALSE(reached.is_right(2, 0.25));
  EXPECT_TRUE(reached.is_right(2, 0));
}

TEST(EitherWay, AnAlternativeThatIsTheSameValueIsNone) {
  EXPECT_TRUE(Judged({0.3f, 0.2f, 0}).want().alternatives.empty());
}

TEST(EitherWay, RowsCountTheElements) {
  Judged judged(kClose);
  EXPECT_TRUE(judge::values(judged.trial).empty());
  EXPECT_EQ(judged.trial.row.figures["either_way"], 1);
  judge::values(judged.trial);
  EXPECT_EQ(judged.trial.row.figures["either_way"], 1) << "a second run of the same case";
}

TEST(EitherWay, TheAuditDoesNotCallAnAlternativeWrong) {
  Judged close(kClose), exact({0.25, 0.25, 0.25, 0.25});
  for (Judged* judged : {&close, &exact}) judge::sensitivity(judged->trial);
  const auto probe = [](const Judged& judged) {
    const auto& probes = judged.trial.row.sensitivity;
    return std::find_if(probes.begin(), probes.end(), [](auto& p) { return p.mutant == "one_more_kept"; });
  };
  EXPECT_EQ(probe(close), close.trial.row.sensitivity.end());
  ASSERT_NE(probe(exact), exact.trial.row.sensitivity.end());
  EXPECT_TRUE(probe(exact)->noticed);
}

// The plain f32 run may take the other outcome; that is not noise in which mutants of other elements could hide.
TEST(EitherWay, TheAuditsNoiseLeavesAlternativesOut) {
  Judged judged(kClose);
  judge::sensitivity(judged.trial);
  const auto& probes = judged.trial.row.sensitivity;
  EXPECT_EQ(std::count_if(probes.begin(), probes.end(), [](auto& p) { return p.mutant == "sign_flipped:y"; }), 1);
}

// -- Codes: q_i is x_i rounded, and of a tie either neighbour.

void cut_off(const Case&, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  for (int64_t i = 0; i < given.get("x").count(); ++i) outputs[0][i] = std::floor(given.get("x").at(i));
}

// takes_all: a reference that follows whatever the kernel did, so that nothing is wrong to it.
Contract codes_of(std::vector<double> x, bool takes_all) {
  Contract contract = contract_for(std::move(x));
  contract.name = "codes";
  contract.tensors[1] = {.name = "q", .role = Role::output, .shape = {"n"}, .dtype = DType::u8};
  contract.mutants = {{"cut_off", cut_off}};
  contract.reference = reference_from([takes_all](auto& io) {
    using S = std::decay_t<decltype(io.out("q")[0])>;
    const Tensor* decided = Decided::written("q");
    for (int64_t i = 0; i < io.dim("n"); ++i) {
      const double number = plain(io.in("x")[i]), exact = std::floor(number + 0.5);
      const double other = decided ? decided->at(i) : exact;
      const bool may = takes_all || std::fabs(number - other) == 0.5;
      Decided::took(may && other != exact);
      io.out("q")[i] = S(may ? other : exact);
    }
  });
  return contract;
}

struct Codes {
  Codes(std::vector<double> x, std::vector<double> got, bool takes_all = false)
      : contract(codes_of(x, takes_all)),
        c(*parse_case("codes/made_up f32 n=" + std::to_string(x.size()) + " fill=normal seed=0 schedule=0")),
        trial(contract, variant, c) {
    for (size_t i = 0; i < got.size(); ++i) trial.got.get("q").set(static_cast<int64_t>(i), got[i]);
    findings = judge::values(trial);
  }
  Contract contract;
  Variant variant;
  Case c;
  Trial trial;
  Findings findings;
};

TEST(Codes, OfATieEitherIsRightAndCountedIfItIsNotTheReferences) {
  for (const double of_tie : {2.0, 3.0}) {
    Codes codes({1.2, 2.5, 3.9}, {1, of_tie, 4});
    EXPECT_TRUE(codes.findings.empty()) << of_tie;
    EXPECT_EQ(codes.trial.row.figures.or_zero("either_way"), of_tie == 2 ? 1 : 0);
  }
}

TEST(Codes, BesideATieAreWrong) {
  EXPECT_EQ(Codes({1.2, 2.5, 3.9}, {1, 4, 4}).findings.size(), 1U);
  EXPECT_EQ(Codes({1.2, 2.6, 3.9}, {1, 2, 4}).findings.size(), 1U);
}

TEST(Codes, AReferenceThatTakesEverythingIsBlind) {
  for (const bool takes_all : {false, true}) {
    Codes codes({1.2, 2.5, 3.9}, {1, 2, 4}, takes_all);
    judge::sensitivity(codes.trial);
    const auto& probes = codes.trial.row.sensitivity;
    const auto probe = std::find_if(probes.begin(), probes.end(), [](auto& p) { return p.mutant == "cut_off"; });
    ASSERT_NE(probe, probes.end());
    EXPECT_EQ(probe->noticed, !takes_all);
  }
}

// Where nothing is rounded on the way, the elements are right or wrong: next to a power of two half a unit is one.
TEST(EitherWay, AnElementThatIsOnlyCopiedHasNoBudget) {
  const Judged copied({1, -0.25});
  EXPECT_FALSE(copied.is_right(0, std::nextafter(1.0F, 0.0F)));
  EXPECT_TRUE(copied.is_right(0, 1));
}

}  // namespace
}  // namespace assay
