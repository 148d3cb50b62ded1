// Golden files: a test compares text with a file beside it, and ASSAY_UPDATE_GOLDEN=1 rewrites the file instead.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace assay {

inline std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

inline void expect_golden(const std::string& text, const std::string& file_name) {
  const std::string path = ASSAY_SOURCE_DIR "/harness/report/testdata/" + file_name;
  if (const char* update = std::getenv("ASSAY_UPDATE_GOLDEN"); update && std::string(update) == "1")
    std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(text, text_of_file(path)) << "differs from " << path
                                      << "; if the change is wanted, run this test again with ASSAY_UPDATE_GOLDEN=1";
}

}  // namespace assay
