// cuFFT: transforms in one to three dimensions, of values that lie together, in single and double precision.
#include <fmt/format.h>

#include <map>
#include <vector>

#include "harness/program/fourier.h"
#include "harness/program/libraries/blas_handle.h"
#include "harness/program/runtime/exported.h"

namespace assay::program::fourier {
namespace {

enum Status : int {
  kSuccess = 0,
  kInvalidPlan = 1,
  kInvalidType = 3,
  kInvalidValue = 4,
  kExecFailed = 6,
  kInvalidSize = 8,
  kNotSupported = 16
};
enum Type : int { kR2C = 0x2a, kC2R = 0x2c, kC2C = 0x29, kD2Z = 0x6a, kZ2D = 0x6c, kZ2Z = 0x69 };

struct Plan {
  std::vector<size_t> extents;  // none: cufftMakePlan… has not been called
  int type = kC2C;
  size_t batches = 1;
  cudaStream_t stream = nullptr;

  size_t size() const {
    size_t product = 1;
    for (const size_t extent : extents) product *= extent;
    return product;
  }
};
std::map<int, Plan>& plans() {
  static auto& all = *new std::map<int, Plan>;
  return all;
}
int next_plan = 1;

Status not_done(const char* name, const char* what) {
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  process.log().unsupported(fmt::format("{} {}", name, what));
  return kNotSupported;
}

Status make(const char* name, int handle, std::vector<size_t> extents, int type, long long batches, size_t* workspace) {
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  const auto plan = plans().find(handle);
  if (plan == plans().end()) return kInvalidPlan;
  if (type != kR2C && type != kC2R && type != kC2C && type != kD2Z && type != kZ2D && type != kZ2Z) return kInvalidType;
  if (batches < 1 || extents.empty() || extents.size() > 3) return kInvalidSize;
  for (const size_t extent : extents) {
    if (extent == 0 || extent > size_t{1} << 27) return kInvalidSize;
    if (!can_transform(extent)) return not_done(name, "of a length with a large prime factor");
  }
  plan->second.extents = std::move(extents);
  plan->second.type = type;
  plan->second.batches = static_cast<size_t>(batches);
  if (workspace != nullptr) *workspace = 0;
  return kSuccess;
}

Status create(int* handle) {
  if (handle == nullptr) return kInvalidValue;
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  *handle = next_plan++;
  plans()[*handle] = {};
  return kSuccess;
}
Status planned(const char* name, int* handle, std::vector<size_t> extents, int type, long long batches) {
  if (const Status status = create(handle); status != kSuccess) return status;
  const Status status = make(name, *handle, std::move(extents), type, batches, nullptr);
  if (status != kSuccess) plans().erase(*handle);
  return status;
}
std::vector<size_t> sizes(std::initializer_list<int> given) {
  std::vector<size_t> all;
  for (const int each : given) all.push_back(each > 0 ? static_cast<size_t>(each) : 0);
  return all;
}

// Where the rows of the last dimension of real values begin: side by side, or with room for their transform where that
// takes their place.
template <class T>
void run(const Plan& plan, const T* from, T* to, int sign) {
  using Value = std::complex<double>;
  const size_t last = plan.extents.back(), half = last / 2 + 1, size = plan.size(), rows = size / last;
  const bool is_real_given = plan.type == kR2C || plan.type == kD2Z,
             is_real_made = plan.type == kC2R || plan.type == kZ2D;
  const size_t real_row = from == to ? 2 * half : last;
  std::vector<Value> values(size);
  for (size_t batch = 0; batch < plan.batches; ++batch) {
    const T* const in = from + batch * (is_real_given ? rows * real_row : is_real_made ? 2 * rows * half : 2 * size);
    T* const out = to + batch * (is_real_made ? rows * real_row : is_real_given ? 2 * rows * half : 2 * size);
    const auto complex_at = [&](size_t i) { return Value(in[2 * i], in[2 * i + 1]); };
    for (size_t row = 0; row < rows; ++row)
      for (size_t i = 0; i < last; ++i) {
        Value& value = values[row * last + i];
        if (is_real_given) {
          value = in[row * real_row + i];
        } else if (!is_real_made) {
          value = complex_at(row * last + i);
        } else if (i < half) {
          value = complex_at(row * half + i);
        } else {  // the other half is the conjugate, at the opposite place in every dimension
          size_t opposite = 0, left = row, stride = 1;
          for (size_t dimension = plan.extents.size() - 1; dimension-- > 0;) {
            const size_t extent = plan.extents[dimension], at = left % extent;
            opposite += (extent - at) % extent * stride;
            left /= extent;
            stride *= extent;
          }
          value = std::conj(complex_at(opposite * half + last - i));
        }
      }
    transform(values, plan.extents, sign);
    for (size_t row = 0; row < rows; ++row)
      for (size_t i = 0; i < last; ++i) {
        const Value& value = values[row * last + i];
        if (is_real_made) {
          out[row * real_row + i] = static_cast<T>(value.real());
        } else if (!is_real_given || i < half) {
          T* const place = out + 2 * (row * (is_real_given ? half : last) + i);
          place[0] = static_cast<T>(value.real());
          place[1] = static_cast<T>(value.imag());
        }
      }
  }
}

template <class T>
Status execute(const char* name, int handle, int type, const T* from, T* to, int sign) {
  Plan plan;
  {
    GpuProcess& process = GpuProcess::get();
    const std::lock_guard lock(process.lock());
    const auto found = plans().find(handle);
    if (found == plans().end() || found->second.extents.empty()) return kInvalidPlan;
    plan = found->second;
  }
  if (plan.type != type) return kInvalidType;
  if (from == nullptr || to == nullptr || (sign != -1 && sign != 1)) return kInvalidValue;
  const size_t last = plan.extents.back(), rows = plan.size() / last * plan.batches, half = 2 * (last / 2 + 1);
  const bool is_real_given = type == kR2C || type == kD2Z, is_real_made = type == kC2R || type == kZ2D;
  const bool is_in_place = from == to;
  const auto values = [&](bool is_real, bool is_half) {
    return rows * (is_real ? (is_in_place ? half : last) : is_half ? half : 2 * last);
  };
  // In place, nobody need have written what lies behind a row of real values.
  const size_t given = values(is_real_given, is_real_made), made = values(is_real_made, is_real_given);
  const cublasStatus_t status = submit_library(name, plan.stream, [=](GpuProcess& process) {
    const Operand in = is_real_given && is_in_place
                           ? Operand{"idata",
                                     from,
                                     sizeof(T),
                                     static_cast<int64_t>(last),
                                     static_cast<int64_t>(rows),
                                     static_cast<int64_t>(half)}
                           : vector_operand("idata", from, sizeof(T), static_cast<int64_t>(given), 1);
    const Operand out = vector_operand("odata", to, sizeof(T), static_cast<int64_t>(made), 1);
    if (!can_read(process, name, in) || !can_write(process, name, out)) return cudaErrorInvalidValue;
    run(plan, from, to, sign);
    wrote(out);
    return cudaSuccess;
  });
  return status == CUBLAS_STATUS_SUCCESS ? kSuccess : kExecFailed;
}

}  // namespace

ASSAY_EXPORTED int cufftCreate(int* plan) { return create(plan); }
ASSAY_EXPORTED int cufftDestroy(int plan) {
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  return plans().erase(plan) == 0 ? kInvalidPlan : kSuccess;
}
ASSAY_EXPORTED int cufftSetStream(int plan, cudaStream_t stream) {
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  const auto found = plans().find(plan);
  if (found == plans().end()) return kInvalidPlan;
  found->second.stream = stream;
  return kSuccess;
}
ASSAY_EXPORTED int cufftPlan1d(int* plan, int x, int type, int batches) {
  return planned("cufftPlan1d", plan, sizes({x}), type, batches);
}
ASSAY_EXPORTED int cufftPlan2d(int* plan, int x, int y, int type) {
  return planned("cufftPlan2d", plan, sizes({x, y}), type, 1);
}
ASSAY_EXPORTED int cufftPlan3d(int* plan, int x, int y, int z, int type) {
  return planned("cufftPlan3d", plan, sizes({x, y, z}), type, 1);
}
ASSAY_EXPORTED int cufftMakePlan1d(int plan, int x, int type, int batches, size_t* workspace) {
  return make("cufftMakePlan1d", plan, sizes({x}), type, batches, workspace);
}
ASSAY_EXPORTED int cufftMakePlan2d(int plan, int x, int y, int type, size_t* workspace) {
  return make("cufftMakePlan2d", plan, sizes({x, y}), type, 1, workspace);
}
ASSAY_EXPORTED int cufftMakePlan3d(int plan, int x, int y, int z, int type, size_t* workspace) {
  return make("cufftMakePlan3d", plan, sizes({x, y, z}), type, 1, workspace);
}
ASSAY_EXPORTED int cufftPlanMany(int* plan, int rank, const int* n, const int* in, int, int, const int* out, int, int,
                                 int type, int batches) {
  if (in != nullptr || out != nullptr) return not_done("cufftPlanMany", "with strides");
  if (n == nullptr || rank < 1 || rank > 3) return kInvalidSize;
  std::vector<size_t> extents;
  for (int i = 0; i < rank; ++i) extents.push_back(n[i] > 0 ? static_cast<size_t>(n[i]) : 0);
  return planned("cufftPlanMany", plan, std::move(extents), type, batches);
}
// Types of data by the numbers of cudaDataType: C_32F and C_64F are 4 and 5.
ASSAY_EXPORTED int cufftXtMakePlanMany(int plan, int rank, const long long* n, const long long* in, long long,
                                       long long, int in_type, const long long* out, long long, long long, int out_type,
                                       long long batches, size_t* workspace, int execution_type) {
  constexpr int kComplexFloat = 4, kComplexDouble = 5;
  if (in != nullptr || out != nullptr) return not_done("cufftXtMakePlanMany", "with strides");
  if (in_type != out_type || in_type != execution_type || (in_type != kComplexFloat && in_type != kComplexDouble))
    return not_done("cufftXtMakePlanMany", "of values that are not complex numbers in f32 or f64");
  if (n == nullptr || rank < 1 || rank > 3) return kInvalidSize;
  std::vector<size_t> extents;
  for (int i = 0; i < rank; ++i) extents.push_back(n[i] > 0 ? static_cast<size_t>(n[i]) : 0);
  return make("cufftXtMakePlanMany", plan, std::move(extents), in_type == kComplexFloat ? kC2C : kZ2Z, batches,
              workspace);
}

ASSAY_EXPORTED int cufftExecC2C(int plan, const float* from, float* to, int sign) {
  return execute("cufftExecC2C", plan, kC2C, from, to, sign);
}
ASSAY_EXPORTED int cufftExecZ2Z(int plan, const double* from, double* to, int sign) {
  return execute("cufftExecZ2Z", plan, kZ2Z, from, to, sign);
}
ASSAY_EXPORTED int cufftExecR2C(int plan, const float* from, float* to) {
  return execute("cufftExecR2C", plan, kR2C, from, to, -1);
}
ASSAY_EXPORTED int cufftExecD2Z(int plan, const double* from, double* to) {
  return execute("cufftExecD2Z", plan, kD2Z, from, to, -1);
}
ASSAY_EXPORTED int cufftExecC2R(int plan, const float* from, float* to) {
  return execute("cufftExecC2R", plan, kC2R, from, to, 1);
}
ASSAY_EXPORTED int cufftExecZ2D(int plan, const double* from, double* to) {
  return execute("cufftExecZ2D", plan, kZ2D, from, to, 1);
}

}  // namespace assay::program::fourier
