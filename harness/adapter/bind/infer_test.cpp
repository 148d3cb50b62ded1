// Tests what is inferred of kernels as other people write them, and what stays open because the source does not show
// it.
#include <gmock/gmock.h>

#include <set>

#include "harness/adapter/bind/match.h"
#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

TEST(Arguments, MayBeComputedByTheCaller) {
  const Inferred one =
      infer("adamw",
            "__global__ void k(float* w, float* m, float* v, const float* g, float lr, float beta1,\n"
            "                  float beta2, float bc1, float bc2, float eps, float weight_decay, int n,\n"
            "                  float grad_scale) {}");
  const Texts& all = launch(one).args;
  EXPECT_THAT(all.at(7), AllOf(HasSubstr("beta1"), HasSubstr("t)")));
  EXPECT_THAT(all.at(8), AllOf(HasSubstr("beta2"), HasSubstr("t)")));
  EXPECT_THAT(fixes(one), Not(Contains(HasSubstr("t = ")))) << "both hang on it";
}

TEST(Arguments, AreComputedAsALaunchInAnotherFileDoes) {
  CudaSource source = read(
      "__global__ void k(float* y, const float* x, const float* gamma, int size, int each) { y[0] = x[size * each]; }\n"
      "void f(float* y, const float* x, const float* g, int n) {\n"
      "  int each = (n + 1023) / 1024;\n  k<<<1, 1024>>>(y, x, g, n, each);\n}");
  source.launches.at(0).function.reset();
  const auto all = candidate_adapters(source, source.kernels.at(0), *find_op("rms_norm_forward"), "k.cu");
  ASSERT_THAT(all, Not(testing::IsEmpty()));
  EXPECT_THAT(launch(all[0]).args.back(), HasSubstr("aE + 1023) / 1024"));
}

// Their errors are those that CUDA documents, and the source says that they are meant.
TEST(Budgets, AreThoseOfFastIntrinsicsWhereTheKernelCallsSome) {
  const auto fast = [](const std::string& exponential) {
    return infer("softmax_forward",
                 "__device__ float e(float x) { return " + exponential +
                     "; }\n__global__ void k(const float* x, float* y, int rows, int cols) { y[0] = e(x[0]); }\n")
        .adapter.fast_math;
  };
  EXPECT_TRUE(fast("__expf(x)"));
  EXPECT_FALSE(fast("expf(x)"));
}

TEST(Arguments, AreKnownByTheirOwnNames) {
  EXPECT_THAT(args("softmax_backward", "const float* y, const float* g, float* dx, int rows, int cols"),
              ElementsAre("y", "g", "dx", "rows", "cols"));
  EXPECT_THAT(args("softmax_forward", "float* d_y, const float* x_ptr, int64_t Rows, size_t num_cols"),
              ElementsAre("y", "x", "rows", "cols"));
}

TEST(Arguments, AreKnownByTheNamesOfTheField) {
  EXPECT_THAT(args("softmax_forward", "float* out, const float* inp, int N, int C"),
              ElementsAre("y", "x", "rows", "cols"));
  EXPECT_THAT(args("softmax_forward", "const float* input, float* output, int M, int N"),
              ElementsAre("x", "y", "rows", "cols"));
  EXPECT_THAT(args("softmax_backward", "T* grad_input, const T* grad_output, const T* output, int rows, int dim_size",
                   "template <class T> "),
              ElementsAre("dx", "g", "y", "rows", "cols"));
  EXPECT_THAT(args("softmax_backward", "float* d_x, const float* d_y, const float* y, int n_rows, int n_cols"),
              ElementsAre("dx", "g", "y", "rows", "cols"));
  EXPECT_THAT(
      args("rms_norm_backward",
           "float* dinp, float* dweight, const float* dout, const float* inp, const float* weight, int N, int C,"
           " float epsilon"),
      ElementsAre("dx", "dw", "g", "x", "w", "G", "dim", "eps"));
  EXPECT_THAT(
      args("embedding_backward", "float* dwte, const float* dout, const int* inp, int BT, int C, int vocab_size"),
      ElementsAre("dw", "g", "ids", "S", "dim", "vocab"));
  EXPECT_THAT(args("cross_entropy_forward_backward",
                   "const T* logits, const uint32_t* labels, T* dlogits, float* losses, int B, int num_classes,"
                   " unsigned ignore_index, const unsigned* count",
                   "template <typename T> "),
              ElementsAre("logits", "targets", "grad", "loss", "N", "V", "pad_id", "count"));
  EXPECT_THAT(args("attention_forward",
                   "const half* q, const half* k, const half* v, half* out, float* softmax_lse, int batch_size,"
                   " int seqlen_q, int seqlen_k, int num_heads, int num_kv_heads, int head_dim, float softmax_scale,"
                   " bool is_causal"),
              ElementsAre("q", "k", "v", "o", "lse", "B", "Sq", "Sk", "H", "HK", "D", HasSubstr("scale == \"auto\""),
                          "causal"));
  EXPECT_THAT(args("transpose_2d", "float* odata, const float* idata, int height, int width"),
              ElementsAre("out", "in", "rows", "cols"));
}

