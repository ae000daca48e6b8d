#!/usr/bin/env bash
# Builds HashiCorp Vault from its Go modules, without its plug-ins, which are most of it, because no registry has it as
# a package. For the tests of keys in Vault. It takes minutes on two cores, so it is built once per machine, before the
# tests, and kept beside other tools' caches; .weir/vault/ links to it. Errors are in .weir/vault/log.
set -euo pipefail
cd "$(dirname "$0")/../../.."

version=v1.21.2
module=github.com/hashicorp/vault
folder=$PWD/.weir/vault
cache=${XDG_CACHE_HOME:-$HOME/.cache}/weir
built=$cache/vault-$version-$(uname -m)
[ -x "$folder/$version" ] && exit 0

mkdir -p "$folder" "$cache"
exec >"$folder/log" 2>&1
if [ ! -x "$built" ]; then
  source=$(mktemp -d "$cache/vault-source.XXXXXX")
  trap 'rm -rf "$source"' EXIT
  from=$(cd "$source" && go mod download -json "$module@$version" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",$/\1/p')
  cp -r "$from/." "$source"
  chmod -R u+w "$source"
  cd "$source"
  # Vault's repository has these as folders beside it; here they are separate modules.
  for part in api api/auth/approle api/auth/kubernetes api/auth/userpass sdk; do
    go mod edit -dropreplace "$module/$part"
  done
  CGO_ENABLED=0 go build -mod=mod -buildvcs=false -tags minimal -trimpath -ldflags '-s -w' -o "$built.$$" .
  mv "$built.$$" "$built"
fi
ln -sf "$built" "$folder/$version"
