#!/bin/sh
# Makes sure that OpenGL can be opened without a window (EGL). Where it can, this does nothing; else it installs
# libEGL and Mesa's software renderer with the system's package manager, as root or through sudo.
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

if egl_opens; then
    exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "setup.sh: no OpenGL through EGL here, and installing it needs root or sudo" >&2
        exit 1
    }
    as_root=sudo
fi

echo "setup.sh: installing EGL and Mesa's software OpenGL" >&2
if command -v apt-get >/dev/null; then
    $as_root apt-get -q update
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends libegl1 libgl1-mesa-dri
elif command -v dnf >/dev/null; then
    $as_root dnf -qy install mesa-libEGL mesa-dri-drivers
elif command -v pacman >/dev/null; then
    $as_root pacman -S --noconfirm --needed mesa
else
    echo "setup.sh: unknown package manager; install libEGL.so.1 and an OpenGL driver for it (Mesa)" >&2
    exit 1
fi

egl_opens || {
    echo "setup.sh: EGL still cannot be opened; try EGL_LOG_LEVEL=debug with the program for the driver's reasons" >&2
    exit 1
}