TEST(Arguments, ThatCouldBeTwoThingsStayOpen) {
  const Inferred one_number = infer("softmax_forward", "__global__ void k(const float* x, float* y, int N) {}");
  EXPECT_THAT(one_number.adapter.launches[0].args, ElementsAre("x", "y", "?"));
  EXPECT_THAT(one_number.unknown, Contains(HasSubstr("argument 3 of k, the number 'N': it could be rows or cols")));
  EXPECT_THAT(args("softmax_forward", "const float* inp, const float* logits, float* y"), ElementsAre("?", "?", "y"));
  EXPECT_THAT(args("softmax_forward", "const float* banana, float* y"), ElementsAre("?", "y"));
  EXPECT_THAT(args("softmax_forward", "const float*, float* y"), ElementsAre("?", "y"));
}

TEST(Arguments, OfAnotherTypeStayOpen) {
  EXPECT_THAT(args("softmax_forward", "const float* x, const float* y"), ElementsAre("x", "?"));
  EXPECT_THAT(args("softmax_forward", "const int* x, float* y, float rows, float cols"),
              ElementsAre("?", "y", "?", "?"));
  EXPECT_THAT(args("embedding_backward", "const float* g, const int64_t* ids, half* dw"), ElementsAre("g", "?", "?"));
  EXPECT_THAT(args("rms_norm_forward", "const float* x, float* y, int eps"), ElementsAre("x", "y", "?"));
  const Inferred inferred = infer("embedding_backward", "__global__ void k(const int64_t* ids) {}");
  EXPECT_THAT(inferred.unknown, Contains(AllOf(HasSubstr("its name fits ids"), HasSubstr("const long*"))));
}

TEST(Types, OfPointersLeaveTheirDtypes) {
  const auto dtypes = [](const std::string& text) { return infer("softmax_forward", text).adapter.dtypes; };
  EXPECT_THAT(dtypes("__global__ void k(const float* x, float* y) {}"), ElementsAre(DType::f32));
  EXPECT_THAT(dtypes("__global__ void k(const __half* x, half* y) {}"), ElementsAre(DType::f16));
  EXPECT_THAT(dtypes("__global__ void k(const nv_bfloat16* x, __nv_bfloat16* y) {}"), ElementsAre(DType::bf16));
  EXPECT_THAT(dtypes("template <class T> __global__ void k(const T* x, T* y) {}"), SizeIs(3));
  EXPECT_THAT(dtypes("using floatX = half;\n__global__ void k(const floatX* x, floatX* y) {}"),
              ElementsAre(DType::f16));
  EXPECT_THAT(dtypes("typedef float real;\n__global__ void k(const real* x, real* y) {}"), ElementsAre(DType::f32));
  EXPECT_THAT(infer("softmax_forward", "__global__ void k(const half* x, float* y) {}").unknown,
              Contains(HasSubstr("the element types of k: its tensors are of several")));
  EXPECT_TRUE(infer("softmax_forward", "__global__ void k(const elem* x, elem* y) {}").dtype_is_open);
}

