// Handlers make async-signal-safe calls only, except for the kernel's line, which comes last: a process that dies over
// it has said the rest.
#include "harness/search/last_words.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "harness/base/running.h"
#include "harness/simt/runtime/current_thread.h"
#include "harness/simt/runtime/signal_stack.h"

namespace assay {
namespace {

char g_forked_by[256] = "";  // the thread of a kernel that called fork(); "": none has
char g_at_half[256] = "";    // the thread that ran at half of the time; "": none

class Line {
 public:
  Line& add(const char* more) {
    std::strncat(text_, more, sizeof text_ - std::strlen(text_) - 1);
    return *this;
  }
  Line& add_hex(uintptr_t value) {
    char digits[19] = "0x";
    int at = 2;
    for (int shift = 60; shift >= 0; shift -= 4)
      if (at > 2 || (value >> shift) != 0 || shift == 0) digits[at++] = "0123456789abcdef"[(value >> shift) & 15];
    digits[at] = '\0';
    return add(digits);
  }
  Line& add_place(const char* where) {
    if (*where != 0) return add("in ").add(where);
    if (const char* const waits = waiting_for()) return add("waiting for ").add(waits);
    return *running() != 0 ? add("in ").add(running()) : add("outside any kernel");
  }
  // Once more writes what was added since.
  void print() {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text_, std::strlen(text_));
    text_[0] = '\0';
  }

 private:
  char text_[512] = "";
};

const char* signal_name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault at address ";
    case SIGBUS:
      return "bus error at address ";
    case SIGFPE:
      return "arithmetic fault (integer division by zero?) at address ";
    case SIGILL:
      return "illegal instruction at address ";
    default:
      return nullptr;
  }
}

// The hint for a kernel that ran out of time. The executor sees atomics spin (simt/runtime/spin.cpp), but no other
// reads.
constexpr const char* kMayWait =
    "; if a loop there waits for others by a volatile or plain read, that never lets them run here: wait by an atomic";

volatile sig_atomic_t g_dying_of = 0;

// A kernel may have been stopped inside malloc() or the like, so that looking for its line waits for ever.
void on_second_thoughts(int) {
  if (g_dying_of == SIGTERM) _exit(124);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  const int dying_of = g_dying_of;
  sigaction(dying_of, &standard, nullptr);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, dying_of);
  sigprocmask(SIG_UNBLOCK, &signals, nullptr);
  raise(dying_of);
}

void add_source_line(Line& line, int signal, const void* context) {
  g_dying_of = signal;
  ::signal(SIGALRM, on_second_thoughts);
  alarm(2);
  if (const std::string source = simt::current_kernel_line(context); !source.empty())
    line.add(", ").add(source.c_str());
  alarm(0);
}

void on_half_time(int signal, siginfo_t* info, void* context) {
  (void)signal;
  simt::describe_current_thread(g_at_half, sizeof g_at_half, info, context);
}

// Whether `where` is in another block, or kernel, than the thread at half of the time.
bool goes_on(const char* where) {
  const char* const thread = std::strstr(where, " thread (");
  return *where != 0 && *g_at_half != 0 && thread &&
         std::strncmp(where, g_at_half, static_cast<size_t>(thread - where)) != 0;
}

// Says where the kernel was, then dies of the same signal. For SIGTERM (the time limit) it exits. Code that aborts has
// printed why, too.
void on_fatal_signal(int signal, siginfo_t* info, void* context) {
  char where[256] = "";
  simt::describe_current_thread(where, sizeof where, info, context);
  const bool known = *where != 0 || *running() != 0;
  Line line;
  if (*where == 0 && *running() != 0) line.add(kOutsideTheKernel);
  const bool hangs = signal == SIGTERM && !goes_on(where);
  if (signal == SIGTERM && !hangs) line.add(kGoesOn);
  if (const uintptr_t address = simt::misaligned_access(info, context); address != 0)
    line.add(kMisalignedAccess).add(" at address ").add_hex(address).add(" ");
  else if (const char* what = signal_name(signal))
    line.add(what).add_hex(reinterpret_cast<uintptr_t>(info->si_addr)).add(" ");
  if (signal == SIGABRT) line.add("abort() ");
  if (signal != SIGABRT || known) {
    line.add_place(where).print();
    if (*where != 0) add_source_line(line, signal, context);
    if (*where != 0 && hangs) line.add(kMayWait);
    line.add("\n").print();
  }
  if (signal == SIGTERM) _exit(124);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  raise(signal);
}

void say_who_exits(const char* call) {
  char where[256] = "";
  simt::describe_current_thread(where, sizeof where, nullptr, nullptr);
  Line().add(call).add(" called ").add_place(where).add("\n").print();
}

// Ends the process here: destructors that run after this one would find a kernel's stack in use.
void on_exit_called(int status, void*) {
  say_who_exits("exit()");
  _exit(status);
}

void before_fork() { simt::describe_current_thread(g_forked_by, sizeof g_forked_by, nullptr, nullptr); }

// A copy for each of a thousand threads, each of which goes on to the next thread, would be 2^1000 processes.
void in_forked_copy() {
  if (*g_forked_by != 0) _exit(0);
}

}  // namespace

void install_last_words() {
  simt::give_this_thread_a_signal_stack();
  struct sigaction action {};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM}) sigaction(signal, &action, nullptr);
  action.sa_sigaction = on_half_time;
  action.sa_flags |= SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  signal(SIGINT, SIG_IGN);  // Ctrl-C goes to the program, which decides
  on_exit(on_exit_called, nullptr);
  at_quick_exit([] { say_who_exits("quick_exit()"); });
  pthread_atfork(before_fork, nullptr, in_forked_copy);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // daemons of a kernel become children of ours
}

std::string processes_left() {
  siginfo_t info{};
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) return "";
  const std::string where = *g_forked_by == 0 ? "" : std::string(" by fork() in ") + g_forked_by;
  return "a process was started" + where + ", which no GPU does; what was left of it was ended with the case";
}

}  // namespace assay
