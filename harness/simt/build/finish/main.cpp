// assay_finish [--checked] [--hook-copies] [--prove-stacks] INPUT.s OUTPUT.s
//
// Called by the build of kernels (kernel_module.cmake) and by `assay check FILE.cu` (adapter/build/build.cpp).
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness/simt/build/finish/finish.h"

namespace {

int failed(const std::string& what) {
  std::fprintf(stderr, "assay_finish: %s\n", what.c_str());
  return 1;
}

bool read(const std::string& path, std::string& text) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  text.assign(std::istreambuf_iterator<char>(in), {});
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  assay::simt::finish::Options options;
  std::string input;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--checked") {
      options.checked = true;
    } else if (word == "--hook-copies") {
      options.hook_copies = true;
    } else if (word == "--prove-stacks") {
      options.prove_stacks = true;
    } else {
      files.push_back(word);
    }
  }
  if (files.size() != 2) return failed("usage: [--checked] [--hook-copies] [--prove-stacks] INPUT.s OUTPUT.s");
  if (!read(files[0], input)) return failed("cannot read " + files[0]);
  const auto finished = assay::simt::finish::finish(input, options);
  if (!finished.error.empty()) return failed(files[0] + ": " + finished.error);
  std::ofstream out(files[1], std::ios::binary);
  out << finished.text;
  out.close();
  return out ? 0 : failed("cannot write " + files[1] + ": " + std::strerror(errno));
}
