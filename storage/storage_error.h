#pragma once

#include <stdexcept>
#include <string>

namespace jobhost {

/// The store broke down: what was asked did not happen, or (kUnknownOutcome) may have happened.
class StorageError : public std::runtime_error {
public:
    enum class Kind {
        kBusy,            // locked by somebody else for too long; try again
        kFull,            // no space, or the quota is used up; try again later
        kReadOnly,        // may not be written; try again later
        kUnavailable,     // cannot be reached or read just now; try again later
        kUnknownOutcome,  // broke down during the commit: repeat with the same idempotency key
        kCorrupt,         // damaged, or replaced under us: stop and restore
        kMissing,         // there is no store there, and none was to be made
        kTooNew,          // written by a newer major version: refuse
        kMisused,         // our own bug, or a broken row
    };

    StorageError(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
    Kind kind() const { return kind_; }

private:
    Kind kind_;
};

}  // namespace jobhost
