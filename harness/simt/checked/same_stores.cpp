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

// No type is known. Small whole numbers are floats so near 0 that they are hardly meant, and NaNs below it.
template <class Int, class Float>
std::string as_number(Int bits) {
  constexpr Int kSmall = Int{1} << (sizeof(Int) * 5);
  if (bits < kSmall && bits > -kSmall) return std::to_string(bits);
  return fmt::format("{:g}", std::bit_cast<Float>(bits));
}

std::string words(uint64_t value, size_t bytes) {
  if (!has_usual_size(bytes)) return "";
  if (bytes == 8) return as_number<int64_t, double>(static_cast<int64_t>(value));
  if (bytes == 4) return as_number<int32_t, float>(static_cast<int32_t>(value));
  return fmt::format("{:#x}", value);
}

uint32_t bits_of(uint32_t mask) {
  uint32_t bits = 0;
  for (unsigned byte = 0; byte < 4; ++byte)
    if ((mask >> byte & 1) != 0) bits |= 0xffu << (8 * byte);
  return bits;
}

// No type is known, and small negative integers look like NaNs: two of these are told apart, down to -65535. Below that
// are the quiet NaNs whose payload 16-bit types keep, such as data has them that once was bf16.
bool are_nans(uint32_t a, uint32_t b) {
  const auto is_nan = [](uint32_t bits) { return (bits & 0x7fff'ffff) > 0x7f80'0000; };
  const auto is_small_negative = [](uint32_t bits) { return bits > 0xffff'0000; };
  return is_nan(a) && is_nan(b) && !(is_small_negative(a) && is_small_negative(b));
}

bool are_wide_nans(uint64_t a, uint64_t b) {
  const auto is_nan = [](uint64_t bits) { return bits << 1 > uint64_t{0x7ff} << 53; };
  const auto is_small_negative = [](uint64_t bits) { return bits > uint64_t{0xffff} << 48; };
  return is_nan(a) && is_nan(b) && !(is_small_negative(a) && is_small_negative(b));
}

// Of bfloat16, or quiet ones of half.
bool are_half_nans(uint32_t a, uint32_t b) {
  const auto is_both = [&](auto is) { return is(a) && is(b); };
  return (is_both([](uint32_t bits) { return (bits & 0x7fff) > 0x7f80; }) ||
          is_both([](uint32_t bits) { return (bits & 0x7fff) >= 0x7e00; })) &&
         !is_both([](uint32_t bits) { return bits > 0xffc0; });
}

// Whether two contents of a word differ in what `mask` covers. NaNs are one value: which of their bits a kernel is
// given no source text can say.
bool differ(uint32_t before, uint32_t after, uint32_t mask) {
  const uint32_t different = (before ^ after) & bits_of(mask);
  if (different == 0 || (mask == 0xf && are_nans(before, after))) return false;
  for (const unsigned half : {0u, 1u}) {
    const unsigned shift = 16 * half;
    if ((different >> shift & 0xffff) == 0) continue;
    const bool covered = (mask >> (2 * half) & 3) == 3;
    if (!covered || !are_half_nans(before >> shift & 0xffff, after >> shift & 0xffff)) return true;
  }
  return false;
}

}  // namespace

bool SameStores::are_one_instruction(const Now& now, const Past& write) {
  return now.access == Access::write && write.exists && !write.atomic && !write.many && write.thread_known &&
         write.pc == now.pc && write.thread != now.me && write.thread / 32 == now.me / 32;
}

void SameStores::expect(const Now& now, const Past& write) {
  expected_.push_back({now, write, at<uint32_t>(now.cell), value_of(now)});
}

std::vector<SameStores::Difference> SameStores::settle() {
  std::vector<Difference> differences;
  for (const Expected& e : std::exchange(expected_, {})) {
    const bool wide_nans = e.now.bytes == 8 && are_wide_nans(e.value, value_of(e.now));
    if (!wide_nans && differ(e.word, at<uint32_t>(e.now.cell), e.now.mask)) {
      differences.push_back({e.now, e.write.thread, words(e.value, e.now.bytes), words(value_of(e.now), e.now.bytes)});
      continue;
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
