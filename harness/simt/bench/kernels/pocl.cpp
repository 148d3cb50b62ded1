// OpenCL host code for the side-by-side with PoCL.
#define CL_TARGET_OPENCL_VERSION 120
#include "harness/simt/bench/kernels/pocl.h"

#include <CL/cl.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <vector>

#include "harness/simt/runtime/check.h"

namespace assay::bench {
namespace {

constexpr const char* kSource = R"(
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
float block_sum(__local float* partial, float value) {
  const int t = get_local_id(0);
  partial[t] = value;
  BARRIER;
  for (int stride = 128; stride > 0; stride >>= 1) {
    if (t < stride) partial[t] += partial[t + stride];
    BARRIER;
  }
  return partial[0];
}

void add(__global float* address, float value) {
  union { float f; int i; } before, after;
  do {
    before.f = *address;
    after.f = before.f + value;
  } while (atomic_cmpxchg((volatile __global int*)address, before.i, after.i) != before.i);
}

__kernel void softmax_backward(__global float* dx, __global const float* y, __global const float* g, int cols) {
  __local float partial[256];
  const int t = get_local_id(0);
  const size_t row = get_group_id(0) * (size_t)cols;
  float dot = 0.0f;
  for (int i = t; i < cols; i += 256) dot += y[row + i] * g[row + i];
  dot = block_sum(partial, dot);
  for (int i = t; i < cols; i += 256) dx[row + i] = y[row + i] * (g[row + i] - dot);
}

__kernel void attention_backward(__global float* dq, __global float* dk, __global float* dv, __global const float* q,
                                 __global const float* k, __global const float* v, __global const float* grad,
                                 __global const float* lse, __global const float* delta, int heads, int dim,
                                 float scale) {
  __local float partial[2][256];
  const int t = get_local_id(0), i = get_group_id(0), row = heads * dim, base = get_group_id(1) * dim + t;
  const bool has_lane = t < dim;
  const float my_q = has_lane ? q[i * row + base] : 0.0f, my_grad = has_lane ? grad[i * row + base] : 0.0f;
  const float my_lse = lse[i * heads + get_group_id(1)], my_delta = delta[i * heads + get_group_id(1)];
  float my_dq = 0.0f;
  for (int j = 0; j <= i; ++j) {
    const float score = block_sum(partial[0], has_lane ? my_q * k[j * row + base] : 0.0f);
    const float dp = block_sum(partial[1], has_lane ? my_grad * v[j * row + base] : 0.0f);
    if (has_lane) {
      const float p = exp(score * scale - my_lse), ds = p * (dp - my_delta) * scale;
      my_dq += ds * k[j * row + base];
      add(&dk[j * row + base], ds * my_q);
      add(&dv[j * row + base], p * my_grad);
    }
  }
  if (has_lane) dq[i * row + base] = my_dq;
}

__kernel void transpose(__global float* out, __global const float* in, int rows, int cols) {
  __local float tile[32][33];
  const int tx = get_local_id(0), ty = get_local_id(1), height = get_local_size(1);
  int x = get_group_id(0) * 32 + tx, y = get_group_id(1) * 32 + ty;
  for (int step = 0; step < 32; step += height)
    if (x < cols && y + step < rows) tile[ty + step][tx] = in[(size_t)(y + step) * cols + x];
  BARRIER;
  x = get_group_id(1) * 32 + tx, y = get_group_id(0) * 32 + ty;
  for (int step = 0; step < 32; step += height)
    if (x < rows && y + step < cols) out[(size_t)(y + step) * rows + x] = tile[tx][ty + step];
}
)";

class OpenCl final : public Pocl {
 public:
  explicit OpenCl(cl_device_id device) {
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue_ = clCreateCommandQueue(context_, device, 0, nullptr);
    const char* source = kSource;
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, nullptr);
    SIMT_CHECK(clBuildProgram(program_, 1, &device, "", nullptr, nullptr) == CL_SUCCESS, "OpenCL kernels compile");
  }

  void softmax_backward(int rows, int cols) override {
    const size_t bytes = static_cast<size_t>(rows) * static_cast<size_t>(cols) * sizeof(float);
    run("softmax_backward", {static_cast<size_t>(rows) * 256, 1}, {256, 1}, {bytes, bytes, bytes}, cols);
  }

  void attention_backward(int tokens, int heads, int dim) override {
    const size_t row_bytes = static_cast<size_t>(tokens * heads) * sizeof(float);
    std::vector<size_t> bytes(7, row_bytes * static_cast<size_t>(dim));
    bytes.insert(bytes.end(), 2, row_bytes);
    run("attention_backward", {static_cast<size_t>(tokens) * 256, static_cast<size_t>(heads)}, {256, 1}, bytes, heads,
        dim, 0.125f);
  }

  void transpose(int rows, int cols, int block_rows) override {
    const size_t bytes = static_cast<size_t>(rows) * static_cast<size_t>(cols) * sizeof(float);
    const auto height = static_cast<size_t>(block_rows);
    run("transpose", {static_cast<size_t>(cols), static_cast<size_t>(rows) / 32 * height}, {32, height}, {bytes, bytes},
        rows, cols);
  }

 private:
  template <class... Scalars>
  void run(const char* name, std::vector<size_t> global, std::vector<size_t> local, const std::vector<size_t>& bytes,
           Scalars... scalars) {
    Prepared& prepared = prepared_[name];
    if (prepared.kernel == nullptr) {
      prepared.kernel = clCreateKernel(program_, name, nullptr);
      for (const size_t size : bytes) prepared.buffers.push_back(filled(size));
    }
    cl_uint index = 0;
    for (const cl_mem& buffer : prepared.buffers) clSetKernelArg(prepared.kernel, index++, sizeof buffer, &buffer);
    (clSetKernelArg(prepared.kernel, index++, sizeof scalars, &scalars), ...);
    const cl_int status =
        clEnqueueNDRangeKernel(queue_, prepared.kernel, 2, nullptr, global.data(), local.data(), 0, nullptr, nullptr);
    SIMT_CHECK(status == CL_SUCCESS && clFinish(queue_) == CL_SUCCESS, name);
  }

  cl_mem filled(size_t bytes) {
    const std::vector<float> values(bytes / sizeof(float), 0.5f);
    const cl_mem buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, nullptr);
    clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, 0, bytes, values.data(), 0, nullptr, nullptr);
    return buffer;
  }

  struct Prepared {
    cl_kernel kernel = nullptr;
    std::vector<cl_mem> buffers;
  };
  cl_context context_;
  cl_command_queue queue_;
  cl_program program_;
  std::map<std::string, Prepared> prepared_;
};

}  // namespace

namespace {
std::unique_ptr<Pocl> open_first_cpu() {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) return nullptr;
  for (cl_uint i = 0; i < count && i < 8; ++i) {
    cl_device_id device;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS)
      return std::make_unique<OpenCl>(device);
  }
  return nullptr;
}
}  // namespace

std::unique_ptr<Pocl> Pocl::open() {
  setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
  // PoCL leaves a handler that runs on the stack of whom the signal interrupts, where the executor keeps small stacks
  // only while there is none. It serves integer divisions by zero, of which the kernels here have none.
  struct sigaction before {};
  sigaction(SIGFPE, nullptr, &before);
  std::unique_ptr<Pocl> opened = open_first_cpu();
  sigaction(SIGFPE, &before, nullptr);
  return opened;
}

}  // namespace assay::bench
