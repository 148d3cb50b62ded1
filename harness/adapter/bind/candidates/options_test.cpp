// Parameters take what the op has under no name of theirs.
#include <gmock/gmock.h>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/candidates/options.h"
#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<Texts> args_of(const std::vector<Inferred>& all) {
  std::vector<Texts> each;
  for (const Inferred& one : all) each.push_back(one.adapter.launches.at(0).args);
  return each;
}

TEST(Options, PartsOfARowAreTensors) {
  const auto all = candidates("swiglu_forward",
                              "__global__ void k(const float* a, const float* b, float* out, int n) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < n) out[i] = a[i] / (1 + expf(-a[i])) * b[i];\n}");
  EXPECT_THAT(args_of(all), Contains(ElementsAre("columns(in, 0, dim)", "columns(in, dim, dim)", "y", "T * dim")));
  for (const Texts& each : args_of(all)) {
    const auto parts = std::ranges::count_if(each, [](const std::string& arg) { return arg.starts_with("columns"); });
    EXPECT_TRUE(parts == 0 || (parts == 2 && each.at(3) != "T * 2*dim")) << testing::PrintToString(each);
  }
}

TEST(Options, AnOutputMayLieInAPartOfARow) {
  const auto all = candidates("swiglu_forward",
                              "__global__ void k(float* g, const float* u, int n) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < n) g[i] = g[i] / (1 + expf(-g[i])) * u[i];\n}");
  const Inferred one =
      first(all, [](const Inferred& each) { return each.adapter.in_place == Texts{"y:columns(in, 0, dim)"}; });
  EXPECT_THAT(one.adapter.launches.at(0).args, ElementsAre("y", "columns(in, dim, dim)", "T * dim"));
  EXPECT_THAT(one.guesses, Not(Contains(testing::HasSubstr("without in"))));
}

// Reading a null pointer is never right, unless the kernel asks for it.
TEST(Options, NullIsForPointersThatTheKernelTests) {
  const auto with = [](const std::string& bias) {
    return args_of(
        candidates("rms_norm_forward",
                   "__global__ void k(const float* x, float* y, const float* gamma, const float* extra, int T,\n"
                   "                  int dim, float eps) {\n"
                   "  int t = blockIdx.x; for (int d = threadIdx.x; d < dim; d += blockDim.x)\n"
                   "    y[t] = x[d] + " +
                       bias + ";\n}"));
  };
  EXPECT_THAT(with("(extra ? extra[d] : 0)"), Contains(Contains("nullptr")));
  EXPECT_THAT(with("extra[d]"), AllOf(Not(IsEmpty()), Each(Not(Contains("nullptr")))));
}

// With twelve sizes for two dims, the cheapest candidate costs far more than each size alone.
TEST(Options, ASizeOfAnAbsentTensorMayBeAnother) {
  const auto all = [](const std::string& positions) {
    return args_of(
        candidates("embedding_forward", "__global__ void k(const int* ids, const float* w, " + positions +
                                            "float* y, int seq_len, int dim) {\n"
                                            "  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;\n"
                                            "  if (r < seq_len && c < dim) y[r * dim + c] = w[ids[r] * dim + c];\n}"));
  };
  EXPECT_THAT(all(""), Contains(ElementsAre("ids", "w", "y", "S", "dim")));
  EXPECT_THAT(all("const float* wpe, ").at(0), ElementsAre("ids", "w", "pos", "y", "T", "dim"));
}

TEST(Options, IdsThatThreadsReadAreNoElementsOfRows) {
  const auto all =
      args_of(candidates("embedding_forward",
                         "template <class T, class V>\n"
                         "__global__ void k(const T* input_ids, int ids_len, const V* table, int dim, V* y) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i >= ids_len) return;\n"
                         "  for (int c = 0; c < dim; ++c) y[i * dim + c] = table[input_ids[i] * dim + c];\n}"));
  EXPECT_THAT(all.at(0).at(1), Not(testing::HasSubstr("*")));
  EXPECT_THAT(all, Contains(ElementsAre("ids", "S", "w", "dim", "y")));
}

TEST(Options, AWeightThatIsNotReadIsOne) {
  const auto all = args_of(candidates("rms_norm_forward",
                                      "__global__ void k(const __nv_bfloat16* x, const __nv_bfloat16* weight,\n"
                                      "                  __nv_bfloat16* output, int d_model, float eps) {\n"
                                      "  int row = blockIdx.x;\n"
                                      "  for (int j = threadIdx.x; j < d_model; j += blockDim.x)\n"
                                      "    output[row * d_model + j] = x[row * d_model + j];\n}"));
  EXPECT_THAT(all, Not(IsEmpty()));
  for (const Texts& each : all) EXPECT_TRUE(each.at(1) != "workspace" || each.at(0) == "gamma");
}

