// A library's plans in files, for the processes of a run: each measures the same cases, and a library that compiles its
// plans for a shape would otherwise keep every one of them waiting for the same.
//
// A plan is a library's own serialised text, which no other version of it and no other GPU may read: its key names all
// that it depends on. A file whose key, length or checksum is another's is as good as none, and is written anew.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace assay {

// Names the folder of a run's plans to its processes. `assay bench` sets it to one that goes when the run ends, unless
// it is set: kNoPlans, and every process plans for itself.
inline constexpr const char* kPlanFolder = "ASSAY_PLAN_FOLDER";
inline constexpr const char* kNoPlans = "off";

using PlanBytes = std::vector<uint8_t>;

class PlanStore {
 public:
  explicit PlanStore(std::string folder) : folder_(std::move(folder)) {}

  // The store in the folder that the environment names; nothing where it names none.
  static std::optional<PlanStore> of_environment();

  // The plan that was kept under exactly this key, undamaged.
  std::optional<PlanBytes> find(const std::string& key) const;

  // Whole or not at all, also beside another process that keeps the same. False: it cannot be written, which costs the
  // next process the time of planning and nothing else.
  bool keep(const std::string& key, const PlanBytes& plan) const;

  std::string path_of(const std::string& key) const;  // the file of the key

 private:
  std::string folder_;
};

// A plan that can be made, given away and taken back.
class StoredPlan {
 public:
  virtual ~StoredPlan() = default;

  virtual std::string key() const = 0;                 // all that the plan depends on
  virtual std::optional<Error> make() = 0;             // the library plans; an error where it cannot
  virtual std::optional<PlanBytes> bytes() const = 0;  // of a plan that was made; nothing where it has no such form
  virtual bool take(const PlanBytes& plan) = 0;        // as after make(); false: the library does not take it
};

// Takes the plan from the store, or makes it and keeps it there. store: null for none.
std::optional<Error> take_or_make(StoredPlan& plan, const PlanStore* store);

}  // namespace assay
