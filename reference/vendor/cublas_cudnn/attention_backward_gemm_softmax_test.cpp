// The chain of cuBLAS's products and cuDNN's softmax, judged without a GPU: its host side calls fakes of the two
// libraries (reference/vendor/fake), its kernels run in the executor, and the simulated GPU holds the memory.
//
// Strides, transposes, leading dimensions, factors and the order of calls are those of a real run; what NVIDIA's
// libraries compute is not seen here.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include "harness/op/registry.h"
#include "harness/selftest/run_program.h"
#include "reference/vendor/fake/test_fake_libraries.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using testing::StartsWith;

constexpr const char* kName = "cublas_gemm_cudnn_softmax";

class GemmSoftmaxChain : public FakeLibraries {
 protected:
  static std::string line(const std::string& shape, const std::string& saved, const std::string& fill = "normal") {
    return std::string("attention_backward/") + kName + " f32 " + shape + " scale=-0.3 grads=same saved=" + saved +
           " fill=" + fill + " seed=1";
  }
};

TEST_F(GemmSoftmaxChain, PassesOnRandomCases) {
  const selftest::Scratch scratch;
  const auto ran = selftest::run("assay", "check --device gpu --cases 200 --no-save --shrink 0s --out " + scratch.path +
                                              " attention_backward/" + kName);
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("PASSED: 200 cases passed, none failed"));
}

// Few random cases have these: more groups of heads than a step takes, whose number then has to divide them, in several
// sequences; queries without keys; one of everything.
TEST_F(GemmSoftmaxChain, PassesWhereCasesAreRare) {
  for (const std::string saved : {"none", "lse_delta"})
    for (const std::string layout : {"layout=token_major", "layout=head_major"})
      for (const std::string shape : {"B=2 Sq=5 Sk=9 H=132 HK=66 D=3 causal=1 ", "B=2 Sq=7 Sk=4 H=6 HK=3 D=5 causal=1 ",
                                      "B=1 Sq=1 Sk=1 H=1 HK=1 D=1 causal=0 "}) {
        const auto ran = selftest::run("assay", "replay --device gpu '" + line(shape + layout, saved) + "'");
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        EXPECT_THAT(ran.out, StartsWith("PASS  "));
      }
}

TEST_F(GemmSoftmaxChain, SaysWhatItDoesNotSupport) {
  const auto replay = [](const std::string& case_line) {
    return selftest::unwrapped(selftest::run("assay", "replay --device gpu '" + case_line + "'").out);
  };
  const std::string heads = " H=4 HK=2 D=8 layout=token_major";
  const std::string causal = "B=2 Sq=7 Sk=5 causal=1" + heads, full = "B=2 Sq=7 Sk=5 causal=0" + heads;
  EXPECT_THAT(replay(line(causal, "none")), StartsWith("PASS "));
  EXPECT_THAT(replay(line(causal, "lse_delta")), StartsWith("PASS "));
  EXPECT_THAT(replay(line(full, "none", "nan")), StartsWith("PASS "));
  EXPECT_THAT(replay(line(causal, "none", "nan")), AllOf(StartsWith("UNSUPPORTED "), HasSubstr("a NaN")));
  EXPECT_THAT(replay(line(causal, "lse_o")), AllOf(StartsWith("UNSUPPORTED "), HasSubstr("is given delta beside lse")));
  const std::string long_sequence = "B=1 Sq=50000 Sk=50000 causal=0" + heads;
  // In a process of its own, as its variants have the names of those that other tests here load.
  EXPECT_EXIT(
      {
        const std::string module = folder() + "/libassay_gpu_chain_attention_backward_gemm_softmax.so";
        const bool loaded = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) != nullptr;
        const Variant* variant = find_variant("attention_backward", kName, "cpu");
        const Result<Case> c = read_case(line(long_sequence, "lse_delta"));
        std::_Exit(loaded && variant && c && !variant->unsupported(*c) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "")
      << "it stores a part of the pairs at a time";
  EXPECT_THAT(replay(line(long_sequence, "none")),
              AllOf(StartsWith("UNSUPPORTED "), HasSubstr("at most 2^31 - 1 elements")));
}

}  // namespace
}  // namespace assay
