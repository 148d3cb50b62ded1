// Launchers: which host functions are taken for entries, what they are given, and which are passed over and why.
#include "harness/adapter/bind/infer_launcher.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "harness/adapter/inferred.h"
#include "harness/adapter/read/test_infer_from_text.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kKernel =
    "__global__ void softmax_kernel(float* out, const float* inp, int N, int C) { out[blockIdx.x] = 0; }\n";

// The entry that is chosen for the kernel above, in a file with these host functions.
Inferred entry_in(const std::string& host) {
  const auto source = read_text(kKernel + host);
  EXPECT_TRUE(source.has_value());
  return infer_entry(*source, source->kernels.at(0), *find_op("softmax_forward"), "k.cu");
}

constexpr const char* kLaunch = "{ softmax_kernel<<<N, 64>>>(out, inp, N, C); }\n";

TEST(Launcher, IsCalledWithABlockSizeAndAStream) {
  const Inferred inferred = entry_in(
      std::string("namespace mine { void softmax(float* out, const float* inp, int N, int C, const int block_size, "
                  "cudaStream_t stream) ") +
      kLaunch + "}");
  EXPECT_THAT(inferred.unknown, IsEmpty());
  ASSERT_EQ(inferred.adapter.launches.size(), 1u);
  EXPECT_TRUE(inferred.adapter.launches[0].is_launcher);
  EXPECT_EQ(inferred.adapter.launches[0].entry, "mine::softmax");
  EXPECT_THAT(inferred.adapter.launches[0].args, ElementsAre("y", "x", "rows", "cols", "block", "nullptr"));
  EXPECT_EQ(inferred.adapter.dtypes, std::vector{DType::f32});
  for (const int block : inferred.adapter.blocks) EXPECT_EQ(block % 32, 0);
  EXPECT_THAT(inferred.remarks, Contains(HasSubstr("softmax in line 2 is called as it is")));
}

TEST(Launcher, WithItsOwnBlockSizeHasNoneToVary) {
  const Inferred inferred =
      entry_in(std::string("void softmax(float* out, const float* inp, int N, int C) ") + kLaunch);
  EXPECT_TRUE(inferred.adapter.launches.at(0).is_launcher);
  EXPECT_THAT(inferred.adapter.blocks, IsEmpty());
}

TEST(Launcher, OfAKernelThatAddsAtomicallySumsInAnyOrder) {
  const auto source = read_text(
      "__global__ void add_kernel(float* dw, const int* ids, const float* g, int n, int dim) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x; if (i < n) atomicAdd(dw + ids[i / dim] * dim + i % dim, g[i]); }\n"
      "void add(float* dw, const int* ids, const float* g, int n, int dim) {"
      " add_kernel<<<(n + 63) / 64, 64>>>(dw, ids, g, n, dim); }\n");
  ASSERT_TRUE(source.has_value());
  const Inferred inferred = infer_launcher(*source, source->functions.at(0), *find_op("embedding_backward"), "k.cu");
  EXPECT_FALSE(inferred.adapter.deterministic);
}

// nvcc's text of a file has such kernels.
TEST(Launcher, IsNotThereWhereThereAreKernelsAlone) {
  auto source = read_text(std::string(kKernel) + "void softmax(float* out, const float* inp, int N, int C) " + kLaunch);
  ASSERT_EQ(launchers_of(source.value(), "").size(), 1u);
  source->kernels_only = true;
  EXPECT_THAT(launchers_of(*source, ""), IsEmpty());
}

TEST(Launcher, ThatLeavesADoubtIsPassedOver) {
  for (const auto& [head, why] : std::vector<std::pair<std::string, std::string>>{
           {"void f(void* handle, float* out, const float* inp, int N, int C) ", "argument 1 of f"},
           {"void f(float* out, const float* inp, int N, int C, int banana) ", "'banana'"},
           {"template <class T> void f(float* out, const float* inp, int N, int C) ", "f is a template"}}) {
    const Inferred inferred = entry_in(head + kLaunch);
    EXPECT_FALSE(inferred.adapter.launches.at(0).is_launcher) << head;
    EXPECT_THAT(inferred.remarks,
                Contains(testing::AllOf(HasSubstr("f in line 2 launches it and is not called"), HasSubstr(why))));
  }
}

