// Textures and surfaces: fetches, accesses and queries, which the executor's functions do (simt/texture_calls.h).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/ptx/family.h"
#include "harness/ptx/forms.h"
#include "harness/ptx/types.h"

namespace assay::ptx {
namespace {

// The coordinates of a geometry: a layer first, then as many as the image has extents; PTX fills up to 1, 2 or 4.
struct GeometryForm {
  const char* name;  // as simt::Geometry has it
  bool has_layer;
  size_t coordinates, given;
};

const GeometryForm* geometry_of(const std::string& modifier) {
  static const std::map<std::string, GeometryForm, std::less<>> kForms = {
      {"1d", {"line", false, 1, 1}},   {"2d", {"plane", false, 2, 2}},  {"3d", {"volume", false, 3, 4}},
      {"a1d", {"lines", true, 1, 2}},  {"a2d", {"planes", true, 2, 4}}, {"cube", {"cube", false, 3, 4}},
      {"acube", {"cubes", true, 3, 4}}};
  const auto found = kForms.find(modifier);
  return found == kForms.end() ? nullptr : &found->second;
}

// "handle, simt::Geometry::plane, " or more, and the layer and coordinates of [handle, {x, y}]; "" where the operand
// does not fit.
struct ImagePlace {
  std::string handle, coordinates;
};
std::optional<ImagePlace> place_of(FunctionWriter& writer, const Operand& operand, const GeometryForm& form,
                                   const char* type) {
  if (operand.kind != Operand::address || operand.parts.size() != 2) return std::nullopt;
  const Operand& at = operand.parts[1];
  const std::vector<Operand> given = at.kind == Operand::vector ? at.parts : std::vector<Operand>{at};
  if (given.size() != form.given) return std::nullopt;
  ImagePlace place{writer.value(operand.parts[0], "b64"), form.has_layer ? writer.value(given[0], "u32") : "0u"};
  for (size_t i = 0; i < 3; ++i)
    place.coordinates += ", " + (i < form.coordinates ? writer.value(given[i + (form.has_layer ? 1 : 0)], type) : "0");
  return place;
}

std::string assign_channels(FunctionWriter& writer, const std::vector<Operand>& to, const char* function,
                            const std::string& type) {
  std::string text;
  for (size_t i = 0; i < to.size(); ++i)
    if (to[i].kind != Operand::sink)
      text += writer.assign(to[i], fmt::format("{}<{}>(all, {})", function, *cpp_type(type), i), type) + " ";
  return text;
}

// tex[.level].GEOMETRY.v4.TYPE.COORDINATES to[|resident], [handle, {x, …}][, level]: there is one level.
std::string fetch(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  std::vector<std::string> modifiers = instruction.modifiers;
  const bool has_level = !modifiers.empty() && (modifiers[0] == "level" || modifiers[0] == "base");
  const size_t expected = has_level && modifiers[0] == "level" ? 3 : 2;
  if (has_level) modifiers.erase(modifiers.begin());
  const GeometryForm* const form = modifiers.size() == 4 ? geometry_of(modifiers[0]) : nullptr;
  if (form == nullptr || modifiers[1] != "v4" || !has_word("f32 s32 u32", modifiers[2]) ||
      !has_word("f32 s32", modifiers[3]) || operands.size() != expected)
    return writer.refuse_instruction(instruction), "";
  const bool is_cube = std::string_view(form->name).starts_with("cube"), is_whole = modifiers[3] == "s32";
  const bool tells_resident = operands[0].kind == Operand::pair;
  const Operand& to = tells_resident ? operands[0].parts[0] : operands[0];
  const auto place = place_of(writer, operands[1], *form, is_whole ? "s32" : "f32");
  if (!place || to.parts.size() != 4 || (is_cube && is_whole)) return writer.refuse_instruction(instruction), "";
  return fmt::format("{{ const simt::Texel all = simt::{}(simt::current(), {}, simt::Geometry::{}, {}); {}{}}}",
                     is_whole ? "fetch_texel" : "fetch_texture", place->handle, form->name, place->coordinates,
                     assign_channels(writer, to.parts, "channel", modifiers[2]),
                     tells_resident ? writer.assign(operands[0].parts[1], "true", "pred") + " " : "");
}

// tld4.r|g|b|a.2d.v4.TYPE.f32 to, [handle, {x, y}]
std::string gather(FunctionWriter& writer, const Instruction& instruction) {
  static constexpr std::string_view kChannels = "rgba";
  const auto& modifiers = instruction.modifiers;
  const auto& operands = instruction.operands;
  const size_t channel = modifiers.empty() || modifiers[0].size() != 1 ? kChannels.npos : kChannels.find(modifiers[0]);
  if (channel == kChannels.npos || modifiers.size() != 5 || modifiers[1] != "2d" || modifiers[2] != "v4" ||
      !has_word("f32 s32 u32", modifiers[3]) || modifiers[4] != "f32" || operands.size() != 2)
    return writer.refuse_instruction(instruction), "";
  const bool tells_resident = operands[0].kind == Operand::pair;
  const Operand& to = tells_resident ? operands[0].parts[0] : operands[0];
  const Operand& from = operands[1];
  if (to.parts.size() != 4 || from.parts.size() != 2 || from.parts[1].parts.size() != 2)
    return writer.refuse_instruction(instruction), "";
  return fmt::format("{{ const simt::Texel all = simt::gather_texels(simt::current(), {}, {}, {}, {}); {}{}}}",
                     writer.value(from.parts[0], "b64"), channel, writer.value(from.parts[1].parts[0], "f32"),
                     writer.value(from.parts[1].parts[1], "f32"),
                     assign_channels(writer, to.parts, "channel", modifiers[3]),
                     tells_resident ? writer.assign(operands[0].parts[1], "true", "pred") + " " : "");
}

// suld.b.GEOMETRY[.CACHE][.vN].TYPE.OUTSIDE to, [handle, {x, …}], and sust.b with the operands the other way round
std::string access_surface(FunctionWriter& writer, const Instruction& instruction) {
  const auto& modifiers = instruction.modifiers;
  const auto& operands = instruction.operands;
  const bool loads = instruction.opcode == "suld";
  const GeometryForm* const form = modifiers.size() >= 4 ? geometry_of(modifiers[1]) : nullptr;
  if (form == nullptr || modifiers[0] != "b" || std::string_view(form->name).starts_with("cube") ||
      operands.size() != 2)
    return writer.refuse_instruction(instruction), "";
  const std::string &outside = modifiers.back(), &type = modifiers[modifiers.size() - 2];
  size_t count = 1;
  for (size_t i = 2; i + 2 < modifiers.size(); ++i) {
    if (modifiers[i] == "v2" || modifiers[i] == "v4")
      count = modifiers[i] == "v2" ? 2 : 4;
    else if (!has_word("ca cg cs cv wb wt", modifiers[i]))
      return writer.refuse_instruction(instruction), "";
  }
  const Operand& registers = operands[loads ? 0 : 1];
  const std::vector<Operand> each = registers.parts.empty() ? std::vector<Operand>{registers} : registers.parts;
  const auto place = place_of(writer, operands[loads ? 1 : 0], *form, "s32");
  const size_t bytes = count * bytes_of(type);
  if (!place || !has_word("b8 b16 b32 b64", type) || !has_word("trap clamp zero", outside) || each.size() != count ||
      bytes > 16)
    return writer.refuse_instruction(instruction), "";
  const std::string start = fmt::format("simt::current(), {}, simt::Geometry::{}, simt::Outside::{}, {}, {}",
                                        place->handle, form->name, outside, bytes, place->coordinates);
  if (loads)
    return fmt::format("{{ const simt::Texel all = simt::load_surface({}); {}}}", start,
                       assign_channels(writer, each, "element", type));
  std::string values;
  for (const Operand& one : each) values += (values.empty() ? "" : ", ") + writer.value(one, type);
  return fmt::format("simt::store_surface({}, texel_of({}));", start, values);
}

// txq.ATTRIBUTE.b32 to, [handle], and suq
std::string query(FunctionWriter& writer, const Instruction& instruction) {
  static const std::map<std::string, const char*, std::less<>> kQueries = {{"width", "width"},
                                                                           {"height", "height"},
                                                                           {"depth", "depth"},
                                                                           {"array_size", "array_size"},
                                                                           {"num_samples", "samples"},
                                                                           {"normalized_coords", "normalized_coords"},
                                                                           {"num_mipmap_levels", "mipmap_levels"}};
  const auto& modifiers = instruction.modifiers;
  const auto& operands = instruction.operands;
  const auto found = modifiers.size() == 2 ? kQueries.find(modifiers[0]) : kQueries.end();
  if (found == kQueries.end() || modifiers[1] != "b32" || operands.size() != 2 || operands[1].parts.size() != 1)
    return writer.refuse_instruction(instruction), "";
  return writer.assign(operands[0],
                       fmt::format("simt::query_image(simt::current(), {}, simt::ImageQuery::{})",
                                   writer.value(operands[1].parts[0], "b64"), found->second),
                       "b32");
}

}  // namespace

std::optional<std::string> write_textures(FunctionWriter& writer, const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (opcode == "tex") return fetch(writer, instruction);
  if (opcode == "tld4") return gather(writer, instruction);
  if (opcode == "suld" || opcode == "sust") return access_surface(writer, instruction);
  if (opcode == "txq" || opcode == "suq") return query(writer, instruction);
  return std::nullopt;
}

}  // namespace assay::ptx
