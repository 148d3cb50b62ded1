// Tests what names of types stand for in the parameters of kernels.
#include "harness/adapter/type_aliases.h"

#include <gmock/gmock.h>

#include "harness/adapter/known_branches.h"
#include "harness/adapter/test_infer_from_text.h"

namespace assay {
namespace {

std::vector<std::string> types(const std::string& head, const std::string& parameters) {
  const std::string text = head + "__global__ void k(" + parameters + ") {}";
  CudaSource source = read(text);
  resolve_type_aliases(text, source);
  std::vector<std::string> all;
  for (const Parameter& parameter : source.kernels.at(0).parameters) all.push_back(parameter.type);
  return all;
}

TEST(TypeAliases, AreResolvedThroughEachOther) {
  EXPECT_THAT(types("typedef float f32;\nusing real = f32;\ntypedef unsigned int u32;\n", "real* x, f32* y, u32 n"),
              testing::ElementsAre("float", "float", "unsigned int"));
}

TEST(TypeAliases, OfSeveralMeaningsStay) {
  EXPECT_THAT(types("#if 1\nusing real = float;\n#else\nusing real = double;\n#endif\n", "real* x"),
              testing::ElementsAre("real"));
}

TEST(TypeAliases, BehindConditionsThatAreKnownAreResolved) {
  const std::string head =
      "#if defined(LOW) && !defined(OFF)\ntypedef __half real;\n#elif defined OTHER\ntypedef double real;\n#else\n"
      "typedef float real;\n#endif\n";
  const auto type = [&](const std::string& before, const std::vector<std::string>& define) {
    return types(with_known_branches(before + head, define), "real* x").at(0);
  };
  EXPECT_EQ(type("", {}), "float");
  EXPECT_EQ(type("#define LOW\n", {}), "__half");
  EXPECT_EQ(type("", {"LOW=1"}), "__half");
  EXPECT_EQ(type("#define LOW\n#define OFF\n", {"OTHER"}), "double");
  EXPECT_EQ(type("#define LOW\n#undef LOW\n", {}), "float");
  EXPECT_EQ(type("#ifdef __CUDA_ARCH__\n#define LOW\n#endif\n", {}), "real");
  EXPECT_EQ(type("#ifndef CUDART_VERSION\n#define OTHER\n#endif\n#define LOW 1\n", {}), "__half");
}

TEST(KnownBranches, KeepLinesAndWhatIsNotKnown) {
  EXPECT_EQ(with_known_branches("#if A > 1\na\n#else\nb\n#endif\n#if 0\nc\n#endif\nd", {}),
            "#if A > 1\na\n#else\nb\n#endif\n#if 0\n \n#endif\nd");
}

TEST(KnownBranches, OfConditionsThatEndEarlyAreNotKnown) {
  for (const char* condition : {"", " !", " 1 ||", " A &&", " (", " defined", " defined(", " 1 || (0 &&", " ! \\\n"}) {
    const std::string text = "#if" + std::string(condition) + "\na\n#endif\n";
    EXPECT_THAT(with_known_branches(text, {}), testing::HasSubstr("a")) << condition;
  }
}

TEST(TypeAliases, ThatAreTemplateParametersStay) {
  const std::string text = "typedef float T;\ntemplate <class T> __global__ void k(T* x) {}";
  CudaSource source = read(text);
  resolve_type_aliases(text, source);
  EXPECT_EQ(source.kernels.at(0).parameters.at(0).type, "T");
}

// The type as C++ spells it: "const float*".
std::vector<std::string> spelled_types(const std::string& head, const std::string& parameters) {
  const std::string text = head + "__global__ void k(" + parameters + ") {}";
  CudaSource source = read(text);
  resolve_type_aliases(text, source);
  std::vector<std::string> all;
  for (const Parameter& each : source.kernels.at(0).parameters)
    all.push_back((each.is_const ? "const " : "") + each.type + (each.is_pointer ? "*" : ""));
  return all;
}

TEST(TypeAliases, MayBePointers) {
  const std::string head =
      "typedef float* out_t;\nusing in_t = const float* __restrict__;\ntypedef __half f16;\ntypedef f16 const* "
      "half_in;\n"
      "using table_t = float* const;\ntypedef const float weight;\n";
  EXPECT_THAT(spelled_types(head, "out_t y, in_t x, half_in h, const out_t z, table_t t, weight* w"),
              testing::ElementsAre("float*", "const float*", "const __half*", "float*", "float*", "const float*"));
}

TEST(TypeAliases, OfPointersToPointersStay) {
  EXPECT_THAT(spelled_types("typedef float* p;\ntypedef float** q;\n", "p* x, q y"), testing::ElementsAre("p*", "q"));
}

TEST(TypeAliases, InCirclesStay) { EXPECT_EQ(types("typedef a b;\ntypedef b a;\n", "a x").size(), 1u); }

}  // namespace
}  // namespace assay
