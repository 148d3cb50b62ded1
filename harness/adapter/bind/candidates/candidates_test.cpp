// The candidates for a kernel whose file leaves open how it is called: which are tried, and in which order.
#include <gmock/gmock.h>

#include <set>
#include <span>

#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;

TEST(Candidates, OfAClearKernelAreOneWithoutAGuess) {
  const auto all = candidates("softmax_forward",
                              "__global__ void k(const float* x, float* y, int rows, int cols) { int r = blockIdx.x;"
                              " for (int c = threadIdx.x; c < cols; c += blockDim.x) y[r * cols + c] = x[c]; }");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].guesses, IsEmpty());
  EXPECT_THAT(all[0].launch_guesses, IsEmpty());
}

TEST(Candidates, BindNamesThatSayNothingBothWays) {
  const auto all = candidates("transpose_2d",
                              "__global__ void k(float* a, float* b, int nx, int ny) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  int j = blockIdx.y * blockDim.y + threadIdx.y;\n"
                              "  if (i < nx && j < ny) b[at(j, nx, i)] = a[at(i, ny, j)];\n}");
  ASSERT_GE(all.size(), 2u);
  std::vector<Texts> args;
  for (const Inferred& each : all) {
    EXPECT_THAT(each.unknown, IsEmpty());
    EXPECT_NE(launch(each).args.at(0), "out") << "the body writes b";
    args.push_back(launch(each).args);
  }
  EXPECT_THAT(args, Contains(ElementsAre("in", "out", "rows", "cols")));
  EXPECT_THAT(args, Contains(ElementsAre("in", "out", "cols", "rows")));
  EXPECT_THAT(launch(all[0]).grid, ElementsAre("ceil_div(rows, 16)", "ceil_div(cols, 16)"));
  EXPECT_THAT(all[0].guesses, Not(IsEmpty()));
  EXPECT_THAT(all[0].launch_guesses, IsEmpty()) << "the indices say it all";
}

TEST(Candidates, AreOfTheInstancesThatACompilerMade) {
  CudaSource source = read(
      "template <typename T, int kTile, bool kFast>\n"
      "__global__ void k(const T* x, T* y, int rows, int cols) {\n"
      "  const int r = blockIdx.x; for (int c = threadIdx.x; c < cols; c += blockDim.x)\n"
      "    y[r * cols + c] = x[r * cols + c] * kTile; }");
  const auto all = [&] { return candidate_adapters(source, source.kernels[0], *find_op("softmax_forward"), "k.cu"); };
  std::set<std::string> made;
  EXPECT_THAT(all(), IsEmpty()) << "nothing says which";
  source.by_nvcc = true;
  source.kernels[0].instances = {{{"__half", "64", "true"}, {96, 1, 1}, 1000}, {{"__half", "16", "false"}, {}, 8}};
  for (const Inferred& each : all()) {
    made.insert(launch(each).entry);
    EXPECT_EQ(std::ranges::count(each.adapter.blocks, 128), 0) << "__launch_bounds__(96) of one, and warps of 32";
    EXPECT_THAT(each.adapter.dtypes, ElementsAre(DType::f16));
  }
  EXPECT_THAT(made, ElementsAre("k<T, 16, false>", "k<T, 64, true>"));
}

TEST(Candidates, TakeSizesThatNothingNamesForOneOrForThoseThatCountAlike) {
  const auto fixed = [](const std::string& op, const std::string& parameters, const std::string& body) {
    std::set<Texts> all;
    for (const Inferred& each : candidates(op, "__global__ void k(" + parameters + ") {\n" + body + "}")) {
      Texts sizes;
      for (const std::string& fix : fixes(each))
        if (is_one_of(fix.substr(0, fix.find(' ')), {"B", "H", "HK", "Sk", "M"})) sizes.push_back(fix);
      all.insert(sizes);
    }
    return all;
  };
  EXPECT_THAT(fixed("attention_forward",
                    "const float* q, const float* k, const float* v, float* o, int seq_len, int head_dim, float scale",
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= seq_len) return;\n"
                    "  o[i * head_dim] = q[i * head_dim] * k[i * head_dim] * v[0];\n"),
              Contains(ElementsAre("B = 1", "Sk = Sq", "H = 1", "HK = 1")));
  EXPECT_THAT(
      fixed("gemm", "const float* a, const float* b, float* c, int L, int d",
            "  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (row >= L || col >= L) return;\n  float sum = 0;\n"
            "  for (int i = 0; i < d; ++i) sum += a[row * d + i] * b[col * d + i];\n  c[row * L + col] = sum;\n"),
      Contains(ElementsAre("M = N")));
}

