// Tasks as lines.
#include "harness/search/task.h"

#include "harness/op/registry.h"

namespace assay {
namespace {

constexpr std::string_view kStatistics = "--stats ";  // no op begins with a dash

}  // namespace

std::string print(const Task& task) {
  return task.device + " " + std::string(task.extras.statistics ? kStatistics : "") + print(task.c);
}

Result<Task> parse_task(std::string_view line) {
  Task task;
  const size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return fail("a task has no case line", "write DEVICE CASE-LINE");
  task.device = line.substr(0, blank);
  line.remove_prefix(blank + 1);
  task.extras.statistics = line.starts_with(kStatistics);
  if (task.extras.statistics) line.remove_prefix(kStatistics.size());
  auto c = read_case(std::string(line));
  if (!c) return tl::unexpected(c.error());
  task.c = std::move(*c);
  return task;
}

std::string stream_of(const Task& task) {
  return task.c.id() + " " + std::string(name(task.c.dtype)) + " " + task.device;
}

}  // namespace assay
