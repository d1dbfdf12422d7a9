#include "host/engine/thread_group.h"

#include <utility>

namespace jobhost {

void ThreadGroup::start(std::function<void()> body) {
    reap();
    auto ended = std::make_shared<std::atomic<bool>>(false);
    std::thread thread([body = std::move(body), ended] {
        body();
        ended->store(true);
    });
    members_.push_back({std::move(thread), std::move(ended)});
}

void ThreadGroup::reap() {
    std::erase_if(members_, [](Member& member) {
        if (!member.ended->load()) return false;
        member.thread.join();
        return true;
    });
}

void ThreadGroup::join() {
    for (Member& member : members_) member.thread.join();
    members_.clear();
}

void ThreadGroup::detach() {
    for (Member& member : members_) member.thread.detach();
    members_.clear();
}

}  // namespace jobhost
