#pragma once

#include <filesystem>
#include <string>

#include "tests/bench/subject.h"

namespace jobhost::bench {

// The benchmarks. Each measures one kind of store and adds its figures.

void main_figures(Subject& subject);  // those of `jobhost bench`
void many_nodes(Subject& subject);    // 1, 2 and 4 processes on one store
void with_plugin(Subject& subject);   // the jobs of a real plugin
void durations(Subject& subject);     // jobs of 1 us, 1 ms and 100 ms
void payloads(Subject& subject);      // 100 B, 10 KiB and 1 MiB
void latency(Subject& subject);       // idle, under load, beside handlers that hang
void retries(Subject& subject);       // jobs that fail twice
void dead_letters(Subject& subject);  // jobs that all fail, with handlers
void after_kill(Subject& subject);    // until the jobs of a killed node run again
void finished_rows(Subject& subject);
void waiting_rows(Subject& subject);
void idle_host(Subject& subject);    // CPU and memory of the program `jobhost`
void start_stop(Subject& subject);   // the same program's
void steady_load(Subject& subject);  // minutes at full speed: what becomes of the tables

}  // namespace jobhost::bench
