/* The layout of ABI 1.0, frozen: a plugin that was built with it must load for ever. A later minor
 * adds lines for the fields it appends and enlarges the sizes; no other line may change. Included
 * from C and from C++ with SIZE and AT defined. */

SIZE(jobhost_str, 16);
AT(jobhost_str, ptr, 0);
AT(jobhost_str, len, 8);

SIZE(jobhost_error, 128);
AT(jobhost_error, struct_size, 0);
AT(jobhost_error, flags, 4);
AT(jobhost_error, type, 8);
AT(jobhost_error, bases, 24);
AT(jobhost_error, n_bases, 32);
AT(jobhost_error, message, 40);
AT(jobhost_error, stack, 56);
AT(jobhost_error, frames, 72);
AT(jobhost_error, n_frames, 80);
AT(jobhost_error, causes, 88);
AT(jobhost_error, n_causes, 96);
AT(jobhost_error, retry_after_us, 104);
AT(jobhost_error, failed_at_us, 112);
AT(jobhost_error, attempt, 120);
AT(jobhost_error, reserved0, 124);

SIZE(jobhost_error_type, 40);
AT(jobhost_error_type, struct_size, 0);
AT(jobhost_error_type, flags, 4);
AT(jobhost_error_type, name, 8);
AT(jobhost_error_type, bases, 24);
AT(jobhost_error_type, n_bases, 32);

SIZE(jobhost_enqueue, 168);
AT(jobhost_enqueue, struct_size, 0);
AT(jobhost_enqueue, flags, 4);
AT(jobhost_enqueue, type, 8);
AT(jobhost_enqueue, input, 24);
AT(jobhost_enqueue, queue, 40);
AT(jobhost_enqueue, priority, 56);
AT(jobhost_enqueue, max_attempts, 60);
AT(jobhost_enqueue, run_at_us, 64);
AT(jobhost_enqueue, delay_us, 72);
AT(jobhost_enqueue, deadline_after_us, 80);
AT(jobhost_enqueue, deadline_at_us, 88);
AT(jobhost_enqueue, timeout_us, 96);
AT(jobhost_enqueue, tags, 104);
AT(jobhost_enqueue, n_tags, 112);
AT(jobhost_enqueue, idempotency_key, 120);
AT(jobhost_enqueue, on_duplicate, 136);
AT(jobhost_enqueue, on_parent_failed, 140);
AT(jobhost_enqueue, after, 144);
AT(jobhost_enqueue, traceparent, 152);

SIZE(jobhost_enqueue_result, 32);
AT(jobhost_enqueue_result, struct_size, 0);
AT(jobhost_enqueue_result, duplicate, 4);
AT(jobhost_enqueue_result, id, 8);
AT(jobhost_enqueue_result, message, 16);

SIZE(jobhost_job, 312);
AT(jobhost_job, struct_size, 0);
AT(jobhost_job, flags, 4);
AT(jobhost_job, id, 8);
AT(jobhost_job, type, 16);
AT(jobhost_job, queue, 32);
AT(jobhost_job, state, 48);
AT(jobhost_job, priority, 64);
AT(jobhost_job, attempt, 68);
AT(jobhost_job, max_attempts, 72);
AT(jobhost_job, max_attempts_requested, 76);
AT(jobhost_job, fence, 80);
AT(jobhost_job, input, 88);
AT(jobhost_job, tags, 104);
AT(jobhost_job, n_tags, 112);
AT(jobhost_job, created_at_us, 120);
AT(jobhost_job, run_at_us, 128);
AT(jobhost_job, started_at_us, 136);
AT(jobhost_job, finished_at_us, 144);
AT(jobhost_job, expires_at_us, 152);
AT(jobhost_job, timeout_us, 160);
AT(jobhost_job, source, 168);
AT(jobhost_job, idempotency_key, 184);
AT(jobhost_job, parent_id, 200);
AT(jobhost_job, traceparent, 208);
AT(jobhost_job, reason, 224);
AT(jobhost_job, checkpoint, 240);
AT(jobhost_job, progress_text, 256);
AT(jobhost_job, progress_percent, 272);
AT(jobhost_job, snoozes, 276);
AT(jobhost_job, errors, 280);
AT(jobhost_job, n_errors, 288);
AT(jobhost_job, log_lines, 296);
AT(jobhost_job, n_log_lines, 304);

