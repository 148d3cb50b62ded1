// The kind of this build, for code that must know: time limits, and code on small stacks.
#pragma once

namespace assay {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)  // clang
inline constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
#else
inline constexpr bool kAddressSanitizer = false;
#endif

// How many times longer than in a release the host's part of a case takes. Limits that are stated for a release, as a
// suite's are, are multiplied by it; limits that a user gives are not.
inline constexpr double kSlowdown = kAddressSanitizer ? 10 : 1;

}  // namespace assay