TEST(Entry, GivesTemplateArguments) {
  const auto entry = [](const std::string& text) {
    return infer("rms_norm_forward", text).adapter.launches.at(0).entry;
  };
  EXPECT_EQ(entry("namespace a { template <typename S> __global__ void k(const S* x, S* y) {} }"), "a::k<T>");
  EXPECT_EQ(entry("template <class S, class R> __global__ void k(const S* x, R* rstd) {}"), "k<T, float>");
  EXPECT_EQ(entry("template <class S, int BLOCK = 256> __global__ void k(const S* x, S* y) {}"), "k<T>");
  EXPECT_EQ(entry("template <int BLOCK> __global__ void k(const float* x) {}\n"
                  "void f(const float* x) { k<128><<<1, 128>>>(x); }"),
            "k<128>");
  EXPECT_EQ(entry("#define TILE 64\ntemplate <int BLOCK> __global__ void k(const float* x) {}\n"
                  "void f(const float* x) { k<TILE><<<1, 128>>>(x); }"),
            "k<64>");
  EXPECT_THAT(infer("rms_norm_forward", "template <int BLOCK> __global__ void k(const float* x) {}").unknown,
              Contains(HasSubstr("the template argument BLOCK of k")));
}

// It computes something else into what the op does not have.
TEST(Missing, TheResultOfAnOpIsNotLeftOutBesideScratch) {
  CudaSource source = read(
      "__global__ void k(const float* x, float* state, float* mean, float* rstd, const float* gamma,\n"
      "                  const float* beta, int T, int E) {\n"
      "  state[blockIdx.x] += x[threadIdx.x]; mean[blockIdx.x] = rstd[blockIdx.x] = 1;\n}\n"
      "void f(const float* x, float* s, float* m, float* r, const float* g, const float* b, int T, int E) {\n"
      "  k<<<T, E>>>(x, s, m, r, g, b, T, E);\n}");
  source.kernels[0].uses["state"].written = true;
  const auto all = candidate_adapters(source, source.kernels[0], *find_op("layer_norm_forward"), "k.cu");
  const auto scratch = [](const Inferred& each) { return each.adapter.launches.at(0).args[1] == "workspace"; };
  for (const Inferred& each : all) EXPECT_FALSE(scratch(each) && std::ranges::count(each.adapter.omits, "y") > 0);
  EXPECT_FALSE(all.empty());
}

TEST(Missing, ElementTypesThatAreSpelledOutSettleAnAttribute) {
  const std::string sizes = ", int M, int N, int K) {}",
                    inputs = "template <class T> __global__ void k(const T* a, const T* b, ";
  EXPECT_THAT(fixes(infer("gemm", inputs + "float* c" + sizes)), Contains("out = f32"));
  EXPECT_THAT(fixes(infer("gemm", inputs + "T* c" + sizes)), Not(Contains(HasSubstr("out"))));
}

TEST(Missing, OutputsAndBuiltInNumbersAreSaid) {
  EXPECT_THAT(infer("softmax_forward", "__global__ void k(const float* x, int rows, int cols) {}").unknown,
              Contains(HasSubstr("the output y: no parameter takes it")));
  const std::string parameters = "const float* x, const float* gamma, float* y, float* rstd, int T, int aE";
  EXPECT_THAT(fixes(infer("rms_norm_forward", "__global__ void k(" + parameters + ") { s + 1e-5f; }")),
              ElementsAre("pad = 0", "eps = 1e-5"));
  EXPECT_THAT(fixes(infer("rms_norm_forward", "__global__ void k(" + parameters + ") { s + 1e-8f; }")),
              ElementsAre("pad = 0", "eps = 1e-8"))
      << "none of the numbers that are swept";
  const Inferred without_rstd = infer(
      "rms_norm_forward", "__global__ void k(const float* x, const float* w, float* y, int T, int aE, float eps) {}");
  EXPECT_THAT(without_rstd.adapter.omits, ElementsAre("rstd"));
  EXPECT_THAT(without_rstd.remarks, Contains("No parameter takes the output rstd, so it is not judged."));
  EXPECT_THAT(infer("rms_norm_forward", "__global__ void k(" + parameters + ") { }").unknown,
              Contains(HasSubstr("eps (added to the mean square): no parameter takes it")));
  const Inferred without_dim = infer("swiglu_forward", "__global__ void k(const float* x, float* y, int T) {}");
  EXPECT_THAT(without_dim.guesses, ElementsAre("the kernel needs no dim")) << "T may count something else";
  const Inferred backward =
      infer("attention_backward", "__global__ void k(const float* q, const float* lse, const float* delta) {}");
  EXPECT_THAT(fixes(backward), Contains("saved = lse_delta"));
  EXPECT_THAT(backward.unknown, Contains(AllOf(HasSubstr("layout"), HasSubstr("token_major, head_major"))));
}

