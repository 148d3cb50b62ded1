// The layout of a frame: a mark, the row's length and hash, the row.
#include "harness/search/frame.h"

#include <cstring>

namespace assay {
namespace {

constexpr std::string_view kMark = "one row\n", kLastMark = "the end\n";

struct Header {
  char mark[8];
  uint64_t bytes;
  uint64_t hash;
};

uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::string frame(std::string_view row, bool last) {
  Header header{.mark = {}, .bytes = row.size(), .hash = hash_of(row)};
  std::memcpy(header.mark, (last ? kLastMark : kMark).data(), sizeof header.mark);
  std::string text(reinterpret_cast<const char*>(&header), sizeof header);
  return text.append(row);
}

Unframed unframe(std::string_view received) {
  using enum Unframed::State;
  const std::string_view mark = received.substr(0, kMark.size());
  const bool last = mark == kLastMark;
  if (!last && !kMark.starts_with(mark) && !kLastMark.starts_with(mark)) return {.state = foreign};
  Header header{};
  if (received.size() < sizeof header) return {};
  std::memcpy(&header, received.data(), sizeof header);
  const std::string_view row = received.substr(sizeof header);
  if (row.size() < header.bytes) return {};
  if (row.size() > header.bytes || hash_of(row) != header.hash) return {.state = foreign};
  return {.state = whole, .last = last, .row = row};
}

}  // namespace assay
