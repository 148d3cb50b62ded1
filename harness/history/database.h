// SQLite, as values: an open file, prepared statements, transactions. Every error names the file, and SQLite's message.
//
// A rollback journal and not a log beside the file (WAL): history is one file, which may lie on a network's file
// system, and writers are rare. A writer that is killed leaves a journal, from which the next program that opens the
// file restores it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace assay::history {

// A prepared statement. Errors of binding and stepping are kept and come out of the last call.
class Statement {
 public:
  Statement& bind(int64_t value);
  Statement& bind(double value);  // NaN: NULL
  Statement& bind(const std::string& value);
  Result<bool> step();  // whether there is a row
  Result<void> run();   // to its end, and ready for other values

  int64_t integer(int column) const;
  double real(int column) const;  // NaN where it is NULL
  std::string text(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Error error() const;

  std::string path_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

// The statements that bring the schema from version i to i + 1, in their order.
using Migrations = std::vector<const char*>;

class Database {
 public:
  // Opens the file, or makes it where `create` says so, and brings it to the newest version of `migrations`. A file of
  // another program, a damaged one, and one of a newer version are errors. Waits up to 30 s for other writers, then and
  // later.
  static Result<Database> open(const std::string& path, const Migrations& migrations, bool create);

  const std::string& path() const { return path_; }
  Result<Statement> prepare(const char* sql) const;
  Result<void> run(const char* sql) const;
  int64_t last_row() const;

  // Runs `body` (Result<T>()) as one transaction, which another writer sees whole or not at all.
  template <class Body>
  auto transaction(const Body& body) const -> decltype(body()) {
    if (auto begun = run("BEGIN IMMEDIATE"); !begun) return tl::unexpected(begun.error());
    auto result = body();
    if (result)
      if (auto ended = run("COMMIT"); !ended) result = tl::unexpected(ended.error());
    if (!result) (void)run("ROLLBACK");
    return result;
  }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  Result<void> migrate(const Migrations& migrations) const;
  Result<int64_t> number(const char* sql) const;
  Error error() const;

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace assay::history
