// Writing the hint, and finding it again.
#include "harness/judge/hint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace assay {
namespace {

const std::string kBegin = "; within budget if ", kPut = ": if that is meant, put ", kOr = ", or ",
                  kEnd = " into the adapter";

}  // namespace

std::string hint_of(const std::string& what, const std::vector<std::string>& declarations) {
  return kBegin + what + kPut + fmt::format("{}", fmt::join(declarations, kOr)) + kEnd;
}

std::vector<std::string> hinted_declarations(const std::string& detail) {
  const size_t hint = detail.find(kBegin), put = detail.find(kPut, hint), end = detail.find(kEnd, put);
  std::vector<std::string> all;
  if (hint == std::string::npos || put == std::string::npos || end == std::string::npos) return all;
  for (size_t at = put + kPut.size(); at < end;) {
    const size_t next = std::min(detail.find(kOr, at), end);
    all.push_back(detail.substr(at, next - at));
    at = next + (next == end ? 0 : kOr.size());
  }
  return all;
}

std::string without_hint(const std::string& detail) {
  const size_t hint = detail.find(kBegin), end = detail.find(kEnd, hint);
  if (hint == std::string::npos || end == std::string::npos) return detail;
  return detail.substr(0, hint) + detail.substr(end + kEnd.size());
}

}  // namespace assay
