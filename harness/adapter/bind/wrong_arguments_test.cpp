// Tests that mistakes in the arguments of an adapter are reported before anything runs.
#include <gmock/gmock.h>

#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Texts wrong(const std::string& parameters, const Texts& arguments, const std::vector<DType>& dtypes = {DType::f32},
            const std::string& op = "softmax_backward") {
  const CudaSource source = read("\n__global__ void k(" + parameters + ") {}");
  return wrong_arguments(source, {.dtypes = dtypes, .launches = {{"k", arguments}}}, *find_op(op));
}

TEST(WrongArguments, OfARightAdapterAreNone) {
  const std::string parameters = "const float* dy, const float* y, float* dx, int rows, int cols";
  EXPECT_THAT(wrong(parameters, {"g", "y", "dx", "rows", "cols"}), IsEmpty());
  EXPECT_THAT(wrong("const float* a, float* b, int n", {"g", "dx", "rows * cols"}), IsEmpty());
  EXPECT_THAT(wrong("float* scratch, int n", {"(float*)workspace", "256"}), IsEmpty());
}

TEST(WrongArguments, OfEachKindAreSaid) {
  const std::string parameters = "const float* dy, const float* y, float* dx, int rows";
  EXPECT_THAT(wrong(parameters, {"g", "y", "dx"}),
              ElementsAre("k: k(const float* dy, const float* y, float* dx, int rows) in line 2 takes 4 arguments, the "
                          "adapter passes 3"));
  EXPECT_THAT(wrong(parameters, {"g", "y", "dx", "rows", "cols"}), ElementsAre(HasSubstr("the adapter passes 5")));
  EXPECT_THAT(wrong(parameters, {"y", "g", "dx", "rows"}),
              ElementsAre("k: arguments 1 and 2 are exchanged: 'y' is passed for the parameter 'dy' and 'g' for 'y'"));
  EXPECT_THAT(wrong("const float* y, const float* g, float* dx, int n", {"y", "g", "dx", "dx"}),
              ElementsAre("k: argument 4, 'dx', for 'int n' in line 2: a tensor for a number"));
  EXPECT_THAT(wrong("const float* a, float* b", {"rows", "dx"}), ElementsAre(HasSubstr("a number for a pointer")));
  EXPECT_THAT(wrong("const float* a, float* b", {"256", "dx"}), ElementsAre(HasSubstr("a number for a pointer")));
  EXPECT_THAT(wrong("const float* a", {"dx"}), ElementsAre(HasSubstr("the kernel cannot write")));
  EXPECT_THAT(wrong("const half* a", {"y"}),
              ElementsAre("k: argument 1, 'y', for 'const __half* a' in line 2: in f32 the elements of y are others; "
                          "dtypes = [\"f16\"] leaves those that fit"));
  EXPECT_THAT(wrong("const float* a", {"y"}, {DType::f32, DType::bf16}),
              ElementsAre(HasSubstr("in bf16 the elements")));
  EXPECT_THAT(wrong("const int64_t* a", {"ids"}, {DType::f32}, "embedding_backward"),
              ElementsAre(HasSubstr("the elements of ids are u32")));
}

TEST(WrongArguments, OfPartsThatAreExchangedAreSaid) {
  const std::string gate = "columns(in, 0, dim)", up = "columns(in, dim, dim)",
                    parameters = "const float* gate, const float* up, float* y, int n";
  EXPECT_THAT(wrong(parameters, {gate, up, "y", "T * dim"}, {DType::f32}, "swiglu_forward"), IsEmpty());
  EXPECT_THAT(wrong(parameters, {up, gate, "y", "T * dim"}, {DType::f32}, "swiglu_forward"),
              ElementsAre(HasSubstr("arguments 1 and 2 are exchanged")));
}

TEST(WrongArguments, OfSizesThatAreLettersAreTried) {
  const CudaSource source =
      read("\n__global__ void k(const float* b, const float* a, float* c, int m, int k, int n) {}");
  Adapter adapter{.dtypes = {DType::f32}, .launches = {{"k", {"b", "a", "c", "K", "M", "N"}}}};
  EXPECT_THAT(wrong_arguments(source, adapter, *find_op("gemm")), IsEmpty());
  adapter.path = "mine.toml";
  EXPECT_THAT(wrong_arguments(source, adapter, *find_op("gemm")), IsEmpty()) << "many a kernel calls K what is our N";
}

TEST(WrongArguments, OfAMatrixThatIsTurnedOverMayBeNamedEitherWay) {
  EXPECT_THAT(wrong("const float* in, float* out, int rows, int cols", {"in", "out", "cols", "rows"}, {DType::f32},
                    "transpose_2d"),
              IsEmpty());
  EXPECT_THAT(wrong("const float* x, float* y, int rows, int cols", {"x", "y", "cols", "rows"}, {DType::f32},
                    "softmax_forward"),
              ElementsAre(HasSubstr("3 and 4 are exchanged")));
}

TEST(WrongArguments, AreNoBytesAndNoSignedWords) {
  EXPECT_THAT(wrong("const char* a, char* b, int n", {"g", "dx", "rows * cols * 4"}), IsEmpty());
  EXPECT_THAT(wrong("const unsigned char* a", {"g"}), ElementsAre(HasSubstr("in f32 the elements of g are others")));
}

TEST(WrongArguments, AreNoOutputsOfEarlierLaunches) {
  const CudaSource source =
      read("__global__ void first(const float* g, float* dx) {}\n__global__ void second(const float* dx, float* y) {}");
  const auto launches = [&](std::vector<AdapterLaunch> all) {
    return wrong_arguments(source, {.dtypes = {DType::f32}, .launches = std::move(all)}, *find_op("softmax_backward"));
  };
  const AdapterLaunch writes{"first", {"g", "dx"}}, reads{"second", {"dx", "(float*)workspace"}};
  EXPECT_THAT(launches({writes, reads}), IsEmpty());
  EXPECT_THAT(launches({reads, writes}), ElementsAre(HasSubstr("through which the kernel cannot write")));
}

TEST(FittingDtypes, AreThoseThatThePointersHave) {
  const auto fitting = [](const std::string& parameters) {
    const CudaSource source = read("\n__global__ void k(" + parameters + ") {}");
    return fitting_dtypes(source, {.dtypes = {DType::f32, DType::bf16, DType::f16}, .launches = {{"k", {"y", "dx"}}}},
                          *find_op("softmax_backward"));
  };
  EXPECT_THAT(fitting("const float* y, float* dx"), ElementsAre(DType::f32));
  EXPECT_THAT(fitting("const half* y, half* dx"), ElementsAre(DType::f16));
  EXPECT_THAT(fitting("const float* y, half* dx"), testing::SizeIs(3)) << "none fits, and wrong_arguments says why";
}

TEST(WrongArguments, NameAKernelThatIsNotThere) {
  const CudaSource source = read("__global__ void k(int n) {}");
  EXPECT_THAT(wrong_arguments(source, {.launches = {{"k", {"rows"}}, {"l<T>", {}}}}, *find_op("softmax_backward")),
              ElementsAre("launch 2, l<T>: the file has no such kernel, but k"));
}

}  // namespace
}  // namespace assay
