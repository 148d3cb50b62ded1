// The C library's calls that install a signal handler, so that a launch need not ask for all 64 handlers again.
//
// The executor must know whether a handler could run on the stacks of a kernel's threads (simt/runtime/signal_stack.h).
// This library is loaded before the C library, so these calls come here first. Whoever installs a handler past the C
// library, by the system call itself, is seen only once another handler is installed.
#include <dlfcn.h>

#include <csignal>

#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/host_watch.h"
#include "harness/program/runtime/next_function.h"
#include "harness/simt/runtime/signal_stack.h"

namespace {

using assay::program::next_function;
using Handler = void (*)(int);

template <class Function, class... Arguments>
auto changes_handlers(const char* name, int number, Arguments... arguments) {
  if (number == SIGSEGV || number == SIGTRAP) assay::program::watch_host_no_more();
  const auto result = next_function<Function>(name)(number, arguments...);
  assay::simt::signal_handler_changed();
  return result;
}

// Where somebody else's function is found first, as in a process that loads this library late, nothing is watched.
__attribute__((constructor)) void watch() {
  if (dlsym(RTLD_DEFAULT, "sigaction") == reinterpret_cast<void*>(&sigaction))
    assay::simt::signal_handlers_are_watched();
}

}  // namespace

ASSAY_EXPORTED int sigaction(int number, const struct sigaction* action, struct sigaction* old) noexcept {
  if (action == nullptr)
    return next_function<int(int, const struct sigaction*, struct sigaction*)>("sigaction")(number, action, old);
  return changes_handlers<int(int, const struct sigaction*, struct sigaction*)>("sigaction", number, action, old);
}
ASSAY_EXPORTED Handler signal(int number, Handler handler) noexcept {
  return changes_handlers<Handler(int, Handler)>("signal", number, handler);
}
ASSAY_EXPORTED Handler __sysv_signal(int number, Handler handler) noexcept {
  return changes_handlers<Handler(int, Handler)>("__sysv_signal", number, handler);
}
ASSAY_EXPORTED Handler sigset(int number, Handler handler) noexcept {
  return changes_handlers<Handler(int, Handler)>("sigset", number, handler);
}
ASSAY_EXPORTED int siginterrupt(int number, int is_interrupting) noexcept {
  return changes_handlers<int(int, int)>("siginterrupt", number, is_interrupting);
}
