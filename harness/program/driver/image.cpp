// The forms of an image: text, a fat binary, or nvcc's and cuLinkComplete's pointer to several.
#include <cstdint>
#include <cstring>

#include "harness/program/driver/module.h"

namespace assay::program {
namespace {

constexpr uint32_t kFatBinary = 0xba55ed50, kWrapper = 0x466243b1;
constexpr size_t kHeader = 16, kImageHeader = 64;
constexpr int kLinked = 2;  // the version of a wrapper with several parts

struct Wrapper {
  uint32_t magic;
  int version;
  const void* data;
  const void* const* parts;
};

template <class T>
void put(std::string& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::string fat_binary_at(const void* begin) {
  uint16_t header = 0;
  uint64_t bytes = 0;
  std::memcpy(&header, static_cast<const char*>(begin) + 6, sizeof header);
  std::memcpy(&bytes, static_cast<const char*>(begin) + 8, sizeof bytes);
  return {static_cast<const char*>(begin), header + bytes};
}

}  // namespace

std::string fat_binary_of(std::string_view ptx) {
  std::string bytes(kHeader + kImageHeader, '\0');
  put(bytes, 0, kFatBinary);
  put(bytes, 4, uint16_t{1});
  put(bytes, 6, uint16_t{kHeader});
  put(bytes, 8, uint64_t{kImageHeader + ptx.size() + 1});
  put(bytes, kHeader, uint16_t{1});  // PTX
  put(bytes, kHeader + 4, uint32_t{kImageHeader});
  put(bytes, kHeader + 8, uint64_t{ptx.size() + 1});
  put(bytes, kHeader + 28, uint32_t{90});
  bytes += ptx;
  return bytes + '\0';
}

tl::expected<std::vector<std::string>, CUresult> fat_binaries_at(const void* image) {
  if (image == nullptr) return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  const char* text = static_cast<const char*>(image);
  uint32_t magic = 0;
  if (std::strlen(text) >= sizeof magic) std::memcpy(&magic, text, sizeof magic);
  if (magic == kFatBinary) return std::vector{fat_binary_at(image)};
  if (magic == kWrapper) {
    const auto& wrapper = *static_cast<const Wrapper*>(image);
    std::vector<std::string> all;
    if (wrapper.data != nullptr) all.push_back(fat_binary_at(wrapper.data));
    for (auto part = wrapper.parts; wrapper.version == kLinked && part != nullptr && *part != nullptr; ++part)
      all.push_back(fat_binary_at(*part));
    return all;
  }
  if (std::string_view(text, 4) == "\177ELF") return tl::unexpected(CUDA_ERROR_NO_BINARY_FOR_GPU);
  if (std::string_view(text).find(".version") == std::string_view::npos)
    return tl::unexpected(CUDA_ERROR_INVALID_IMAGE);
  return std::vector{fat_binary_of(text)};
}

}  // namespace assay::program
