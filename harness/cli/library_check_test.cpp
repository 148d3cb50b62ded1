// `assay check libmine.so --entry …`, end to end: functions of a library by nvcc, judged with their own launches.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::run;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A softmax of a block for each row, and functions around it that are wrong in ways of their own; then such as a
// library has that does more than launch.
constexpr const char* kLibrary = R"(#include <cuda_runtime.h>
__global__ void softmax_kernel(float* out, const float* inp, int C) {
  __shared__ float tile[128];
  const float* x = inp + blockIdx.x * C;
  float most = -INFINITY, sum = 0;
  for (int i = 0; i < C; ++i) most = fmaxf(most, x[i]);
  for (int i = threadIdx.x; i < C; i += 128) sum += expf(x[i] - most);
  tile[threadIdx.x] = sum;
  BARRIER
  sum = 0;
  for (int i = 0; i < 128; ++i) sum += tile[i];
  for (int i = threadIdx.x; i < C; i += 128) out[blockIdx.x * C + i] = expf(x[i] - most) / sum;
}
static void launch(float* out, const float* inp, int N, int C, cudaStream_t stream) {
  if (N > 0) softmax_kernel<<<N, 128, 0, stream>>>(out, inp, C);
}
LINKAGE void softmax_forward(float* out, const float* inp, int N, int C) { launch(out, inp, N, C, nullptr); }
LINKAGE void softmax_on(cudaStream_t stream, float* out, const float* inp, int N, int C) { launch(out, inp, N, C, stream); }
LINKAGE cudaError_t softmax_by_copy(float* out, const float* inp, int N, int C) {
  float* copy = nullptr;
  const size_t bytes = sizeof(float) * N * C;
  if (bytes == 0) return cudaSuccess;
  if (const cudaError_t error = cudaMalloc(&copy, bytes)) return error;
  cudaMemcpy(copy, inp, bytes, cudaMemcpyDeviceToDevice);
  launch(out, copy, N, C, nullptr);
  return cudaFree(copy);
}
LINKAGE cudaError_t softmax_refused(float* out, const float* inp, int N, int C) {
  softmax_kernel<<<1, 2000>>>(out, inp, C);
  return cudaGetLastError();
}
LINKAGE void softmax_crash(float* out, const float* inp, int N, int C) { *(volatile int*)nullptr = N; }
LINKAGE void softmax_asks(float* out, const float* inp, int N, int C) { cudaFreeMipmappedArray(nullptr); }
LINKAGE void softmax_planned(float* out, const float* inp, int N, int C, struct Plan* plan) { cudaMemset(out, 0, plan != nullptr); }
typedef float real;
LINKAGE void softmax_typed(real* out, const real* inp, int N, int C) { launch(out, inp, N, C, nullptr); }
static int* kept;
__global__ void count_call(int* calls) { *calls += 1; }
LINKAGE void softmax_keeps(float* out, const float* inp, int N, int C) {
  const int zero = 0;
  if (kept == nullptr) cudaMalloc(&kept, 4), cudaMemcpy(kept, &zero, 4, cudaMemcpyHostToDevice);
  count_call<<<1, 1>>>(kept);
  launch(out, inp, N, C, nullptr);
}
)";

constexpr const char* kDeclaration = "void softmax_forward(float* out, const float* inp, int N, int C)";

class LibraryCheck : public selftest::OneInFour<> {
 protected:
  void SetUp() override {
    OneInFour::SetUp();
    if (nvcc_here().empty()) GTEST_SKIP() << "no nvcc here";
  }
  void build(const std::string& options, const std::string& barrier = "__syncthreads();",
             const std::string& architecture = "-arch=sm_90") const {
    std::string text = kLibrary;
    text.replace(text.find("BARRIER"), 7, barrier);
    std::ofstream(scratch_.path + "/mine.cu") << text;
    const Ran built = selftest::run_command(nvcc_here() + " " + architecture + " -shared -Xcompiler -fPIC -o " +
                                            library_ + " " + options + " " + scratch_.path + "/mine.cu");
    ASSERT_EQ(built.exit_code, 0) << built.err;
  }
  Ran check(const std::string& entry, const std::string& options = "") const {
    return run("assay", "check " + library_ + " --op softmax_forward --no-save --shrink 0 --cases 8 --out " +
                            scratch_.path + "/out --entry '" + entry + "' " + options);
  }
  selftest::Scratch scratch_;
  std::string library_ = scratch_.path + "/libmine.so";
};

TEST_F(LibraryCheck, FunctionsAreRightHoweverTheRuntimeIsLinked) {
  for (const char* options : {"-DLINKAGE= -cudart static", "-DLINKAGE= -cudart shared",
                              "'-DLINKAGE=extern \"C\"' -cudart static -rdc=true"}) {
    build(options);
    const Ran ran = check(kDeclaration);
    EXPECT_EQ(ran.exit_code, 0) << options << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("PASSED: 16 cases passed, none failed"));
  }
}

TEST_F(LibraryCheck, DebugInformationDeclaresAFunction) {
  build("-DLINKAGE= -g");
  for (const char* name : {"softmax_forward", "softmax_on", "softmax_by_copy", "softmax_typed", "softmax_keeps"}) {
    const Ran ran = check(name);
    EXPECT_EQ(ran.exit_code, 0) << name << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("PASSED: 16 cases passed, none failed"));
  }
}

