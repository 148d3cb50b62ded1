// Numbers as PTX writes them.
#include "harness/ptx/cursor.h"

#include <bit>

#include "harness/base/number.h"

namespace assay::ptx {

Operand number_of(Cursor& cursor, bool negative) {
  const Token token = cursor.take();
  std::string_view text = token.text;
  Operand number{Operand::whole};
  std::optional<uint64_t> bits;
  if (text.size() == 10 && (text.starts_with("0f") || text.starts_with("0F"))) {
    number.kind = Operand::f32;
    bits = number_in<uint64_t>(text.substr(2), 16);
  } else if (text.size() == 18 && (text.starts_with("0d") || text.starts_with("0D"))) {
    number.kind = Operand::f64;
    bits = number_in<uint64_t>(text.substr(2), 16);
  } else if (text.find('.') != std::string_view::npos) {
    number.kind = Operand::f64;
    if (const auto value = number_in<double>(text)) bits = std::bit_cast<uint64_t>(*value);
  } else {
    if (text.ends_with('U')) text.remove_suffix(1);
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    const bool is_binary = text.starts_with("0b") || text.starts_with("0B");
    const int base = is_hex ? 16 : is_binary ? 2 : text.size() > 1 && text[0] == '0' ? 8 : 10;
    bits = number_in<uint64_t>(text.substr(is_hex || is_binary ? 2 : 0), base);
  }
  if (!bits) cursor.refuse_at(token.place, "'" + std::string(token.text) + "' is no number of 64 bits");
  number.bits = bits.value_or(0);
  if (negative && number.kind == Operand::whole) number.bits = 0 - number.bits;
  if (negative && number.kind != Operand::whole) number.bits ^= uint64_t{1} << (number.kind == Operand::f32 ? 31 : 63);
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
