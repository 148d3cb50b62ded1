// D = A B + C on the fragments of a warp, in any type.
//
// Products of floats below f64 are exact in f32 and added in f32, in ascending k, each sum rounded to nearest, to f16
// once at the end; f64 is a chain of fused multiply-adds; integers wrap around or saturate at the end, and their
// products' sums are less than 2^24, which f32 holds exactly too. A GPU adds several products at a time, with a
// precision that NVIDIA does not document. Layouts: PTX ISA 9.0, "Matrix Fragments for mma": they follow one rule,
// which is below. Where the elements of a form lie is worked out once.
#include "harness/simt/include/simt/matrix_product.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <vector>

#include "harness/simt/include/simt/small_float_bits.h"
#include "harness/simt/runtime/matrix_elements.h"
#include "harness/simt/runtime/matrix_sums.h"

namespace assay::simt {
namespace {

constexpr size_t kElementsMax = 32 * 256, kElementsOfLaneMax = 256;  // no fragment has more
// Kernels run on one thread, and their stacks are small.
template <class T>
struct Matrices {
  T a[kElementsMax], b[kElementsMax], d[kElementsMax];
};
Matrices<float> of_floats;
Matrices<double> of_doubles;

// The rule of mma: a register holds neighbours along k, lane l is thread l % 4 of group l / 4, registers go down first
// and then along k.
MatrixElement a_of_mma(const MatrixForm& form, uint32_t lane, uint32_t i) {
  const uint32_t whole = std::max(32u, bits_of(form.a)) / bits_of(form.a), reg = i / whole, down = form.m / 8u;
  return {lane / 4 + reg % down * 8, (lane % 4 + reg / down * 4) * whole + i % whole};
}
MatrixElement b_of_mma(const MatrixForm& form, uint32_t lane, uint32_t i) {
  const uint32_t whole = std::max(32u, bits_of(form.b)) / bits_of(form.b);
  return {(lane % 4 + i / whole * 4) * whole + i % whole, lane / 4};
}

// How many elements of an operand a lane has: f16 of wmma has eight registers whatever the shape.
uint32_t operand_count(const MatrixForm& form, Element number, uint32_t size) {
  return form.is_wmma && number == Element::f16 ? 16 : size / 32;
}

// Where the elements of an operand go. `places`: by lane and element; a lane's are neighbours where it is empty.
struct OperandPlan {
  uint32_t count = 0, first_lane = 0, size = 0;
  std::vector<uint16_t> places = {};
  ReadElements read = nullptr;

  uint32_t begin(uint32_t lane) const { return lane * count % size; }
};

struct Plan {
  MatrixForm form;
  OperandPlan a, b;
  std::vector<uint16_t> pairs = {};  // by lane, of every other element of C and D, which has its neighbour behind it
  ReadElements read_c = nullptr;
};

// Where wmma spreads a matrix twice, the last lanes are read: both halves hold the same.
template <class Place>
OperandPlan plan_of_operand(const MatrixForm& form, Element number, uint32_t rows, uint32_t cols, Place place) {
  OperandPlan plan{.count = operand_count(form, number, rows * cols), .size = rows * cols, .read = reader_of(number)};
  if (form.is_wmma) {
    plan.first_lane = 32 - plan.size / plan.count;
    return plan;
  }
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < plan.count; ++i) {
      const MatrixElement at = place(form, lane, i);
      plan.places.push_back(static_cast<uint16_t>(at.row * cols + at.col));
    }
  return plan;
}

Plan plan_of(const MatrixForm& form) {
  Plan plan{.form = form,
            .a = plan_of_operand(form, form.a, form.m, form.k, a_of_mma),
            .b = plan_of_operand(form, form.b, form.k, form.n, b_of_mma),
            .read_c = reader_of(form.c)};
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < form.m * form.n / 32u; i += 2) {
      const MatrixElement at = accumulator_element(form.m, lane, i);
      plan.pairs.push_back(static_cast<uint16_t>(at.row * form.n + at.col));
    }
  return plan;
}

bool is_same(const MatrixForm& a, const MatrixForm& b) {
  return a.m == b.m && a.n == b.n && a.k == b.k && a.a == b.a && a.b == b.b && a.c == b.c && a.d == b.d &&
         a.is_wmma == b.is_wmma && a.saturates == b.saturates && a.is_xor == b.is_xor;
}

// By what is in a form: its address may be another module's later.
const Plan& known_plan(const MatrixForm& form) {
  static std::deque<Plan> plans;
  static const Plan* last = nullptr;
  if (last != nullptr && is_same(last->form, form)) return *last;
  const auto found = std::ranges::find_if(plans, [&](const Plan& plan) { return is_same(plan.form, form); });
  last = found != plans.end() ? &*found : &plans.emplace_back(plan_of(form));
  return *last;
}

using Lanes = const WarpCall* const (&)[32];
const MatrixCall& call_of(Lanes lanes, uint32_t lane) { return *static_cast<const MatrixCall*>(lanes[lane]); }

template <class T, class Read>
void gather_operand(Lanes lanes, const OperandPlan& plan, const void* MatrixCall::*registers, T* to, Read read) {
  T row[kElementsOfLaneMax];
  for (uint32_t lane = plan.first_lane; lane < 32; ++lane) {
    const void* const from = call_of(lanes, lane).*registers;
    if (plan.places.empty()) {
      read(to + plan.begin(lane), from, plan.count);
      continue;
    }
    read(row, from, plan.count);
    const uint16_t* const places = &plan.places[lane * plan.count];
    for (uint32_t i = 0; i < plan.count; ++i) to[places[i]] = row[i];
  }
}

