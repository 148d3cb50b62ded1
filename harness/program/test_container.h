// Fat binaries made by hand, for tests: the container that nvcc puts into programs, with PTX as it is or packed.
#pragma once

#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <string>
#include <vector>

namespace assay::testing_program {

struct Image {
  uint16_t kind = 1;  // 1: PTX; 2: machine code
  uint32_t architecture = 90;
  std::string bytes;        // as they lie in the container
  uint64_t flags = 0;       // 0x2000: LZ4; 0x8000: zstd
  uint64_t text_bytes = 0;  // unpacked, where they are packed
};

template <class T>
void append(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline std::string container(const std::vector<Image>& images) {
  std::string all;
  for (const Image& image : images) {
    std::string padded = image.bytes;
    padded.resize((padded.size() + 8) / 8 * 8);
    append(all, image.kind);
    append(all, uint16_t{0x101});
    append(all, uint32_t{64});
    append(all, uint64_t{padded.size()});
    append(all, static_cast<uint32_t>(image.bytes.size()));
    append(all, uint64_t{0});
    append(all, image.architecture);
    append(all, uint64_t{0});
    append(all, image.flags);
    append(all, uint64_t{0});
    append(all, image.text_bytes);
    all += padded;
  }
  std::string header;
  append(header, uint32_t{0xba55ed50});
  append(header, uint16_t{1});
  append(header, uint16_t{16});
  append(header, uint64_t{all.size()});
  return header + all;
}

inline Image by_zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return {.bytes = packed, .flags = 0x8000, .text_bytes = text.size()};
}

inline Image by_lz4(const std::string& text) {
  std::string packed(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
  const int bytes =
      LZ4_compress_default(text.data(), packed.data(), static_cast<int>(text.size()), static_cast<int>(packed.size()));
  packed.resize(static_cast<size_t>(bytes));
  return {.bytes = packed, .flags = 0x2000, .text_bytes = text.size()};
}

}  // namespace assay::testing_program