TEST(Candidates, AreOfTheOnlyTypeThatTheFileMakes) {
  CudaSource source = read("template <typename T> __global__ void k(const T* x, T* y, int rows, int cols) {}");
  const auto inferred = [&] { return infer_adapter(source, source.kernels[0], *find_op("softmax_forward"), "k.cu"); };
  EXPECT_THAT(inferred().adapter.dtypes, Contains(DType::bf16));
  source.kernels[0].instances = {{.arguments = {"float"}}};
  EXPECT_THAT(inferred().adapter.dtypes, ElementsAre(DType::f32)) << "others may read a float4";
  EXPECT_THAT(inferred().remarks, Contains("Judged in f32 alone, as the file makes k."));
}

TEST(Candidates, TakeOneNumberForAWholeInput) {
  const auto all = candidates("rms_norm_forward",
                              "template <int THREADS = 256>\n"
                              "__global__ void k(float* x, float* y, float g, int N, int K) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x; const float eps = 1e-5f;\n"
                              "  y[i] = x[i] * rsqrtf(sum<THREADS>(x[i] * x[i]) / K + eps) * g;\n}\n"
                              "void f(float* x, float* y, float g, int N, int K) { k<<<N, 256>>>(x, y, g, N, K); }");
  ASSERT_THAT(all, Not(IsEmpty()));
  const Inferred one = first(all, [](const Inferred& each) {
    return launch(each).args == Texts{"x", "y", "gamma[0]", "T", "aE"} && launch(each).block == Texts{"256"};
  });
  ASSERT_THAT(one.adapter.constants, SizeIs(1)) << "the block is the template's, a row a block";
  EXPECT_EQ(one.adapter.constants[0].tensor, "gamma");
  EXPECT_THAT(one.guesses, Contains("g is gamma[0]"));
}

TEST(Candidates, KnowThatOneElementIsNotIndexed) {
  const auto all =
      candidates("cross_entropy_forward_backward",
                 "__global__ void k(float* dlogits, float* losses, const float* logits,\n"
                 "                  const float* dlosses, const int* targets, int B, int T, int V, int P) {\n"
                 "  int i = blockIdx.x; losses[i] = logits[i * P + targets[i]]; dlogits[i * P] = V;\n}");
  ASSERT_THAT(all, Not(IsEmpty()));
  EXPECT_THAT(std::vector(launch(all[0]).args.begin(), launch(all[0]).args.begin() + 5),
              ElementsAre("grad", "loss", "logits", "nullptr", "targets"))
      << "dlosses is not count, which is one number";
  EXPECT_TRUE(std::ranges::any_of(std::span(all).first(16), [](const Inferred& each) {
    return testing::Value(launch(each).args,
                          ElementsAre("grad", "loss", "logits", "nullptr", "targets", "N", "1", "V", "V"));
  }));
  for (const char* formula : {"loss = total", "loss = rows"})
    EXPECT_TRUE(std::ranges::any_of(all, [&](const Inferred& each) {
      return testing::Value(fixes(each), Contains(formula));
    })) << formula;
}

// An output that is read before it is written may be added to or not: every choice is tried.
TEST(Candidates, AddToOutputsOrDoNot) {
  const auto all = candidates("linear_backward",
                              "__global__ void k(const float* dy, const float* x, const float* w, float* dx, float* dw,"
                              " float* db, int T, int N, int K) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < T * K) dx[i] += dy[i] * w[i];\n"
                              "  if (i < N * K) dw[i] += dy[i] * x[i];\n  if (i < N) db[i] += dy[i];\n}");
  std::vector<std::vector<std::string>> fixed;
  for (const Inferred& each : all) {
    fixed.emplace_back();
    for (const Fixed& fix : each.adapter.fixed) fixed.back().push_back(fix.name + "=" + fix.value);
  }
  for (const char* dx : {"dx=overwrite", "dx=accumulate"})
    for (const char* dw : {"dw=overwrite", "dw=accumulate"}) EXPECT_THAT(fixed, Contains(ElementsAre(dx, dw)));
}

