// Wrappers around users' kernels.
#include "harness/adapter/generate.h"

#include <gmock/gmock.h>

#include "harness/adapter/steering.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

Adapter way(const std::string& name, bool is_launcher) {
  Adapter adapter;
  adapter.op = "softmax_forward";
  adapter.name = name;
  adapter.source = "k.cu";
  adapter.dtypes = {DType::f32};
  adapter.launches = {{.entry = name, .args = {"x", "y"}, .is_launcher = is_launcher}};
  return adapter;
}

// Without the macro the file's own launches are compiled into calls of abort().
TEST(Wrapper, OfSeveralWaysLetsLaunchersLaunchWhicheverIsFirst) {
  const Contract& contract = *find_op("softmax_forward");
  const auto has_launches = [&](const std::vector<Adapter>& ways) {
    return wrapper_of(ways, contract, "k.cu").find("#define ASSAY_LAUNCHER 1") != std::string::npos;
  };
  EXPECT_TRUE(has_launches({way("kernel", false), way("solve", true)}));
  EXPECT_TRUE(has_launches({way("solve", true), way("kernel", false)}));
  EXPECT_FALSE(has_launches({way("kernel", false), way("other", false)}));
}

// cross_entropy_forward_backward writes one loss or one for each row: a kernel that nobody asked for rows writes one.
TEST(Domains, OfFormsThatAnAdapterDoesNotNameAreTheFirst) {
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
  EXPECT_THAT(of_loss(), testing::IsEmpty());
  adapter.requirements.clear();
  adapter.fixed = {{"loss", "rows"}};
  EXPECT_THAT(of_loss(), testing::ElementsAre("rows"));
  adapter.fixed.clear();
  adapter.launches[0].args = {"logits", "targets", "grad", "N", "V"};
  EXPECT_THAT(of_loss(), testing::IsEmpty());
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
  contract.attrs = {{.name = "old", .meaning = "", .choices = {"0", "1"}},
                    {.name = "newer", .meaning = "", .choices = {"0", "1"}, .optional = true}};
  Adapter adapter;
  const std::vector<Domain> domains = domains_of(adapter, contract);
  ASSERT_EQ(domains.size(), 1);
  EXPECT_EQ(domains[0].name, "newer");
  EXPECT_THAT(domains[0].values, testing::ElementsAre("0"));
  adapter.requirements = {"newer == 1"};
  const std::vector<Domain> named = domains_of(adapter, contract);
  ASSERT_EQ(named.size(), 1);  // a variant that does not list it takes the first alone
  EXPECT_THAT(named[0].values, testing::ElementsAre("0", "1"));
}

}  // namespace
}  // namespace assay