SIZE(jobhost_run, 8);
AT(jobhost_run, api, 0);

SIZE(jobhost_run_api, 96);
AT(jobhost_run_api, struct_size, 0);
AT(jobhost_run_api, reserved0, 4);
AT(jobhost_run_api, log, 8);
AT(jobhost_run_api, log_enabled, 16);
AT(jobhost_run_api, cancel_reason, 24);
AT(jobhost_run_api, wait, 32);
AT(jobhost_run_api, enqueue, 40);
AT(jobhost_run_api, set_error, 48);
AT(jobhost_run_api, set_snooze, 56);
AT(jobhost_run_api, progress, 64);
AT(jobhost_run_api, save_checkpoint, 72);
AT(jobhost_run_api, complete, 80);
AT(jobhost_run_api, get_extension, 88);

SIZE(jobhost_host, 136);
AT(jobhost_host, struct_size, 0);
AT(jobhost_host, abi_major, 4);
AT(jobhost_host, abi_minor, 6);
AT(jobhost_host, host_data, 8);
AT(jobhost_host, name, 16);
AT(jobhost_host, version, 32);
AT(jobhost_host, node, 48);
AT(jobhost_host, plugin_path, 64);
AT(jobhost_host, settings, 80);
AT(jobhost_host, log, 96);
AT(jobhost_host, log_enabled, 104);
AT(jobhost_host, enqueue, 112);
AT(jobhost_host, report_error, 120);
AT(jobhost_host, get_extension, 128);

SIZE(jobhost_retry_policy, 56);
AT(jobhost_retry_policy, struct_size, 0);
AT(jobhost_retry_policy, max_attempts, 4);
AT(jobhost_retry_policy, initial_delay_us, 8);
AT(jobhost_retry_policy, multiplier, 16);
AT(jobhost_retry_policy, max_delay_us, 24);
AT(jobhost_retry_policy, delay, 32);
AT(jobhost_retry_policy, retry_for_us, 48);

SIZE(jobhost_retry_info, 48);
AT(jobhost_retry_info, struct_size, 0);
AT(jobhost_retry_info, attempts_made, 4);
AT(jobhost_retry_info, max_attempts, 8);
AT(jobhost_retry_info, reserved0, 12);
AT(jobhost_retry_info, job, 16);
AT(jobhost_retry_info, error, 24);
AT(jobhost_retry_info, policy_delay_us, 32);
AT(jobhost_retry_info, random, 40);

SIZE(jobhost_retry_delay, 40);
AT(jobhost_retry_delay, struct_size, 0);
AT(jobhost_retry_delay, flags, 4);
AT(jobhost_retry_delay, name, 8);
AT(jobhost_retry_delay, data, 24);
AT(jobhost_retry_delay, delay_us, 32);

SIZE(jobhost_job_type, 72);
AT(jobhost_job_type, struct_size, 0);
AT(jobhost_job_type, flags, 4);
AT(jobhost_job_type, name, 8);
AT(jobhost_job_type, retry, 24);
AT(jobhost_job_type, do_not_retry, 32);
AT(jobhost_job_type, n_do_not_retry, 40);
AT(jobhost_job_type, timeout_us, 48);
AT(jobhost_job_type, data, 56);
AT(jobhost_job_type, run, 64);

SIZE(jobhost_failed_job, 24);
AT(jobhost_failed_job, struct_size, 0);
AT(jobhost_failed_job, flags, 4);
AT(jobhost_failed_job, job, 8);
AT(jobhost_failed_job, error, 16);

