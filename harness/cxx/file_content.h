// A file as bytes.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace assay::cxx {

// "" where it cannot be read: the files are those that a compiler has just written.
inline std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace assay::cxx
