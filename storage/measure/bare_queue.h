#pragma once

#include <memory>
#include <string_view>

#include "storage/store.h"

namespace jobhost {

/// The rows that a store writes for each job, written by the database engine alone: nothing is
/// checked, counted, announced or decided. What a store cannot be faster than; for measuring.
///
/// One connection, used by one thread. Throws StorageError.
class BareQueue {
public:
    virtual ~BareQueue() = default;

    /// One transaction, durable on return.
    virtual void enqueue(int count, std::string_view input) = 0;

    /// One transaction: ends the rows that were taken last, and takes up to `most` waiting ones
    /// with their inputs. Durable when it ended any. Returns how many it took.
    virtual int exchange(int most) = 0;
};

/// Makes the tables in this place, which must have none.
std::unique_ptr<BareQueue> open_bare_queue(const StoreOptions& place);

}  // namespace jobhost
