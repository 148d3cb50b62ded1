// `assay c++`: the command line goes to the builder as it is, because its options are nvcc's.
#include "harness/cli/options.h"
#include "harness/cxx/build_program.h"

namespace assay {

Command cxx_command() {
  const auto words = std::make_shared<cxx::Words>();
  return {.name = "c++",
          .add_options = [](CLI::App&) {},
          .run = [=](const std::vector<std::string>&) { return cxx::build_program(*words); },
          .take =
              [=](std::vector<std::string>& given) {  // the last first; the command itself stays
                if (given.size() == 2 && (given[0] == "-h" || given[0] == "--help")) return;
                words->assign(given.rbegin() + 1, given.rend());
                given.erase(given.begin(), given.end() - 1);
              },
          .uses_ops = false};
}

}  // namespace assay
