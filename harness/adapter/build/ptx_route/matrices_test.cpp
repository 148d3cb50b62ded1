// Tensor cores in PTX that runs, against the manual's figures of fragments: mma in each type, wmma by matrices in
// memory, stmatrix and movmatrix.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <span>

#include "harness/adapter/build/ptx_route/test_run_ptx.h"
#include "harness/base/rng.h"

namespace assay::ptx_matrices {
namespace {

using testing::IsEmpty;

// One product of a warp: what PTX calls it, and where the manual's figures put its elements.
struct Product {
  std::string name, opcode, a, b, sum;
  int m, n, k;
  bool saturates = false, is_xor = false;
};

const std::vector<Product>& products() {
  static const std::vector<Product> kAll = {
      {"f16_k16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "f16", "f16", "f32", 16, 8, 16},
      {"bf16_k8", "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", "bf16", "bf16", "f32", 16, 8, 8},
      {"f16_in_f16", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "f16", "f16", "f16", 16, 8, 16},
      {"f16_in_f16_k8", "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", "f16", "f16", "f16", 16, 8, 8},
      {"tf32_k4", "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "tf32", "tf32", "f32", 16, 8, 4},
      {"tf32_k8", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "tf32", "tf32", "f32", 16, 8, 8},
      {"f64_m8", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "f64", "f64", "f64", 8, 8, 4},
      {"f64_k8", "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", "f64", "f64", "f64", 16, 8, 8},
      {"f64_k16", "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", "f64", "f64", "f64", 16, 8, 16},
      {"s8_m8", "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", "s8", "s8", "s32", 8, 8, 16},
      {"s8_k16", "mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32", "s8", "u8", "s32", 16, 8, 16},
      {"s8_k32", "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", "s8", "s8", "s32", 16, 8, 32, true},
      {"s4_k64", "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", "s4", "u4", "s32", 16, 8, 64},
      {"b1_k256", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", "b1", "b1", "s32", 16, 8, 256},
      {"e4m3_k32", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", "e4m3", "e5m2", "f32", 16, 8, 32}};
  return kAll;
}

int bits_of(const std::string& type) {
  static const std::map<std::string, int> kBits = {{"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"f32", 32}, {"f64", 64},
                                                   {"s8", 8},   {"u8", 8},    {"s4", 4},    {"u4", 4},   {"b1", 1},
                                                   {"e4m3", 8}, {"e5m2", 8},  {"s32", 32}};
  return kBits.at(type);
}

// Bits of a small whole number, or a quarter of one.
uint64_t bits_of(const std::string& type, double value) {
  const auto small = [&](int fraction, int bias) -> uint64_t {  // sign, exponent and fraction of a normal number or 0
    if (value == 0) return 0;
    const int exponent = std::ilogb(value), width = bits_of(type);
    const auto rest = static_cast<uint64_t>((std::ldexp(std::fabs(value), -exponent) - 1) * (1 << fraction));
    return (value < 0 ? uint64_t{1} << (width - 1) : 0) | static_cast<uint64_t>(exponent + bias) << fraction | rest;
  };
  if (type == "f16") return small(10, 15);
  if (type == "bf16") return small(7, 127);
  if (type == "e4m3") return small(3, 7);
  if (type == "e5m2") return small(2, 15);
  if (type == "f64") return std::bit_cast<uint64_t>(value);
  if (type == "f32" || type == "tf32") return std::bit_cast<uint32_t>(static_cast<float>(value));
  const auto whole = static_cast<uint64_t>(static_cast<int64_t>(value));
  return bits_of(type) == 64 ? whole : whole & ((uint64_t{1} << bits_of(type)) - 1);
}

double value_of(const std::string& type, uint64_t bits) {
  if (type == "f64") return std::bit_cast<double>(bits);
  if (type == "f32") return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (type == "s32") return static_cast<int32_t>(bits);
  const int exponent = static_cast<int>(bits >> 10 & 31);  // f16, normal or 0
  const double size = exponent == 0 ? 0 : std::ldexp(1024 + static_cast<double>(bits & 1023), exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

double draw(Rng& rng, const std::string& type) {
  if (type == "b1") return static_cast<double>(rng.below(2));
  if (type == "u4" || type == "u8") return static_cast<double>(rng.below(16));
  if (type[0] == 's') return static_cast<double>(rng.between(-8, 7));
  return static_cast<double>(rng.between(-7, 7)) / (type == "e5m2" ? 1 : 2);  // three bits of fraction, or none
}

// PTX ISA 9.0, "Matrix Fragments for mma.m16n8k…": group is lane / 4, in_group lane % 4.
struct At {
  int row, col;
};
At place_of_a(const Product& p, int lane, int i) {
  const int per = std::max(32 / bits_of(p.a), 1), group = lane / 4, in_group = lane % 4;
  if (p.m == 8) return {group, in_group * per + i};
  const int quarter = i / per;  // of the four registers, or the two that small k has
  return {quarter % 2 == 0 ? group : group + 8, in_group * per + i % per + (quarter >= 2 ? quarter / 2 * 4 * per : 0)};
}
At place_of_b(const Product& p, int lane, int i) {
  const int per = std::max(32 / bits_of(p.b), 1), group = lane / 4, in_group = lane % 4;
  return {in_group * per + i % per + i / per * 4 * per, group};
}
At place_of_sum(int lane, int i) { return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + i % 2}; }

using Matrix = std::vector<std::vector<double>>;

struct Fragments {
  int words;  // of 32 bits, in a lane
  std::vector<uint32_t> all;
  void put(int lane, int i, int bits, uint64_t value) {
    for (int done = 0; done < bits; done += 32, value >>= 32) {
      const int at = i * bits + done;
      const auto word = static_cast<size_t>(lane * words + at / 32);
      all[word] |= static_cast<uint32_t>(value) << at % 32;
    }
  }
  uint64_t get(int lane, int i, int bits) const {
    const auto word = static_cast<size_t>(lane * words + i * bits / 32);
    if (bits == 64) return all[word] | uint64_t{all[word + 1]} << 32;
    return all[word] >> i * bits % 32 & (bits == 32 ? ~0u : (1u << bits) - 1);
  }
};
int words_of(const std::string& type, int elements) { return elements / 32 * bits_of(type) / 32; }

// Registers first, first + 1, …: "{%r10, %r11}"
std::string registers(const std::string& prefix, int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", prefix, first + i);
  return text + "}";
}

// Loads the lane's words, multiplies, stores the lane's words of the sum.
std::string product_kernel(const Product& p) {
  const int a = words_of(p.a, p.m * p.k), b = words_of(p.b, p.k * p.n), c = words_of(p.sum, p.m * p.n);
  const bool wide = p.a == "f64";
  std::string body =
      fmt::format("mad.wide.u32 %rd3, %r1, {}, %rd1; mad.wide.u32 %rd4, %r1, {}, %rd2;\n", 4 * (a + b + c), 4 * c);
  const int unit = wide ? 2 : 1;
  const char *const type = wide ? "f64" : "b32", *const prefix = wide ? "d" : "r";
  for (int i = 0; i < (a + b + c) / unit; ++i)
    body += fmt::format("ld.global.{} %{}{}, [%rd3+{}];\n", type, prefix, 2 + i, 4 * unit * i);
  const int sum = 2 + (a + b) / unit;
  const bool real = p.sum == "f32";
  if (real)
    for (int i = 0; i < c; ++i) body += fmt::format("mov.b32 %f{}, %r{};\n", i, sum + i);
  const std::string d = real ? registers("f", 0, c) : registers(prefix, sum, c / unit);
  body += fmt::format("{} {}, {}, {}, {};\n", p.opcode, d, registers(prefix, 2, a / unit),
                      registers(prefix, 2 + a / unit, b / unit), d);
  if (real)
    for (int i = 0; i < c; ++i) body += fmt::format("mov.b32 %r{}, %f{};\n", sum + i, i);
  for (int i = 0; i < c / unit; ++i)
    body += fmt::format("st.global.{} [%rd4+{}], %{}{};\n", type, 4 * unit * i, prefix, sum + i);
  return kernel_text("mma_" + p.name, body);
}

// wmma: matrices in memory, one after another, and what each fragment takes.
struct Wmma {
  std::string name, shape, a_layout, b_layout, operand, sum, types;
  int m, n, k, a_registers, b_registers;
};
const std::vector<Wmma>& wmmas() {
  static const std::vector<Wmma> kAll = {
      {"f16", "m16n16k16", "row", "col", "f16", "f32", "f32.f32", 16, 16, 16, 8, 8},
      {"f16_tall", "m32n8k16", "col", "row", "f16", "f16", "f16.f16", 32, 8, 16, 8, 8},
      {"bf16_flat", "m8n32k16", "row", "row", "bf16", "f32", "f32.bf16.bf16.f32", 8, 32, 16, 2, 8},
      {"tf32", "m16n16k8", "row", "col", "tf32", "f32", "f32.tf32.tf32.f32", 16, 16, 8, 4, 4},
      {"s8", "m16n16k16", "col", "col", "s8", "s32", "s32.s8.s8.s32", 16, 16, 16, 2, 2},
      {"f64", "m8n8k4", "row", "col", "f64", "f64", "f64.f64.f64.f64", 8, 8, 4, 1, 1}};
  return kAll;
}
constexpr int kPadding = 16;  // beyond the rows of a matrix, so that strides differ from extents

std::string wmma_kernel(const Wmma& w) {
  const auto bytes = [&](int count, const std::string& type) { return count * bits_of(type) / 8; };
  const int a_rows = w.a_layout == "row" ? w.m : w.k, a_stride = (w.a_layout == "row" ? w.k : w.m) + kPadding;
  const int b_rows = w.b_layout == "row" ? w.k : w.n, b_stride = (w.b_layout == "row" ? w.n : w.k) + kPadding;
  const int c_stride = w.n + kPadding, b_at = bytes(a_rows * a_stride, w.operand);
  const int c_at = b_at + bytes(b_rows * b_stride, w.operand);
  const int c_registers = w.m * w.n / 32 * (w.sum == "f16" ? 16 : 32) / 32;
  const bool wide = w.operand == "f64";
  const std::string prefix = wide ? "d" : "r", sum_prefix = wide ? "d" : w.sum == "f32" ? "f" : "r";
  const auto fragment = [&](const std::string& of, int first, int count) { return registers(of, first, count); };
  const int b_first = 10 + w.a_registers;
  const std::string sums = fragment(sum_prefix, sum_prefix == "f" ? 0 : 30, c_registers);
  return kernel_text(
      "wmma_" + w.name,
      fmt::format("add.u64 %rd5, %rd1, {}; add.u64 %rd6, %rd1, {};\n", b_at, c_at) +
          fmt::format("wmma.load.a.sync.aligned.{}.{}.global.{} {}, [%rd1], {};\n", w.a_layout, w.shape, w.operand,
                      fragment(prefix, 10, w.a_registers), a_stride) +
          fmt::format("wmma.load.b.sync.aligned.{}.{}.global.{} {}, [%rd5], {};\n", w.b_layout, w.shape, w.operand,
                      fragment(prefix, b_first, w.b_registers), b_stride) +
          fmt::format("wmma.load.c.sync.aligned.row.{}.global.{} {}, [%rd6], {};\n", w.shape, w.sum, sums, c_stride) +
          fmt::format("wmma.mma.sync.aligned.{}.{}.{}.{} {}, {}, {}, {};\n", w.a_layout, w.b_layout, w.shape, w.types,
                      sums, fragment(prefix, 10, w.a_registers), fragment(prefix, b_first, w.b_registers), sums) +
          fmt::format("wmma.store.d.sync.aligned.col.{}.global.{} [%rd2], {}, {};\n", w.shape, w.sum, sums, w.m));
}

std::string text_of_kernels() {
  std::string text = kPtxHead;
  for (const Product& p : products()) text += product_kernel(p);
  for (const Wmma& w : wmmas()) text += wmma_kernel(w);
  // Four matrices of registers to shared memory, transposed, and read back row by row.
  text += kernel_text(
      "stores_matrices",
      "mul.wide.u32 %rd3, %r1, 16; add.u64 %rd4, %rd1, %rd3; ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd4];\n"
      "mov.u32 %r6, tile_stores_matrices; shl.b32 %r7, %r1, 4; add.u32 %r7, %r6, %r7;\n"
      "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r7], {%r2, %r3, %r4, %r5}; bar.warp.sync 0xffffffff;\n"
      "ld.shared.v4.b32 {%r8, %r9, %r10, %r11}, [%r7]; movmatrix.sync.aligned.m8n8.trans.b16 %r12, %r2;\n"
      "mul.wide.u32 %rd3, %r1, 20; add.u64 %rd5, %rd2, %rd3; st.global.b32 [%rd5], %r8; st.global.b32 [%rd5+4], %r9;\n"
      "st.global.b32 [%rd5+8], %r10; st.global.b32 [%rd5+12], %r11; st.global.b32 [%rd5+16], %r12;");
  for (const char* layout : {"row.col", "col.row", "row.row", "col.col"}) {
    const std::string a_and_b =
        "mad.lo.u32 %r2, %r1, 48, 0; cvt.u64.u32 %rd3, %r2; add.u64 %rd4, %rd1, %rd3;\n"
        "ld.global.v2.b32 {%r3, %r4}, [%rd4]; ld.global.v2.b32 {%r5, %r6}, [%rd4+8];\n";
    const std::string halves = "{%r10, %r11, %r12, %r13}";
    const std::string head = "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd4+16];\n",
                      tail = "ld.global.v4.b32 {%r14, %r15, %r16, %r17}, [%rd4+32];\n",
                      to = "shl.b32 %r2, %r1, 5; cvt.u64.u32 %rd3, %r2; add.u64 %rd5, %rd2, %rd3;\n"
                           "st.global.v4.b32 [%rd5], {%r10, %r11, %r12, %r13};\n";
    std::string name = std::string("quads_") + layout;
    name[9] = '_';
    const auto product = [&](const char* type, const std::string& of) {
      return fmt::format("mma.sync.aligned.m8n8k4.{0}.{1}.f16.f16.{1} {2}, {{%r3, %r4}}, {{%r5, %r6}}, {2};\n", layout,
                         type, of);
    };
    const std::string floats =
        "mov.b32 %f1, %r10; mov.b32 %f2, %r11; mov.b32 %f3, %r12; mov.b32 %f4, %r13;\n"
        "mov.b32 %f5, %r14; mov.b32 %f6, %r15; mov.b32 %f7, %r16; mov.b32 %f8, %r17;\n";
    text += kernel_text(name + "_f32", a_and_b + head + tail + floats +
                                           product("f32", "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}") +
                                           to.substr(0, to.find("st.")) +
                                           "st.global.v4.f32 [%rd5], {%f1, %f2, %f3, %f4};\n"
                                           "st.global.v4.f32 [%rd5+16], {%f5, %f6, %f7, %f8};");
    text += kernel_text(name + "_f16", a_and_b + head + product("f16", halves) + to);
  }
  return text;
}

RunPtx& run() {
  static RunPtx runs("matrices", text_of_kernels());
  return runs;
}

TEST(PtxMatrices, PtxasTakesTheText) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  EXPECT_EQ(run().refused_by_ptxas(), "");
}

void expect_product(const Product& p) {
  Rng rng(1);
  Matrix a(static_cast<size_t>(p.m), std::vector<double>(static_cast<size_t>(p.k)));
  Matrix b(static_cast<size_t>(p.k), std::vector<double>(static_cast<size_t>(p.n)));
  Matrix c(static_cast<size_t>(p.m), std::vector<double>(static_cast<size_t>(p.n)));
  for (auto& row : a)
    for (double& x : row) x = draw(rng, p.a);
  for (auto& row : b)
    for (double& x : row) x = draw(rng, p.b);
  for (auto& row : c)
    for (double& x : row) x = static_cast<double>(rng.between(-8, 8));
  if (p.saturates) c[0][0] = 0x1p31 - 1, c[1][0] = -0x1p31, a[0].assign(a[0].size(), 1), a[1].assign(a[1].size(), -1);
  if (p.saturates)
    for (auto& row : b) row[0] = 7;
  const auto at = [](Matrix& of, At place) -> double& {
    return of[static_cast<size_t>(place.row)][static_cast<size_t>(place.col)];
  };
  const int a_words = words_of(p.a, p.m * p.k), b_words = words_of(p.b, p.k * p.n), words = words_of(p.sum, p.m * p.n);
  Fragments in{a_words + b_words + words, std::vector<uint32_t>(static_cast<size_t>(32 * (a_words + b_words + words)))};
  for (int lane = 0; lane < 32; ++lane) {
    const int a_bits = bits_of(p.a), b_bits = bits_of(p.b), bits = bits_of(p.sum);
    for (int i = 0; i < p.m * p.k / 32; ++i) in.put(lane, i, a_bits, bits_of(p.a, at(a, place_of_a(p, lane, i))));
    for (int i = 0; i < p.k * p.n / 32; ++i)
      in.put(lane, a_words * 32 / b_bits + i, b_bits, bits_of(p.b, at(b, place_of_b(p, lane, i))));
    for (int i = 0; i < p.m * p.n / 32; ++i)
      in.put(lane, (a_words + b_words) * 32 / bits + i, bits, bits_of(p.sum, at(c, place_of_sum(lane, i))));
  }
  for (const bool checked : {false, true}) {
    const RunPtx::Outcome ran = run()("mma_" + p.name, checked, 32, in.all, static_cast<size_t>(32 * words), 3);
    EXPECT_THAT(ran.findings, IsEmpty());
    const Fragments out{words, ran.out};
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < p.m * p.n / 32; ++i) {
        const At place = place_of_sum(lane, i);
        double sum = at(c, place);
        for (int k = 0; k < p.k; ++k) sum += at(a, {place.row, k}) * at(b, {k, place.col});
        if (p.saturates) sum = std::clamp(sum, -0x1p31, 0x1p31 - 1);
        ASSERT_EQ(value_of(p.sum, out.get(lane, i, bits_of(p.sum))), sum) << "lane " << lane << " element " << i;
      }
  }
}

TEST(PtxMatrices, ProductsAreThoseOfTheManualsFragments) {
  for (const Product& each : products()) {
    SCOPED_TRACE(each.opcode);
    expect_product(each);
  }
}

// PTX ISA 9.0, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type": `half` is 1 from lane 16 on.
TEST(PtxMatrices, QuadsMultiplyAsVoltaDid) {
  for (const bool a_by_rows : {false, true})
    for (const bool b_by_rows : {false, true})
      for (const bool is_f32 : {false, true}) {
        const std::string name =
            fmt::format("quads_{}_{}_{}", a_by_rows ? "row" : "col", b_by_rows ? "row" : "col", is_f32 ? "f32" : "f16");
        Rng rng(3);
        double a[4][8][4], b[4][4][8], c[4][8][8];  // of each of the four products
        for (int p = 0; p < 4; ++p)
          for (int i = 0; i < 32; ++i) a[p][i / 4][i % 4] = draw(rng, "f16"), b[p][i / 8][i % 8] = draw(rng, "f16");
        for (double& x : std::span(&c[0][0][0], 256)) x = static_cast<double>(rng.between(-8, 8));
        const auto place = [&](int lane, int i) -> At {
          const int in_quad = lane % 4, half = lane / 16;
          return is_f32 ? At{(lane & 1) + (i & 2) + 4 * half, (i & 4) + (lane & 2) + (i & 1)}
                        : At{in_quad + 4 * half, i};
        };
        Fragments in{12, std::vector<uint32_t>(32 * 12)};
        const std::string type = is_f32 ? "f32" : "f16";
        for (int lane = 0; lane < 32; ++lane) {
          const int p = lane / 4 % 4, in_quad = lane % 4, half = lane / 16;
          for (int i = 0; i < 4; ++i) {
            in.put(lane, i, 16, bits_of("f16", a_by_rows ? a[p][in_quad + 4 * half][i] : a[p][i + 4 * half][in_quad]));
            in.put(lane, 4 + i, 16,
                   bits_of("f16", b_by_rows ? b[p][in_quad][i + 4 * half] : b[p][i][in_quad + 4 * half]));
          }
          for (int i = 0; i < 8; ++i)
            in.put(lane, (is_f32 ? 4 : 8) + i, bits_of(type),
                   bits_of(type, c[p][place(lane, i).row][place(lane, i).col]));
        }
        for (const bool checked : {false, true}) {
          const RunPtx::Outcome ran = run()(name, checked, 32, in.all, 32 * 8, 3);
          EXPECT_THAT(ran.findings, IsEmpty()) << name;
          const Fragments out{8, ran.out};
          for (int lane = 0; lane < 32; ++lane)
            for (int i = 0; i < 8; ++i) {
              const At at = place(lane, i);
              double sum = c[lane / 4 % 4][at.row][at.col];
              for (int k = 0; k < 4; ++k) sum += a[lane / 4 % 4][at.row][k] * b[lane / 4 % 4][k][at.col];
              ASSERT_EQ(value_of(type, out.get(lane, i, bits_of(type))), sum) << name << " lane " << lane << " " << i;
            }
        }
      }
}

void expect_product_in_memory(const Wmma& w) {
  Rng rng(2);
  std::vector<uint8_t> bytes;
  const auto random_matrix = [&](int rows, int cols, bool by_rows, const std::string& type, Matrix& matrix) {
    matrix.assign(static_cast<size_t>(rows), std::vector<double>(static_cast<size_t>(cols)));
    const int lines = by_rows ? rows : cols, stride = (by_rows ? cols : rows) + kPadding;
    const size_t begin = bytes.size(), size = static_cast<size_t>(bits_of(type)) / 8;
    bytes.resize(begin + static_cast<size_t>(lines * stride) * size);
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < cols; ++col) {
        const double value = draw(rng, type == "s32" ? "s8" : type);
        matrix[static_cast<size_t>(row)][static_cast<size_t>(col)] = value;
        const uint64_t bits = bits_of(type, value);
        const int at = by_rows ? row * stride + col : col * stride + row;
        std::memcpy(&bytes[begin + static_cast<size_t>(at) * size], &bits, size);
      }
  };
  Matrix a, b, c;
  random_matrix(w.m, w.k, w.a_layout == "row", w.operand, a);
  random_matrix(w.k, w.n, w.b_layout == "row", w.operand, b);
  random_matrix(w.m, w.n, true, w.sum, c);
  std::vector<uint32_t> in(bytes.size() / 4);
  std::memcpy(in.data(), bytes.data(), bytes.size());
  const int bits = bits_of(w.sum);
  for (const bool checked : {false, true}) {
    const RunPtx::Outcome ran = run()("wmma_" + w.name, checked, 32, in, static_cast<size_t>(w.m * w.n * bits / 32), 5);
    EXPECT_THAT(ran.findings, IsEmpty());
    const Fragments out{0, ran.out};
    for (int row = 0; row < w.m; ++row)
      for (int col = 0; col < w.n; ++col) {
        double sum = c[static_cast<size_t>(row)][static_cast<size_t>(col)];
        for (size_t k = 0; k < static_cast<size_t>(w.k); ++k)
          sum += a[static_cast<size_t>(row)][k] * b[k][static_cast<size_t>(col)];
        ASSERT_EQ(value_of(w.sum, out.get(0, col * w.m + row, bits)), sum) << row << " " << col;
      }
  }
}

TEST(PtxMatrices, WmmaMultipliesMatricesInMemory) {
  for (const Wmma& each : wmmas()) {
    SCOPED_TRACE(each.name);
    expect_product_in_memory(each);
  }
}

TEST(PtxMatrices, MatricesAreStoredByTheRowsTheirLanesName) {
  std::vector<uint32_t> in;
  const auto element = [](uint32_t matrix, uint32_t row, uint32_t col) { return matrix << 8 | row << 4 | col; };
  for (uint32_t lane = 0; lane < 32; ++lane)  // of matrix m, lane l has (l / 4, l % 4 * 2) and the next
    for (uint32_t matrix = 0; matrix < 4; ++matrix)
      in.push_back(element(matrix, lane / 4, lane % 4 * 2) | element(matrix, lane / 4, lane % 4 * 2 + 1) << 16);
  for (const bool checked : {false, true}) {
    const RunPtx::Outcome ran = run()("stores_matrices", checked, 32, in, 5 * 32, 1);
    EXPECT_THAT(ran.findings, IsEmpty());
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t pair = 0; pair < 4; ++pair)  // row l % 8 of the transpose of matrix l / 8
        ASSERT_EQ(ran.out[5 * lane + pair],
                  element(lane / 8, 2 * pair, lane % 8) | element(lane / 8, 2 * pair + 1, lane % 8) << 16)
            << lane << " " << pair;
      ASSERT_EQ(ran.out[5 * lane + 4], element(0, lane % 4 * 2, lane / 4) | element(0, lane % 4 * 2 + 1, lane / 4)
                                                                                << 16);
    }
  }
}

}  // namespace
}  // namespace assay::ptx_matrices
