// What kind of build this is, for what must know: time limits.
#pragma once

namespace assay {

// How many times longer than in a release the host's part of a case takes. Limits that are stated for a release, as a
// suite's are, are multiplied by it; limits that a user gives are not.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr double kSlowdown = 10;
#else
inline constexpr double kSlowdown = 1;
#endif

}  // namespace assay
