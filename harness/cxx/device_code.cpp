// One frame of zstd for each: a line that says what it is, and the two texts, which are nearly equal.
#include "harness/cxx/device_code.h"

#include <fmt/format.h>
#include <zstd.h>

#include <charconv>

namespace assay::cxx {
namespace {

constexpr std::string_view kMark = "assay " ASSAY_VERSION " device code ";
constexpr int kWindowLog = 24;  // both texts are within it

}  // namespace

Result<std::string> packed(const DeviceCode& code) {
  const std::string text = fmt::format("{}{}\n{}{}", kMark, code.fast.size(), code.fast, code.checked);
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, kWindowLog);
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const size_t size = ZSTD_compress2(context, bytes.data(), bytes.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(size) != 0) return fail(fmt::format("zstd: {}", ZSTD_getErrorName(size)));
  bytes.resize(size);
  return bytes;
}

Result<std::vector<DeviceCode>> unpacked(std::string_view bytes) {
  const char* const hint = "build the program again with this version's `assay c++`";
  std::vector<DeviceCode> all;
  while (!bytes.empty()) {
    const size_t frame = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
    const unsigned long long size =
        ZSTD_isError(frame) != 0 ? ZSTD_CONTENTSIZE_ERROR : ZSTD_getFrameContentSize(bytes.data(), frame);
    constexpr unsigned long long kMost = 1ULL << 32;
    if (size > kMost) return fail("the program's device code is damaged", hint);
    std::string text(size, '\0');
    if (ZSTD_isError(ZSTD_decompress(text.data(), text.size(), bytes.data(), frame)) != 0)
      return fail("the program's device code is damaged", hint);
    size_t fast = 0;
    const std::string_view first = std::string_view(text).substr(0, text.find('\n'));
    if (!first.starts_with(kMark)) return fail("the program's device code is of another version of Assay", hint);
    std::from_chars(first.data() + kMark.size(), first.data() + first.size(), fast);
    const std::string_view texts = std::string_view(text).substr(first.size() + 1);
    if (fast > texts.size()) return fail("the program's device code is damaged", hint);
    all.push_back({std::string(texts.substr(0, fast)), std::string(texts.substr(fast))});
    bytes.remove_prefix(frame);
  }
  return all;
}

}  // namespace assay::cxx