TEST(Candidates, SumInHalvesWhereAKernelHasNoFloats) {
  const auto halves = [](const std::string& body) {
    const auto all =
        candidates("rms_norm_forward",
                   "__global__ void k(half* x, half* y, float g, int N, int K) {\n"
                   "  int i = blockIdx.x * blockDim.x + threadIdx.x; const half eps = __float2half(1e-5f);\n" +
                       body +
                       " y[i] = x[i] * hrsqrt(v / __int2half_rn(K) + eps) * __float2half(g);\n}\n"
                       "void f(half* x, half* y, float g, int N, int K) { k<<<N, 256>>>(x, y, g, N, K); }");
    const Inferred one = first(all, [](const Inferred& each) { return each.adapter.accumulate != Accumulate::f32; });
    EXPECT_EQ(all.at(0).adapter.accumulate, Accumulate::f32) << "what is not guessed comes first";
    return one.adapter.accumulate;
  };
  EXPECT_EQ(halves("half v = block_reduce(x[i] * x[i]);"), Accumulate::f16);
  EXPECT_EQ(halves("float v = block_reduce(x[i] * x[i]);"), Accumulate::f32);
  EXPECT_EQ(halves("float4 moved = *(float4*)x; half v = block_reduce(x[i] * x[i]);"), Accumulate::f16);
}

TEST(Candidates, HoldAnInputAtOneThatNoParameterTakes) {
  const auto all =
      candidates("rms_norm_forward",
                 "__global__ void k(const float* x, float* y, int T, int dim, float eps) {\n"
                 "  int t = blockIdx.x; for (int d = threadIdx.x; d < dim; d += blockDim.x) y[t] = x[d];\n}");
  ASSERT_THAT(all, Not(IsEmpty()));
  ASSERT_THAT(all[0].adapter.constants, SizeIs(1));
  EXPECT_EQ(all[0].adapter.constants[0].value, 1);
  const Inferred product =
      infer("gemm", "__global__ void k(const float* p, const float* q, float* c, int M, int N, int K) {}");
  EXPECT_THAT(product.adapter.constants, IsEmpty()) << "a product of ones is right in any layout";
}

TEST(Candidates, AreForOneRowOrSquaresWhereAParameterIsMissing) {
  const auto rows = candidates("softmax_forward",
                               "__global__ void k(const float* in, float* out, int N) {\n"
                               "  for (int i = threadIdx.x; i < N; i += blockDim.x) out[i] = in[i];\n}");
  EXPECT_THAT(fixes(first(rows,
                          [](const Inferred& each) {
                            return launch(each).args == Texts{"x", "y", "cols"} && !fixes(each).empty();
                          })),
              ElementsAre("rows = 1"));
  const auto squares = candidates("transpose_2d",
                                  "__global__ void k(const float* in, float* out, int n) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x; int j = blockIdx.y * blockDim.y +"
                                  " threadIdx.y;\n  if (i < n && j < n) out[j * n + i] = in[i * n + j];\n}");
  EXPECT_THAT(fixes(first(squares, [](const Inferred& each) { return fixes(each) == Texts{"cols = rows"}; })),
              SizeIs(1));
}

TEST(Candidates, GiveClearedScratchToAPointerThatTheOpDoesNotHave) {
  const auto all = candidates("softmax_forward",
                              "__global__ void k(const float* x, float* y, float* total, int rows, int cols) {\n"
                              "  int r = blockIdx.x; atomicAdd(total, x[r]); y[r] = total[0];\n}");
  const Inferred one = first(all, [](const Inferred& each) {
    return launch(each).args == Texts{"x", "y", "workspace", "rows", "cols"};
  });
  EXPECT_THAT(one.adapter.zero, Contains("workspace"));
  EXPECT_THAT(one.remarks, Contains("What is written to total is not judged."));
  EXPECT_EQ(one.adapter.workspace, "4096 + 8 * max(rows, 1) * max(cols, 1)");
}

TEST(Candidates, TakeLaunchersWithGuesses) {
  const CudaSource source = read(
      "__global__ void k(const float* a, float* b, int n) { b[blockIdx.x] = a[n]; }\n"
      "void solve(const float* input, float* output, int n) { k<<<1, 256>>>(input, output, n); }");
  const auto all = candidate_adapters(source, source.kernels.at(0), *find_op("softmax_forward"), "k.cu");
  const Inferred one = first(all, [](const Inferred& each) { return launch(each).is_launcher; });
  ASSERT_THAT(one.adapter.launches, SizeIs(1));
  EXPECT_EQ(launch(one).entry, "solve");
}

TEST(Candidates, OfNamesOfOneLetterAreTriedBothWays) {
  const CudaSource source = read(
      "__global__ void turn(const float* a, float* b, int m, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < m * n) b[i] = a[i % m * n + i / m];\n}");
  const auto tried = candidates_for_kernel(source, source.kernels.at(0), *find_op("transpose_2d"), "k.cu");
  ASSERT_THAT(tried, SizeIs(2));
  EXPECT_THAT(launch(tried[0]).args, ElementsAre("in", "out", "rows", "cols"));
  EXPECT_THAT(launch(tried[1]).args, ElementsAre("in", "out", "cols", "rows"));
}