TEST(Options, AnOpWithoutBatchesHasOne) {
  const auto first_args = [](const std::string& batches) {
    return args_of(candidates("heads_to_tokens",
                              "__global__ void k(const float* in, float* out, int " + batches +
                                  ", int T, int H, int d) {\n"
                                  "  int b = blockIdx.x, h = blockIdx.y;\n"
                                  "  for (int t = threadIdx.x; t < T; t += blockDim.x)\n"
                                  "    for (int i = 0; i < d; ++i)\n"
                                  "      out[((b * T + t) * H + h) * d + i] = in[((b * H + h) * T + t) * d + i];\n}\n"
                                  "void f(const float* in, float* out, int " +
                                  batches +
                                  ", int T, int H, int d) {\n"
                                  "  k<<<dim3(" +
                                  batches + ", H), 64>>>(in, out, " + batches + ", T, H, d);\n}"))
        .at(0);
  };
  EXPECT_EQ(first_args("B").at(2), "1");
  EXPECT_EQ(first_args("batch_size").at(2), "1");
  EXPECT_NE(first_args("other").at(2), "1");
}

TEST(Options, ManyUnknownSizesHaveCandidates) {
  const CudaSource source = read(
      "__global__ void k(const float* x, float* y, int a, int b, int c, int d, int e, int f, int g, int h,\n"
      "                  int l, int m, int n, int o) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i + a + b + c + d + e + f + g + h + l + m + n + o]; "
      "}");
  EXPECT_THAT(ranked_bindings(source.kernels.at(0), *find_op("transpose_2d"), 4), Not(IsEmpty()));
}

TEST(Options, PointersOfOneTemplateTypeTakeElementsOrIds) {
  const auto all = args_of(candidates("embedding_backward",
                                      "template <class I, class T>\n"
                                      "__global__ void k(const I* input, const T* output, T* embed, int n, int m) {\n"
                                      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                      "  atomicAdd(embed + input[i / n] * n + i % n, output[i]);\n}\n"
                                      "void f(const int* in, const float* out, float* e, int n, int m) {\n"
                                      "  k<<<n, m>>>(in, out, e, n, m);\n}"));
  EXPECT_THAT(all, Not(IsEmpty()));
  for (const Texts& each : all) EXPECT_NE(each.at(1), "ids") << "it is of the sums' type";
}

TEST(Options, PointersToPointersThatAreReadHaveNone) {
  const std::string text =
      "__global__ void k(const float* x, float** y, int rows, int cols) {\n"
      "  y[blockIdx.x][threadIdx.x] = x[blockIdx.x * cols + threadIdx.x];\n}";
  EXPECT_THAT(candidates("softmax_forward", text), IsEmpty());
  EXPECT_THAT(infer("softmax_forward", text).unknown,
              Contains(testing::HasSubstr("'y': it points to pointers, which cases do not have")));
}

TEST(Options, BytesAreThoseOfAnyElements) {
  EXPECT_THAT(args_of(candidates("transpose_2d",
                                 "__global__ void k(const char* x, char* y, int rows, int cols) {\n"
                                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "  ((float*)(y + i * 4))[0] = ((const float*)(x + cols * 4 * i))[0];\n}\n"
                                 "void f(const char* x, char* y, int r, int c) { k<<<r, c>>>(x, y, r, c); }")),
              Contains(ElementsAre("in", "out", "rows", "cols")));
}

// An object of the launching function is nothing that the op has; the kernel's own parameter may be anything.
TEST(Options, ObjectsOfTheHostAreNotAskedFor) {
  const auto all =
      args_of(candidates("transpose_2d",
                         "struct Dims { long v[3]; const long& operator[](int i) const { return v[i]; } };\n"
                         "__global__ void k(const float* in, float* out, long m, long n, long batch) {\n"
                         "  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;\n"
                         "  if (x < n && y < m) out[blockIdx.z * batch + x * m + y] = in[y * n + x];\n}\n"
                         "void f(const Dims& strides, const float* in, float* out, long m, long n) {\n"
                         "  k<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(in, out, m, n, "
                         "strides[0]);\n}"));
  ASSERT_THAT(all, Not(IsEmpty()));
  for (const Texts& each : all) EXPECT_EQ(each.at(4).find("Dims"), std::string::npos) << each.at(4);
}

TEST(Options, BatchesAreTheRowsOfAnOpWithoutThem) {
  const auto sizes = [](const std::string& parameters) {
    const auto all = candidates(
        "softmax_forward", "__global__ void k(const float* x, float* y, " + parameters +
                               ") {\n"
                               "  int i = blockIdx.x; for (int j = 0; j < n; ++j) y[i * n + j] = x[i * n + j];\n}");
    return all.empty()
               ? Texts()
               : Texts(all[0].adapter.launches.at(0).args.begin() + 2, all[0].adapter.launches.at(0).args.end());
  };
  EXPECT_THAT(sizes("int batches, int n"), ElementsAre("rows", "cols"));
  EXPECT_THAT(sizes("int batches, int rows, int n"), ElementsAre("1", "rows", "cols"));
}

