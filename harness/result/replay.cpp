// Turns a row's origin into options.
#include "harness/result/replay.h"

#include "harness/base/printable.h"

namespace assay {

std::string replay_command(const ResultRow& row) {
  std::string command = "assay replay " + shell_quoted(row.line());
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) command += std::string(" ") + option + " " + shell_quoted(value);
  };
  const Origin& origin = row.origin;
  if (!origin.source.empty()) {
    add("--source", origin.source);
    if (origin.adapter != origin.source) add("--adapter", origin.adapter);  // rows of older runs name a source twice
    add("--op", row.c.op);
    add("--kernel", origin.kernel);
    add("--entry", origin.entry);
    for (const std::string& word : origin.compile) command += " " + shell_quoted(word);
  }
  add("--ops", origin.ops);
  if (!row.options.empty())
    command += " " + row.options;  // which imply the device
  else if (row.device != "cpu")
    add("--device", row.device);
  return command;
}

}  // namespace assay
