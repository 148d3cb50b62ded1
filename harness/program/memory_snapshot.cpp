// Copying, and cutting ranges.
#include "harness/program/memory_snapshot.h"

#include <algorithm>

namespace assay::program {
namespace {

// Adds the bytes from `begin` to before `end` behind those that there are.
void add(std::vector<ByteRange>& ranges, uint64_t begin, uint64_t end) {
  if (!ranges.empty() && ranges.back().begin + ranges.back().bytes == begin)
    ranges.back().bytes += end - begin;
  else
    ranges.push_back({begin, end - begin});
}

}  // namespace

MemorySnapshot::MemorySnapshot(const simt::checked::Arena& arena) {
  for (const auto& [buffer, address, is_heap] : arena.placed()) {
    if (is_heap) continue;
    Buffer& copy = buffers_.emplace_back(Buffer{buffer.name, address, buffer.bytes});
    const uint64_t end = address + buffer.bytes;
    for (uint64_t at = address; at < end;) {
      const uint64_t begin = arena.first_with_value(at, end - at);
      at = arena.first_without_value(begin, end - begin);
      if (begin < at) copy.copied.push_back({begin, std::string(reinterpret_cast<const char*>(begin), at - begin)});
    }
  }
}

simt::Footprint MemorySnapshot::with_whole_buffers(const simt::Footprint& footprint,
                                                   const std::vector<uint64_t>& addresses, uint64_t bytes_max) const {
  simt::Footprint all;
  auto touched = footprint.begin();
  for (const Buffer& buffer : buffers_) {
    const uint64_t end = buffer.address + buffer.bytes;
    const bool is_meant = buffer.bytes <= bytes_max && std::ranges::any_of(addresses, [&](uint64_t address) {
                            return address - buffer.address < buffer.bytes;
                          });
    if (!is_meant) continue;
    for (; touched != footprint.end() && touched->end <= buffer.address; ++touched) append(all, *touched);
    uint64_t at = buffer.address;
    for (; touched != footprint.end() && touched->begin < end; ++touched) {
      append(all, {at, std::max<uint64_t>(at, touched->begin), simt::Touch::read});
      append(all, *touched);
      at = touched->end;
    }
    append(all, {at, std::max(at, end), simt::Touch::read});
  }
  for (; touched != footprint.end(); ++touched) append(all, *touched);
  return all;
}

std::vector<SavedMemory> MemorySnapshot::accessed_by(const simt::Footprint& footprint) const {
  std::vector<SavedMemory> memories;
  auto touched = footprint.begin();
  for (const Buffer& buffer : buffers_) {
    SavedMemory& memory = memories.emplace_back();
    memory.name = buffer.name, memory.address = buffer.address, memory.bytes = buffer.bytes;
    const uint64_t end = buffer.address + buffer.bytes;
    while (touched != footprint.end() && touched->end <= buffer.address) ++touched;
    auto copied = buffer.copied.begin();
    for (; touched != footprint.end() && touched->begin < end; ++touched) {
      const uint64_t first = std::max<uint64_t>(touched->begin, buffer.address);
      const uint64_t last = std::min<uint64_t>(touched->end, end);
      add(memory.accessed, first - buffer.address, last - buffer.address);
      if (touched->touch != simt::Touch::read) {
        add(memory.written, first - buffer.address, last - buffer.address);
        memory.after.append(reinterpret_cast<const char*>(first), last - first);
      }
      while (copied != buffer.copied.end() && copied->address + copied->bytes.size() <= first) ++copied;
      for (auto each = copied; each != buffer.copied.end() && each->address < last; ++each) {
        const uint64_t from = std::max(first, each->address), to = std::min(last, each->address + each->bytes.size());
        add(memory.with_value, from - buffer.address, to - buffer.address);
        memory.before.append(each->bytes, from - each->address, to - from);
      }
    }
  }
  return memories;
}

}  // namespace assay::program