TEST_F(LibraryCheck, FindingsNameTheLibrarysLines) {
  build("'-DLINKAGE=extern \"C\"' -lineinfo", "");
  const Ran ran = check(kDeclaration);
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("UNINITIALISED"), HasSubstr("kernel softmax_kernel"), HasSubstr("mine.cu:11"),
                             Not(HasSubstr("line unknown")),
                             HasSubstr("--entry 'void softmax_forward(float* out, const float* inp, int N, int C)'")));
}

TEST_F(LibraryCheck, WhatAFunctionDoesWrongIsItsCasesVerdict) {
  build("-DLINKAGE= -g");
  EXPECT_THAT(check("softmax_refused").out,
              AllOf(HasSubstr("launch refused: block (2000,1,1)"), HasSubstr("softmax_refused returned")));
  EXPECT_THAT(check("softmax_crash").out, AllOf(HasSubstr("CRASH"), HasSubstr("Segmentation fault")));
  const Ran asks = check("softmax_asks");
  EXPECT_EQ(asks.exit_code, 3) << asks.out;
  EXPECT_THAT(asks.out, AllOf(HasSubstr("SKIPPED"), HasSubstr("cudaFreeMipmappedArray at mine.cu:")));
}

TEST_F(LibraryCheck, AnAdapterSaysWhatADeclarationLeavesOpen) {
  build("-DLINKAGE=");
  const auto judged = [&](const std::string& rows) {
    std::ofstream(scratch_.path + "/mine.toml")
        << "op = \"softmax_forward\"\nsource = \"libmine.so\"\n"
        << "declaration = \"" << kDeclaration << "\"\ndtypes = [\"f32\"]\n"
        << "fix = { causal = \"0\", scale = \"1\", heads = \"1\" }\n[[launch]]\n"
        << "launcher = \"softmax_forward\"\nargs = [\"y\", \"x\", \"" << rows << "\", \"cols\"]\n";
    return run("assay",
               "check " + scratch_.path + "/mine.toml --no-save --shrink 0 --cases 8 --out " + scratch_.path + "/out");
  };
  const Ran right = judged("rows"), wrong = judged("rows / 2");
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  EXPECT_EQ(wrong.exit_code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("UNWRITTEN"));
}

TEST_F(LibraryCheck, WhatCannotBeCalledIsSaidBeforeAnythingRuns) {
  build("-DLINKAGE=");
  const auto error = [&](const std::string& entry) {
    const Ran ran = check(entry);
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    return ran.err;
  };
  EXPECT_THAT(error("softmax_forwrd"),
              HasSubstr("exports no function softmax_forwrd; did you mean 'softmax_forward'?"));
  EXPECT_THAT(error("softmax_forward"), HasSubstr("has no debug information of one function softmax_forward"));
  EXPECT_THAT(error("void softmax_forward(float* out, const float* inp, int N)"),
              HasSubstr("has softmax_forward(float*, float const*, int, int), which"));
  EXPECT_THAT(error("void softmax_forward(float* out, const double* inp, int N, int C)"),
              HasSubstr("does not declare"));
  EXPECT_THAT(error("void softmax_planned(float* out, const float* inp, int N, int C, struct Plan* plan)"),
              HasSubstr("the pointer 'plan': the op has nothing of that name"));
  EXPECT_THAT(error(""), AllOf(HasSubstr("which function of"), HasSubstr("softmax_by_copy, softmax_crash"),
                               Not(HasSubstr("dim3"))));
  build("-DLINKAGE=", "__syncthreads();", "-gencode arch=compute_90,code=sm_90");
  EXPECT_THAT(error(kDeclaration), HasSubstr("and no PTX"));
}

// cuBLAS is Assay's own, whether it is installed or not; of its header the test needs a few lines.
TEST_F(LibraryCheck, AHandleOfCublasIsMade) {
  std::ofstream(scratch_.path + "/product.cu") << R"(#include <cuda_runtime.h>
typedef struct cublasContext* cublasHandle_t;
extern "C" int cublasSgemm_v2(cublasHandle_t, int, int, int, int, int, const float*, const float*, int, const float*, int,
                              const float*, float*, int);
__global__ void unused() {}
extern "C" void product(cublasHandle_t handle, float* out, const float* attn, const float* wo, int T, int aE, int ad) {
  const float one = 1, zero = 0;
  if (T > 0) cublasSgemm_v2(handle, WANTED, 0, aE, T, ad, &one, wo, WANTED ? ad : aE, attn, ad, &zero, out, aE);
}
)";
  for (const bool is_right : {true, false}) {
    const Ran built =
        selftest::run_command(nvcc_here() + " -arch=sm_90 -g -shared -Xcompiler -fPIC -o " + library_ +
                              " -DWANTED=" + (is_right ? "1" : "0") + " " + scratch_.path + "/product.cu");
    ASSERT_EQ(built.exit_code, 0) << built.err;
    const Ran ran =
        run("assay", "check " + library_ + " --op attention_project --entry product --no-save --shrink 0 --cases 8 " +
                         "--fix H=1 --fix wo=by_row --fix biases=none --fix wo_format=none "
                         "--fix activations=none --out " +
                         scratch_.path + "/out");
    EXPECT_EQ(ran.exit_code, is_right ? 0 : 1) << ran.out << ran.err;
  }
}

}  // namespace
}  // namespace assay
