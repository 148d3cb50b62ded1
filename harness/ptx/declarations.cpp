// Declarations, in the order of the header.
#include "harness/ptx/declarations.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::ptx {
namespace {

constexpr uint64_t kBytesMax = uint64_t{1} << 30;  // of one variable; a count beyond it is a mistake or an attack
constexpr int kBracesMax = 8;                      // that an initialiser nests

// One element: a number, a name, or a name in generic() with an offset.
Initial read_element(Cursor& cursor) {
  Initial element;
  if (cursor.now().kind == Token::number || cursor.is("-")) {
    const bool negative = cursor.take_if("-");
    if (cursor.now().kind != Token::number) return cursor.refuse("a number is missing here"), element;
    element.bits = number_of(cursor, negative).bits;
    return element;
  }
  const bool generic = cursor.is("generic") && cursor.next().text == "(";
  if (generic) cursor.take(), cursor.take();
  element.symbol = cursor.take_word("a number or a name");
  if (generic) cursor.expect(")");
  if (cursor.take_if("+")) element.bits = cursor.take_whole("an offset");
  return element;
}

void read_initial(Cursor& cursor, uint64_t room, int depth, std::vector<Initial>& initial) {
  if (depth > kBracesMax) return cursor.refuse(fmt::format("more than {} braces within each other", kBracesMax));
  if (!cursor.take_if("{")) {
    if (initial.size() >= room) return cursor.refuse("more values than the variable has elements");
    initial.push_back(read_element(cursor));
    return;
  }
  while (!cursor.at_end() && !cursor.is("}")) {
    read_initial(cursor, room, depth + 1, initial);
    if (!cursor.take_if(",")) break;
  }
  cursor.expect("}");
}

// "[4][2]", "[]": how many elements
void read_dims(Cursor& cursor, Variable& variable, uint64_t element_bytes) {
  while (cursor.take_if("[")) {
    variable.is_array = true;
    const Place place = cursor.now().place;
    const uint64_t extent = cursor.is("]") ? 0 : cursor.take_whole("an extent");
    if (extent > kBytesMax / element_bytes || variable.elements * extent > kBytesMax / element_bytes)
      return cursor.refuse_at(place, "a variable of more than 1 GB");
    variable.elements *= extent;
    cursor.expect("]");
  }
}

// ".align 8 .v2 .f32", in any order; returns the elements of the vector type
uint64_t read_type(Cursor& cursor, Variable& variable) {
  uint64_t vector = 1;
  while (cursor.now().kind == Token::directive) {
    const Token token = cursor.take();
    const std::string_view word = token.text.substr(1);
    if (word == "align") {
      variable.align = cursor.take_whole("an alignment");
      if (variable.align == 0 || variable.align > 4096 || (variable.align & (variable.align - 1)) != 0)
        cursor.refuse_at(token.place, "an alignment must be a power of two of at most 4096");
    } else if (word == "v2" || word == "v4") {
      vector = word == "v2" ? 2 : 4;
    } else if (word == "ptr") {
      variable.is_pointer = true;
    } else if (word == "attribute") {
      while (!cursor.at_end() && !cursor.take_if(")")) cursor.take();
    } else if (variable.is_pointer && space_of(token.text) != Space::generic) {
      continue;  // of what the pointer points to
    } else if (bytes_of(word) != 0 || word == "pred") {
      variable.type = word;
    } else {
      cursor.refuse_at(token.place, fmt::format("variables of '{}' are not supported", token.text));
    }
  }
  if (variable.type.empty()) cursor.refuse("a type is missing here");
  return vector;
}

}  // namespace

uint64_t bytes_of(std::string_view type) {
  static const std::map<std::string_view, uint64_t> kBytes = {
      {"b8", 1},   {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2},  {"s16", 2},   {"f16", 2},
      {"bf16", 2}, {"b32", 4}, {"u32", 4}, {"s32", 4}, {"f32", 4},  {"f16x2", 4}, {"bf16x2", 4},
      {"b64", 8},  {"u64", 8}, {"s64", 8}, {"f64", 8}, {"b128", 16}};
  const auto found = kBytes.find(type);
  return found == kBytes.end() ? 0 : found->second;
}

