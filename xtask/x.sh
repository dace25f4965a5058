#!/bin/sh
# x.sh TASK [ARG...]: makes sure that this machine has what TASK needs, installing Debian packages that are missing
# and nothing else, and then runs `cargo x TASK ARG...`.  `make TASK` is this script.
set -eu
cd "$(dirname "$0")/.."
task=${1:-help}

fail() { echo "endicott: $*" >&2; exit 1; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# Packages by the program each is wanted for: one that is there already, from wherever, is left alone.
wanted="cc=gcc as=binutils gzip=gzip tar=tar"
case $task in
dist) wanted="$wanted s390x-linux-gnu-gcc=gcc-s390x-linux-gnu dpkg-deb=dpkg xz=xz-utils unshare=util-linux" ;;
run|cms) wanted="$wanted s390x-linux-gnu-gcc=gcc-s390x-linux-gnu" ;;
test|bless|ci)
       wanted="$wanted s390x-linux-gnu-gcc=gcc-s390x-linux-gnu s3270=s3270 openssl=openssl telnet=telnet|inetutils-telnet qemu-s390x|qemu-s390x-static=qemu-user
               cckdcdsk=hercules curl=curl chromium=chromium" ;;
page)  wanted="$wanted node=nodejs npm=npm" ;;
kernels) wanted="$wanted s390x-linux-gnu-gcc=gcc-s390x-linux-gnu flex=flex bison=bison bc=bc xz=xz-utils" ;;
oracle) wanted="$wanted qemu-s390x|qemu-s390x-static=qemu-user" ;;
aarch64) wanted="$wanted aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu qemu-aarch64|qemu-aarch64-static=qemu-user" ;;
bench) wanted="$wanted s390x-linux-gnu-gcc=gcc-s390x-linux-gnu
               qemu-system-s390x=qemu-system-s390x|qemu-system-misc hercules=hercules" ;;
esac

here() { command -v "$1" >/dev/null 2>&1; }
any_here() ( IFS='|'; for program in $1; do here "$program" && exit 0; done; exit 1 )
installed() { dpkg-query -W -f '${Status}\n' "$1" 2>/dev/null | grep -q ' installed$'; }

missing=
for pair in $wanted; do
    any_here "${pair%=*}" || missing="$missing ${pair#*=}"
done
if here dpkg-query; then
    # libc's headers and the certificates are no programs.
    installed libc6-dev || missing="$missing libc6-dev"
    installed ca-certificates || missing="$missing ca-certificates"
    # Programs for guests are linked with its C library.
    case $task in
    bench|test|bless|ci) installed libc6-dev-s390x-cross || missing="$missing libc6-dev-s390x-cross" ;;
    esac
    if [ "$task" = aarch64 ] && ! installed libc6-dev-arm64-cross; then missing="$missing libc6-dev-arm64-cross"; fi
    # Elsewhere than on Debian the guest's packages come from Debian's archive: its keys and its address.
    if ! grep -qx 'ID=debian' /etc/os-release; then
        for package in debian-archive-keyring python-apt-common; do
            installed $package || missing="$missing $package"
        done
    fi
fi

install() {
    here apt-get || fail "these packages are missing and this machine has no apt-get to install them:$*"
    [ "$(id -u)" = 0 ] || here sudo || fail "packages are missing and there is no sudo: as root, apt-get install$*"
    echo "Installing:$*"
    as_root apt-get -qq update || echo "The package lists could not be refreshed; trying with the present ones."
    choice=
    for package in "$@"; do
        # A name that changed between releases is written old|new: take the first that the archive has.
        for one in $(echo "$package" | tr '|' ' '); do
            case $(apt-cache policy "$one" | grep Candidate) in
            *'(none)'*|'') ;;
            *) choice="$choice $one"; break ;;
            esac
        done
    done
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $choice </dev/null >/dev/null ||
        fail "these packages could not be installed; with the network up, try: sudo apt-get install$choice"
}
# shellcheck disable=SC2086  # a list of words
[ -z "$missing" ] || install $missing

# Rust: the toolchain in the search path, or rustup's in the home folder, if it is new enough.
here cargo || PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
least=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
new_enough() {
    found=$(rustc --version 2>/dev/null | cut -d' ' -f2)
    [ -n "$found" ] || return 1
    [ "$(printf '%s\n%s\n' "$least" "${found%%-*}" | sort -V | head -n 1)" = "$least" ]
}
channel=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
fetch_rust() {
    rustup toolchain install "$channel" --profile minimal -c clippy -c rustfmt ||
        fail "Rust $channel could not be fetched; with the network up, try: rustup toolchain install $channel"
}
# rustup without the toolchain that rust-toolchain.toml names, or without any, as its Debian package leaves it.
if here rustup && here cargo && ! rustc --version >/dev/null 2>&1; then fetch_rust; fi
if here cargo && ! new_enough; then
    fail "Rust $least or newer is needed and this is ${found:-missing}:" \
        "run 'rustup update', or get rustup from https://rustup.rs"
fi
if ! here cargo; then
    case $(apt-cache policy rustup 2>/dev/null | grep Candidate) in
    *'(none)'*|'') ;;
    *) install rustup
       fetch_rust ;;
    esac
fi
if ! here cargo; then
    here curl || install curl
    echo "Installing Rust for this user, by rustup."
    # What rustup.rs serves, from where it takes the toolchain: one host to reach.  Not through a pipe, which would hide a failure.
    script=$(mktemp)
    curl --proto '=https' --tlsv1.2 -sSf -o "$script" https://static.rust-lang.org/rustup/rustup-init.sh &&
        sh "$script" -y --no-modify-path --default-toolchain "$channel" --profile minimal -c clippy -c rustfmt ||
        fail "Rust $least or newer is needed and could not be fetched: get it from https://rustup.rs and try again"
    rm -f "$script"
fi
# The first build of the task runner takes a minute: it is not silent.
if [ ! -x "${CARGO_TARGET_DIR:-target}/debug/xtask" ]; then
    echo "Building what runs the tasks; this is done once." >&2
    cargo build --package xtask
fi
exec cargo run --quiet --package xtask -- "$@"
