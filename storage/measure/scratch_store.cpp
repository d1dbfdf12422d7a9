#include "storage/measure/scratch_store.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <unistd.h>

#include "storage/postgres/connection.h"
#include "storage/storage_error.h"

namespace jobhost {
namespace {

constexpr std::string_view kSqlite = "sqlite://";

std::string random_schema() {
    std::random_device random;
    const std::uint64_t number = std::uint64_t{random()} << 32 | random();
    return "jobhost_bench_" + std::to_string(::getpid()) + "_" + std::to_string(number);
}

}  // namespace

ScratchStore::ScratchStore(const StoreOptions& beside) : options_(beside) {
    if (!beside.url.starts_with(kSqlite)) {
        options_.schema = random_schema();
        place_ = "schema " + options_.schema;
        return;
    }
    folder_ =
        beside.url.substr(kSqlite.size()) + "-bench-" + std::to_string(::getpid()) + "-XXXXXX";
    if (::mkdtemp(folder_.data()) == nullptr) {
        throw StorageError(StorageError::Kind::kUnavailable,
                           "cannot make a folder " + folder_ + ": " + std::strerror(errno));
    }
    options_.url = std::string(kSqlite) + folder_ + "/jobs.db";
    place_ = folder_;
}

ScratchStore::~ScratchStore() {
    try {
        remove();
    } catch (const std::exception&) {  // remove() is for those who want to know
    }
}

void ScratchStore::remove() {
    if (removed_) return;
    if (!folder_.empty()) {
        std::filesystem::remove_all(folder_);
    } else {
        postgres::Connection server({.url = options_.url, .pooled = !options_.listen});
        // Many rows take the server longer than a statement of a host may.
        server.exec(
            "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL client_min_messages = error;"
            "DROP SCHEMA IF EXISTS " +
            postgres::quoted_name(options_.schema) + " CASCADE");
        server.commit({});
    }
    removed_ = true;
}

}  // namespace jobhost
