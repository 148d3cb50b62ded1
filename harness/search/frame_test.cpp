// Frames: what comes out is what went in, and nothing else does.
#include "harness/search/frame.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace assay {
namespace {

using State = Unframed::State;

RC_GTEST_PROP(Frame, gives_the_row_back_once_it_is_whole, (const std::string& row, bool last)) {
  const std::string sent = frame(row, last);
  for (size_t bytes = 0; bytes < sent.size(); ++bytes)
    RC_ASSERT(unframe(std::string_view(sent).substr(0, bytes)).state == State::incomplete);
  const Unframed whole = unframe(sent);
  RC_ASSERT(whole.state == State::whole && whole.row == row && whole.last == last);
}

RC_GTEST_PROP(Frame, notices_a_byte_that_is_changed_or_added, (const std::string& row)) {
  std::string changed = frame(row, false);
  const auto at = *rc::gen::inRange(size_t{0}, changed.size());
  changed[at] = static_cast<char>(changed[at] ^ (1 << *rc::gen::inRange(0, 8)));
  RC_ASSERT(unframe(changed).state != State::whole);
  RC_ASSERT(unframe("x" + frame(row, false)).state == State::foreign);
  RC_ASSERT(unframe(frame(row, false) + "x").state == State::foreign);
}

}  // namespace
}  // namespace assay
