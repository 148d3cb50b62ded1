// The table of docs/ops.md, which says what stands beside each op, is what the program writes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "harness/base/optional_programs.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

TEST(ListCoverage, TheTableOfTheDocsIsTrue) {
  depends_on("nvcc");
  const auto ran = selftest::run("assay", "list coverage");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  if (ran.out.find("`cudnn_") == std::string::npos)
    GTEST_SKIP() << "built without nvcc, or without reference/vendor in ASSAY_GPU_KERNELS";
  const std::string path = ASSAY_SOURCE_DIR "/docs/ops.md";
  std::string page = selftest::read_text(path);
  const std::string header = ran.out.substr(0, ran.out.find('\n'));
  const size_t begin = page.find(header);
  ASSERT_NE(begin, std::string::npos) << path << " has no table that begins with " << header;
  const size_t end = std::min(page.find("\n\n", begin) + 1, page.size());
  if (const char* update = std::getenv("ASSAY_UPDATE_GOLDEN"); update && std::string(update) == "1")
    std::ofstream(path) << page.replace(begin, end - begin, ran.out);
  else
    EXPECT_EQ(page.substr(begin, end - begin), ran.out) << "ASSAY_UPDATE_GOLDEN=1 writes it anew";
}

}  // namespace
}  // namespace assay
