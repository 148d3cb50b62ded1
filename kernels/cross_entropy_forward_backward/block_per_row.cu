// One block per row, three passes over it, and the row's loss added atomically: the variant to read first.
//
// Costs three readings of the logits and two trees of barriers; the order in which rows reach the loss, hence its last
// bits, changes from run to run.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"

namespace {

template <class T>
__global__ void cross_entropy(const T* logits,          // (gridDim.x, classes); probabilities with of_probs
                              const uint32_t* targets,  // (gridDim.x); nullptr with one_hot
                              const T* one_hot,         // (gridDim.x, classes), or nullptr
                              const uint32_t* count,    // (1); nullptr: nothing is divided
                              T* grad,                  // (gridDim.x, classes)
                              float* loss,              // (1), or (gridDim.x) with of_rows
                              int64_t classes, uint32_t pad_id, bool of_rows, bool of_probs, float eps) {
  __shared__ float scratch[1024];
  const T* row = logits + blockIdx.x * classes;
  T* grad_row = grad + blockIdx.x * classes;
  int64_t target = 0;
  if (one_hot)
    while (target < classes && static_cast<float>(one_hot[blockIdx.x * classes + target]) == 0) ++target;
  else
    target = targets[blockIdx.x];

  if ((!one_hot && target == pad_id) || target >= classes) {
    for (int64_t v = threadIdx.x; v < classes; v += blockDim.x) grad_row[v] = static_cast<T>(0.0f);
    if (of_rows && threadIdx.x == 0) loss[blockIdx.x] = 0;
    return;
  }

  float maximum = -INFINITY;
  for (int64_t v = threadIdx.x; v < classes && !of_probs; v += blockDim.x)
    maximum = assay::device::Larger()(maximum, static_cast<float>(row[v]));
  maximum = assay::device::block_reduce(maximum, scratch, assay::device::Larger());

  const float of_target = static_cast<float>(row[target]);  // before grad, which may be in its place
  float total = 0;
  for (int64_t v = threadIdx.x; v < classes && !of_probs; v += blockDim.x)
    total += expf(static_cast<float>(row[v]) - maximum);
  total = assay::device::block_reduce(total, scratch, assay::device::Add());

  const float rows_that_count = count ? static_cast<float>(*count) : 1;
  for (int64_t v = threadIdx.x; v < classes; v += blockDim.x) {
    const float x = static_cast<float>(row[v]), probability = of_probs ? x : expf(x - maximum) / total;
    grad_row[v] = static_cast<T>((v == target ? probability - 1 : probability) / rows_that_count);
  }
  if (threadIdx.x > 0) return;
  const float row_loss = of_probs ? -logf(of_target + eps) : logf(total) - (of_target - maximum);
  if (of_rows)
    loss[blockIdx.x] = row_loss;
  else
    atomicAdd(loss, row_loss / rows_that_count);
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("N"), classes = call.dim("V");
  if (rows == 0) return;  // without classes, every row is padding
  const auto pad_id = static_cast<uint32_t>(std::stoul(call.text("pad_id")));
  const bool of_probs = call.text("given") == "probs", is_mean = call.text("reduction") == "mean";
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(cross_entropy<T>, assay::device::block_for_each(call, rows),
                  call.in<T>(of_probs ? "probs" : "logits"), call.in<uint32_t>("targets"), call.in<T>("one_hot"),
                  is_mean ? call.in<uint32_t>("count") : nullptr, call.out<T>("grad"), call.out<float>("loss"), classes,
                  pad_id, call.text("loss") == "rows", of_probs, static_cast<float>(call.real("eps")));
  });
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.dim("N") <= 0x7FFFFFFF) return std::nullopt;
  return "one block per row: a grid has at most 2^31 - 1";
}

const assay::RegisterVariant kVariant(
    {.op = "cross_entropy_forward_backward",
     .name = "block_per_row",
     .summary = "a block per row, three passes, an atomic loss that is not reproducible",
     .blocks = {32, 64, 96, 128, 192, 256, 512, 1024},
     .deterministic = false,
     .domains = {{.name = "loss", .values = {"total", "rows"}},
                 {.name = "counted", .values = {"call", "batch"}},
                 {.name = "alias", .values = {"none", "grad:logits", "grad:probs"}},
                 {.name = "given", .values = {"logits", "probs"}},
                 {.name = "eps", .values = {"0", "1e-10", "1e-8", "1e-7"}},
                 {.name = "reduction", .values = {"mean", "sum"}},
                 {.name = "encoding", .values = {"ids", "one_hot"}}},
     .unsupported = unsupported,
     .run = run});

}  // namespace
