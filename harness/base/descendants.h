// Processes that our children started: also daemons, which leave their group and session.
#pragma once

namespace assay {

// Kills every child of this process and, where it adopts orphans (PR_SET_CHILD_SUBREAPER), all that they started; then
// waits for them. Ours by Process must have been waited for before.
void end_descendants();

}  // namespace assay