// A contract that has tensors overwritten or added to, as an attribute says.
TEST(Missing, WhetherOutputsAreAddedToIsSeenOrAsked) {
  const auto backward = [](const std::string& body) {
    return infer("linear_backward",
                 "__global__ void k(const float* dy, const float* x, const float* w, float* dx, float* dw, float* db, "
                 "int T, int N, int K) { int i = T, j = N, n = K; float a = 1, b = 2, c = 3; " +
                     body + " }");
  };
  const Inferred overwrites = backward("dx[i] = a; dw[j] = b; *(db + n) = c;");
  EXPECT_THAT(fixes(overwrites), ElementsAre("dx = overwrite", "dw = overwrite"));
  EXPECT_THAT(overwrites.remarks, Contains(HasSubstr("Nothing is added to dw, db, so dw (what becomes of dW and db)")));
  const Inferred cleared = backward("dx[i] = a; atomicAdd(&dw[j], b); atomicAdd(db + n, c);");
  EXPECT_THAT(fixes(cleared), ElementsAre("dx = overwrite", "dw = overwrite"));
  EXPECT_THAT(cleared.remarks, Contains(HasSubstr("What is added to dw, db begins at 0, so dw")));
  for (const char* adds : {"dw[j] += b;", "dw[j] = dw[j] + b;", "float old = __ldg(&dw[j]); dw[j] = old + b;"}) {
    const Inferred added = backward("dx[i] = a; db[n] = c; " + std::string(adds));
    EXPECT_THAT(fixes(added), ElementsAre("dx = overwrite")) << adds;
    EXPECT_THAT(added.open_attrs, ElementsAre("dw")) << adds;
    EXPECT_THAT(added.unknown, Contains(AllOf(HasSubstr("whether dw, db is added to"),
                                              HasSubstr("which of overwrite, accumulate the kernel does"))));
  }
}

TEST(Several, KernelsAreLaunchedInOrder) {
  const CudaSource source = read(
      "__global__ void first(const float* x, float* rstd, int T, int aE) {}\n"
      "__global__ void second(const float* x, const float* w, float* y, float eps) {}\n");
  const Inferred inferred =
      infer_adapter(source, {&source.kernels.at(0), &source.kernels.at(1)}, *find_op("rms_norm_forward"), "k.cu");
  ASSERT_THAT(inferred.adapter.launches, SizeIs(2));
  EXPECT_EQ(inferred.adapter.launches[1].entry, "second");
  EXPECT_THAT(inferred.unknown, Not(Contains(HasSubstr("output"))));
}

