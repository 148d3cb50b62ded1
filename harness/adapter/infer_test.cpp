// What is inferred of kernels as other people write them, and what stays open because the source does not say it.
#include "harness/adapter/infer.h"

#include <gmock/gmock.h>

#include <set>

#include "harness/adapter/match.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using Texts = std::vector<std::string>;

CudaSource read(const std::string& text) {
  const auto source = read_cuda(text);
  EXPECT_TRUE(source.has_value()) << source.error().line();
  return source.value_or(CudaSource{});
}

Inferred infer(const std::string& op, const std::string& text) {
  const CudaSource source = read(text);
  EXPECT_FALSE(source.kernels.empty());
  return infer_adapter(source, source.kernels.at(0), *find_op(op), "a/k.cu");
}

Texts args(const std::string& op, const std::string& parameters, const std::string& head = "") {
  return infer(op, head + "__global__ void k(" + parameters + ") {}").adapter.launches.at(0).args;
}

Texts grid(const std::string& op, const std::string& text) { return infer(op, text).adapter.launches.at(0).grid; }

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
  EXPECT_THAT(inferred.unknown, Contains(AllOf(HasSubstr("its name says ids"), HasSubstr("const int64_t*"))));
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
  EXPECT_THAT(infer("softmax_forward", "__global__ void k(const elem* x, elem* y) {}").unknown,
              Contains(HasSubstr("what is 'elem'?")));
}

TEST(Entry, GivesTemplateArguments) {
  const auto entry = [](const std::string& text) {
    return infer("rms_norm_forward", text).adapter.launches.at(0).entry;
  };
  EXPECT_EQ(entry("namespace a { template <typename S> __global__ void k(const S* x, S* y) {} }"), "a::k<T>");
  EXPECT_EQ(entry("template <class S, class R> __global__ void k(const S* x, R* rstd) {}"), "k<T, float>");
  EXPECT_EQ(entry("template <class S, int BLOCK = 256> __global__ void k(const S* x, S* y) {}"), "k<T>");
  EXPECT_EQ(entry("template <int BLOCK> __global__ void k(const float* x) {}\n"
                  "void f() { k<128><<<1, 128>>>(x); }"),
            "k<128>");
  EXPECT_EQ(entry("#define TILE 64\ntemplate <int BLOCK> __global__ void k(const float* x) {}\n"
                  "void f() { k<TILE><<<1, 128>>>(x); }"),
            "k<64>");
  EXPECT_THAT(infer("rms_norm_forward", "template <int BLOCK> __global__ void k(const float* x) {}").unknown,
              Contains(HasSubstr("the template argument BLOCK of k")));
}

TEST(Launch, IsTheFilesOwn) {
  const std::string kernel = "__global__ void softmax(const float* x, float* y, int rows, int cols) {}\n";
  const AdapterLaunch plain =
      infer("softmax_forward", kernel + "void f() { softmax<<<N, 256, 256 * sizeof(float)>>>(x, y, N, C); }")
          .adapter.launches[0];
  EXPECT_THAT(plain.grid, ElementsAre("rows"));
  EXPECT_THAT(plain.block, ElementsAre("256"));
  EXPECT_EQ(plain.shared, "256 * 4");
  EXPECT_THAT(grid("softmax_forward", kernel + "void f(int N, int C, const int block_size) {\n"
                                               "  const int grid_size = CEIL_DIV(N * 32, block_size);\n"
                                               "  softmax<<<grid_size, block_size>>>(x, y, N, C);\n}"),
              ElementsAre("ceil_div(rows * 32, block)"));
  EXPECT_THAT(grid("softmax_forward", kernel + "#define THREADS 128\n"
                                               "void f(int N, int C) {\n  const int block = THREADS;\n"
                                               "  int grid = (N * C + block - 1) / block;\n"
                                               "  softmax<<<(unsigned)grid, block, 0, stream>>>(x, y, N, C);\n}"),
              ElementsAre("ceil_div(rows * cols, 128)"));
}

TEST(Launch, OfTwoAxesIsFollowedThroughDim3) {
  const AdapterLaunch launch =
      infer("transpose_2d",
            "__global__ void t(const float* in, float* out, int rows, int cols) {}\n"
            "void f() {\n  dim3 threads(32, 8);\n  dim3 blocks((n + 31) / 32, divUp(m, 32), 1);\n"
            "  t<<<blocks, threads>>>(a, b, m, n);\n}")
          .adapter.launches[0];
  EXPECT_THAT(launch.grid, ElementsAre("(cols + 31) / 32", "ceil_div(rows, 32)"));
  EXPECT_THAT(launch.block, ElementsAre("32", "8"));
}

