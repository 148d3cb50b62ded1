// The bytes that a launch has accessed, and how: what whoever orders launches must know of them.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::simt {

// How a launch has accessed a byte. Several ways that differ are `write`.
enum class Touch : uint8_t { none, read, atomic, write };

// The bytes from `begin` to before `end`, all accessed in one way.
struct Touched {
  uintptr_t begin, end;
  Touch touch;

  bool operator==(const Touched&) const = default;
};

// By ascending address, none overlaps another, and neighbours differ.
using Footprint = std::vector<Touched>;

// Two ways of accessing one byte, as one.
inline Touch both(Touch a, Touch b) { return a == Touch::none || a == b ? b : b == Touch::none ? a : Touch::write; }

// Adds bytes behind those that a footprint has.
inline void append(Footprint& footprint, const Touched& more) {
  if (more.touch == Touch::none || more.begin == more.end) return;
  if (!footprint.empty() && footprint.back().end == more.begin && footprint.back().touch == more.touch)
    footprint.back().end = more.end;
  else
    footprint.push_back(more);
}

}  // namespace assay::simt