TEST(LikelyOps, ComeFromNamesAndParameters) {
  const auto best = [](const std::string& text) {
    const Texts ops = likely_ops(read("__global__ void " + text + " {}").kernels.at(0));
    return ops.empty() ? "none" : ops[0];
  };
  const auto named = [](const std::string& name) {
    return op_by_name(read("__global__ void " + name + "(float* x) {}").kernels.at(0));
  };
  EXPECT_EQ(named("gelu_kernel"), "gelu_forward");
  EXPECT_EQ(named("gelu_grad"), "gelu_backward");
  EXPECT_EQ(named("RMSNorm"), "rms_norm_forward");
  EXPECT_EQ(named("causal_softmax_v2"), "causal_softmax");
  EXPECT_EQ(named("sgemm_v6"), "gemm");
  EXPECT_EQ(named("matmulTiled"), "gemm");
  EXPECT_EQ(named("dequantize_q8"), "dequantize");
  EXPECT_EQ(named("matmul_transpose"), "") << "two things";
  EXPECT_EQ(named("banana"), "");
  EXPECT_EQ(best("softmax_forward_kernel1(float* out, const float* inp, int N, int C)"), "softmax_forward");
  EXPECT_EQ(best("softmaxBwd(const float* dy, const float* y, float* dx, int rows, int cols)"), "softmax_backward");
  EXPECT_EQ(best("softmax_bwd(const float* banana, float* kiwi)"), "softmax_backward");
  EXPECT_EQ(best("rmsnorm_fwd(const float* x, const float* weight, float* out, int n, int dim, float eps)"),
            "rms_norm_forward");
  EXPECT_EQ(best("rms_norm_grad(const float* x, const float* g, const float* w, float* dx, float* dw, int dim)"),
            "rms_norm_backward");
  EXPECT_EQ(best("transpose(const float* in, float* out, int rows, int cols)"), "transpose_2d");
  EXPECT_EQ(best("topk(float* logits, int rows, int V, int k)"), "top_k_mask");
  EXPECT_EQ(best("flash_attn_fwd(const half* q, const half* k, const half* v, half* o, float* lse)"),
            "attention_forward");
  EXPECT_EQ(best("apply_rope(const float* x, const float* inv_freq, float* out, int T, int H, int D)"), "rope");
  EXPECT_EQ(best("crunch(const int* a, long b, double c)"), "none");
}

// A name that stands twice in one contract can match nothing, or the wrong thing.
TEST(Aliases, AreNobodysOwnNameAndListedOnce) {
  size_t count = 0;
  for (const Contract& op : all_ops()) {
    const std::vector<Binding> bindings = bindings_of(op);
    for (const Binding& binding : bindings) {
      std::set<std::string> seen;
      for (const std::string& alias : binding.aliases) {
        ++count;
        EXPECT_TRUE(seen.insert(plain_name(alias)).second) << op.name << ": " << binding.name << ": " << alias;
        for (const Binding& other : bindings)
          EXPECT_FALSE((other.kind == Binding::tensor) == (binding.kind == Binding::tensor) && other.name == alias)
              << op.name << ": " << alias << " is another name of " << binding.name << " and one of its own";
      }
    }
  }
  EXPECT_GT(count, 100u);
}

TEST(Atomics, MakeSumsThatBeginAtZeroInAnyOrder) {
  const Inferred inferred = infer("softmax_forward",
                                  "__global__ void k(const float* x, float* y, int rows, int cols) {\n"
                                  "  float* row = y + blockIdx.x * cols; atomicAdd(&row[threadIdx.x], x[0]);\n}");
  EXPECT_FALSE(inferred.adapter.deterministic);
  EXPECT_THAT(inferred.adapter.zero, ElementsAre("y"));
}

TEST(Atomics, InSharedMemoryComeInAnyOrderAsWell) {
  const auto deterministic = [](const std::string& element) {
    return infer("softmax_forward", "__global__ void k(const float* x, float* y, int rows, int cols) {\n  __shared__ " +
                                        element + " sum; atomicAdd(&sum, x[threadIdx.x]); y[0] = sum;\n}")
        .adapter.deterministic;
  };
  EXPECT_FALSE(deterministic("float"));
  EXPECT_TRUE(deterministic("int"));
}

TEST(Bits, OfAFloatAreWhatTheFileNames) {
  const auto dtypes = [](const std::string& head) {
    return infer("softmax_forward", head + "__global__ void k(const unsigned short* x, unsigned short* y) {}")
        .adapter.dtypes;
  };
  EXPECT_THAT(dtypes("__device__ float bf16_to_float(unsigned short v) { return v; }\n"), ElementsAre(DType::bf16));
  EXPECT_THAT(dtypes("__device__ float f(unsigned short v) { return __half2float(v); }\n"), ElementsAre(DType::f16));
  EXPECT_THAT(dtypes(""), ElementsAre(DType::bf16, DType::f16));
}

