#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace jobhost::torture {

/// A line of the ledger: a word and `name=value` fields without spaces.
///
///   host     number= slot= service= pid=        the driver started a host
///   paused   host=                              it was or may have been stopped for long
///   ended    host= code= asked=                 it ended; asked=1: after SIGTERM and nothing worse
///   accepted id= service= key= mode=            an enqueuer got this id; key empty: none
///   rolled_back id=                             an application enqueued it and rolled back
///   bulk     tag= size=                         an enqueuer is about to store so many jobs, or
///   none start    job= fence= host= service= type= attempt= max= shutdown, effect, handler,
///   handled, forward job= fence= host= service= type=
struct Line {
    std::string word;
    std::map<std::string, std::string, std::less<>> fields;

    /// Empty when there is none.
    const std::string& text(std::string_view field) const;
    /// 0 when there is none. Throws what std::stoll throws.
    std::int64_t number(std::string_view field) const;
};

/// What happened, in the order in which it was written.
using Ledger = std::vector<Line>;

Line parse_line(const std::string& text);
Ledger read_ledger(std::istream& in);

}  // namespace jobhost::torture