TEST(Options, ABlocksSizeIsThatOfItsLaunch) {
  const auto all = candidates(
      "softmax_forward",
      "__global__ void k(const float* x, float* y, int rows, int cols, int block_size) {\n"
      "  int r = blockIdx.x; for (int c = threadIdx.x; c < cols; c += block_size) y[r * cols + c] = x[c];\n}");
  ASSERT_FALSE(all.empty());
  for (size_t i = 0; i < std::min<size_t>(all.size(), 4); ++i)
    EXPECT_EQ(all[i].adapter.launches.at(0).args.at(4), all[i].adapter.launches[0].block.at(0));
}

TEST(Options, ALoopsBoundMayBeInBrackets) {
  const auto all =
      candidates("residual_add",
                 "#define LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += 32)\n"
                 "__global__ void k(const float* a, const float* b, float* out, int num) {\n"
                 "  LOOP(i, num) out[i] = a[i] + b[i];\n}");
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].adapter.launches.at(0).args.at(3), "T * aE");
}

// With no tokens at all a kernel in place is right that does nothing.
TEST(Options, ASizeByItsOwnNameIsNeverNothing) {
  const auto all =
      args_of(candidates("rope",
                         "__global__ void k(float* x, int T, int D, float base) {\n"
                         "  int t = blockIdx.x, i = threadIdx.x; if (t >= T || i >= D / 2) return;\n"
                         "  x[t * D + i] *= cosf(t / powf(base, i)); x[t * D + i + D / 2] = 0;\n}\n"
                         "void f(float* x, int T, int D, float base) { k<<<T, D / 2>>>(x, T, D, base); }"));
  ASSERT_FALSE(all.empty());
  for (const Texts& each : all) EXPECT_NE(each.at(1), "0");
}

TEST(Options, NoPointerIsTheWholeOfWhichOthersAreParts) {
  const auto all = args_of(candidates("swiglu_backward",
                                      "__global__ void k(const float* dh, const float* gate, const float* up,\n"
                                      "                  float* d_gate, float* d_up, int n) {\n"
                                      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                      "  if (i < n) { d_gate[i] = dh[i] * up[i]; d_up[i] = dh[i] * gate[i]; }\n}"));
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0], (Texts{"dy", "columns(in, 0, dim)", "columns(in, dim, dim)", "columns(din, 0, dim)",
                           "columns(din, dim, dim)", "T * dim"}));
  for (const Texts& each : all)
    EXPECT_FALSE(each[0] == "in" && each[1].starts_with("columns(in")) << testing::PrintToString(each);
}

TEST(Options, WhatIsOnlyReadIsATensorOfTheOpBeforeItIsNothing) {
  const auto all =
      candidates("gemm",
                 "__global__ void k(const float* A, const float* B, const float* C, float* D, int m, int n,\n"
                 "                  int k) {\n"
                 "  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + "
                 "threadIdx.x;\n"
                 "  float sum = 0; if (r >= m || c >= n) return;\n"
                 "  for (int i = 0; i < k; ++i) sum += A[r * k + i] * B[i * n + c];\n"
                 "  D[r * n + c] = sum + C[c];\n}");
  const auto place = [&](const std::string& argument) {
    return std::ranges::find_if(all, [&](const Inferred& each) { return launch(each).args.at(2) == argument; }) -
           all.begin();
  };
  EXPECT_LT(place("bias"), place("workspace"));
  EXPECT_LT(place("workspace"), std::ssize(all));
  EXPECT_TRUE(all.at(static_cast<size_t>(place("workspace"))).reads_zeros);
}

// For squares alone a wrong stride is right.
TEST(Options, TwoNumbersAreNotTheOneSizeOfSquares) {
  const auto all =
      candidates("residual_add",
                 "__global__ void k(const float* a, const float* b, float* c, int N, int M) {\n"
                 "  int r = blockIdx.x * blockDim.x + threadIdx.x, q = blockIdx.y * blockDim.y + threadIdx.y;\n"
                 "  if (r < N && q < M) c[r * N + q] = a[r * N + q] + b[r * N + q];\n}");
  EXPECT_THAT(all, Not(IsEmpty()));
  for (const Inferred& each : all) {
    const Texts& args = launch(each).args;
    EXPECT_FALSE(args.at(3) == args.at(4) && Texts(fixes(each)) == Texts{"aE = T"}) << testing::PrintToString(args);
  }
}