SIZE(jobhost_dead_letter_handler, 40);
AT(jobhost_dead_letter_handler, struct_size, 0);
AT(jobhost_dead_letter_handler, flags, 4);
AT(jobhost_dead_letter_handler, job_type, 8);
AT(jobhost_dead_letter_handler, data, 24);
AT(jobhost_dead_letter_handler, handle, 32);

SIZE(jobhost_forwarder, 48);
AT(jobhost_forwarder, struct_size, 0);
AT(jobhost_forwarder, flags, 4);
AT(jobhost_forwarder, name, 8);
AT(jobhost_forwarder, data, 24);
AT(jobhost_forwarder, applies_to, 32);
AT(jobhost_forwarder, forward, 40);

SIZE(jobhost_trigger_run, 8);
AT(jobhost_trigger_run, api, 0);

SIZE(jobhost_trigger_api, 80);
AT(jobhost_trigger_api, struct_size, 0);
AT(jobhost_trigger_api, reserved0, 4);
AT(jobhost_trigger_api, name, 8);
AT(jobhost_trigger_api, settings, 16);
AT(jobhost_trigger_api, log, 24);
AT(jobhost_trigger_api, log_enabled, 32);
AT(jobhost_trigger_api, wait, 40);
AT(jobhost_trigger_api, enqueue, 48);
AT(jobhost_trigger_api, set_health, 56);
AT(jobhost_trigger_api, report_error, 64);
AT(jobhost_trigger_api, get_extension, 72);

SIZE(jobhost_trigger_type, 56);
AT(jobhost_trigger_type, struct_size, 0);
AT(jobhost_trigger_type, flags, 4);
AT(jobhost_trigger_type, kind, 8);
AT(jobhost_trigger_type, data, 24);
AT(jobhost_trigger_type, open, 32);
AT(jobhost_trigger_type, run, 40);
AT(jobhost_trigger_type, close, 48);

SIZE(jobhost_plugin, 136);
AT(jobhost_plugin, struct_size, 0);
AT(jobhost_plugin, flags, 4);
AT(jobhost_plugin, name, 8);
AT(jobhost_plugin, version, 24);
AT(jobhost_plugin, job_types, 40);
AT(jobhost_plugin, n_job_types, 48);
AT(jobhost_plugin, dead_letter_handlers, 56);
AT(jobhost_plugin, n_dead_letter_handlers, 64);
AT(jobhost_plugin, forwarders, 72);
AT(jobhost_plugin, n_forwarders, 80);
AT(jobhost_plugin, retry_delays, 88);
AT(jobhost_plugin, n_retry_delays, 96);
AT(jobhost_plugin, error_types, 104);
AT(jobhost_plugin, n_error_types, 112);
AT(jobhost_plugin, trigger_types, 120);
AT(jobhost_plugin, n_trigger_types, 128);

SIZE(jobhost_plugin_entry, 72);
AT(jobhost_plugin_entry, magic, 0);
AT(jobhost_plugin_entry, struct_size, 8);
AT(jobhost_plugin_entry, abi_major, 12);
AT(jobhost_plugin_entry, abi_minor, 14);
AT(jobhost_plugin_entry, min_host_minor, 16);
AT(jobhost_plugin_entry, pointer_bits, 18);
AT(jobhost_plugin_entry, flags, 20);
AT(jobhost_plugin_entry, build_info, 24);
AT(jobhost_plugin_entry, describe, 40);
AT(jobhost_plugin_entry, start, 48);
AT(jobhost_plugin_entry, stop, 56);
AT(jobhost_plugin_entry, get_extension, 64);

SIZE(jobhost_note, 152);
AT(jobhost_note, magic, 0);
AT(jobhost_note, struct_size, 8);
AT(jobhost_note, abi_major, 12);
AT(jobhost_note, abi_minor, 14);
AT(jobhost_note, min_host_minor, 16);
AT(jobhost_note, pointer_bits, 18);
AT(jobhost_note, reserved0, 20);
AT(jobhost_note, name, 24);
AT(jobhost_note, version, 88);
AT(jobhost_note, sdk, 120);
