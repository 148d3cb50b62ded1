// Headers, one behind the other, and what they say of the bytes that follow.
#include "harness/program/fat_binary.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace assay {
namespace {

constexpr uint32_t kMagic = 0xba55ed50;
constexpr uint16_t kPtx = 1;
constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000;
constexpr uint64_t kTextMax = uint64_t{256} << 20;  // as much as ptx::read takes
constexpr int kExecutor = 90;

// Fields are at fixed offsets, little-endian; those that nothing here needs have no name.
struct ImageHeader {
  uint16_t kind = 0;
  uint32_t header_bytes = 0, packed_bytes = 0, architecture = 0;
  uint64_t bytes = 0, flags = 0, text_bytes = 0;
};

template <class T>
T field(std::string_view bytes, size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

ImageHeader header_of(std::string_view image) {
  return {.kind = field<uint16_t>(image, 0),
          .header_bytes = field<uint32_t>(image, 4),
          .packed_bytes = field<uint32_t>(image, 16),
          .architecture = field<uint32_t>(image, 28),
          .bytes = field<uint64_t>(image, 8),
          .flags = field<uint64_t>(image, 40),
          .text_bytes = field<uint64_t>(image, 56)};
}

Result<std::string> unpacked(const ImageHeader& header, std::string_view bytes) {
  if ((header.flags & (kLz4 | kZstd)) == 0) return std::string(bytes.substr(0, bytes.find('\0')));
  const auto damaged = [] { return fail("the PTX of a fat binary is damaged", "build the program again"); };
  if (header.text_bytes > kTextMax || header.packed_bytes > bytes.size()) return damaged();
  std::string text(header.text_bytes, '\0');
  if ((header.flags & kZstd) != 0) {
    const size_t size = ZSTD_decompress(text.data(), text.size(), bytes.data(), header.packed_bytes);
    if (ZSTD_isError(size) != 0 || size != text.size()) return damaged();
  } else {
    const int size = LZ4_decompress_safe(bytes.data(), text.data(), static_cast<int>(header.packed_bytes),
                                         static_cast<int>(text.size()));
    if (size < 0 || static_cast<size_t>(size) != text.size()) return damaged();
  }
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

// One fat binary.
struct Contents {
  std::vector<PtxImage> ptx;
  std::vector<std::string> others;  // GPUs that it has machine code for
  size_t bytes = 0;                 // of the container
};

Result<Contents> contents_of(std::string_view fat_binary) {
  const size_t begin = field<uint16_t>(fat_binary, 6);
  const auto bytes = field<uint64_t>(fat_binary, 8);
  if (field<uint32_t>(fat_binary, 0) != kMagic || begin < 16 || begin > fat_binary.size() ||
      bytes > fat_binary.size() - begin)
    return fail("a fat binary is cut off, or is none", "build the program again");
  Contents contents;
  contents.bytes = begin + bytes;
  for (std::string_view left = fat_binary.substr(begin, bytes); !left.empty();) {
    const ImageHeader header = header_of(left);
    if (header.header_bytes < 64 || header.header_bytes > left.size() ||
        header.bytes > left.size() - header.header_bytes)
      return fail("an image in a fat binary is cut off", "build the program again");
    if (header.kind == kPtx)
      contents.ptx.push_back({static_cast<int>(header.architecture),
                              ASSAY_TRY(unpacked(header, left.substr(header.header_bytes, header.bytes)))});
    else
      contents.others.push_back(fmt::format("sm_{}", header.architecture));
    left.remove_prefix(header.header_bytes + header.bytes);
  }
  return contents;
}

PtxImage& image_for_executor(std::vector<PtxImage>& images) {
  std::ranges::sort(images, {}, &PtxImage::architecture);
  const auto above = std::ranges::upper_bound(images, kExecutor, {}, &PtxImage::architecture);
  return above == images.begin() ? images.front() : *std::prev(above);
}

}  // namespace

Result<std::vector<PtxImage>> ptx_of(std::string_view fat_binaries) {
  std::vector<PtxImage> images;
  std::vector<std::string> others;
  while (!fat_binaries.empty()) {
    Contents contents = ASSAY_TRY(contents_of(fat_binaries));
    fat_binaries.remove_prefix(contents.bytes);
    if (!contents.ptx.empty()) images.push_back(std::move(image_for_executor(contents.ptx)));
    others.insert(others.end(), contents.others.begin(), contents.others.end());
  }
  if (images.empty())
    return fail(
        fmt::format("the program has machine code{}{} and no PTX", others.empty() ? "" : " for ",
                    fmt::join(others, ", ")),
        "build it with PTX: in any build NVCC_APPEND_FLAGS='-gencode arch=compute_90,code=compute_90' adds that to "
        "what nvcc is given");
  return images;
}

}  // namespace assay
