// A file for each plan: a line that says what it is, with lengths and a checksum, then the key, then the plan.
#include "harness/device/cuda/plan_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "harness/base/rng.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

uint64_t sum_of(std::string_view text) {
  uint64_t sum = text.size();
  for (const char byte : text) sum = Rng::mix(sum ^ static_cast<unsigned char>(byte));
  return sum;
}

std::string contents_of(const std::string& key, std::string_view plan) {
  std::string both = key;
  both += plan;
  return fmt::format("assay plan, key {} plan {} sum {:016x}\n", key.size(), plan.size(), sum_of(both)) + both;
}

}  // namespace

std::optional<PlanStore> PlanStore::of_environment() {
  const char* folder = std::getenv(kPlanFolder);
  if (!folder || !*folder || std::string_view(folder) == kNoPlans) return std::nullopt;
  return PlanStore(folder);
}

std::string PlanStore::path_of(const std::string& key) const {
  return (fs::path(folder_) / fmt::format("{:016x}.plan", sum_of(key))).string();
}

std::optional<PlanBytes> PlanStore::find(const std::string& key) const {
  std::ifstream file(path_of(key), std::ios::binary);
  if (!file) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // Whatever the file is, its plan would be what lies behind a first line and the key: then all of it must be the same.
  const size_t begin = text.find('\n') + 1 + key.size();
  if (begin > text.size() || text != contents_of(key, std::string_view(text).substr(begin))) return std::nullopt;
  return PlanBytes(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end());
}

bool PlanStore::keep(const std::string& key, const PlanBytes& plan) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  const std::string path = path_of(key), own = fmt::format("{}.{}", path, getpid());
  std::ofstream file(own, std::ios::binary);
  file << contents_of(key, {reinterpret_cast<const char*>(plan.data()), plan.size()});
  file.close();
  if (file) fs::rename(own, path, error);
  if (file && !error) return true;
  fs::remove(own, error);
  return false;
}

std::optional<Error> take_or_make(StoredPlan& plan, const PlanStore* store) {
  if (!store) return plan.make();
  const std::string key = plan.key();
  if (const auto kept = store->find(key); kept && plan.take(*kept)) return std::nullopt;
  if (auto error = plan.make()) return error;
  if (const auto made = plan.bytes()) store->keep(key, *made);
  return std::nullopt;
}

}  // namespace assay
