// Numbers as PTX writes them.
#include "harness/ptx/cursor.h"

#include <charconv>
#include <cstring>

namespace assay::ptx {
namespace {

template <class T>
bool read_all(std::string_view text, T& value, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

Operand number_of(Cursor& cursor, bool negative) {
  const Token token = cursor.take();
  std::string_view text = token.text;
  Operand number{Operand::whole};
  bool right = false;
  if (text.size() == 10 && (text.starts_with("0f") || text.starts_with("0F"))) {
    number.kind = Operand::f32;
    right = read_all(text.substr(2), number.bits, 16);
    if (negative) number.bits ^= uint64_t{1} << 31;
  } else if (text.size() == 18 && (text.starts_with("0d") || text.starts_with("0D"))) {
    number.kind = Operand::f64;
    right = read_all(text.substr(2), number.bits, 16);
    if (negative) number.bits ^= uint64_t{1} << 63;
  } else if (text.find('.') != std::string_view::npos) {
    number.kind = Operand::f64;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    right = error == std::errc{} && end == text.data() + text.size();
    if (negative) value = -value;
    std::memcpy(&number.bits, &value, sizeof value);
  } else {
    if (text.ends_with('U')) text.remove_suffix(1);
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    const bool is_binary = text.starts_with("0b") || text.starts_with("0B");
    const int base = is_hex ? 16 : is_binary ? 2 : text.size() > 1 && text[0] == '0' ? 8 : 10;
    right = read_all(text.substr(is_hex || is_binary ? 2 : 0), number.bits, base);
    if (negative) number.bits = 0 - number.bits;
  }
  if (!right) cursor.refuse_at(token.place, "'" + std::string(token.text) + "' is no number of 64 bits");
  return number;
}

uint64_t Cursor::take_whole(const std::string& what) {
  if (now().kind != Token::number) return refuse(what + " is missing here"), 0;
  const Place place = now().place;
  const Operand number = number_of(*this, false);
  if (number.kind != Operand::whole) refuse_at(place, what + " must be a whole number");
  return number.bits;
}

}  // namespace assay::ptx
