// Bytes are compared, and told as words of four: what type they have nobody knows.
#include "harness/program/output_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

namespace assay {
namespace {

constexpr uint64_t kWord = 4;

std::string word_text(std::string_view bytes) {
  if (bytes.size() < kWord) return fmt::format("{}", fmt::join(bytes, " "));
  uint32_t word = 0;
  float number = 0;
  std::memcpy(&word, bytes.data(), sizeof word);
  std::memcpy(&number, bytes.data(), sizeof number);
  return fmt::format("0x{:08x} ({:.9g} as float)", word, number);
}

// Collects the words that differ.
class Differences {
 public:
  explicit Differences(std::string name) : name_(std::move(name)) {}

  // `was`, nothing: the program's run had not written the byte, and nobody before it.
  void at(uint64_t byte, std::optional<char> was) {
    words_.insert(byte / kWord);
    is_new_ |= !was && words_.size() == 1;
  }
  // `now`, `was`: the bytes of the first word that differs.
  std::string text(std::string_view now, std::string_view was) const {
    const uint64_t first = *words_.begin() * kWord;
    return fmt::format(
        "{}: {} word{} differ{} from what the program's run left, the first at byte {}: {} instead of {}", name_,
        words_.size(), words_.size() == 1 ? "" : "s", words_.size() == 1 ? "s" : "", first, word_text(now),
        is_new_ ? "what nobody had written" : word_text(was));
  }
  bool any() const { return !words_.empty(); }
  uint64_t first() const { return *words_.begin() * kWord; }

 private:
  std::string name_;
  std::set<uint64_t> words_;
  bool is_new_ = false;
};

// The bytes of ranges, by their offset.
class BytesOf {
 public:
  BytesOf(const std::vector<ByteRange>& ranges, std::string_view bytes) : ranges_(ranges), bytes_(bytes) {
    uint64_t at = 0;
    for (const ByteRange& range : ranges) starts_.push_back(at), at += range.bytes;
  }
  std::optional<char> operator[](uint64_t byte) const {
    const auto after = std::ranges::upper_bound(ranges_, byte, {}, &ByteRange::begin);
    if (after == ranges_.begin()) return std::nullopt;
    const ByteRange& range = *(after - 1);
    if (byte - range.begin >= range.bytes) return std::nullopt;
    return bytes_[starts_[static_cast<size_t>(after - 1 - ranges_.begin())] + byte - range.begin];
  }

 private:
  const std::vector<ByteRange>& ranges_;
  std::string_view bytes_;
  std::vector<uint64_t> starts_;
};

}  // namespace

std::string difference_in(const SavedMemory& memory, const std::vector<ByteRange>& written) {
  const auto* const now = reinterpret_cast<const char*>(memory.address);
  const BytesOf after(memory.written, memory.after), before(memory.with_value, memory.before);
  const auto was = [&](uint64_t byte) {
    const auto value = after[byte];
    return value ? value : before[byte];
  };
  Differences differences(memory.name);
  size_t at = 0;
  for (const ByteRange& range : memory.written) {
    const char* const bytes = memory.after.data() + at;
    at += range.bytes;
    if (std::memcmp(now + range.begin, bytes, range.bytes) == 0) continue;
    for (uint64_t i = 0; i < range.bytes; ++i)
      if (now[range.begin + i] != bytes[i]) differences.at(range.begin + i, bytes[i]);
  }
  for (const ByteRange& range : written) {
    if (std::ranges::binary_search(memory.written, range.begin, {}, &ByteRange::begin) && after[range.begin] &&
        after[range.begin + range.bytes - 1])
      continue;  // most are written in both
    for (uint64_t byte = range.begin; byte < range.begin + range.bytes; ++byte)
      if (const auto value = was(byte); !value || *value != now[byte]) differences.at(byte, value);
  }
  if (!differences.any()) return "";
  std::string text;
  const uint64_t first = differences.first(), end = std::min(first + kWord, memory.bytes);
  for (uint64_t byte = first; byte < end; ++byte) text += was(byte).value_or(now[byte]);
  return differences.text({now + first, end - first}, text);
}

std::string difference_in(const SavedVariable& variable, std::string_view now) {
  Differences differences(variable.name);
  for (uint64_t byte = 0; byte < now.size(); ++byte)
    if (now[byte] != variable.after[byte]) differences.at(byte, variable.after[byte]);
  if (!differences.any()) return "";
  return differences.text(now.substr(differences.first(), kWord),
                          std::string_view(variable.after).substr(differences.first(), kWord));
}

}  // namespace assay
