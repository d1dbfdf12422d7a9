#include "storage/measure/bare_queue.h"

#include <string>

#include "storage/measure/postgres_bare_queue.h"
#include "storage/measure/sqlite_bare_queue.h"

namespace jobhost {

std::unique_ptr<BareQueue> open_bare_queue(const StoreOptions& place) {
    constexpr std::string_view kSqlite = "sqlite://";
    if (!place.url.starts_with(kSqlite)) return postgres::open_bare_queue(place);
    return sqlite::open_bare_queue(place.url.substr(kSqlite.size()), place.synchronous_full);
}

}  // namespace jobhost