TEST(MissingInput, IsAGuess) {
  EXPECT_THAT(infer("softmax_backward", "__global__ void k(const float* y, float* dx, int rows, int cols) {}").guesses,
              Contains("k computes softmax_backward without g"));
}

// Through a function of its own; what tensor cores add up in says nothing.
TEST(Infer, OperandsOfTensorCoresAreRoundedAsTheirFragmentsAre) {
  const auto accumulated = [](const std::string& tensors, const std::string& multiplied, const std::string& summed) {
    return infer("gemm", R"(#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
template <class Multiplied> __device__ void multiply(const float* a, float* c, int K) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, Multiplied, wmma::row_major> rows;
  wmma::fragment<wmma::accumulator, 16, 16, 16, )" +
                             summed + R"(> sums;
}
__global__ void gemm(const )" +
                             tensors + " *a, const " + tensors + "* b, " + tensors + R"(* c, int M, int N, int K) {
  multiply<)" + multiplied + R"(>((const float*)a, (float*)c, K);
})")
        .adapter.accumulate;
  };
  EXPECT_EQ(accumulated("float", "half", "float"), Accumulate::f16_operands);
  EXPECT_EQ(accumulated("float", "__nv_bfloat16", "float"), Accumulate::bf16_operands);
  EXPECT_EQ(accumulated("float", "wmma::precision::tf32", "half"), Accumulate::tf32);
  EXPECT_EQ(accumulated("half", "half", "float"), Accumulate::f32) << "as they are";
}

TEST(Infer, OfABaseThatIsWrittenInItAKernelMakesItsFrequencies) {
  const auto of = [](const std::string& base) {
    return infer("rope",
                 "__global__ void k(float* out, const float* x, int T, int H, int D, int pos_offset) {\n"
                 "  out[0] = x[0] * cosf(pos_offset * powf(" +
                     base + ", -2.0f / D));\n}");
  };
  const Inferred one = of("10000.0f");
  ASSERT_THAT(one.adapter.ranges, SizeIs(1));
  EXPECT_THAT(one.adapter.ranges[0].values, ElementsAre("10000"));
  EXPECT_THAT(one.adapter.rounds, ElementsAre("inv_freq"));
  EXPECT_THAT(of("12345.0f").adapter.rounds, IsEmpty());
}

TEST(Infer, AnOptionalNumberIsOneThatTheKernelAdds) {
  const auto loss = [](const std::string& given, const std::string& value) {
    return fixes(infer("cross_entropy_forward_backward",
                       "__global__ void k(const float* " + given +
                           ", const int* targets, float* losses, int N, int V) {\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  const float x = " +
                           given + "[i * V + targets[i]], tiny = 1e-7f;\n  if (i < N) losses[i] = -logf(" + value +
                           ");\n}"));
  };
  EXPECT_THAT(loss("probs", "x + 1e-8f"), IsSupersetOf({"given = probs", "eps = 1e-8"}));
  EXPECT_THAT(loss("probs", "tiny + x"), Contains("eps = 1e-7"));
  for (const char* not_added : {"fmaxf(x, 1e-8f)", "x < tiny ? tiny : x"})
    EXPECT_THAT(loss("probs", not_added), AllOf(Contains("given = probs"), Not(Contains(StartsWith("eps")))))
        << not_added;
  EXPECT_THAT(loss("logits", "x + 1e-8f"), Not(Contains(StartsWith("eps")))) << "the op has none with logits";
}

TEST(Infer, NothingLiesInWhatAnotherInputReplaces) {
  const auto all =
      candidates("cross_entropy_forward_backward",
                 "__global__ void k(const float* logits, const int* targets, float* grad, int N, int V) {\n"
                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "  if (i < N * V) grad[i] = logits[i] + targets[i / V];\n}");
  ASSERT_THAT(all, Not(IsEmpty()));
  for (const Inferred& each : all) EXPECT_THAT(fixes(each), Not(Contains("alias = grad:probs")));
}

}  // namespace
}  // namespace assay
