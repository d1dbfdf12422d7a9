#!/usr/bin/env bash
# A throw-away PostgreSQL server for tests, in a folder of its own, run by an ordinary user also
# when the tests run as root (initdb refuses root).
#
#   postgres_cluster.sh start FOLDER [PORT]   makes and starts it; reachable through a unix socket in
#                                             FOLDER, and at 127.0.0.1:PORT when there is one
#   postgres_cluster.sh restart FOLDER        starts it again, with its data
#   postgres_cluster.sh stop FOLDER [MODE]    stops it; MODE: fast, immediate
#   postgres_cluster.sh pooler FOLDER         pgbouncer before it, in transaction mode, at FOLDER/pool
#   postgres_cluster.sh remove FOLDER         stops it and removes the folder
#   postgres_cluster.sh watch FOLDER PID      removes it when that process has ended
#
# The database `jobs` belongs to the role `jobs`, which may do nothing else. Nothing is kept through
# a power cut: fsync is off.
set -euo pipefail
action=$1
folder=$2
export PATH=$PATH:/usr/sbin  # pgbouncer is there, and ordinary users do not look there

bin=$(pg_config --bindir)
if [ ! -x "$bin/initdb" ]; then
  echo "postgres_cluster: there is no server in $bin; install postgresql-15" >&2
  exit 1
fi

as_user=()
if [ "$(id -u)" -eq 0 ]; then
  user=postgres
  getent passwd "$user" >/dev/null || user=nobody
  as_user=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --clear-groups env HOME=/tmp)
fi
server() { (cd / && "${as_user[@]}" "$@"); }
run_server() {
  server "$bin/pg_ctl" -D "$folder/data" -l "$folder/server.log" -w -t 60 start >/dev/null || {
    cat "$folder/server.log" >&2
    exit 1
  }
}

case $action in
  start)
    rm -rf "$folder"
    mkdir -p "$folder"
    [ "$(id -u)" -ne 0 ] || chown "$user" "$folder"
    chmod 755 "$folder"
    server "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 \
      --no-sync --no-instructions >"$folder/initdb.log" || { cat "$folder/initdb.log" >&2; exit 1; }
    port=${3:-}
    server tee -a "$folder/data/postgresql.conf" >/dev/null <<CONF
unix_socket_directories = '$folder'
listen_addresses = '${port:+127.0.0.1}'
port = ${port:-5432}
fsync = off
full_page_writes = off
max_connections = 300
shared_buffers = 64MB
log_min_messages = warning
CONF
    run_server
    "$bin/psql" -q -v ON_ERROR_STOP=1 -h "$folder" -p "${port:-5432}" -U postgres postgres <<SQL
CREATE ROLE jobs LOGIN;
CREATE DATABASE jobs OWNER jobs;
SQL
    ;;
  restart)
    run_server
    ;;
  stop)
    server "$bin/pg_ctl" -D "$folder/data" -w -t 60 -m "${3:-fast}" stop >/dev/null
    ;;
  pooler)
    mkdir -p "$folder/pool"
    [ "$(id -u)" -ne 0 ] || chown "$user" "$folder/pool"
    server tee "$folder/pool/pgbouncer.ini" >/dev/null <<CONF
[databases]
jobs = host=$folder port=5432
[pgbouncer]
unix_socket_dir = $folder/pool
listen_port = 6432
auth_type = any
auth_file = $folder/pool/users
pool_mode = transaction
default_pool_size = 20
max_client_conn = 1000
logfile = $folder/pool/log
pidfile = $folder/pool/pid
CONF
    # With auth_type any everybody is this user.
    sed -i "s/^jobs = .*/& user=jobs/" "$folder/pool/pgbouncer.ini"
    echo '"jobs" ""' | server tee "$folder/pool/users" >/dev/null
    server pgbouncer -d -q "$folder/pool/pgbouncer.ini"
    for _ in $(seq 100); do
      [ -S "$folder/pool/.s.PGSQL.6432" ] && exit 0
      sleep 0.05
    done
    cat "$folder/pool/log" >&2
    exit 1
    ;;
  remove)
    [ ! -f "$folder/pool/pid" ] || kill "$(cat "$folder/pool/pid")" 2>/dev/null || true
    if [ -f "$folder/data/postmaster.pid" ]; then
      server "$bin/pg_ctl" -D "$folder/data" -w -t 30 -m immediate stop >/dev/null || true
    fi
    rm -rf "$folder"
    ;;
  watch)
    exec >/dev/null 2>&1 </dev/null
    setsid bash -c 'while kill -0 "$2"; do sleep 1; done; exec "$0" remove "$1"' "$0" "$folder" "$3" &
    ;;
  *)
    echo "postgres_cluster: what is $action?" >&2
    exit 2
    ;;
esac
