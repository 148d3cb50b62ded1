// The pass's answer to each kernel in kernels_with_answers.cu is the one in the comment in front of it.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <string>

namespace {

using Answers = std::map<std::string, std::string>;  // by the kernel's name

// "tree(float*)\tsplit\t3 pieces…"
Answers reported() {
  Answers answers;
  std::ifstream in(ASSAY_REGIONS_ANSWERS);
  for (std::string line; std::getline(in, line);) {
    const size_t name = line.find('('), answer = line.find('\t'), end = line.find('\t', answer + 1);
    answers[line.substr(0, name)] = line.substr(answer + 1, end - answer - 1);
  }
  return answers;
}

Answers expected() {
  Answers answers;
  std::ifstream in(ASSAY_REGIONS_KERNELS);
  std::string comment;
  for (std::string line; std::getline(in, line); comment = line) {
    const std::string kernel = "__global__ void ";
    if (line.starts_with(kernel))
      answers[line.substr(kernel.size(), line.find('(') - kernel.size())] = comment.substr(std::string("// ").size());
  }
  return answers;
}

TEST(Answers, AreTheOnesInTheFile) {
  EXPECT_GE(expected().size(), 30u);
  EXPECT_EQ(reported(), expected());
}

}  // namespace
