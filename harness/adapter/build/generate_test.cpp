// Wrappers around users' kernels.
#include "harness/adapter/build/generate.h"

#include <gmock/gmock.h>

#include "harness/adapter/steering.h"
#include "harness/adapter/unmentioned.h"
#include "harness/op/launch_choice.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

Adapter of_name(const std::string& name, bool is_launcher) {
  Adapter adapter;
  adapter.op = "softmax_forward";
  adapter.name = name;
  adapter.source = "k.cu";
  adapter.dtypes = {DType::f32};
  adapter.launches = {{.entry = name, .args = {"x", "y"}, .is_launcher = is_launcher}};
  return adapter;
}

// Without the macro the file's own launches are compiled into calls of abort().
TEST(Wrapper, OfSeveralCandidatesLetsLaunchersLaunchWhicheverIsFirst) {
  const Contract& contract = *find_op("softmax_forward");
  const auto has_launches = [&](const std::vector<Adapter>& adapters) {
    return wrapper_of(adapters, contract, "k.cu").find("#define ASSAY_LAUNCHER 1") != std::string::npos;
  };
  EXPECT_TRUE(has_launches({of_name("kernel", false), of_name("solve", true)}));
  EXPECT_TRUE(has_launches({of_name("solve", true), of_name("kernel", false)}));
  EXPECT_FALSE(has_launches({of_name("kernel", false), of_name("other", false)}));
}

// cross_entropy_forward_backward writes one loss or one for each row: a kernel that nobody asked for rows writes one.
TEST(Domains, OfFormulasThatAnAdapterDoesNotNameAreTheFirst) {
  const Contract& contract = *find_op("cross_entropy_forward_backward");
  Adapter adapter;
  adapter.launches = {{.entry = "k", .args = {"logits", "targets", "loss", "N", "V"}, .grid = {"N"}}};
  const auto of_loss = [&] {
    std::vector<std::string> values;
    for (const Domain& domain : domains_of(adapter, contract))
      if (domain.name == "loss") values.insert(values.end(), domain.values.begin(), domain.values.end());
    return values;
  };
  EXPECT_THAT(of_loss(), testing::ElementsAre("total"));
  adapter.requirements = {"loss == \"rows\""};
  EXPECT_THAT(of_loss(), testing::ElementsAre("total", "rows"));
  adapter.requirements.clear();
  adapter.fixed = {{"loss", "rows"}};
  EXPECT_THAT(of_loss(), testing::ElementsAre("rows"));
  adapter.fixed.clear();
  adapter.launches[0].args = {"logits", "targets", "grad", "N", "V"};
  EXPECT_THAT(of_loss(), testing::ElementsAre("total"));
}

// A kernel that is not given `count` counts the rows that it sees, and is right where these are all.
TEST(Domains, OfInputsThatAKernelIsNotGivenAreTheFirst) {
  const Contract& contract = *find_op("cross_entropy_forward_backward");
  Adapter adapter;
  adapter.launches = {{.entry = "k", .args = {"logits", "targets", "loss", "N", "V"}, .grid = {"N"}}};
  const auto is_fixed = [&] {
    const auto domains = domains_of(adapter, contract);
    return std::ranges::any_of(domains, [](const Domain& domain) {
      return domain.name == "counted" && domain.values == std::vector<std::string>{"call"};
    });
  };
  EXPECT_TRUE(is_fixed());
  adapter.launches[0].args.push_back("count[0]");
  EXPECT_FALSE(is_fixed());
}

