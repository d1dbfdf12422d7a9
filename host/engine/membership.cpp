#include "host/engine/membership.h"

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "host/engine/random.h"

namespace jobhost {
namespace {

std::string random_incarnation() {
    SystemRandom random;
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx",
                  static_cast<unsigned long long>(random.bits()),
                  static_cast<unsigned long long>(random.bits()));
    return text;
}

}  // namespace

Membership::Membership(StoreHandle& store, NodeRegistration introduce, const Clock& clock,
                       JobEvents& events)
    : beat_interval_(introduce.beat_interval),
      node_folder_(store.node_folder()),
      clock_(clock),
      events_(events),
      introduce_(std::move(introduce)),
      session_(store.open_session()) {
    const std::lock_guard lock(mutex_);
    register_now();
}

std::shared_ptr<NodeFile> Membership::file() const {
    const std::lock_guard lock(file_mutex_);
    return file_;
}

std::int64_t Membership::folder_stamp() const {
    if (node_folder_.empty()) return 0;
    std::error_code none;
    return std::filesystem::last_write_time(node_folder_, none).time_since_epoch().count();
}

void Membership::set_file(std::shared_ptr<NodeFile> file) {
    const std::lock_guard lock(file_mutex_);
    file_.swap(file);
}

void Membership::set_queues(std::vector<std::string> queues) {
    const std::lock_guard lock(file_mutex_);
    new_queues_ = std::move(queues);
}

void Membership::take_new_queues() {
    const std::lock_guard lock(file_mutex_);
    if (!new_queues_) return;
    introduce_.queues = *std::exchange(new_queues_, {});
    queues_are_stored_ = false;
}

void Membership::register_now() {
    take_new_queues();
    NodeRegistration registration = introduce_;
    registration.incarnation = random_incarnation();
    std::shared_ptr<NodeFile> file;
    if (!node_folder_.empty()) {
        file = std::make_shared<NodeFile>(node_folder_, registration.incarnation);
        registration.lock_file = file->path();
        registration.lock_inode = file->inode();
    }
    const NodeId node = session_->register_node(registration);
    queues_are_stored_ = true;
    set_file(std::move(file));
    node_.store(node);
    lock_lost_.store(false);
    beaten_at_.store(clock_.steady_now());
    events_.node_registered(node, registration.incarnation);
}

void Membership::renew(NodeId lost) {
    const std::lock_guard lock(mutex_);
    if (node_.load() == lost) register_now();
}

void Membership::replace_lock() {
    const std::lock_guard lock(mutex_);
    session_->leave(node_.load());
    register_now();
}

void Membership::beat() {
    const std::lock_guard lock(mutex_);
    if (!session_->beat(node_.load())) return register_now();
    beaten_at_.store(clock_.steady_now());
    take_new_queues();
    if (queues_are_stored_) return;
    session_->set_queues(node_.load(), introduce_.queues);
    queues_are_stored_ = true;
}

bool Membership::beats_on_time() const {
    return clock_.steady_now() - beaten_at_.load() < beat_interval_ * 2;
}

void Membership::check_lock() {
    const std::shared_ptr<NodeFile> current = file();
    if (!current || lock_lost_.load() || current->still_locked()) return;
    lock_lost_.store(true);
    events_.lock_file_lost(current->path());
}

void Membership::leave(std::span<const std::string> at_least_once) {
    const std::lock_guard lock(mutex_);
    session_->leave(node_.load(), at_least_once);
    set_file(nullptr);
}

}  // namespace jobhost
