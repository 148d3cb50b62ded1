// Wrappers around users' kernels.
#include "harness/adapter/generate.h"

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace assay