TEST(Candidates, OfSizesNamedAfterWhatIsReadOrWrittenAreTriedBothWays) {
  const auto sizes = [](const std::string& op) {
    const CudaSource source = read(
        "__global__ void k(const float* in, float* out, int rows, int cols) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < rows * cols) out[i] = in[i % rows * cols + i / rows];\n}");
    std::vector<std::string> all;
    for (const Inferred& each : candidates_for_kernel(source, source.kernels.at(0), *find_op(op), "k.cu"))
      all.push_back(launch(each).args.at(2) + " by " + launch(each).args.at(3));
    return all;
  };
  EXPECT_THAT(sizes("transpose_2d"), ElementsAre("rows by cols", "cols by rows"));
  EXPECT_THAT(sizes("softmax_forward"), Each("rows by cols"));
}

// llm.c's classifier is such a kernel: its gradients overwrite the logits.
TEST(Candidates, OfOnePointerForInputAndOutputAreInPlace) {
  const auto all = candidates("cross_entropy_forward_backward",
                              "__global__ void k(float* logits, float* losses, const int* targets, int B, int V) {\n"
                              "  float* row = logits + blockIdx.x * V; losses[blockIdx.x] = row[targets[blockIdx.x]];\n"
                              "  for (int i = threadIdx.x; i < V; i += blockDim.x) row[i] = row[i] / 2;\n}");
  const Inferred& in_place = first(all, [](const Inferred& each) { return launch(each).args.at(0) == "grad"; });
  EXPECT_THAT(in_place.adapter.fixed, Contains(testing::FieldsAre("alias", "grad:logits")));
  EXPECT_THAT(in_place.remarks, Contains("The input logits is where grad is written."));
  EXPECT_THAT(in_place.guesses, Not(Contains(testing::HasSubstr("without logits"))));
}

// An attribute that the op got later is at its first choice, unless the kernel's name says something else.
TEST(Candidates, TakeTheChoiceThatTheKernelsNameHas) {
  const auto tried = [](const std::string& name) {
    const CudaSource source = read("__global__ void " + name +
                                   "(const float* x, float* y, int rows, int cols) { int r = blockIdx.x;"
                                   " for (int c = threadIdx.x; c < cols; c += blockDim.x) y[r * cols + c] = x[c]; }");
    return candidates_for_kernel(source, source.kernels.at(0), *find_op("softmax_forward"), "k.cu");
  };
  const auto fixed = [](const Inferred& candidate) {
    std::string text;
    for (const Fixed& each : candidate.adapter.fixed) text += each.name + "=" + each.value + " ";
    return text;
  };
  ASSERT_THAT(tried("softmax_fwd"), SizeIs(1));
  EXPECT_EQ(fixed(tried("softmax_fwd")[0]), "");
  const auto causal = tried("softmax_causal");
  ASSERT_THAT(causal, SizeIs(3));
  EXPECT_EQ(fixed(causal[0]), "causal=1 ");
  EXPECT_EQ(fixed(causal[1]), "causal=1 rows=cols ");
  EXPECT_EQ(fixed(causal[2]), "");
  EXPECT_THAT(causal[0].guesses, IsEmpty());
}

TEST(Candidates, TakeTheChoiceWhoseOwnNameTheKernelHas) {
  const auto format = [](const std::string& name) {
    const CudaSource source = read("__global__ void " + name +
                                   "(const unsigned char* q, float* y, int rows, int K) {\n"
                                   "  y[blockIdx.x * K + threadIdx.x] = q[blockIdx.x * K + threadIdx.x];\n}\n"
                                   "void f(const unsigned char* q, float* y, int rows, int K) {\n  " +
                                   name + "<<<rows, K>>>(q, y, rows, K);\n}");
    const auto all = candidates_for_kernel(source, source.kernels.at(0), *find_op("dequantize"), "k.cu");
    const Adapter& adapter = all.at(0).adapter;
    const auto fixed = std::ranges::find(adapter.fixed, "format", &Fixed::name);
    return fixed == adapter.fixed.end() ? "" : fixed->value;
  };
  EXPECT_EQ(format("dequantize_block_q4_K"), "q4_k");
  EXPECT_EQ(format("dequantize_q8_0_fp32_kernel"), "q8_0");
  EXPECT_EQ(format("dequantize_iq8_0"), "q4_0") << "a part of a word is none";
}

