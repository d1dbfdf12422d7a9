#pragma once

#include <cstdint>

#include "storage/sqlite/session.h"
#include "storage/store.h"

namespace jobhost::sqlite {

/// Sleeps on the gate's news word, which every session of ours moves; looks at the file's own
/// change counter now and then, for whoever does not know the word.
class Listener final : public ChangeListener {
public:
    Listener(const SessionOptions& options, const Clock& clock);

    bool wait(Duration at_most) override;

private:
    bool has_changed();

    Session session_;
    std::uint32_t news_ = 0;
    std::int64_t data_version_ = 0;
};

}  // namespace jobhost::sqlite
