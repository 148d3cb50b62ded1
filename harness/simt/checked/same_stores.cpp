// Remembers, compares, and puts values into words.
#include "harness/simt/checked/same_stores.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <utility>

namespace assay::simt::checked {
namespace {

template <class T>
T at(uintptr_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

bool has_usual_size(size_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8; }

uint64_t value_of(const Now& now) {
  uint64_t value = 0;
  if (has_usual_size(now.bytes)) std::memcpy(&value, reinterpret_cast<const void*>(now.address), now.bytes);
  return value;
}

// Where the type is not known, a small whole number is shown as one: as a float it would be nearly 0, or a NaN.
template <class Int, class Float>
std::string as_number(Int bits, bool may_be_float) {
  constexpr Int kSmall = Int{1} << (sizeof(Int) * 5);
  if (!may_be_float || (bits < kSmall && bits > -kSmall)) return std::to_string(bits);
  return fmt::format("{:g}", std::bit_cast<Float>(bits));
}

std::string words(uint64_t value, size_t bytes, bool may_be_float) {
  if (!has_usual_size(bytes)) return "";
  if (bytes == 8) return as_number<int64_t, double>(static_cast<int64_t>(value), may_be_float);
  if (bytes == 4) return as_number<int32_t, float>(static_cast<int32_t>(value), may_be_float);
  return fmt::format("{:#x}", value);
}

// A float type's bits: its sign, infinity, and the least that two NaNs both exceed only as small negative integers,
// down to -65535, where no buffer says that they are floats. NaNs below that have payloads
// that 16-bit types keep, as in data that once was bf16.
struct Format {
  uint64_t sign, infinity, small_negative;
};
constexpr Format kF64 = {uint64_t{1} << 63, uint64_t{0x7ff} << 52, uint64_t{0xffff} << 48},
                 kF32 = {0x8000'0000, 0x7f80'0000, 0xffff'0000}, kBf16 = {0x8000, 0x7f80, 0xffc0},
                 kQuietF16 = {0x8000, 0x7dff, 0xffc0};

bool are_zeros(uint64_t a, uint64_t b, const Format& format) { return ((a | b) & ~format.sign) == 0; }

bool are_nans(uint64_t a, uint64_t b, const Format& format, bool declared) {
  const auto is_nan = [&](uint64_t bits) { return (bits & ~format.sign) > format.infinity; };
  return is_nan(a) && is_nan(b) && (declared || a <= format.small_negative || b <= format.small_negative);
}

bool are_equal(uint64_t a, uint64_t b, const Format& format, bool declared) {
  return a == b || are_zeros(a, b, format) || are_nans(a, b, format, declared);
}

// Two contents of a word, of which stores have covered `mask`, as floats of 16 bits. In memory of unknown type all of a
// word's bits may be one number, which two zeros of a half are too few to deny: 256 and 257 in f32 differ by no more.
bool are_equal_halves(uint32_t before, uint32_t after, uint32_t mask, const Numbers& numbers, bool stored_as_halves) {
  for (const unsigned half : {0u, 1u}) {
    const uint32_t a = before >> 16 * half & 0xffff, b = after >> 16 * half & 0xffff;
    if (a == b || (mask >> 2 * half & 3) == 0) continue;
    if ((mask >> 2 * half & 3) != 3) return false;
    const bool zeros = (numbers.f16 || stored_as_halves) && are_zeros(a, b, kBf16);
    if (!zeros && !are_nans(a, b, kBf16, numbers.declared) && !are_nans(a, b, kQuietF16, numbers.declared))
      return false;
  }
  return true;
}

// Whether what stores have left of 8 bytes, one cell of which is looked at, equals what was there.
bool are_equal_numbers(const Now& now, uint64_t before, uint64_t after, const Numbers& numbers) {
  if (!numbers.any()) return false;
  const unsigned shift = (now.cell & 4) * 8;
  const auto old_word = static_cast<uint32_t>(before >> shift), word = static_cast<uint32_t>(after >> shift);
  const bool whole_pair = now.address <= (now.cell & ~uintptr_t{7}) && now.address + now.bytes >= (now.cell | 4) + 4;
  if (numbers.f64 && whole_pair && are_equal(before, after, kF64, numbers.declared)) return true;
  if (numbers.f32 && now.mask == 0xf && are_equal(old_word, word, kF32, numbers.declared)) return true;
  return (numbers.f16 || !numbers.declared) && are_equal_halves(old_word, word, now.mask, numbers, now.bytes == 2);
}

uint64_t pair_at(const Now& now) { return at<uint64_t>(now.cell & ~uintptr_t{7}); }

bool differ(const Now& now, uint64_t before, uint64_t after) {
  for (unsigned byte = 0; byte < 4; ++byte)
    if ((now.mask >> byte & 1) != 0 && ((before ^ after) >> (8 * (byte + (now.cell & 4))) & 0xff) != 0) return true;
  return false;
}

}  // namespace

bool SameStores::are_one_instruction(const Now& now, const Past& write) {
  return now.access == Access::write && write.exists && !write.atomic && !write.many && write.thread_known &&
         write.pc == now.pc && write.thread != now.me && write.thread / 32 == now.me / 32;
}

void SameStores::expect(const Now& now, const Past& write) {
  expected_.push_back({now, write, pair_at(now), value_of(now)});
}

// Whether another lane has stored some of the store's bytes, and not all. Parts of words are not told apart so well.
bool SameStores::overlaps(const Expected& e, const std::vector<Expected>& all) {
  if (e.now.bytes <= 4 || e.now.address % 4 != 0 || e.now.bytes % 4 != 0) return false;
  size_t cells = 0;
  for (const Expected& other : all)
    cells += other.now.address == e.now.address && other.now.me == e.now.me && other.now.pc == e.now.pc &&
                     other.now.mask == 0xf
                 ? 1
                 : 0;
  return cells * 4 < e.now.bytes;
}

std::vector<SameStores::Difference> SameStores::settle(const std::function<Numbers(uintptr_t)>& numbers_at) {
  std::vector<Difference> differences;
  const std::vector<Expected> all = std::exchange(expected_, {});
  for (const Expected& e : all) {
    if (overlaps(e, all)) {
      differences.push_back({e.now, e.write.thread, "", "", false, true});
      continue;
    }
    if (differ(e.now, e.pair, pair_at(e.now))) {
      const Numbers numbers = numbers_at(e.now.address);
      const bool in_bits_only = are_equal_numbers(e.now, e.pair, pair_at(e.now), numbers);
      const auto text = [&](uint64_t value) { return words(value, e.now.bytes, numbers.any()); };
      differences.push_back({e.now, e.write.thread, text(e.value), text(value_of(e.now)), in_bits_only});
      if (!in_bits_only) continue;
    }
    Stored& stored = stored_[key(e.now)];
    if (stored.pc != e.now.pc || stored.warp != e.now.me / 32) stored = {e.now.pc, e.now.me / 32, 0};
    stored.lanes |= 1u << e.now.me % 32 | 1u << e.write.thread % 32;
  }
  return differences;
}

bool SameStores::has_stored(const Now& now, const Past& write) const {
  if (stored_.empty() || !write.exists) return false;
  const auto found = stored_.find(key(now));
  return found != stored_.end() && found->second.pc == write.pc && found->second.warp == now.me / 32 &&
         write.thread / 32 == now.me / 32 && (found->second.lanes >> now.me % 32 & 1) != 0;
}

}  // namespace assay::simt::checked
