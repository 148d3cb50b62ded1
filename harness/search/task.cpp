// Tasks as lines.
#include "harness/search/task.h"

#include "harness/op/registry.h"

namespace assay {
namespace {

struct Flag {
  std::string_view word;  // no op begins with a dash
  bool& (*of)(Extras&);
};
constexpr Flag kFlags[] = {
    {"--stats ", [](Extras& extras) -> bool& { return extras.statistics; }},
    {"--hints ", [](Extras& extras) -> bool& { return extras.watching.hints; }},
    {"--undiagnosed ", [](Extras& extras) -> bool& { return extras.undiagnosed; }},
    {"--strict-barriers ", [](Extras& extras) -> bool& { return extras.watching.strict_barriers; }},
    {"--printed ", [](Extras& extras) -> bool& { return extras.printed; }},
    {"--output-bits ", [](Extras& extras) -> bool& { return extras.output_bits; }}};

}  // namespace

std::string print(const Task& task) {
  std::string line = task.device + " ";
  Extras extras = task.extras;
  for (const Flag& flag : kFlags)
    if (flag.of(extras)) line += flag.word;
  return line + print(task.c);
}

Result<Task> parse_task(std::string_view line) {
  Task task;
  const size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return fail("a task has no case line", "write DEVICE CASE-LINE");
  task.device = line.substr(0, blank);
  line.remove_prefix(blank + 1);
  for (const Flag& flag : kFlags) {
    flag.of(task.extras) = line.starts_with(flag.word);
    if (line.starts_with(flag.word)) line.remove_prefix(flag.word.size());
  }
  task.c = ASSAY_TRY(read_case(std::string(line)));
  return task;
}

std::string stream_of(const Task& task) {
  return task.c.id() + " " + std::string(name(task.c.dtype)) + " " + task.device;
}

}  // namespace assay
