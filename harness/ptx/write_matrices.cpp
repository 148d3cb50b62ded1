// Tensor cores: products of a warp, and matrices on their way to and from registers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "harness/ptx/declarations.h"
#include "harness/ptx/family.h"
#include "harness/ptx/forms.h"
#include "harness/ptx/types.h"

namespace assay::ptx {
namespace {

Space space_of_access(const Instruction& instruction) {
  for (const std::string& modifier : instruction.modifiers)
    if (const Space space = space_of("." + modifier); space != Space::generic) return space;
  return Space::generic;
}

std::string joined(FunctionWriter& writer, const Operand& operand, const char* type) {
  std::string text;
  for (const Operand& part : operand.parts.empty() ? std::vector<Operand>{operand} : operand.parts)
    text += (text.empty() ? "" : ", ") + writer.value(part, type);
  return text;
}

size_t parts_of(const Operand& operand) { return operand.parts.empty() ? 1 : operand.parts.size(); }

// `type`: of the array's elements.
std::string assign_all(FunctionWriter& writer, const Operand& to, const std::string& array, const char* type) {
  if (to.parts.empty()) return writer.assign(to, array + "[0]", type);
  std::string text;
  for (size_t i = 0; i < to.parts.size(); ++i)
    if (to.parts[i].kind != Operand::sink)
      text += writer.assign(to.parts[i], fmt::format("{}[{}]", array, i), type) + " ";
  return text;
}

// ldmatrix and stmatrix.sync.aligned.m8n8.xN[.trans][.shared].b16
size_t matrices_of(const Instruction& instruction) {
  static constexpr std::string_view kKnown = "sync aligned m8n8 x1 x2 x4 trans shared shared::cta b16";
  if (!has_only(instruction, kKnown)) return 0;
  return has(instruction, "x4") ? 4 : has(instruction, "x2") ? 2 : has(instruction, "x1") ? 1 : 0;
}

std::string load_matrices(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const size_t count = matrices_of(instruction);
  if (count == 0 || operands.size() != 2 || parts_of(operands[0]) != count)
    return writer.refuse_instruction(instruction), "";
  return fmt::format("{{ const auto rows = ldmatrix<{}, {}>({}); {} }}", count, has(instruction, "trans"),
                     writer.address(operands[1], space_of_access(instruction)),
                     assign_all(writer, operands[0], "rows.at", "b32"));
}

std::string store_matrices(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const size_t count = matrices_of(instruction);
  if (count == 0 || operands.size() != 2 || parts_of(operands[1]) != count)
    return writer.refuse_instruction(instruction), "";
  return fmt::format("stmatrix<{}, {}>({}, {{{{{}}}}});", count, has(instruction, "trans"),
                     writer.address(operands[0], space_of_access(instruction)), joined(writer, operands[1], "b32"));
}

// The parts of a product, as far as the manual has them.
struct Product {
  std::string shape;  // "m16n8k16"
  std::string a, b, c, d;
  bool is_wmma = false, saturates = false, is_xor = false;
};

struct Shapes {
  std::string_view operands, sums, shapes;
};
constexpr std::array kMmaShapes{Shapes{"f16", "f16 f32", "m16n8k8 m16n8k16"},
                                Shapes{"bf16", "f32", "m16n8k8 m16n8k16"},
                                Shapes{"tf32", "f32", "m16n8k4 m16n8k8"},
                                Shapes{"f64", "f64", "m8n8k4 m16n8k4 m16n8k8 m16n8k16"},
                                Shapes{"u8 s8", "s32", "m8n8k16 m16n8k16 m16n8k32"},
                                Shapes{"u4 s4", "s32", "m8n8k32 m16n8k32 m16n8k64"},
                                Shapes{"b1", "s32", "m8n8k128 m16n8k128 m16n8k256"},
                                Shapes{"e4m3 e5m2", "f16 f32", "m16n8k16 m16n8k32"}};
constexpr std::array kWmmaShapes{Shapes{"f16", "f16 f32", "m16n16k16 m32n8k16 m8n32k16"},
                                 Shapes{"bf16", "f32", "m16n16k16 m32n8k16 m8n32k16"},
                                 Shapes{"tf32", "f32", "m16n16k8"}, Shapes{"f64", "f64", "m8n8k4"},
                                 Shapes{"u8 s8", "s32", "m16n16k16 m32n8k16 m8n32k16"}};

bool exists(const Product& product) {
  const auto fits = [&](const Shapes& each) {
    return has_word(each.operands, product.a) && has_word(each.operands, product.b) && has_word(each.sums, product.c) &&
           has_word(each.sums, product.d) && has_word(each.shapes, product.shape);
  };
  return product.is_wmma ? std::ranges::any_of(kWmmaShapes, fits) : std::ranges::any_of(kMmaShapes, fits);
}

struct Extent {
  size_t m = 0, n = 0, k = 0;
};
// 0 where there is none.
size_t number_at(const std::string& text, size_t begin) {
  size_t number = 0;
  if (begin < text.size()) std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return number;
}
Extent extent_of(const std::string& shape) {  // "m16n8k16"
  const size_t n = shape.find('n'), k = shape.find('k');
  if (!shape.starts_with('m') || n == std::string::npos || k == std::string::npos || shape.size() > 12) return {};
  return {number_at(shape, 1), number_at(shape, n + 1), number_at(shape, k + 1)};
}

size_t bits_of(const std::string& type) {
  if (type == "b1") return 1;
  if (type == "e4m3" || type == "e5m2") return 8;
  if (type == "tf32") return 32;
  return number_at(type, type.find_first_of("0123456789"));
}

// Registers of a lane for a matrix of `elements`.
size_t registers_of(const std::string& type, size_t elements, bool is_wmma_operand) {
  if (type == "f64") return elements / 32;
  if (is_wmma_operand && type == "f16") return 8;
  return elements / 32 * bits_of(type) / 32;
}

std::string multiply(FunctionWriter& writer, const Instruction& instruction, const Product& product) {
  const auto& operands = instruction.operands;
  const Extent e = extent_of(product.shape);
  if (!exists(product) || operands.size() != 4 || parts_of(operands[0]) != registers_of(product.d, e.m * e.n, false) ||
      parts_of(operands[1]) != registers_of(product.a, e.m * e.k, product.is_wmma) ||
      parts_of(operands[2]) != registers_of(product.b, e.k * e.n, product.is_wmma) ||
      parts_of(operands[3]) != registers_of(product.c, e.m * e.n, false))
    return writer.refuse_instruction(instruction), "";
  const bool wide = product.d == "f64";
  const char *const type = wide ? "b64" : "b32", *const word = wide ? "uint64_t" : "uint32_t";
  const std::string form =
      fmt::format("kMatrixForm<{}, {}, {}, Element::{}, Element::{}, Element::{}, Element::{}, {}, {}, {}>", e.m, e.n,
                  e.k, product.a, product.b, product.c, product.d, product.is_wmma, product.saturates, product.is_xor);
  return fmt::format("{{ const auto d = product<{}, {}>(Factors<{}, {}, {}, {}>{{{{{}}}, {{{}}}, {{{}}}}}); {}}}", form,
                     parts_of(operands[0]), word, parts_of(operands[1]), parts_of(operands[2]), parts_of(operands[3]),
                     joined(writer, operands[1], type), joined(writer, operands[2], type),
                     joined(writer, operands[3], type), assign_all(writer, operands[0], "d.at", type));
}

// The forms that kernels mostly use, which have functions of their own.
std::optional<std::string> multiply_fast(FunctionWriter& writer, const Instruction& instruction) {
  static constexpr std::pair<std::string_view, std::string_view> kForms[] = {
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "f16, 16"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "bf16, 16"},
      {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "f16, 8"},
      {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", "bf16, 8"},
      {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "float, 8"}};
  const auto& operands = instruction.operands;
  const auto found =
      std::ranges::find_if(kForms, [form = spelled(instruction)](const auto& each) { return each.first == form; });
  if (found == std::end(kForms) || operands.size() != 4 || parts_of(operands[0]) != 4 || parts_of(operands[3]) != 4)
    return std::nullopt;
  return fmt::format("{{ const auto d = mma<{3}>(Mma{{{{{0}}}, {{{1}}}, {{{2}}}}}); {4}}}",
                     joined(writer, operands[3], "f32"), joined(writer, operands[1], "b32"),
                     joined(writer, operands[2], "b32"), found->second, assign_all(writer, operands[0], "d.at", "f32"));
}

// mma.sync.aligned.m8n8k4.LAYOUT.LAYOUT.D.f16.f16.C, where C and D are both f32 or both f16
std::optional<std::string> multiply_in_quads(FunctionWriter& writer, const Instruction& instruction) {
  const auto& modifiers = instruction.modifiers;
  const auto& operands = instruction.operands;
  const std::vector<std::string> begin = {"sync", "aligned", "m8n8k4"};
  if (modifiers.size() != 9 || !std::equal(begin.begin(), begin.end(), modifiers.begin()) || modifiers[6] != "f16" ||
      modifiers[7] != "f16")
    return std::nullopt;
  const bool is_f32 = modifiers[8] == "f32";
  const size_t sums = is_f32 ? 8 : 4;
  if (!has_word("row col", modifiers[3]) || !has_word("row col", modifiers[4]) || modifiers[5] != modifiers[8] ||
      !has_word("f32 f16", modifiers[8]) || operands.size() != 4 || parts_of(operands[0]) != sums ||
      parts_of(operands[1]) != 2 || parts_of(operands[2]) != 2 || parts_of(operands[3]) != sums)
    return std::nullopt;
  return fmt::format("{{ const auto d = mma_m8n8k4<{}, {}, {}>({{{{{}}}}}, {{{{{}}}}}, {{{{{}}}}}); {}}}",
                     modifiers[3] == "row", modifiers[4] == "row", is_f32, joined(writer, operands[1], "b32"),
                     joined(writer, operands[2], "b32"), joined(writer, operands[3], "b32"),
                     assign_all(writer, operands[0], "d.at", "b32"));
}

// mma.sync.aligned.SHAPE.row.col[.satfinite].D.A.B.C[.xor.popc]
std::string mma(FunctionWriter& writer, const Instruction& instruction) {
  if (auto fast = multiply_fast(writer, instruction)) return *fast;
  if (auto quads = multiply_in_quads(writer, instruction)) return *quads;
  std::vector<std::string> types;
  Product product;
  for (const std::string& each : instruction.modifiers) {
    if (extent_of(each).m != 0)
      product.shape = each;
    else if (each == "satfinite")
      product.saturates = true;
    else if (each == "xor")
      product.is_xor = true;
    else if (!has_word("sync aligned row col rn popc and kind::f8f6f4", each))
      types.push_back(each);
  }
  if (!has(instruction, "row") || !has(instruction, "col") || types.size() != 4)
    return writer.refuse_instruction(instruction), "";
  product.d = types[0], product.a = types[1], product.b = types[2], product.c = types[3];
  return multiply(writer, instruction, product);
}

// wmma.mma.sync.aligned.LAYOUT.LAYOUT.SHAPE[.rn].D[.A.B].C[.satfinite]: fragments are the same for both layouts.
std::string wmma_multiply(FunctionWriter& writer, const Instruction& instruction) {
  std::vector<std::string> types;
  Product product;
  product.is_wmma = true;
  for (const std::string& each : instruction.modifiers) {
    if (extent_of(each).m != 0)
      product.shape = each;
    else if (each == "satfinite")
      product.saturates = true;
    else if (!has_word("mma sync aligned row col rn", each))
      types.push_back(each);
  }
  if (types.size() == 2) types.insert(types.begin() + 1, {"f16", "f16"});
  if (types.size() != 4 || (product.saturates && types[0] != "s32")) return writer.refuse_instruction(instruction), "";
  product.d = types[0], product.a = types[1], product.b = types[2], product.c = types[3];
  return multiply(writer, instruction, product);
}

// wmma.load.a|b|c and wmma.store.d.sync.aligned.LAYOUT.SHAPE[.SPACE].TYPE, with a stride in elements
std::string wmma_move(FunctionWriter& writer, const Instruction& instruction) {
  const auto& modifiers = instruction.modifiers;
  const auto& operands = instruction.operands;
  const bool loads = has(instruction, "load"), by_rows = has(instruction, "row");
  if (modifiers.size() < 6 || operands.size() < 2 || operands.size() > 3 || by_rows == has(instruction, "col"))
    return writer.refuse_instruction(instruction), "";
  const std::string &which = modifiers[1], &type = modifiers.back();
  const auto shape = std::ranges::find_if(modifiers, [](const std::string& each) { return extent_of(each).m != 0; });
  const Extent e = shape == modifiers.end() ? Extent{} : extent_of(*shape);
  const size_t rows = which == "b" ? e.k : e.m, cols = which == "a" ? e.k : e.n;
  const bool is_sum = which == "c" || which == "d";
  const bool is_known = std::ranges::any_of(kWmmaShapes, [&](const Shapes& each) {
    return has_word(is_sum ? each.sums : each.operands, type) && shape != modifiers.end() &&
           has_word(each.shapes, *shape);
  });
  const Operand& fragment = operands[loads ? 0 : 1];
  const size_t registers = registers_of(type, rows * cols, !is_sum);
  if (!is_known || !has_word("a b c d", which) || parts_of(fragment) != registers)
    return writer.refuse_instruction(instruction), "";
  const bool wide = type == "f64";
  const size_t bits = bits_of(type), count = registers * (wide ? 64 : 32) / bits;
  const std::string stride =
      operands.size() == 3 ? writer.value(operands[2], "u32") : fmt::format("{}", by_rows ? cols : rows);
  const std::string address = writer.address(operands[loads ? 1 : 0], space_of_access(instruction));
  const std::string element = fmt::format("uint{}_t", bits), word = wide ? "uint64_t" : "uint32_t";
  if (!loads)
    return fmt::format(
        "{{ union {{ {} words[{}]; {} at[{}]; }} fragment{{{{{}}}}}; wmma_store<{}, {}, {}, {}, {}>(fragment.at, {}, "
        "{}); "
        "}}",
        word, registers, element, count, joined(writer, fragment, wide ? "b64" : "b32"), element, rows, cols, count,
        by_rows, address, stride);
  return fmt::format(
      "{{ union {{ {} words[{}]; {} at[{}]; }} fragment; wmma_load<{}, Fragment::{}, {}, {}, {}, {}>(fragment.at, {}, "
      "{}); {}}}",
      word, registers, element, count, element, is_sum ? "accumulator" : "operand", rows, cols, count, by_rows, address,
      stride, assign_all(writer, fragment, "fragment.words", wide ? "b64" : "b32"));
}

}  // namespace

std::optional<std::string> write_matrices(FunctionWriter& writer, const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (opcode == "ldmatrix") return load_matrices(writer, instruction);
  if (opcode == "stmatrix") return store_matrices(writer, instruction);
  if (opcode == "mma") return mma(writer, instruction);
  if (opcode == "wmma")
    return has(instruction, "mma") ? wmma_multiply(writer, instruction) : wmma_move(writer, instruction);
  if (opcode == "movmatrix" && spelled(instruction) == "movmatrix.sync.aligned.m8n8.trans.b16" &&
      instruction.operands.size() == 2)
    return writer.assign(instruction.operands[0],
                         fmt::format("movmatrix({})", writer.value(instruction.operands[1], "b32")));
  return std::nullopt;
}

}  // namespace assay::ptx
