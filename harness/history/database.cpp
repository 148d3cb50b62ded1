// Calling SQLite.
#include "harness/history/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <limits>

#include "harness/base/check.h"

namespace assay::history {
namespace {

constexpr int kBusyMs = 30'000;
constexpr int64_t kApplication = 0x41737361;  // "Assa": SQLite's application_id, by which `file` and we know the file

Error sqlite_error(const std::string& path, int code, const char* message) {
  const std::string what = fmt::format("'{}': {}", path, message);
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {what, "another process has it; try again"};
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {what, "it is damaged or no history; take a copy of it, or name another file with --db"};
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {what, "name a file that can be written with --db"};
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return {what, "is the disk full?"};
    default:
      return {what, "the file may be damaged; name another with --db"};
  }
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Error Statement::error() const {
  sqlite3* const database = sqlite3_db_handle(statement_.get());
  return sqlite_error(path_, sqlite3_errcode(database), sqlite3_errmsg(database));
}

// A place that the statement lacks is a mistake of the caller, whatever the file holds.
Statement& Statement::bind(int64_t value) {
  ASSAY_CHECK(sqlite3_bind_int64(statement_.get(), ++bound_, value) == SQLITE_OK, sqlite3_sql(statement_.get()));
  return *this;
}

Statement& Statement::bind(double value) {
  const int bound = std::isnan(value) ? sqlite3_bind_null(statement_.get(), ++bound_)
                                      : sqlite3_bind_double(statement_.get(), ++bound_, value);
  ASSAY_CHECK(bound == SQLITE_OK, sqlite3_sql(statement_.get()));
  return *this;
}

Statement& Statement::bind(const std::string& value) {
  ASSAY_CHECK(sqlite3_bind_text64(statement_.get(), ++bound_, value.data(), value.size(), SQLITE_TRANSIENT,
                                  SQLITE_UTF8) == SQLITE_OK,
              sqlite3_sql(statement_.get()));
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return tl::unexpected(error());
}

Result<void> Statement::run() {
  Result<bool> row = true;
  while (row && *row) row = step();
  sqlite3_reset(statement_.get());
  bound_ = 0;
  if (!row) return tl::unexpected(row.error());
  return {};
}

int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Statement::real(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return text ? std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column))) : "";
}

Error Database::error() const {
  return sqlite_error(path_, sqlite3_errcode(database_.get()), sqlite3_errmsg(database_.get()));
}

Result<Database> Database::open(const std::string& path, const Migrations& migrations, bool create) {
  Database database;
  database.path_ = path;
  sqlite3* raw = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0), nullptr);
  database.database_.reset(raw);
  if (code != SQLITE_OK) return tl::unexpected(sqlite_error(path, code, sqlite3_errstr(code)));
  sqlite3_busy_timeout(raw, kBusyMs);
  // The file may be anybody's: its schema calls no functions, and pages are checked as they are read.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  for (const char* setting : {"PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA foreign_keys = ON"})
    ASSAY_TRY(database.run(setting));
  ASSAY_TRY(database.migrate(migrations));
  return database;
}

Result<int64_t> Database::number(const char* sql) const {
  auto statement = ASSAY_TRY(prepare(sql));
  return ASSAY_TRY(statement.step()) ? statement.integer(0) : 0;
}

// The migration is one transaction, so that two programs which open an old file at once migrate it once.
Result<void> Database::migrate(const Migrations& migrations) const {
  const auto newest = std::ssize(migrations);
  const int64_t application = ASSAY_TRY(number("PRAGMA application_id"));
  if (application == kApplication && ASSAY_TRY(number("PRAGMA user_version")) == newest) return {};
  return transaction([&]() -> Result<void> {
    const int64_t owner = ASSAY_TRY(number("PRAGMA application_id")), from = ASSAY_TRY(number("PRAGMA user_version"));
    if (owner != kApplication && (owner != 0 || ASSAY_TRY(number("SELECT count(*) FROM sqlite_master")) != 0))
      return fail(fmt::format("'{}' is a database of another program", path_), "name another file with --db");
    if (from < 0 || from > newest)
      return fail(fmt::format("'{}' has version {} of the history's schema, and this Assay knows versions up to {}",
                              path_, from, newest),
                  "use the Assay that wrote it, or name another file with --db");
    for (int64_t i = from; i < newest; ++i) ASSAY_TRY(run(migrations[static_cast<size_t>(i)]));
    const std::string stamp = fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, newest);
    return run(stamp.c_str());
  });
}

Result<Statement> Database::prepare(const char* sql) const {
  Statement statement;
  statement.path_ = path_;
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql, -1, &raw, nullptr) != SQLITE_OK) return tl::unexpected(error());
  statement.statement_.reset(raw);
  return statement;
}

Result<void> Database::run(const char* sql) const {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return tl::unexpected(error());
  return {};
}

int64_t Database::last_row() const { return sqlite3_last_insert_rowid(database_.get()); }

}  // namespace assay::history
