#!/bin/sh
# Builds and tests the committed state of this tree on another Debian, in a root directory created by mmdebstrap or debootstrap:
#
#   tools/distro/run.sh SUITE      trixie or sid; ./dev test --distro SUITE calls it in the tree's top folder
#
# The root is kept in ${XDG_CACHE_HOME:-~/.cache}/libckpt/SUITE for the next run, which upgrades its packages. Mounts are made in
# a separate mount namespace, so none remain. Packages come from the mirror that this machine's apt uses for Debian.
set -eu
suite=$1
case $suite in
  trixie | sid) ;;
  *)
    printf 'dev: --distro %s: expected trixie or sid\n' "$suite" >&2
    exit 1
    ;;
esac
say() { printf '== %s\n' "$*"; }
# cannot REASON NEED: prints why it cannot run and what it needs.
cannot() {
  printf 'dev: test --distro %s: %s.\nIt needs root (for chroot and mounts), mmdebstrap or debootstrap, git, and a Debian mirror.\n' "$suite" "$1" >&2
  exit 3
}

[ "$(id -u)" = 0 ] || cannot "user $(id -un) is not root"
unshare --mount true 2>/dev/null || cannot "this machine does not allow mount namespaces"
command -v git >/dev/null 2>&1 || cannot "git is not installed"
if ! command -v mmdebstrap >/dev/null 2>&1 && ! command -v debootstrap >/dev/null 2>&1; then
  if [ -z "${CKPT_NO_INSTALL:-}" ] && command -v apt-get >/dev/null 2>&1; then
    say "installing mmdebstrap"
    apt-get update -q && apt-get install -q -y --no-install-recommends mmdebstrap
  else
    cannot "neither mmdebstrap nor debootstrap is installed"
  fi
fi
began=$(date +%s)

# The mirror of Debian's main archive; apt on another system, such as Ubuntu, has none.
mirror=$(apt-get indextargets --format '$(SITE) $(ORIGIN) $(LABEL) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
  awk '$2 == "Debian" && $3 == "Debian" && $4 == "main" { print $1; exit }')
mirror=${mirror:-http://deb.debian.org/debian}

root=${XDG_CACHE_HOME:-$HOME/.cache}/libckpt/$suite
# A snapshot mirror has an expired index of sid. The root is disposable, and signatures are still checked.
stale='Acquire::Check-Valid-Until "false";'
if [ ! -e "$root.made" ]; then
  say "making $root ($suite from $mirror)"
  rm -rf "$root"
  mkdir -p "$(dirname "$root")"
  if command -v mmdebstrap >/dev/null 2>&1; then
    mmdebstrap --quiet --mode=root --variant=apt --aptopt="$stale" "$suite" "$root" "$mirror"
  else
    debootstrap --variant=minbase "$suite" "$root" "$mirror"
    printf '%s\n' "$stale" >"$root/etc/apt/apt.conf.d/99stale"
  fi
  : >"$root.made"
fi

say "cloning $(git rev-parse --short HEAD)"
[ -z "$(git status --porcelain)" ] || say "note: uncommitted changes are left out"
rm -rf "$root/source"
mkdir "$root/source"
git clone --quiet --no-local . "$root/source/libckpt"
# Reference data for some tests, if the tree has it next to itself.
[ ! -d ../shared ] || cp -R ../shared "$root/source/shared"
cp /etc/resolv.conf /etc/hosts "$root/etc/"

unshare --mount --pid --fork --kill-child sh -eu -c '
  root=$1
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs -o mode=1777 tmp "$root/tmp"
  cd "$root/source/libckpt"
  exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb CKPT_DISTRO="$2" \
    sh -eu /source/libckpt/tools/distro/inside.sh' sh "$root" "$suite" </dev/null
seconds=$(($(date +%s) - began))
say "$suite: total $((seconds / 60)) min $((seconds % 60)) s"