TEST(Launch, OfATorchExtensionIsFollowed) {
  const Inferred inferred = infer("rms_norm_forward", R"(
template <typename scalar_t>
__global__ void rms_norm_kernel(scalar_t* __restrict__ out, const scalar_t* __restrict__ input,
                                const scalar_t* __restrict__ weight, const float epsilon, const int num_tokens,
                                const int hidden_size) {}
void rms_norm(torch::Tensor& out) {
  int hidden_size = input.size(-1);
  dim3 grid(num_tokens);
  dim3 block(std::min(hidden_size, 1024));
  DISPATCH(rms_norm_kernel<scalar_t><<<grid, block, block_bytes(), stream>>>(
      out.data_ptr<scalar_t>(), input.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), epsilon, num_tokens,
      hidden_size));
})");
  const AdapterLaunch& launch = inferred.adapter.launches[0];
  EXPECT_THAT(launch.args, ElementsAre("y", "x", "gamma", "eps", "T", "aE"));
  EXPECT_THAT(launch.grid, ElementsAre("T"));
  EXPECT_THAT(launch.block, ElementsAre("min(aE, 1024)"));
  EXPECT_THAT(inferred.unknown, Contains(HasSubstr("dynamic shared memory: the launch in line 10 computes it from "
                                                   "'block_bytes'")));
  EXPECT_THAT(inferred.adapter.requirements, Contains("pad == 0"));
}

TEST(Launch, ThatCannotBeFollowedComesFromTheBody) {
  const Inferred inferred = infer("softmax_forward",
                                  "__global__ void k(const float* x, float* y, int rows, int cols) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= rows) return;\n}\n"
                                  "void f() { k<<<device.sms(), threads>>>(x, y, rows, cols); }");
  EXPECT_THAT(inferred.adapter.launches[0].grid, ElementsAre("ceil_div(rows, block)"));
  EXPECT_THAT(inferred.remarks, Contains(HasSubstr("the launch in line 5 computes it from 'device'")));
}

std::string body(const std::string& text) {
  return "#define WARP 32\nconstexpr int kWarp = 32;\n__global__ void k(const float* x, float* y, int N, int C) {" +
         text + "}";
}

TEST(Indices, OfThreadsGiveTheGrid) {
  EXPECT_THAT(grid("softmax_forward", body("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < N) { y[i] = 0; }")),
              ElementsAre("ceil_div(rows, block)"));
  EXPECT_THAT(grid("softmax_forward", body("const size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;\n"
                                           "const int total = N * C; if (i >= total) return;")),
              ElementsAre("ceil_div(rows * cols, block)"));
  EXPECT_THAT(
      grid("softmax_forward", body("for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;"
                                   " i < N * (C / 4); i += blockDim.x * gridDim.x) {}")),
      ElementsAre("ceil_div(rows * (cols / 4), block)"));
}

TEST(Indices, OfWarpsGiveTheGridAndWholeWarps) {
  for (const char* row :
       {"(blockIdx.x * blockDim.x + threadIdx.x) / 32", "(blockIdx.x * blockDim.x + threadIdx.x) / WARP",
        "(blockDim.x * blockIdx.x + threadIdx.x) >> 5", "blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize",
        "blockIdx.x * warp.meta_group_size() + warp.meta_group_rank()"}) {
    const Inferred inferred =
        infer("softmax_forward", body("int row = " + std::string(row) + "; if (row >= N) return; blockDim.x;"));
    EXPECT_THAT(inferred.adapter.launches[0].grid, ElementsAre("ceil_div(rows * 32, block)")) << row;
    EXPECT_THAT(inferred.adapter.blocks, AllOf(Contains(32), Contains(96), Not(Contains(33)), Not(Contains(100))));
  }
  EXPECT_THAT(grid("softmax_forward", body("int tid = blockIdx.x * blockDim.x + threadIdx.x; int row = tid / 32;\n"
                                           "if (row < N) {}")),
              ElementsAre("ceil_div(rows * 32, block)"));
}

TEST(Indices, OfBlocksGiveARowToEach) {
  const Inferred inferred = infer("softmax_forward", body("int row = blockIdx.x;\n"
                                                          "for (int c = threadIdx.x; c < C; c += blockDim.x) {}"));
  EXPECT_THAT(inferred.adapter.launches[0].grid, ElementsAre("rows"));
  EXPECT_THAT(inferred.adapter.launches[0].block, ElementsAre("block"));
  EXPECT_THAT(inferred.unknown, IsEmpty());
  EXPECT_THAT(inferred.adapter.blocks, IsEmpty());
  EXPECT_THAT(
      grid("softmax_forward", body("x += blockIdx.x * C; for (int c = threadIdx.x; c < C; c += blockDim.x) {}")),
      ElementsAre("rows"));
}