TEST(Options, HeadsOfKeysAndValuesAreThose) {
  const DimSpec heads{.name = "HK", .meaning = "", .aliases = {"num_kv_heads"}};
  const Binding binding{Binding::dim, heads.name, heads.aliases, heads.name, nullptr, nullptr};
  EXPECT_TRUE(is_called_like("key_value_heads", binding));
  EXPECT_FALSE(is_called_like("key_heads", binding));
}

// A body of which nothing says how far its blocks go.
TEST(Options, ThereMayBeNoExtentToShareOut) {
  EXPECT_THAT(candidates("gelu_forward",
                         "__global__ void k(float* A, int dim) {\n"
                         "  for (int i = 0; i < dim / blockDim.x; i++)\n"
                         "    A[dim * blockIdx.x + i * blockDim.x + threadIdx.x] *= 0.5;\n}\n"
                         "void f(float* x, int dim) { k<<<1, 256>>>(x, dim); }"),
              Not(IsEmpty()));
}

TEST(Options, ABatchMayBeThatOfHeads) {
  const auto all = candidates("causal_softmax",
                              "__global__ void k(const float* S, float* P, int B, int T) {\n"
                              "  int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= B * T) return;\n"
                              "  for (int j = 0; j <= r % T; ++j) P[r * T + j] = S[r * T + j];\n}");
  const Inferred one = first(all, [](const Inferred& each) {
    return launch(each).args == Texts{"scores", "probs", "H", "T"} && fixes(each) == Texts{"scale = 1", "aw = T"};
  });
  EXPECT_THAT(one.guesses, Contains("aw is T")) << "where rows have no padding";
}

TEST(Options, OfDoublesAKernelGetsCopies) {
  const auto all = candidates("transpose_2d",
                              "__global__ void k(const double* A, double* C, int M, int N) {\n"
                              "  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + "
                              "threadIdx.x;\n"
                              "  if (r < M && c < N) C[c * M + r] = A[r * N + c];\n}");
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(launch(all[0]).args, (Texts{"converted<double>(in)", "converted<double>(out)", "rows", "cols"}));
  EXPECT_THAT(all[0].adapter.dtypes, ElementsAre(DType::f32));
}

TEST(Options, TwoOutputsMayLieWhereTwoInputsWere) {
  const auto all = candidates("rope_qk", R"(
__global__ void turn(float* q, float* k, const float* cos, const float* sin, int H, int HK, int T, int D) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < H * T * D) q[i] = q[i] * cos[i] - sin[i];
  if (i < HK * T * D) k[i] = k[i] * cos[i] - sin[i];
})");
  EXPECT_THAT(fixes(first(all, [](const Inferred& each) { return launch(each).args[1] == "k_out"; })),
              Contains("alias = q_out:q,k_out:k"));
}

// A context's, say: the kernel asks for its block's size, too.
TEST(Options, ABlockSizeMayBeALength) {
  const auto all = candidates("heads_to_tokens", R"(
__global__ void rows(const float* in, float* out, int block_size, int H, int ad) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < block_size * H * ad) out[i] = in[i];
})");
  EXPECT_THAT(args_of(all), Contains(ElementsAre("in", "out", "T", "H", "ad")));
}

TEST(Options, OneTokenOfManyHeadsIsNoSingleRow) {
  const auto all = candidates("rope", R"(
__global__ void turn(float* out, const float* x, const float* inv_freq, int H, int D, int pos_offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < H * (D / 2)) out[i / (D / 2) * D + i % (D / 2)] = x[i] * inv_freq[i % (D / 2)] + pos_offset;
})");
  EXPECT_THAT(all, Contains(testing::Truly([](const Inferred& each) {
                return testing::Value(fixes(each), Contains("T = 1")) && launch(each).args[3] == "H";
              })));
}

// A number that a launch passes is no guess; a size that it passes so is that of some test.
TEST(Options, OfANumberAreThoseThatLaunchesPass) {
  const CudaSource source = read(
      "__global__ void k(const float* a, const float* b, float* out, float by, float and_by, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = a[i] * by + b[i] * and_by;\n}\n"
      "void f(float* x, float* y, float* z) { k<<<4, 32>>>(x, y, z, 1.0f, -0.5, 128); }\n"
      "void g(float* x, float* y, float* z, float w) { k<<<4, 32>>>(x, y, z, 2.0f, w, 128); }\n");
  const KernelSource& kernel = source.kernels.at(0);
  const auto options = options_of(kernel, *find_op("residual_add"), Trust::names);
  const auto first = [&](size_t i) { return options.at(i).at(0).binding.expression; };
  EXPECT_EQ(first(3), "1.0");
  EXPECT_EQ(options.at(3).at(0).cost, 0);
  EXPECT_EQ(first(4), "-0.5");
  EXPECT_NE(first(5), "128");
}

}  // namespace
}  // namespace assay
