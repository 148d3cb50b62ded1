// The table. Sources:
//
// [1] CUDA C++ Best Practices Guide 13, "Throughput of Native Arithmetic Instructions" (in the Programming Guide until
//     12.9), results per clock and multiprocessor for compute capability 8.0, 8.9 and 9.0: f32 64, 128, 128; f64 32, 2,
//     64; f16 256, 128, 256, where a pair counts twice; special functions 16; shuffles 32.
// [2] NVIDIA A100 Tensor Core GPU Architecture, table 4: 108 multiprocessors, 1410 MHz, dense TFLOP/s 312 f16, 156
//     tf32, 624 int8, 19.5 f64; datasheet of the 80 GB SXM: 2039 GB/s.
// [3] NVIDIA H100 Tensor Core GPU Architecture, table 3 and datasheet, SXM5: 132 multiprocessors, dense TFLOP/s 989.4
//     f16, 494.7 tf32, 1978.9 fp8 and int8 at 1830 MHz, 66.9 f64 at 1980 MHz, its highest clock; 3.35 TB/s. H200
//     datasheet: the same processor with 4.8 TB/s.
// [4] NVIDIA Ada GPU Architecture, appendix A, and the datasheet of L4: GeForce RTX 4090 has 128 multiprocessors, 2520
//     MHz, dense TFLOP/s 330.3 f16 with sums in f16 (half with sums in f32), 82.6 tf32, 660.6 fp8 and int8, 1008 GB/s;
//     L4 has 58, 2040 MHz, dense 121 f16, 60 tf32, 242 fp8 and int8, 300 GB/s. Tensor instructions of f64 have no
//     figure.
//
// Operations of tensor instructions are the TFLOP/s over multiprocessors and clock. Loads and stores: 32 lanes in a
// clock, the most of any of these ([2] to [4], "LD/ST units").
#include "harness/bench/gpu_models.h"

#include <algorithm>

#include "harness/base/check.h"

namespace assay {
namespace {

struct Rates {
  double fp32, fp16, fp64;
  double tensor_f16, tensor_tf32, tensor_f8, tensor_i8, tensor_f64;
};

std::array<double, kCounted> per_clock(const Rates& rates) {
  std::array<double, kCounted> all{};
  const auto set = [&](Counted counted, double rate) { all[static_cast<size_t>(counted)] = rate; };
  set(Counted::fp32, rates.fp32);
  set(Counted::fp16, rates.fp16);
  set(Counted::fp64, rates.fp64);
  set(Counted::special, 16);
  set(Counted::shuffle, 32);
  set(Counted::tensor_f16, rates.tensor_f16);
  set(Counted::tensor_tf32, rates.tensor_tf32);
  set(Counted::tensor_f8, rates.tensor_f8);
  set(Counted::tensor_i8, rates.tensor_i8);
  set(Counted::tensor_f64, rates.tensor_f64);
  return all;
}

constexpr Rates kAmpere80{64, 128, 32, 2048, 1024, 0, 4096, 128};
constexpr Rates kAda{128, 128, 2, 1024, 256, 2048, 2048, 0};
constexpr Rates kAdaL4{128, 128, 2, 1024, 512, 2048, 2048, 0};
constexpr Rates kHopper{128, 128, 64, 4096, 2048, 8192, 8192, 256};

}  // namespace

const std::vector<GpuModel>& gpu_models() {
  static const std::vector<GpuModel> kModels{
      {"h100", "H100 SXM", 132, 1980, 3.35e12, per_clock(kHopper)},
      {"h200", "H200", 132, 1980, 4.8e12, per_clock(kHopper)},
      {"a100", "A100 SXM 80 GB", 108, 1410, 2.039e12, per_clock(kAmpere80)},
      {"l4", "L4", 58, 2040, 0.3e12, per_clock(kAdaL4)},
      {"rtx4090", "GeForce RTX 4090", 128, 2520, 1.008e12, per_clock(kAda)},
  };
  return kModels;
}

const GpuModel& gpu_model(std::string_view option) {
  const auto& all = gpu_models();
  const auto found = std::ranges::find(all, option, &GpuModel::option);
  ASSAY_CHECK(found != all.end(), "no model of a GPU is called '" + std::string(option) + "'");
  return *found;
}

std::vector<std::string> gpu_model_options() {
  std::vector<std::string> options;
  for (const GpuModel& model : gpu_models()) options.emplace_back(model.option);
  return options;
}

}  // namespace assay
