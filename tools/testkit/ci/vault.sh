#!/usr/bin/env bash
# Builds HashiCorp Vault from its Go modules, for the tests of keys that it holds, without its plug-ins, which are most of
# it: no registry has it as a package. Minutes on two cores, so it is built once on a machine, before the tests, and kept
# beside other tools' caches; .weir/vault/ has a link to it. What goes wrong is in .weir/vault/log.
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
  # In its own repository these are folders beside it; the module has them as modules of their own.
  for part in api api/auth/approle api/auth/kubernetes api/auth/userpass sdk; do
    go mod edit -dropreplace "$module/$part"
  done
  CGO_ENABLED=0 go build -mod=mod -buildvcs=false -tags minimal -trimpath -ldflags '-s -w' -o "$built.$$" .
  mv "$built.$$" "$built"
fi
ln -sf "$built" "$folder/$version"
