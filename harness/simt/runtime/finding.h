// An error of a kernel, as the executor and its detectors report it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace assay::simt {

// Mildest first: of several findings the worst explains the others. `skipped`: nothing is wrong as far as anybody
// knows, but the launch was given up.
enum class Kind : uint8_t {
  none,
  skipped,
  leak,
  uninitialised,
  misaligned,
  race,
  out_of_bounds,
  barrier,
  timeout,
  crash
};

const char* name(Kind kind);  // "RACE", "OUT_OF_BOUNDS", …; "NONE"

// One observation. `detail` is a sentence for people: what, where, and a hint what to change.
struct Finding {
  Kind kind = Kind::none;
  std::string detail;
};

struct Findings : std::vector<Finding> {
  using std::vector<Finding>::vector;
  Findings& operator+=(Findings other);
};

Kind worst(const Findings& findings);  // Kind::none where there are none

}  // namespace assay::simt
#pragma GCC visibility pop