// The weights of a product are quantised so; its activations are not, too.
TEST(Candidates, TakeAWordOfANameForOneChoiceOnly) {
  const CudaSource source = read(
      "__global__ void gemv_q8_0(const unsigned char* W, const float* x, float* y, int N, int K) {\n"
      "  y[blockIdx.x] = W[blockIdx.x * K + threadIdx.x] * x[threadIdx.x];\n}\n"
      "void f(const unsigned char* W, const float* x, float* y, int N, int K) {\n"
      "  gemv_q8_0<<<N, K>>>(W, x, y, N, K);\n}");
  std::set<std::string> formats, activations;
  for (const Inferred& each : candidates_for_kernel(source, source.kernels.at(0), *find_op("gemm_nt_quant"), "k.cu"))
    for (const Fixed& fixed : each.adapter.fixed)
      (fixed.name == "activations" ? activations : formats).insert(fixed.value);
  EXPECT_THAT(formats, Contains("q8_0"));
  EXPECT_THAT(activations, Not(Contains("q8_0")));
}

// A (m, n) times B (n, p), as textbooks have it: their p is the op's N, whatever the letters say.
TEST(Candidates, TakeSizesForWhatTheIndicesDoWithThem) {
  const auto product = [](const std::string& sizes, const std::string& sum, const std::string& out) {
    return candidates("gemm", "__global__ void k(const float* A, const float* B, float* C, int " + sizes +
                                  ") {\n  int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
                                  "  int col = blockIdx.x * blockDim.x + threadIdx.x;\n  float sum = 0;\n  " +
                                  sum + "\n  int at = " + out + ";\n  C[at] = sum;\n}");
  };
  const auto likeliest = [](const std::vector<Inferred>& all) {
    std::string call = launch(all.at(0)).args[3] + launch(all[0]).args[4] + launch(all[0]).args[5];
    for (const Fixed& fixed : all[0].adapter.fixed)
      if (fixed.name == "layout") call += " " + fixed.value;
    return call;
  };
  EXPECT_EQ(
      likeliest(product("m, int n, int p",
                        "if (row < m && col < p) for (int k = 0; k < n; k++) sum += A[row * n + k] * B[k * p + col];",
                        "row * p + col")),
      "MKN nn");
  EXPECT_EQ(
      likeliest(product("N, int M, int d",
                        "if (row < M && col < d) for (int k = 0; k < N; k++) sum += A[k + row * N] * B[N * col + k];",
                        "(size_t)row * d + col")),
      "KMN nt");
  EXPECT_EQ(
      likeliest(product("M, int N, int K",
                        "if (row < M && col < N) for (int k = 0; k < K; k++) sum += A[k * M + row] * B[k * N + col];",
                        "row * N + col")),
      "MNK tn");
}

TEST(Candidates, BindLengthsOfRowsOneWay) {
  const auto all = candidates("transpose_2d",
                              "__global__ void k(float* a, float* b, int p, int q) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  int j = blockIdx.y * blockDim.y + threadIdx.y;\n"
                              "  if (i < p && j < q) b[j * p + i] = a[i * q + j];\n}");
  ASSERT_THAT(all, Not(IsEmpty()));
  EXPECT_THAT(launch(all[0]).args, ElementsAre("in", "out", "rows", "cols"));
  for (const Inferred& each : all) EXPECT_THAT(launch(each).args, Not(ElementsAre("in", "out", "cols", "rows")));
}

TEST(Candidates, AreForSquaresWhereAKernelHasOneSizeForThree) {
  const auto all = candidates(
      "gemm",
      "__global__ void k(const float* a, const float* b, float* c, int n) {\n"
      "  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (row < n && col < n) { float sum = 0;\n"
      "    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];\n    c[row * n + col] = sum; }\n}");
  ASSERT_THAT(all, Not(IsEmpty()));
  EXPECT_THAT(launch(all[0]).args, ElementsAre("a", "b", "c", "N"));
  EXPECT_THAT(fixes(all[0]), testing::IsSupersetOf({"M = N", "K = N", "bias = 0"}));
}

TEST(Candidates, AreFewAndComplete) {
  const auto all =
      candidates("softmax_forward", "__global__ void k(float* a, float* b, int n, int m) { b[0] = a[0]; }");
  EXPECT_LE(all.size(), 600u);
  for (size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1].cost, all[i].cost);
  EXPECT_GE(all.size(), 2u);
  for (const Inferred& each : all) EXPECT_THAT(launch(each).args, Not(Contains("?")));
}

}  // namespace
}  // namespace assay
