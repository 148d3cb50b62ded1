// Hashes of sources.
#include "harness/program/copy_sources.h"

#include <algorithm>

#include "harness/program/repeated_launches.h"

namespace assay::program {
namespace {

constexpr size_t kSourcesMax = 1024;  // of a program that waits for nothing

uint64_t hash_of_bytes(uintptr_t begin, size_t bytes) {
  return hash_of(reinterpret_cast<const void*>(begin), bytes, 0);
}

}  // namespace

void CopySources::add(const Piece& piece, const void* begin, size_t bytes) {
  if (sources_.size() == kSourcesMax) sources_.pop_front();
  const auto address = reinterpret_cast<uintptr_t>(begin);
  sources_.push_back({piece, address, bytes, hash_of_bytes(address, bytes)});
}

std::vector<CopySources::Source> CopySources::changed(const Clock& host) {
  std::vector<Source> found;
  std::erase_if(sources_, [&](const Source& source) {
    if (!host.covers(source.piece->moment)) return false;
    if (hash_of_bytes(source.begin, source.bytes) != source.hash) found.push_back(source);
    return true;
  });
  return found;
}

void CopySources::let_go(uintptr_t begin, uintptr_t end) {
  std::erase_if(sources_,
                [&](const Source& source) { return source.begin < end && begin < source.begin + source.bytes; });
}

}  // namespace assay::program