Space space_of(std::string_view directive) {
  if (directive == ".global") return Space::global;
  if (directive == ".shared" || directive == ".shared::cta") return Space::shared;
  if (directive == ".local") return Space::local;
  if (directive == ".const") return Space::constant;
  if (directive == ".param" || directive == ".param::entry" || directive == ".param::func") return Space::param;
  return Space::generic;
}

std::vector<Variable> read_variables(Cursor& cursor, Space space, bool is_extern) {
  Variable common{.place = cursor.now().place, .space = space, .type = "", .name = "", .is_extern = is_extern};
  const uint64_t vector = read_type(cursor, common);
  const uint64_t element_bytes = std::max<uint64_t>(bytes_of(common.type) * vector, 1);
  common.align = std::max(common.align, element_bytes);
  std::vector<Variable> all;
  do {
    Variable variable = common;
    variable.place = cursor.now().place;
    variable.name = cursor.take_word("a variable's name");
    read_dims(cursor, variable, element_bytes);
    variable.elements *= vector;
    if (cursor.take_if("=")) {
      read_initial(cursor, variable.elements == 0 ? kBytesMax : variable.elements, 0, variable.initial);
      if (variable.elements == 0) variable.elements = variable.initial.size();
    }
    all.push_back(std::move(variable));
  } while (cursor.take_if(","));
  return all;
}

std::vector<Variable> read_parameters(Cursor& cursor) {
  std::vector<Variable> all;
  if (!cursor.take_if("(")) return all;
  while (!cursor.at_end() && !cursor.is(")")) {
    if (!cursor.take_if(".param") && !cursor.take_if(".reg")) cursor.refuse("'.param' is missing here");
    Variable parameter{.place = cursor.now().place, .space = Space::param, .type = "", .name = ""};
    const uint64_t vector = read_type(cursor, parameter);
    const uint64_t element_bytes = std::max<uint64_t>(bytes_of(parameter.type) * vector, 1);
    parameter.name = cursor.take_word("a parameter's name");
    read_dims(cursor, parameter, element_bytes);
    parameter.elements *= vector;
    parameter.align = std::max(parameter.align, bytes_of(parameter.type));
    all.push_back(std::move(parameter));
    if (!cursor.take_if(",")) break;
  }
  cursor.expect(")");
  return all;
}

Location read_location(Cursor& cursor, const Module& module) {
  const auto place = [&] {
    const auto number = [&](const char* what, uint64_t most) {
      const Place at = cursor.now().place;
      const uint64_t value = cursor.take_whole(what);
      if (value > most) cursor.refuse_at(at, std::string(what) + " is too large");
      return static_cast<int>(std::min(value, most));
    };
    Location found;
    found.file = number("a file's number", 1 << 24);
    found.line = number("a line", 1 << 28);
    found.column = number("a column", 1 << 28);
    return found;
  };
  Location location = place();
  if (!cursor.is(",") || cursor.next().text != "function_name") return location;
  cursor.take(), cursor.take();
  cursor.take_word("a function's name");
  if (cursor.take_if("+")) cursor.take_whole("an offset");
  cursor.expect(",");
  cursor.expect("inlined_at");
  const Location call = place();
  const auto same = [&](const Location& each) {
    return each.file == call.file && each.line == call.line && each.column == call.column;
  };
  // The call stands shortly before what was inlined there; the bound keeps a hostile text from taking quadratic time.
  constexpr size_t kLookedAt = 4096;
  const auto last = module.locations.rbegin();
  const auto end = last + static_cast<std::ptrdiff_t>(std::min(kLookedAt, module.locations.size()));
  if (const auto found = std::find_if(last, end, same); found != end)
    location.inlined_at = static_cast<int>(module.locations.rend() - found) - 1;
  return location;
}

}  // namespace assay::ptx
