// Starting a process: what the parent prepares, and the few steps that the child takes before it is another program.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "harness/base/optional_programs.h"
#include "harness/base/process.h"

extern char** environ;

namespace assay {
namespace {

// Above the standard streams, so that no step of the child overwrites what a later one needs.
Descriptor above_standard(int fd) {
  if (fd < 0 || fd > STDERR_FILENO) return Descriptor(fd);
  const Descriptor low(fd);
  return Descriptor(fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

struct Pipe {
  Descriptor read, write;
};

// Why it cannot be opened, as errno has it.
tl::unexpected<Error> cannot_open(const std::string& what) {
  const int error = errno;
  return fail(fmt::format("cannot open {}: {}", what, std::strerror(error)),
              error == EMFILE ? "raise the limit on open files (ulimit -n), or use a smaller -j" : "");
}

Result<Pipe> open_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return cannot_open("a pipe");
  return Pipe{above_standard(ends[0]), above_standard(ends[1])};
}

// The two ends of a standard stream; both closed where the child keeps ours.
struct Stream {
  Descriptor child, parent;
};

Result<Stream> open_stream(const Redirect& redirect, int number) {
  const bool input = number == STDIN_FILENO;
  Stream stream;
  if (redirect.kind == Redirect::Kind::pipe) {
    auto pipe = ASSAY_TRY(open_pipe());
    stream.child = std::move(input ? pipe.read : pipe.write);
    stream.parent = std::move(input ? pipe.write : pipe.read);
  } else if (redirect.kind == Redirect::Kind::file) {
    const int flags = input ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
    stream.child = above_standard(open(redirect.path.c_str(), flags | O_CLOEXEC, 0666));
    if (!stream.child.is_open()) return cannot_open(redirect.path);
  }
  return stream;
}

// Pointers as exec wants them, into `texts`.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> variables_of(const ProcessSpec& spec) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : spec.environment) variables.push_back(name + "=" + value);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view own(*entry);
    const auto replaced = [&](const auto& variable) { return own.starts_with(variable.first + "="); };
    if (std::ranges::none_of(spec.environment, replaced)) variables.emplace_back(*entry);
  }
  return variables;
}

// All that the child needs, made before the fork: after it, other threads' locks stay locked, so that the child may
// allocate nothing.
struct Prepared {
  const ProcessSpec& spec;
  const char* program;
  char* const* words;
  char* const* variables;
  int input, output, errors;  // -1: the parent's
  int failure;                // a pipe on which the child says why it is no other program
  pid_t parent;
};

bool take_streams(const Prepared& p) {
  const bool taken = (p.input < 0 || dup2(p.input, STDIN_FILENO) >= 0) &&
                     (p.output < 0 || dup2(p.output, STDOUT_FILENO) >= 0) &&
                     (p.errors < 0 || dup2(p.errors, STDERR_FILENO) >= 0);
  const bool merged = p.spec.errors.kind == Redirect::Kind::merged;
  return taken && (!merged || dup2(STDOUT_FILENO, STDERR_FILENO) >= 0);
}

// noexcept: what a body throws must end the child, not run on in the parent's code.
[[noreturn]] void be_the_child(const Prepared& p) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != p.parent) _exit(127);  // it died before the line above
  if (p.spec.own_group) setpgid(0, 0);
  signal(SIGPIPE, SIG_DFL);  // we may ignore it; programs that feed each other rely on it
  const bool ready = take_streams(p) && (p.spec.folder.empty() || chdir(p.spec.folder.c_str()) == 0);
  if (ready && p.spec.body) {
    close(p.failure);
    _exit(p.spec.body());
  }
  if (ready) execve(p.program, p.words, p.variables);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(p.failure, &error, sizeof error);
  _exit(127);
}

// Where our own parent ignores SIGCHLD, so do we, and the kernel would drop our children's exit codes.
void keep_exit_codes() {
  struct sigaction action {};
  if (sigaction(SIGCHLD, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) signal(SIGCHLD, SIG_DFL);
}

// The errno that kept the child from becoming the program; 0 when it did.
int failure_of(const Descriptor& pipe) {
  int error = 0;
  while (read(pipe.get(), &error, sizeof error) < 0 && errno == EINTR) {
  }
  return error;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  if (is_hidden(name)) return "";
  const char* path = std::getenv("PATH");
  std::string_view folders = path ? path : "/usr/bin:/bin";
  for (;;) {
    const size_t colon = folders.find(':');
    const std::string program = std::string(folders.substr(0, colon)) + "/" + name;
    if (colon != 0 && access(program.c_str(), X_OK) == 0) return program;
    if (colon == std::string_view::npos) return "";
    folders.remove_prefix(colon + 1);
  }
}

Error replace_process(const std::vector<std::string>& words) {
  std::fflush(nullptr);
  signal(SIGPIPE, SIG_DFL);
  execv(find_program(words[0]).c_str(), pointers(words).data());
  return {fmt::format("cannot start {}: {}", words[0], std::strerror(errno)), ""};
}

Result<Process> Process::start(const ProcessSpec& spec) {
  const std::string name = spec.body ? "a copy of this process" : spec.words.at(0);
  const std::string program = spec.body ? "" : find_program(name);
  auto input = open_stream(spec.input, STDIN_FILENO);
  auto output = open_stream(spec.output, STDOUT_FILENO);
  auto errors = open_stream(spec.errors, STDERR_FILENO);
  for (const auto* stream : {&input, &output, &errors})
    if (!*stream) return tl::unexpected(stream->error());
  const std::vector<std::string> variables = variables_of(spec);
  const std::vector<char*> word_pointers = pointers(spec.words), variable_pointers = pointers(variables);
  auto failure = ASSAY_TRY(open_pipe());
  const Prepared prepared{.spec = spec,
                          .program = program.c_str(),
                          .words = word_pointers.data(),
                          .variables = variable_pointers.data(),
                          .input = input->child.get(),
                          .output = output->child.get(),
                          .errors = errors->child.get(),
                          .failure = failure.write.get(),
                          .parent = getpid()};
  if (spec.body) std::fflush(nullptr);  // or the child would print it again

  keep_exit_codes();
  Process process;
  process.own_group_ = spec.own_group;
  process.pid_ = fork();
  if (process.pid_ == 0) be_the_child(prepared);
  if (process.pid_ < 0) return fail(fmt::format("cannot start {}: {}", name, std::strerror(errno)));
  failure.write.close();
  if (const int error = failure_of(failure.read); error != 0) {
    const std::string where = spec.folder.empty() ? "" : " in " + spec.folder;
    return fail(fmt::format("cannot start {}{}: {}", name, where, std::strerror(error)));
  }
  process.input_ = std::move(input->parent);
  if (process.input_.is_open()) fcntl(process.input_.get(), F_SETFL, O_NONBLOCK);
  if (output->parent.is_open()) process.output_ = ProcessOutput(std::move(output->parent));
  if (errors->parent.is_open()) process.errors_ = ProcessOutput(std::move(errors->parent));
  return process;
}

}  // namespace assay
