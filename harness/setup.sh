#!/bin/sh
# Makes sure that OpenGL can be opened without a window (EGL), and that Vulkan has Mesa's software renderer, lavapipe. Where
# both are so, this does nothing; else it installs them with the system's package manager, as root or through sudo.
set -eu

# macOS and Windows have an OpenGL of their own.
case $(uname) in
Darwin | MINGW* | MSYS* | CYGWIN*) exit 0 ;;
esac

# Opens an EGL display the way the program does: Mesa's surfaceless platform, else the first EGL device, else the
# default display. Only a real attempt tells: libEGL is often there without a driver behind it.
egl_opens() {
    dir=$(mktemp -d) || return 1
    cat >"$dir/probe.c" <<'EOF'
#include <dlfcn.h>
typedef void *(*get_proc)(const char *);
typedef void *(*get_platform_display)(unsigned, void *, const int *);
typedef unsigned (*query_devices)(int, void **, int *);
typedef void *(*get_display)(void *);
typedef unsigned (*initialize)(void *, int *, int *);
int main(void) {
    void *lib = dlopen("libEGL.so.1", RTLD_NOW), *device = 0, *display;
    int count = 0;
    if (!lib) return 1;
    get_proc proc = (get_proc)dlsym(lib, "eglGetProcAddress");
    get_display get = (get_display)dlsym(lib, "eglGetDisplay");
    initialize init = (initialize)dlsym(lib, "eglInitialize");
    if (!proc || !get || !init) return 1;
    get_platform_display platform = (get_platform_display)proc("eglGetPlatformDisplayEXT");
    query_devices devices = (query_devices)proc("eglQueryDevicesEXT");
    if (platform) {
        display = platform(0x31DD, 0, 0);
        if (display && init(display, 0, 0)) return 0;
        if (devices && devices(1, &device, &count) && count > 0) {
            display = platform(0x313F, device, 0);
            if (display && init(display, 0, 0)) return 0;
        }
    }
    display = get(0);
    return display && init(display, 0, 0) ? 0 : 1;
}
EOF
    if "${CC:-cc}" -o "$dir/probe" "$dir/probe.c" -ldl 2>"$dir/log" && "$dir/probe" >/dev/null 2>&1; then
        opens=0
    else
        opens=1
    fi
    rm -rf "$dir"
    return $opens
}

# Vulkan's loader finds its drivers by these files.
has_lavapipe() {
    for file in /usr/share/vulkan/icd.d/lvp_icd*.json /etc/vulkan/icd.d/lvp_icd*.json; do
        [ ! -e "$file" ] || return 0
    done
    return 1
}

egl=no vulkan=no
egl_opens || egl=yes
has_lavapipe || vulkan=yes
[ "$egl$vulkan" != nono ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "setup.sh: no OpenGL through EGL or no lavapipe here, and installing them needs root or sudo" >&2
        exit 1
    }
    as_root=sudo
fi

# Prints the packages that are missing, of these two lists.
missing() { # EGL, VULKAN
    [ "$egl" = no ] || echo "$1"
    [ "$vulkan" = no ] || echo "$2"
}

echo "setup.sh: installing Mesa's software OpenGL with EGL, or its Vulkan" >&2
# shellcheck disable=SC2046 # lists of packages
if command -v apt-get >/dev/null; then
    $as_root apt-get -q update
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends \
        $(missing "libegl1 libgl1-mesa-dri" "mesa-vulkan-drivers libvulkan1")
elif command -v dnf >/dev/null; then
    $as_root dnf -qy install $(missing "mesa-libEGL mesa-dri-drivers" "mesa-vulkan-drivers vulkan-loader")
elif command -v pacman >/dev/null; then
    $as_root pacman -S --noconfirm --needed $(missing mesa "vulkan-swrast vulkan-icd-loader")
else
    echo "setup.sh: unknown package manager; install libEGL.so.1 and OpenGL and Vulkan drivers for it (Mesa)" >&2
    exit 1
fi

egl_opens || {
    echo "setup.sh: EGL still cannot be opened; try EGL_LOG_LEVEL=debug with the program for the driver's reasons" >&2
    exit 1
}
has_lavapipe || {
    echo "setup.sh: the package manager's Mesa has no lavapipe; install it for the tests of harness/wgpu" >&2
    exit 1
}
