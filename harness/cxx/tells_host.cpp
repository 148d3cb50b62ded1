// Words, by lines.
#include "harness/cxx/tells_host.h"

namespace assay::cxx {

bool tells_host(std::string_view preprocessed) {
  bool is_own = true;
  while (!preprocessed.empty()) {
    const size_t end = preprocessed.find('\n');
    const std::string_view line = preprocessed.substr(0, end);
    preprocessed.remove_prefix(end == preprocessed.npos ? preprocessed.size() : end + 1);
    // # 12 "FILE" 1 3
    if (line.starts_with("# "))
      is_own = !line.ends_with(" 3") && line.find(" 3 ") == line.npos && line.find("/simt/include/") == line.npos;
    else if (is_own)
      for (const std::string_view word : {"volatile", "_system", "cuda::atomic", "cuda::std::atomic"})
        if (line.find(word) != line.npos) return true;
  }
  return false;
}

}  // namespace assay::cxx
