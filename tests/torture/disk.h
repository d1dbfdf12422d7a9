#pragma once

#include <filesystem>
#include <memory>

namespace jobhost::torture {

/// A small disk of its own for the store, which only this process and those that it starts see, and
/// which is gone with them.
class Disk {
public:
    /// Makes mounts of this process invisible to all others. Only while it has one thread. False:
    /// there can be no small disk, since that takes root.
    static bool prepare();

    explicit Disk(const std::filesystem::path& folder);
    ~Disk();
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;

    /// While it lives there is no room left on the disk.
    std::shared_ptr<void> fill() const;

private:
    std::filesystem::path folder_;
};

}  // namespace jobhost::torture