// Calls `visit` with each lane, its elements of C and D in a row, and where pairs of them are in the matrix.
template <class Visit>
void each_accumulator(Lanes lanes, const Plan& plan, Visit visit) {
  const uint32_t pairs = plan.form.m * plan.form.n / 64u;
  for (uint32_t lane = 0; lane < 32; ++lane) visit(call_of(lanes, lane), &plan.pairs[lane * pairs], pairs);
}
template <class T>
void spread_pairs(T* matrix, const T* row, const uint16_t* places, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) std::memcpy(matrix + places[i], row + 2 * i, 2 * sizeof(T));
}
template <class T>
void collect_pairs(T* row, const T* matrix, const uint16_t* places, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) std::memcpy(row + 2 * i, matrix + places[i], 2 * sizeof(T));
}

// Every NaN becomes the one that a GPU makes. `count`: a multiple of 4.
void make_canonical(float* values, size_t count) {
  using Floats = float __attribute__((vector_size(16)));
  using Words = uint32_t __attribute__((vector_size(16)));
  for (size_t i = 0; i < count; i += 4) {
    Floats four;
    std::memcpy(&four, values + i, sizeof four);
    const auto nan = reinterpret_cast<Words>(four != four);
    const Words bits = (reinterpret_cast<Words>(four) & ~nan) | (nan & 0x7fffffff);
    std::memcpy(values + i, &bits, sizeof bits);
  }
}

void multiply_floats(Lanes lanes, const Plan& plan) {
  const MatrixForm& form = plan.form;
  auto& [a, b, d] = of_floats;
  gather_operand(lanes, plan.a, &MatrixCall::a, a, plan.a.read);
  gather_operand(lanes, plan.b, &MatrixCall::b, b, plan.b.read);
  float row[kElementsOfLaneMax];
  each_accumulator(lanes, plan, [&](const MatrixCall& call, const uint16_t* places, uint32_t pairs) {
    if (form.c == Element::f32) return spread_pairs(d, static_cast<const float*>(call.c), places, pairs);
    plan.read_c(row, call.c, 2 * pairs);
    spread_pairs(d, row, places, pairs);
  });
  add_products(d, a, b, form.m, form.n, form.k);
  if (form.d != Element::f16) make_canonical(d, size_t{form.m} * form.n);
  each_accumulator(lanes, plan, [&](const MatrixCall& call, const uint16_t* places, uint32_t pairs) {
    if (form.d != Element::f16) return collect_pairs(static_cast<float*>(call.d), d, places, pairs);
    collect_pairs(row, d, places, pairs);
    for (uint32_t i = 0; i < 2 * pairs; ++i) {
      const uint16_t bits = HalfFormat::narrow(row[i]);
      std::memcpy(static_cast<char*>(call.d) + 2 * i, &bits, 2);
    }
  });
}

void multiply_doubles(Lanes lanes, const Plan& plan) {
  const auto read = [](double* to, const void* from, size_t count) { std::memcpy(to, from, count * sizeof *to); };
  auto& [a, b, d] = of_doubles;
  gather_operand(lanes, plan.a, &MatrixCall::a, a, read);
  gather_operand(lanes, plan.b, &MatrixCall::b, b, read);
  each_accumulator(lanes, plan, [&](const MatrixCall& call, const uint16_t* places, uint32_t pairs) {
    spread_pairs(d, static_cast<const double*>(call.c), places, pairs);
  });
  add_products(d, a, b, plan.form.m, plan.form.n, plan.form.k);
  each_accumulator(lanes, plan, [&](const MatrixCall& call, const uint16_t* places, uint32_t pairs) {
    collect_pairs(static_cast<double*>(call.d), d, places, pairs);
  });
}

// Bits that differ are counted as products of -1 and 1, of which each such bit makes one less and one negative.
void multiply_integers(Lanes lanes, const Plan& plan) {
  const MatrixForm& form = plan.form;
  const bool counts_differences = form.a == Element::b1 && form.is_xor;
  auto& [a, b, d] = of_floats;
  gather_operand(lanes, plan.a, &MatrixCall::a, a, plan.a.read);
  gather_operand(lanes, plan.b, &MatrixCall::b, b, plan.b.read);
  if (counts_differences) {
    for (size_t i = 0; i < size_t{form.m} * form.k; ++i) a[i] = 1 - 2 * a[i];
    for (size_t i = 0; i < size_t{form.k} * form.n; ++i) b[i] = 1 - 2 * b[i];
  }
  std::fill_n(d, form.m * form.n, 0.0f);
  add_products(d, a, b, form.m, form.n, form.k);
  float row[kElementsOfLaneMax];
  each_accumulator(lanes, plan, [&](const MatrixCall& call, const uint16_t* places, uint32_t pairs) {
    collect_pairs(row, d, places, pairs);
    for (uint32_t i = 0; i < 2 * pairs; ++i) {
      const auto products = static_cast<int64_t>(row[i]);
      int64_t sum = static_cast<const int32_t*>(call.c)[i] + (counts_differences ? (form.k - products) / 2 : products);
      using Limits = std::numeric_limits<int32_t>;
      if (form.saturates) sum = std::clamp<int64_t>(sum, Limits::min(), Limits::max());
      static_cast<int32_t*>(call.d)[i] = static_cast<int32_t>(static_cast<uint32_t>(sum));
    }
  });
}

}  // namespace

void run_matrix_product(const WarpCall* const (&lanes)[32]) {
  const Plan& plan = known_plan(*static_cast<const MatrixForm*>(lanes[0]->function));
  if (plan.form.d == Element::f64) return multiply_doubles(lanes, plan);
  if (plan.form.d == Element::s32) return multiply_integers(lanes, plan);
  multiply_floats(lanes, plan);
}

}  // namespace assay::simt