TEST(Launcher, IsNotMainAMemberOrOneOfTwo) {
  const std::string parameters = "(float* out, const float* inp, int N, int C) ";
  for (const std::string& host :
       {"int main" + parameters + kLaunch, "struct S { void f" + parameters + kLaunch + "};",
        "void f" + parameters + kLaunch + "void g" + parameters + kLaunch, "void f" + parameters + "{}"})
    EXPECT_FALSE(entry_in(host).adapter.launches.at(0).is_launcher) << host;
}

// No one of several kernels is the op's; the one function that is called so is.
TEST(Launcher, IsChosenByTheNameOfTheOp) {
  const std::string parameters = "(float* out, const float* inp, int N, int C) ";
  const Contract& op = *find_op("softmax_forward");
  const auto chosen = [&](const std::string& host) {
    return candidates_for_launcher_of_op(*read_text(kKernel + host), op, "k.cu");
  };
  const std::string right = "void softmax_forward4" + parameters + kLaunch;
  ASSERT_THAT(chosen(right + "void backward" + parameters + kLaunch), SizeIs(1));
  EXPECT_EQ(chosen(right)[0].adapter.name, "softmax_forward4");
  EXPECT_THAT(chosen("void layer" + parameters + kLaunch), IsEmpty());
  EXPECT_THAT(chosen(right + "void softmax_forward5" + parameters + kLaunch), IsEmpty());
}

// gelu has two curves, and no parameter says which: cases decide.
TEST(Launcher, IsTriedWithEachComputationThatTheOpMayBe) {
  const std::string kernel =
      "__global__ void gelu_kernel(float* out, const float* inp, int N) { int i = blockIdx.x * blockDim.x + "
      "threadIdx.x; if (i < N) out[i] = tanhf(inp[i]); }\n";
  const std::string launcher =
      "void gelu_forward(float* out, const float* inp, int N) { gelu_kernel<<<N / 256 + 1, 256>>>(out, inp, N); }\n";
  const Contract& op = *find_op("gelu_forward");
  const auto formulas = [](const std::vector<Inferred>& candidates) {
    std::set<std::string> all;
    for (const Inferred& candidate : candidates)
      for (const Fixed& fixed : candidate.adapter.fixed)
        if (fixed.name == "form") all.insert(fixed.value);
    return all;
  };
  const auto both =
      testing::UnorderedElementsAreArray(std::find_if(op.attrs.begin(), op.attrs.end(), [](const AttrSpec& attr) {
                                           return attr.name == "form";
                                         })->choices);
  EXPECT_THAT(formulas(candidates_for_launcher_of_op(*read_text(kernel + launcher), op, "k.cu")), both);
  const auto source = read_text(kernel);
  const std::vector<Inferred> candidates = candidates_for_kernel(*source, source->kernels[0], op, "k.cu");
  EXPECT_THAT(formulas(candidates), both);
  for (const Inferred& candidate : candidates) EXPECT_THAT(candidate.guesses, Contains(HasSubstr("form is")));
}

TEST(Launcher, IsFoundByName) {
  const auto source = read_text(std::string(kKernel) + "void f(float* out, const float* inp, int N, int C) " + kLaunch);
  ASSERT_NE(find_launcher(*source, "f"), nullptr);
  EXPECT_EQ(find_launcher(*source, "softmax_kernel"), nullptr);
  EXPECT_EQ(find_launcher(*source, ""), nullptr);
}

