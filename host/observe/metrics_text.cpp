#include "host/observe/metrics_text.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

namespace jobhost {
namespace {

std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

/// `{queue="a"}`, with quotes, backslashes and line breaks escaped.
std::string label(std::string_view name, std::string_view value) {
    std::string text = "{" + std::string(name) + "=\"";
    for (const char c : value) {
        if (c == '\n') {
            text += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + "\"}";
}

class Page {
public:
    void begin(std::string_view name, std::string_view type, std::string_view help) {
        name_ = name;
        text_ += "# HELP " + name_ + ' ' + std::string(help) + "\n# TYPE " + name_ + ' ' +
                 std::string(type) + '\n';
    }
    void sample(const std::string& labels, double value, std::string_view suffix = "") {
        text_ += name_ + std::string(suffix) + labels + ' ' + number(value) + '\n';
    }
    void one(std::string_view name, std::string_view type, std::string_view help, double value) {
        begin(name, type, help);
        sample("", value);
    }
    void histogram(std::string_view name, std::string_view help, const Histogram& from,
                   double unit) {
        begin(name, "histogram", help);
        const Histogram::Counted counted = from.counted();
        for (std::size_t i = 0; i < counted.up_to.size(); ++i) {
            sample(label("le", number(static_cast<double>(from.steps()[i]) * unit)),
                   static_cast<double>(counted.up_to[i]), "_bucket");
        }
        sample(label("le", "+Inf"), static_cast<double>(counted.all), "_bucket");
        sample("", static_cast<double>(counted.sum) * unit, "_sum");
        sample("", static_cast<double>(counted.all), "_count");
    }
    std::string take() { return std::move(text_); }

private:
    std::string name_;
    std::string text_;
};

struct QueueGauges {
    std::int64_t waiting = 0;
    std::int64_t processing = 0;
    std::int64_t due = 0;
    Duration oldest = {};
};

std::map<std::string, QueueGauges> by_queue(const StoreGauges& gauges) {
    std::map<std::string, QueueGauges> queues;
    const auto place = [&](const std::string& queue) -> QueueGauges& {
        const auto known = queues.find(queue);
        if (known != queues.end()) return known->second;
        return queues[queues.size() < kMostQueueLabels ? queue : "_other"];
    };
    for (const TypeCounts& counts : gauges.jobs) {
        QueueGauges& queue = place(counts.queue);
        queue.waiting += counts.waiting;
        queue.processing += counts.processing;
    }
    for (const DueCount& count : gauges.due) {
        QueueGauges& queue = place(count.queue);
        queue.due = std::min(queue.due + count.due, kDueCap);
        if (count.oldest_run_at) {
            queue.oldest = std::max(queue.oldest, gauges.now - *count.oldest_run_at);
        }
    }
    return queues;
}

void add_jobs(Page& page, const StoreGauges& gauges) {
    const auto sum = [&](std::int64_t TypeCounts::*field) {
        std::int64_t all = 0;
        for (const TypeCounts& counts : gauges.jobs) all += counts.*field;
        return static_cast<double>(all);
    };
    page.begin("jobhost_jobs", "gauge", "Jobs in the store, by state; waiting: due or not");
    page.sample(label("state", "waiting"), sum(&TypeCounts::waiting));
    page.sample(label("state", "processing"), sum(&TypeCounts::processing));
    page.sample(label("state", "succeeded"), sum(&TypeCounts::succeeded));
    page.sample(label("state", "failed"), sum(&TypeCounts::failed));
    page.sample(label("state", "expired"), sum(&TypeCounts::expired));
    page.sample(label("state", "cancelled"), sum(&TypeCounts::cancelled));
}

void add_queues(Page& page, const StoreGauges& gauges) {
    const auto queues = by_queue(gauges);
    const auto each = [&](std::string_view name, std::string_view help, const auto& value) {
        page.begin(name, "gauge", help);
        for (const auto& [queue, about] : queues) page.sample(label("queue", queue), value(about));
    };
    each("jobhost_queue_waiting", "Jobs that wait in the queue, due or not",
         [](const QueueGauges& queue) { return static_cast<double>(queue.waiting); });
    each("jobhost_queue_processing", "Jobs of the queue that run on any node",
         [](const QueueGauges& queue) { return static_cast<double>(queue.processing); });
    each("jobhost_queue_due", "Jobs of the queue that could run now; counted up to 10000",
         [](const QueueGauges& queue) { return static_cast<double>(queue.due); });
    each("jobhost_queue_oldest_due_seconds", "For how long the oldest due job has waited",
         [](const QueueGauges& queue) { return static_cast<double>(queue.oldest.count()) / 1e6; });
}

void add_forwarders(Page& page, const Counters& counters) {
    const auto forwarders = counters.forwarders();
    page.begin("jobhost_dead_letter_forwarded_total", "counter", "Failed jobs that were forwarded");
    for (const auto& [name, counts] : forwarders) {
        page.sample(label("forwarder", name), static_cast<double>(counts.forwarded));
    }
    page.begin("jobhost_dead_letter_forward_failed_total", "counter",
               "Failed jobs whose forwarder failed");
    for (const auto& [name, counts] : forwarders) {
        page.sample(label("forwarder", name), static_cast<double>(counts.failed));
    }
}

}  // namespace

std::string metrics_text(const Counters& counters, const StoreGauges* gauges) {
    constexpr double kMicroseconds = 1e-6;
    Page page;
    for (std::size_t i = 0; i < kCounts; ++i) {
        const auto count = static_cast<Count>(i);
        page.one(metric_name(count), "counter", metric_help(count),
                 static_cast<double>(counters.value(count)));
    }
    add_forwarders(page, counters);
    page.one("jobhost_workers_busy", "gauge", "Jobs that run on this node",
             static_cast<double>(counters.running()));
    page.one("jobhost_storage_up", "gauge", "1: the store serves this node; 0: it is away",
             counters.is_storage_up() ? 1 : 0);
    page.histogram("jobhost_job_wait_seconds", "From when a job was due to its start",
                   counters.waits(), kMicroseconds);
    page.histogram("jobhost_job_run_seconds", "How long the code of a job ran", counters.runs(),
                   kMicroseconds);
    page.histogram("jobhost_batch_writes", "Writes in one transaction", counters.batches(), 1);
    if (gauges != nullptr) {
        add_jobs(page, *gauges);
        add_queues(page, *gauges);
    }
    return page.take();
}

}  // namespace jobhost