// An adapter that was written before an op had an attribute goes on meaning what it meant.
TEST(Domains, OfOptionalAttributesThatAnAdapterDoesNotNameAreTheFirst) {
  Contract contract;
  contract.attrs = {{.name = "newer", .meaning = "", .choices = {"0", "1"}, .optional = true}};
  contract.dims = {{.name = "n", .meaning = ""}, {.name = "pad", .meaning = "", .max = 8, .before = 3}};
  Adapter adapter;
  const std::vector<Domain> domains = domains_of(adapter, contract);
  ASSERT_EQ(domains.size(), 2);
  EXPECT_EQ(domains[0].name, "pad");
  EXPECT_THAT(domains[0].values, testing::ElementsAre("3"));
  EXPECT_EQ(domains[1].name, "newer");
  EXPECT_THAT(domains[1].values, testing::ElementsAre("0"));
  adapter.requirements = {"newer == 1", "pad % 2 == 0"};
  const std::vector<Domain> named = domains_of(adapter, contract);
  ASSERT_EQ(named.size(), 2);  // a variant that does not list them takes what there was before alone
  EXPECT_EQ(named[0].max, 8);
  EXPECT_THAT(named[0].values, testing::IsEmpty());
  EXPECT_THAT(named[1].values, testing::ElementsAre("0", "1"));
}

// The names of what an adapter of `op` with these arguments does not sweep.
std::vector<std::string> not_swept(const std::string& op, const std::vector<std::string>& args) {
  Adapter adapter;
  adapter.launches = {{.entry = "k", .args = args}};
  std::vector<std::string> names;
  for (const AttrSpec* attr : unmentioned_attributes(adapter, *find_op(op))) names.push_back(attr->name);
  return names;
}

// A kernel sees how its inputs are filled, and a null pointer; it does not see which of two computations is meant.
TEST(Domains, SweepWhatAKernelSeesOrIsTold) {
  using testing::ElementsAre;
  EXPECT_THAT(not_swept("rope", {"x", "inv_freq", "out", "T", "H", "D"}),
              ElementsAre("pos_offset", "direction", "pairs", "alias"));
  EXPECT_THAT(not_swept("rope", {"x", "inv_freq", "out", "T", "H", "D", "pos_offset", "direction == \"forward\""}),
              ElementsAre("pairs", "alias"));
  EXPECT_THAT(not_swept("rope", {"x", "out", "T", "H", "D", "pos_offset"}),
              ElementsAre("direction", "base", "pairs", "alias"));
  EXPECT_THAT(not_swept("rms_norm_forward", {"x", "gamma", "out", "rstd", "T", "aE", "pad"}), ElementsAre("eps"));
  EXPECT_THAT(not_swept("rms_norm_forward", {"x", "gamma", "out", "rstd", "T", "aE", "pad", "eps"}), ElementsAre());
  EXPECT_THAT(not_swept("embedding_backward", {"g", "ids", "dw", "S", "dim", "vocab"}), ElementsAre());
  EXPECT_THAT(not_swept("softmax_backward", {"y", "g", "dx", "rows", "cols"}), ElementsAre("causal", "scale", "heads"));
  EXPECT_THAT(not_swept("gemm", {"a", "b", "bias", "c", "M", "N", "K"}),
              ElementsAre("layout", "out", "accumulate", "alpha", "beta"));
  EXPECT_THAT(not_swept("gemm", {"a", "b", "c", "M", "N", "K"}),
              ElementsAre("layout", "bias", "out", "accumulate", "alpha", "beta"));
}

TEST(Domains, OfFillsAreThoseThatAreMeant) {
  const Contract& contract = *find_op("softmax_forward");
  Adapter adapter;
  const auto fills_of = [&]() -> std::vector<std::string> {
    for (const Domain& domain : domains_of(adapter, contract))
      if (domain.name == kFillDomain) return domain.values;
    return {};
  };
  EXPECT_THAT(fills_of(), testing::IsEmpty());
  adapter.skip_fills = {"ties"};
  EXPECT_THAT(fills_of(), testing::AllOf(testing::Contains("normal"), testing::Contains("nan"),
                                         testing::Not(testing::Contains("ties"))));
  adapter.finite = true;
  EXPECT_THAT(fills_of(), testing::AllOf(testing::Contains("normal"), testing::Not(testing::Contains("nan")),
                                         testing::Not(testing::Contains("infinities"))));
}

}  // namespace
}  // namespace assay