// Its null pointers say no type, so that the call must.
TEST(Launcher, OfASpecialisationIsCalledAsSuch) {
  const Inferred inferred =
      entry_in(std::string("template <class T> void run(T* out, const T* inp, int N, int C);\n"
                           "template <> void run<float>(float* out, const float* inp, int N, int C) ") +
               kLaunch);
  ASSERT_EQ(inferred.adapter.launches.size(), 1u);
  EXPECT_EQ(inferred.adapter.launches[0].entry, "run<float>");
  EXPECT_TRUE(inferred.adapter.launches[0].is_launcher);
}

// A function of the host may have the kernel's name and take what the op has nothing for.
TEST(Launcher, IsLeftForTheKernelOfItsNameWhereItCannotBeCalled) {
  const std::string
      kernel = "__global__ void softmax(float* out, const float* inp, int N, int C) { out[blockIdx.x] = 0; }\n",
      holder = "struct Holder { float* data; int N, C; };\n";
  const auto chosen = [&](const std::string& launcher) {
    UserKernel wanted;
    wanted.path = "k.cu";
    wanted.kernel = "softmax";
    wanted.op = "softmax_forward";
    return inferred(wanted, *read_text(kernel + holder + launcher));
  };
  const auto of_kernel =
      chosen("void softmax(Holder& a, Holder& b) { softmax<<<a.N, 64>>>(a.data, b.data, a.N, a.C); }");
  ASSERT_TRUE(of_kernel) << of_kernel.error().what;
  EXPECT_FALSE(of_kernel->adapter.launches.at(0).is_launcher);
  const auto called = chosen(
      "void softmax(float* out, const float* inp, int N, int C, int block_size) { softmax<<<N, block_size>>>(out, inp, "
      "N, C); }");
  ASSERT_TRUE(called) << called.error().what;
  EXPECT_TRUE(called->adapter.launches.at(0).is_launcher);
}

// The cases of a switch that share their code say nothing that is read: the other kernel may be what is called.
TEST(Launcher, OfOneOfSeveralKernelsForTheSameIsNotCalledWhereNothingSaysWhen) {
  const auto all = [](const std::string& second) {
    return candidates("softmax_forward", R"(
enum class How { plain, other, fast, faster };
__global__ void a(float* out, const float* data, int N, int C) { out[blockIdx.x * C] = data[blockIdx.x * C]; }
__global__ void b(float* out, const float* data, int N, int C) { out[blockIdx.x * C] = data[blockIdx.x * C]; }
void run(float* out, const float* inp, int N, int C, How how) {
  switch (how) {
    case How::plain:
    case How::other: a<<<N, 64>>>(out, inp, N, C); break;
    case How::fast:
    default: b<<<N, 64>>>()" + second + R"(); break;
  }
})");
  };
  const auto is_launcher = [](const Inferred& each) { return launch(each).is_launcher; };
  EXPECT_TRUE(std::ranges::none_of(all("out, inp, N, C"), is_launcher));
  EXPECT_TRUE(std::ranges::any_of(all("inp, out, N, C"), is_launcher)) << "another step, perhaps";
}

// The kernels' use of the outputs shows whether they are added to.
TEST(Launcher, OverwritesWhatItsKernelsOverwrite) {
  const auto launcher = [](const std::string& store) {
    const auto source = read_text(
        "__global__ void k(const float* dy, const float* x, const float* w, float* dx, float* dw, float* db, int T,"
        " int N, int K) { int i = threadIdx.x; dx[i] = dy[i]; " +
        store +
        " db[i] = 0; }\n"
        "void run(const float* dy, const float* x, const float* w, float* dx, float* dw, float* db, int T, int N,"
        " int K) {\n  k<<<1, 32>>>(dy, x, w, dx, dw, db, T, N, K);\n}\n");
    return infer_launcher(*source, source->functions.at(0), *find_op("linear_backward"), "k.cu");
  };
  EXPECT_TRUE(launcher("dw[i] = x[i];").unknown.empty());
  EXPECT_EQ(launcher("dw[i] += x[i];").open_attrs, std::vector<std::string>{"dw"});
}

}  // namespace
}  // namespace assay
