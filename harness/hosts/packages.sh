# Sourced by the scripts that build players: names the packages of Debian that are missing, and then exits.

# Reads lines of a package and a command that succeeds if the package is there.
need_packages() {
    missing=
    while read -r package there; do
        sh -c "$there" > /dev/null 2>&1 || missing="$missing $package"
    done
    [ -z "$missing" ] || { echo "missing: apt-get install$missing" >&2; exit 1; }
}