TEST(Indices, ThatSayNothingLeaveTheLaunchOpen) {
  const auto unknown = [](const std::string& text) { return infer("softmax_forward", body(text)).unknown; };
  EXPECT_THAT(unknown("int i = blockIdx.x * (blockDim.x / kLanes) + threadIdx.x / kLanes; if (i < N) {}"),
              Contains(HasSubstr("'i' is no thread, warp or block")));
  EXPECT_THAT(grid("softmax_forward", body("int i = blockIdx.y;")), ElementsAre("?"));
  EXPECT_THAT(unknown("int i = blockIdx.y; blockDim.x;"), Contains(HasSubstr("more than one axis")));
  EXPECT_THAT(unknown("int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = 0;"),
              Contains(HasSubstr("'i' is compared with nothing")));
  EXPECT_THAT(unknown("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < kLimit) {}"),
              Contains(HasSubstr("'i' is compared with 'kLimit'")));
  EXPECT_THAT(unknown("int row = blockIdx.x; y[row * 128 + threadIdx.x] = 0;"),
              Contains(HasSubstr("a number of threads built in")));
  EXPECT_THAT(
      unknown("extern __shared__ float s[]; int r = blockIdx.x; blockDim.x;"),
      ElementsAre("the number of bytes of dynamic shared memory: the kernel has `extern __shared__ float s[]`"));
}

TEST(Missing, OutputsAndBuiltInNumbersAreSaid) {
  EXPECT_THAT(infer("softmax_forward", "__global__ void k(const float* x, int rows, int cols) {}").unknown,
              Contains(HasSubstr("the output y: no parameter takes it")));
  const std::string parameters = "const float* x, const float* gamma, float* y, float* rstd, int T, int aE";
  EXPECT_THAT(infer("rms_norm_forward", "__global__ void k(" + parameters + ") { s + 1e-5f; }").adapter.requirements,
              ElementsAre("pad == 0", "eps == 1e-5"));
  EXPECT_THAT(infer("rms_norm_forward", "__global__ void k(" + parameters + ") { }").unknown,
              Contains(HasSubstr("eps (added to the mean square): no parameter takes it")));
  const Inferred backward =
      infer("attention_backward", "__global__ void k(const float* q, const float* lse, const float* delta) {}");
  EXPECT_THAT(backward.adapter.requirements, Contains("saved == \"lse_delta\""));
  EXPECT_THAT(backward.unknown, Contains(AllOf(HasSubstr("layout"), HasSubstr("token_major, head_major"))));
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
              ElementsAre("k: argument 1, 'y', for 'const half* a' in line 2: in f32 the elements of y are others; "
                          "dtypes = [\"f16\"] leaves those that fit"));
  EXPECT_THAT(wrong("const float* a", {"y"}, {DType::f32, DType::bf16}),
              ElementsAre(HasSubstr("in bf16 the elements")));
  EXPECT_THAT(wrong("const int64_t* a", {"ids"}, {DType::f32}, "embedding_backward"),
              ElementsAre(HasSubstr("the elements of ids are u32")));
}

TEST(WrongArguments, NameAKernelThatIsNotThere) {
  const CudaSource source = read("__global__ void k(int n) {}");
  EXPECT_THAT(wrong_arguments(source, {.launches = {{"k", {"rows"}}, {"l<T>", {}}}}, *find_op("softmax_backward")),
              ElementsAre("launch 2, l<T>: the file has no such kernel, but k"));
}

// A name that stands twice in one contract can match nothing, or the wrong thing.
TEST(Aliases, AreNobodysOwnNameAndListedOnce) {
  size_t count = 0;
  for (const Contract& op : all_ops()) {
    const std::vector<Offer> offers = offers_of(op);
    for (const Offer& offer : offers) {
      std::set<std::string> seen;
      for (const std::string& alias : offer.aliases) {
        ++count;
        EXPECT_TRUE(seen.insert(plain_name(alias)).second) << op.name << ": " << offer.name << ": " << alias;
        for (const Offer& other : offers)
          EXPECT_FALSE((other.kind == Offer::tensor) == (offer.kind == Offer::tensor) && other.name == alias)
              << op.name << ": " << alias << " is another name of " << offer.name << " and one of its own";
      }
    }
  }
  EXPECT_GT(count, 100u);
}

}  // namespace
}  // namespace assay
