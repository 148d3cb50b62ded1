// The two tables.
#include "harness/ptx/types.h"

#include <map>

#include "harness/ptx/module.h"

namespace assay::ptx {

std::optional<std::string> cpp_type(std::string_view type) {
  static const std::map<std::string_view, const char*> kTypes = {
      {"pred", "bool"},     {"b8", "uint8_t"},   {"u8", "uint8_t"},   {"s8", "int8_t"},
      {"b16", "uint16_t"},  {"u16", "uint16_t"}, {"s16", "int16_t"},  {"b32", "uint32_t"},
      {"u32", "uint32_t"},  {"s32", "int32_t"},  {"b64", "uint64_t"}, {"u64", "uint64_t"},
      {"s64", "int64_t"},   {"f16", "f16"},      {"bf16", "bf16"},    {"f16x2", "f16x2"},
      {"bf16x2", "bf16x2"}, {"f32", "float"},    {"f64", "double"},   {"b128", "unsigned __int128"}};
  const auto found = kTypes.find(type);
  return found == kTypes.end() ? std::nullopt : std::optional<std::string>(found->second);
}

std::string register_type(std::string_view type) {
  if (type == "pred") return "bool";
  if (type == "f32") return "float";
  if (type == "f64") return "double";
  const uint64_t bytes = bytes_of(type);
  return bytes == 16 ? "unsigned __int128" : "uint" + std::to_string(8 * bytes) + "_t";
}

}  // namespace assay::ptx
