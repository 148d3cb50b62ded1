// Other programs: the one way to start them, to talk to them and to be rid of them.
//
// Our own fork and exec, because what exists falls short. posix_spawn cannot ask the kernel to end the child with its
// parent. Boost.Process 1.74 opens pipes that other threads' children inherit, so that a reader waits for a stranger's
// end; its timed wait replaces the program's SIGCHLD handler; and it needs Boost.Filesystem.
//
// No child is left behind: it is killed with its Process, with everything in its group, and by the kernel when the
// thread that started it ends (so that thread must outlive it). The fate of a child's child when our process is killed
// is not in our hands.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/descriptor.h"
#include "harness/base/error.h"
#include "harness/base/process_output.h"

namespace assay {

// The source or target of a standard stream of a process.
struct Redirect {
  enum class Kind : uint8_t { pipe, inherited, merged, file };
  Kind kind = Kind::pipe;
  std::string path = {};  // of the file: read as input, written anew as output

  static Redirect pipe() { return {}; }
  static Redirect inherited() { return {Kind::inherited}; }
  static Redirect merged() { return {Kind::merged}; }  // errors only: to where output goes
  static Redirect file(std::string path) { return {Kind::file, std::move(path)}; }
  static Redirect null() { return file("/dev/null"); }
};

struct ProcessSpec {
  std::vector<std::string> words = {};  // the program, looked up on PATH if it has no slash, and its arguments
  // Instead of words: runs in a copy of this process and returns the exit code. Only while there is one thread.
  std::function<int()> body = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  // variables besides this process's own
  std::string folder = {};                                            // to run in; "": this process's own
  Redirect input = Redirect::null();
  Redirect output = Redirect::pipe();
  Redirect errors = Redirect::pipe();
  // With a group of its own, its children are killed with it, and the terminal's Ctrl-C reaches this process alone.
  bool own_group = true;
};

struct ProcessEnd {
  int exit_code = 0;
  int signal = 0;  // that killed it; 0: none did

  bool ok() const { return exit_code == 0 && signal == 0; }
  int shell_code() const { return signal != 0 ? 128 + signal : exit_code; }
  std::string text() const;  // "killed by signal 9 (Killed)", "the process exited with status 3"
};

class Process {
 public:
  using Clock = std::chrono::steady_clock;

  // Errors: what is not there, or no program.
  static Result<Process> start(const ProcessSpec& spec);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();  // kills it

  pid_t pid() const { return pid_; }
  ProcessOutput& output() { return output_; }
  ProcessOutput& errors() { return errors_; }

  int input_fd() const { return input_.get(); }  // non-blocking, to be polled; -1 when it is closed
  size_t write_some(std::string_view text);      // as much as fits now; closes the input when nobody reads it
  bool write(std::string_view text);             // waits; false when nobody reads it
  void close_input() { input_.close(); }

  bool has_ended();                                              // without waiting
  std::optional<ProcessEnd> wait_until(Clock::time_point time);  // nothing when it runs on
  ProcessEnd wait();
  void signal(int number);  // to the process alone
  ProcessEnd kill();        // with its group

 private:
  Process() = default;
  ProcessEnd reap();

  pid_t pid_ = -1;
  bool own_group_ = false;
  std::optional<ProcessEnd> end_;
  Descriptor input_;
  ProcessOutput output_, errors_;
};

// The path by which PATH has it; the name itself if it has a slash; "" when there is no such program, or it is
// hidden (optional_programs.h).
std::string find_program(const std::string& name);

// Becomes another program, on the same streams. Returns only when it cannot.
Error replace_process(const std::vector<std::string>& words);

}  // namespace assay
