# Copyright (c) 2026 The mpix-partitioned authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# For stack.sh: packages of Debian and its relatives. Elsewhere have_apt fails and whatever is
# missing is named instead.

have_apt() {
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null
}

# missing_packages PACKAGE...: those that are not installed, one per line.
missing_packages() {
    local installed package

    installed=" $(dpkg-query -W -f='${db:Status-Status}/${Package} ' "$@" 2>/dev/null || true)"
    for package in "$@"; do
        [[ $installed == *" installed/$package "* ]] || echo "$package"
    done
}

# candidate_version PACKAGE: what apt would install, without Debian's epoch and revision.
candidate_version() {
    LC_ALL=C apt-cache policy "$1" 2>/dev/null |
        sed -n 's/^ *Candidate: \([0-9]*:\)\{0,1\}\([0-9][^-]*\).*/\2/p'
}

# version_at_least VERSION MINIMUM
version_at_least() {
    [[ -n $1 && $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]
}

# as_root COMMAND...
as_root() {
    if (( EUID == 0 )); then
        "$@"
    else
        sudo "$@"
    fi
}

can_be_root() {
    (( EUID == 0 )) || { command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; }
}

# refresh_package_lists: once per run, and only when something cannot be found without.
refresh_package_lists() {
    if (( ! lists_refreshed && ! no_install )) && can_be_root; then
        lists_refreshed=1
        say "reading the package lists"
        as_root apt-get update -qq >>"$log_dir/apt.log" 2>&1 ||
            note "apt-get update failed, going on with the lists that are there ($log_dir/apt.log)"
    fi
}

can_install() {
    (( ! no_install )) && can_be_root
}

# need_packages PACKAGE...: install those that are missing, or tell how and stop.
need_packages() {
    local missing=() package command

    have_apt || return 0
    mapfile -t missing < <(missing_packages "$@")
    (( ${#missing[@]} )) || return 0
    command="apt-get install --no-install-recommends ${missing[*]}"
    if ! can_install; then
        die "these packages are missing; as root: $command. Where their programs come from elsewhere
(modules, Spack), leave stack.sh out: ./configure --with-ompi=DIR --with-ucx=DIR"
    fi
    for package in "${missing[@]}"; do
        [[ -n $(candidate_version "$package") ]] || refresh_package_lists
    done
    say "installing packages: ${missing[*]}"
    if ! DEBIAN_FRONTEND=noninteractive as_root apt-get install -y -qq --no-install-recommends \
            -o DPkg::Lock::Timeout=600 "${missing[@]}" >>"$log_dir/apt.log" 2>&1; then
        tail -n 10 "$log_dir/apt.log" | sed 's/^/    /' >&2
        die "$command failed. All of its output: $log_dir/apt.log"
    fi
}

# try_packages PACKAGE...: the same, but where packages cannot be installed, or one of them is not
# known, go on without.
try_packages() {
    local missing=() package known=()

    have_apt || return 0
    mapfile -t missing < <(missing_packages "$@")
    (( ${#missing[@]} )) || return 0
    for package in "${missing[@]}"; do
        [[ -n $(candidate_version "$package") ]] || refresh_package_lists
        [[ -z $(candidate_version "$package") ]] || known+=("$package")
    done
    if ! can_install || (( ${#known[@]} == 0 )); then
        note "going on without these packages: ${missing[*]}"
    else
        need_packages "${known[@]}"
    fi
}

# need_commands COMMAND...: for systems without apt.
need_commands() {
    local missing=() command

    for command in "$@"; do
        command -v "$command" >/dev/null || missing+=("$command")
    done
    (( ${#missing[@]} == 0 )) || die "not found: ${missing[*]}. Install them and run this again."
}

# apt_entries: what the machine's APT lists of both formats name, as URI|SUITE|KEYRING lines.
apt_entries() {
    local file

    for file in /etc/apt/sources.list.d/*.sources; do
        [[ ! -r $file ]] || awk '
            function emit(    i, j, nu, ns, u, s) {
                if (types ~ /(^| )deb( |$)/ && enabled != "no") {
                    nu = split(uris, u, " ")
                    ns = split(suites, s, " ")
                    for (i = 1; i <= nu; i++)
                        for (j = 1; j <= ns; j++)
                            print u[i] "|" s[j] "|" key
                }
                types = uris = suites = key = enabled = ""
            }
            /^#/ { next }
            /^[ \t]*$/ { emit(); next }
            { value = $0; sub(/^[^:]*:[ \t]*/, "", value) }
            tolower($1) == "types:" { types = value }
            tolower($1) == "uris:" { uris = value }
            tolower($1) == "suites:" { suites = value }
            tolower($1) == "signed-by:" { key = value }
            tolower($1) == "enabled:" { enabled = value }
            END { emit() }' "$file"
    done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [[ ! -r $file ]] || sed -nE -e 's/^deb[ \t]+\[([^]]*)\][ \t]+([^ \t]+)[ \t]+([^ \t]+).*/\2|\3|\1/p' \
            -e 's/^deb[ \t]+([^[ \t]+)[ \t]+([^ \t]+).*/\1|\2|/p' "$file" |
            sed -E 's/\|[^|]*signed-by=([^ |]+)[^|]*$/|\1/; s/\|[^|]*=[^|]*$/|/'
    done
}

# apt_source_entry SUITE: a deb-src line for SUITE, derived from the entry that this machine has for
# its own suite, so that mirror, proxy and key are the same.
apt_source_entry() {
    local suite=$1 own uri own_suite keyring

    own=$(. /etc/os-release && echo "${VERSION_CODENAME:-sid}")
    while IFS='|' read -r uri own_suite keyring; do
        case "$own_suite" in
            "$own" | oldstable | stable | testing | unstable | sid)
                echo "deb-src ${keyring:+[signed-by=$keyring] }$uri $suite main"
                return 0 ;;
        esac
    done < <(apt_entries)
    return 1
}
