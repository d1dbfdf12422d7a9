#include "host/plugin/file_trust.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <sys/stat.h>

#include "host/plugin/sha256.h"

namespace jobhost {
namespace {

constexpr std::size_t kAccountBytes = 64 * 1024;  // room for one entry of the user database

std::string name_of_user(uid_t user) {
    std::vector<char> room(kAccountBytes);
    passwd account = {};
    passwd* found = nullptr;
    ::getpwuid_r(user, &account, room.data(), room.size(), &found);
    return found != nullptr ? found->pw_name : "user " + std::to_string(user);
}

/// True when nobody but `owner` is in the group: a private group, as Debian makes one for each
/// user. The name is compared because a group such as `users` can be the primary group of many
/// accounts without listing one of them.
bool is_private_group(gid_t group, uid_t owner) {
    std::vector<char> user_room(kAccountBytes);
    passwd account = {};
    passwd* user = nullptr;
    ::getpwuid_r(owner, &account, user_room.data(), user_room.size(), &user);
    if (user == nullptr || user->pw_gid != group) return false;

    std::vector<char> group_room(kAccountBytes);
    struct group entry = {};
    struct group* found = nullptr;
    ::getgrgid_r(group, &entry, group_room.data(), group_room.size(), &found);
    if (found == nullptr || std::strcmp(found->gr_name, user->pw_name) != 0) return false;
    for (char** member = found->gr_mem; *member != nullptr; ++member) {
        if (std::strcmp(*member, user->pw_name) != 0) return false;
    }
    return true;
}

std::string octal(mode_t mode) {
    std::string digits;
    for (int shift = 9; shift >= 0; shift -= 3) {
        digits += static_cast<char>('0' + ((mode >> static_cast<unsigned>(shift)) & 7U));
    }
    return digits;
}

enum class Place { kFile, kOwnFolder, kFolderAbove };

std::optional<std::string> distrust(const std::filesystem::path& path, Place place) {
    const std::string shown =
        path.string() + ": the " + (place == Place::kFile ? "file" : "folder") + " ";
    struct stat about = {};
    if (::lstat(path.c_str(), &about) != 0) {
        return shown + "cannot be examined: " + std::strerror(errno);
    }
    if (about.st_uid != 0 && about.st_uid != ::geteuid()) {
        return shown + "belongs to " + name_of_user(about.st_uid) + ", not to root or " +
               name_of_user(::geteuid()) + ", who runs the host (chown it)";
    }
    if (place == Place::kFolderAbove && (about.st_mode & S_ISVTX) != 0) return std::nullopt;
    if ((about.st_mode & S_IWOTH) != 0) {
        return shown + "is writable by everybody (mode " + octal(about.st_mode & 07777U) +
               "); use chmod o-w";
    }
    if ((about.st_mode & S_IWGRP) != 0 &&
        (place == Place::kFile || !is_private_group(about.st_gid, about.st_uid))) {
        return shown + "is writable by its group (mode " + octal(about.st_mode & 07777U) +
               "); use chmod g-w";
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> distrust_reasons(const std::filesystem::path& file) {
    std::vector<std::string> reasons;
    const auto look_at = [&](const std::filesystem::path& path, Place place) {
        if (auto reason = distrust(path, place)) reasons.push_back(std::move(*reason));
    };
    look_at(file, Place::kFile);
    std::filesystem::path folder = file.parent_path();
    look_at(folder, Place::kOwnFolder);
    while (folder.has_relative_path()) {
        folder = folder.parent_path();
        look_at(folder, Place::kFolderAbove);
    }
    return reasons;
}

std::optional<std::string> sha256_of(int descriptor) {
    Sha256 hash;
    std::vector<char> bytes(std::size_t{256} * 1024);
    off_t offset = 0;
    while (true) {
        const ssize_t got = ::pread(descriptor, bytes.data(), bytes.size(), offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return std::nullopt;
        if (got == 0) return hash.finish();
        hash.add(bytes.data(), static_cast<std::size_t>(got));
        offset += got;
    }
}

std::optional<std::string> normalised_pin(const std::string& pin) {
    constexpr std::string_view kBlank = " \t";
    const std::size_t begin = pin.find_first_not_of(kBlank);
    if (begin == std::string::npos) return std::nullopt;
    std::string digits = pin.substr(begin, pin.find_last_not_of(kBlank) + 1 - begin);
    for (char& c : digits) {
        if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
        const bool is_hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (!is_hex) return std::nullopt;
    }
    if (digits.size() != 64) return std::nullopt;
    return digits;
}

}  // namespace jobhost
