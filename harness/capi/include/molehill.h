/* Stage3D for Flash emulators: the C interface of Molehill.

   HANDLES are structs with a number, one type for each kind of thing; {0} is null. They are never reused: a stale one, one
   that was invented or another kind's gives a typed error. Calls on an object that was disposed or released raise Flash's
   error 3694; draws with it fail.

   STRUCTS that begin with struct_size may grow. Set it to sizeof the struct, and what you don't use to 0, the default:
       MolehillPlacement place = {.struct_size = sizeof place, .width = 640, .height = 480};
   A program that was built with an older header of the same MOLEHILL_ABI_VERSION runs with this library.

   ARGUMENTS are those of the ActionScript method, in the same order. int, uint and Number are int32_t, uint32_t and double.
   Texts are UTF-8 and end with 0; a member of an enumeration is its name as Flash spells it, and null is null. A ByteArray or
   Vector is a pointer and a length in bytes or elements: null with length 0 is null, every other pointer with length 0 is
   empty; where ActionScript has no null, null with length 0 is empty too. `side` is -1 for textures that are not cubes,
   `miplevel` 0 for rectangle textures. A created object is returned through the last pointer.

   OWNERSHIP: what you pass (texts, data, structs) stays yours and is not used after the call, except the user_data of
   callbacks. What a molehill_*_create, _start or molehill_device_* returns is yours: destroy or release it once. Texts that
   are returned belong to the library, until the time that is stated. Callbacks must not throw or longjmp.

   THREADS: a device, its contexts with their objects, a Stage3D and a recording belong to the thread that made them: on
   another one, calls return MOLEHILL_STATUS_WRONG_THREAD. Functions whose comments say "Any thread" are the exception: among
   them all that destroy and release. What must run on the owner's thread is done at that thread's next call of any function;
   if it has ended, the memory is freed at once and the GL objects with their GL context.

   ERRORS are statuses below 0; molehill_last_error has the details, such as what ActionScript must throw. */

#ifndef MOLEHILL_H
#define MOLEHILL_H

/* Written by `UPDATE=1 cargo test -p molehill-c --test generated`. */

#include <stddef.h>
#include <stdint.h>

/* The version of this header; molehill_version() is that of the library. */
#define MOLEHILL_VERSION_MAJOR 0
#define MOLEHILL_VERSION_MINOR 2
#define MOLEHILL_VERSION_PATCH 0
#define MOLEHILL_VERSION "0.2.0"

/* A buffer, program or texture as a MolehillObject. */
#ifdef __cplusplus
#define MOLEHILL_OBJECT(handle) (MolehillObject{(handle).id})
#else
#define MOLEHILL_OBJECT(handle) ((MolehillObject){(handle).id})
#endif

// Number of `Stage3D`s of a desktop player's stage.
#define MOLEHILL_STAGE3DS 4

// The version of the binary interface. The version changes whenever programs that were built with an older header must
// be built again.
#define MOLEHILL_ABI_VERSION 2

// The result of a call. Negative: the call failed, and molehill_last_error has the reason.
enum MolehillStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Success.
  MOLEHILL_STATUS_OK = 0,
  // Error checking is off and Flash silently drops the draw. The last error is the error that error checking would
  // raise.
  MOLEHILL_STATUS_SKIPPED = 1,
  // The result is empty: no pending event or request, no frame presented yet, or the object no longer exists.
  MOLEHILL_STATUS_NOTHING = 2,
  // The host attaches the call's argument, a NetStream or Camera that may be null, to the VideoTexture.
  MOLEHILL_STATUS_ATTACH = 3,
  // Flash raises an error in the ActionScript program: number, class and message are in the last error. Nothing was
  // changed.
  MOLEHILL_STATUS_FLASH_ERROR = -1,
  // Flash supports the call, but Molehill or this device doesn't.
  MOLEHILL_STATUS_UNSUPPORTED = -2,
  // The graphics device is out of memory.
  MOLEHILL_STATUS_OUT_OF_MEMORY = -3,
  // The graphics device was lost; the context has ended.
  MOLEHILL_STATUS_DEVICE_LOST = -4,
  // Another failure of the driver.
  MOLEHILL_STATUS_DRIVER = -5,
  // A handle is 0, stale, or of another kind.
  MOLEHILL_STATUS_BAD_HANDLE = -6,
  // A null pointer with a length above 0, memory that is too small or not aligned, a missing pointer, or an unknown
  // name of a profile or a workaround.
  MOLEHILL_STATUS_BAD_ARGUMENT = -7,
  // The handle belongs to another thread.
  MOLEHILL_STATUS_WRONG_THREAD = -8,
  // The handle is in use: a callback made a call with it.
  MOLEHILL_STATUS_BUSY = -9,
  // A file can't be written.
  MOLEHILL_STATUS_IO = -10,
  // A bug of Molehill. The context is unusable after this status.
  MOLEHILL_STATUS_INTERNAL = -11,
  // A function of MolehillArguments returned -1: the VM throws an error. Nothing was changed.
  MOLEHILL_STATUS_THROWN = -12,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MolehillStatus MolehillStatus;
#else
typedef int32_t MolehillStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// ActionScript's class of an error.
enum MolehillErrorClass
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The error is none of Flash's.
  MOLEHILL_ERROR_CLASS_NONE = 0,
  // `Error`
  MOLEHILL_ERROR_CLASS_ERROR = 1,
  // `ArgumentError`
  MOLEHILL_ERROR_CLASS_ARGUMENT_ERROR = 2,
  // `RangeError`
  MOLEHILL_ERROR_CLASS_RANGE_ERROR = 3,
  // `TypeError`
  MOLEHILL_ERROR_CLASS_TYPE_ERROR = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MolehillErrorClass MolehillErrorClass;
#else
typedef int32_t MolehillErrorClass;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// How a context ended.
enum MolehillEnded
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The context works.
  MOLEHILL_ENDED_ALIVE = 0,
  // `dispose(false)`: `Stage3D.context3D` becomes null for good.
  MOLEHILL_ENDED_DISPOSED = 1,
  // `dispose(true)`: a simulated loss; Flash creates another context.
  MOLEHILL_ENDED_DISPOSED_TO_RECREATE = 2,
  // The device was lost; Flash creates another context.
  MOLEHILL_ENDED_LOST = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MolehillEnded MolehillEnded;
#else
typedef int32_t MolehillEnded;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The type of a property's value.
enum MolehillValueKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // ActionScript's `null`.
  MOLEHILL_VALUE_KIND_NULL = 0,
  // `Boolean`: `number` is 0 or 1.
  MOLEHILL_VALUE_KIND_BOOLEAN = 1,
  // `int`, `uint` or `Number`: `number` is the value.
  MOLEHILL_VALUE_KIND_NUMBER = 2,
  // `String`: `text` is the value.
  MOLEHILL_VALUE_KIND_TEXT = 3,
  // `Stage3D.context3D`: the host's object of the last created context, or null if that context has ended.
  MOLEHILL_VALUE_KIND_CONTEXT = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MolehillValueKind MolehillValueKind;
#else
typedef int32_t MolehillValueKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The kind of an event.
enum MolehillStageEventKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The Stage3D's `context3DCreate` event.
  MOLEHILL_STAGE_EVENT_KIND_CONTEXT_CREATED = 0,
  // The Stage3D's `error` event.
  MOLEHILL_STAGE_EVENT_KIND_ERROR = 1,
  // The texture's `textureReady` event.
  MOLEHILL_STAGE_EVENT_KIND_TEXTURE_READY = 2,
  // The texture's `error` event.
  MOLEHILL_STAGE_EVENT_KIND_TEXTURE_ERROR = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MolehillStageEventKind MolehillStageEventKind;
#else
typedef int32_t MolehillStageEventKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Levels of the log.
enum MolehillLogLevel
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // No messages.
  MOLEHILL_LOG_LEVEL_OFF = 0,
  // Failures.
  MOLEHILL_LOG_LEVEL_ERROR = 1,
  // Possible reasons of wrong pictures.
  MOLEHILL_LOG_LEVEL_WARN = 2,
  // The driver, its workarounds, and errors of the program.
  MOLEHILL_LOG_LEVEL_INFO = 3,
  // All shaders, and messages of a debug context.
  MOLEHILL_LOG_LEVEL_DEBUG = 4,
  // Everything.
  MOLEHILL_LOG_LEVEL_TRACE = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum MolehillLogLevel MolehillLogLevel;
#else
typedef int32_t MolehillLogLevel;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// The error of the last call on this thread that failed or dropped a draw. Strings are UTF-8, never null, and valid
// until the thread's next molehill_last_error, or its end.
typedef struct {
  // sizeof(MolehillError)
  size_t struct_size;
  // The status of the last failed call; MOLEHILL_STATUS_OK if none has failed.
  MolehillStatus status;
  // Flash's number (errorID), such as 3669; 0 if Flash has none.
  uint32_t number;
  // The token of an AGAL error, counted from 1; else 0.
  uint32_t token;
  // ActionScript's class.
  MolehillErrorClass error_class;
  // ActionScript's class, such as "RangeError"; "" if Flash has none.
  const char *class_name;
  // The message alone, such as "Bad input size."; "" for Flash's errors on a context without error texts
  // (MolehillHost).
  const char *message;
  // ActionScript's `message`, such as "Error #3669: Bad input size.", or "Error #3669" on a context without error
  // texts. The string is "" for an error that Flash doesn't have.
  const char *as3_message;
} MolehillError;

// Returns the address of the GL function with this name, or null. The function must not throw, except the loaders of
// molehill.hpp.
typedef const void *(*MolehillLoader)(void *user_data, const char *name);

// False: 0; true: every other number.
typedef int32_t MolehillBool;

// Makes the host's GL context current when Molehill needs it. All functions of this struct except `make_current` may
// be null. No function of this struct may throw.
typedef struct {
  // sizeof(MolehillMakeCurrent)
  size_t struct_size;
  // Makes the context current on this thread if it isn't. Returns 0 on failure; the device is then lost.
  MolehillBool (*make_current)(void *user_data);
  // Returns whether the context is current. Called for each draw. A result other than 0 must be certain: ask the
  // window system if other code can make another context current on this thread. 0 is always correct.
  MolehillBool (*is_current)(void *user_data);
  // Called at the end of a call that began with `make_current`: can restore the thread's previous context.
  void (*release)(void *user_data);
  // The argument `user_data` of each function, used until the device and all its contexts are destroyed.
  void *user_data;
} MolehillMakeCurrent;

// Options for making a device. A null pointer means all 0, the default.
typedef struct {
  // sizeof(MolehillDeviceOptions)
  size_t struct_size;
  // Workarounds that are forced, such as "clip-depth-in-shader=on,rgb8-for-565=off"; null: the driver decides.
  const char *workarounds;
  // Off-screen: OpenGL ES 3.0 instead of OpenGL 3.3.
  MolehillBool gles;
  // Off-screen: a debug context: its messages go to the log, and objects have names in debuggers. Slower.
  MolehillBool debug;
  // Off-screen: after each call, also the one that makes the device, restores the thread's previous context.
  MolehillBool restore;
  // Software: maximum number of threads; 0: as many as there are cores.
  uint32_t threads;
  // Off-screen: a context to share textures and syncs with: an `EGLContext`, `HGLRC` or `CGLContextObj`; null: none.
  // The context may be current on another thread, such as a render thread. The shared context must have the API of
  // the device (`gles`).
  void *share_context;
  // Off-screen: the `EGLDisplay` of `share_context`; null for WGL and CGL.
  void *share_display;
} MolehillDeviceOptions;

// The renderer of contexts: a GL context, or the reference renderer.
typedef struct {
  // 0 is null.
  uint64_t id;
} MolehillDevice;

// A host's cache of program binaries between runs, for example with a file per name. The name of an entry has 32
// hexadecimal digits. The functions are called on the device's thread and must not throw.
typedef struct {
  // sizeof(MolehillProgramCache)
  size_t struct_size;
  // Copies up to `capacity` bytes of the entry with this name, and returns the entry's length. If the length
  // exceeds `capacity`, the function is called again with a buffer of that length. Returns 0 if there is no entry.
  size_t (*load)(void *user_data, const char *name, void *bytes, size_t capacity);
  // Stores an entry.
  void (*store)(void *user_data, const char *name, const void *bytes, size_t length);
  // The argument `user_data` of each function, used until the device and all its contexts are destroyed.
  void *user_data;
} MolehillProgramCache;

// Lets a context survive the loss of its device: resources, constants and the current frame are restored on a new
// device, and the program notices only the delay. Recovery needs memory for a copy of every upload, and of the packets
// of two frames.
typedef struct {
  // sizeof(MolehillRecovery)
  size_t struct_size;
  // Creates a device on a new GL context to replace the lost one. Returns {0} if a device can't be created yet; the
  // context then ends. The new device replaces the lost one for all contexts, also under the old handle; the host
  // destroys both. Called within the call that detects the loss. Null: off-screen devices are opened again, and
  // others stay lost.
  MolehillDevice (*open)(void *user_data);
  // The argument `user_data` of `open`, used until the context is destroyed.
  void *user_data;
  // Does not read rendered textures back after each frame: faster, but they are transparent black after a loss
  // until the program renders to them again.
  MolehillBool forget_rendered_textures;
  // Maximum bytes of a frame's packets: draws of a larger frame are not kept; 0: 64 MiB.
  uint64_t frame_bytes;
} MolehillRecovery;

// Options for making a context; they can be changed later.
typedef struct {
  // sizeof(MolehillContextOptions)
  size_t struct_size;
  // The granted profile as Flash spells it: "baselineConstrained", "baseline", "baselineExtended",
  // "standardConstrained", "standard", "standardExtended" or "enhanced"; null: "baseline".
  const char *profile;
  // The program's SWF version, on which some errors depend.
  uint32_t swf_version;
  // Only for molehill_context_create: lets the context survive the loss of its device. Null: a loss ends the
  // context, as in Flash.
  const MolehillRecovery *recovery;
} MolehillContextOptions;

// A `Context3D`.
typedef struct {
  // 0 is null.
  uint64_t id;
} MolehillContext;

// A `flash.geom.Rectangle`.
typedef struct {
  // Left.
  double x;
  // Top.
  double y;
  // The width may be negative or NaN, as in ActionScript.
  double width;
  // The height may be negative or NaN, as in ActionScript.
  double height;
} MolehillRectangle;

// Properties that only the host knows. If all fields are 0, the host is a desktop Flash Player without restrictions.
typedef struct {
  // sizeof(MolehillHost)
  size_t struct_size;
  // The application is in the background of a mobile system: calls that need the device raise 3768.
  MolehillBool background;
  // The host knows `descriptor_depth_and_stencil`.
  MolehillBool has_descriptor;
  // `depthAndStencil` of the AIR application's descriptor, in direct mode (3709).
  MolehillBool descriptor_depth_and_stencil;
  // The host knows `x`, `y` and `stage`. In baselineConstrained the back buffer must be inside the stage (3723).
  MolehillBool has_placement;
  // `Stage3D.x`. A context that a Stage3D's request creates ignores `x` and uses the Stage3D's position.
  double x;
  // `Stage3D.y`. A context that a Stage3D's request creates ignores `y` and uses the Stage3D's position.
  double y;
  // The area of the stage.
  MolehillRectangle stage;
  // Bitmaps and byte arrays can't be uploaded into compressed textures, as on mobile systems (3675).
  MolehillBool no_runtime_compression;
  // `supportsVideoTexture` is false.
  MolehillBool no_video_textures;
  // The program requested the render mode `software`: the back buffer has at most 2048 pixels a side, and no
  // antialiasing. A context that a Stage3D's request creates ignores `software` and uses the request's mode.
  MolehillBool software;
  // Maximum bytes under `ignoreResourceLimits`, for each kind of object; 0: 512 MiB.
  uint64_t ignored_limits_memory;
  // `Stage.contentsScaleFactor`, for `wantsBestResolution`; 0 means 1.
  double contents_scale;
  // The browser's zoom, for `wantsBestResolutionOnBrowserZoom`; 0 means 1.
  double browser_zoom;
  // `ignoreResourceLimits` of a program that doesn't set it: 1 for AIR applications whose descriptor has the
  // namespace 33.1 or later.
  MolehillBool ignore_resource_limits;
  // Maximum width and height of the back buffer, which 3780 and 3781 print, if the device allows as much; 0: 16384.
  uint32_t max_back_buffer;
  // Error messages are only numbers, as in release players.
  MolehillBool no_error_texts;
} MolehillHost;

// Collects the VM's garbage: releases objects that the program can't reach (molehill_object_release), and returns
// whether there were any. The function must not use the context (MOLEHILL_STATUS_BUSY), and must not throw.
typedef MolehillBool (*MolehillCollector)(void *user_data);

// The properties of a context.
typedef struct {
  // sizeof(MolehillContextInfo)
  size_t struct_size;
  // The end of the context, if it has ended.
  MolehillEnded ended;
  // `enableErrorChecking`
  MolehillBool error_checking;
  // `ignoreResourceLimits`
  MolehillBool ignores_resource_limits;
  // `supportsVideoTexture`
  MolehillBool supports_video_texture;
  // `backBufferWidth`
  uint32_t back_buffer_width;
  // `backBufferHeight`
  uint32_t back_buffer_height;
  // Width in display pixels, larger than the requested width if the program requests the best resolution.
  uint32_t back_buffer_pixels_width;
  // Height in display pixels.
  uint32_t back_buffer_pixels_height;
  // `maxBackBufferWidth`
  uint32_t max_back_buffer_width;
  // `maxBackBufferHeight`
  uint32_t max_back_buffer_height;
  // `totalGPUMemory`, in bytes.
  uint64_t total_gpu_memory;
  // `profile`; null on a context that has ended.
  const char *profile;
  // `driverInfo`. Valid until the next molehill_context_info of this context, or its end.
  const char *driver_info;
  // Number of lost devices that the context has survived (MolehillRecovery).
  uint64_t restored;
} MolehillContextInfo;

// A `VertexBuffer3D`.
typedef struct {
  // 0 is null.
  uint64_t id;
} MolehillVertexBuffer;

// An `IndexBuffer3D`.
typedef struct {
  // 0 is null.
  uint64_t id;
} MolehillIndexBuffer;

// A `Program3D`.
typedef struct {
  // 0 is null.
  uint64_t id;
} MolehillProgram;

// A texture of any kind.
typedef struct {
  // 0 is null.
  uint64_t id;
} MolehillTexture;

// A `BitmapData` that is written; the fields are those of MolehillBitmap.
typedef struct {
  // sizeof(MolehillBitmapTarget)
  size_t struct_size;
  // Width in pixels.
  uint32_t width;
  // Height in pixels.
  uint32_t height;
  // `length` bytes, only written during the call. A null pointer with length 0 means a disposed bitmap.
  uint8_t *pixels;
  // Length of `pixels` in bytes. The padding after the last row may be missing.
  size_t length;
  // Bytes from a row to the next; 0: rows without padding.
  size_t stride;
  // The bitmap has an alpha channel; if 0, alpha becomes 255.
  MolehillBool transparent;
  // R, G, B, A instead of B, G, R, A.
  MolehillBool rgba;
  // Colour is not multiplied by alpha.
  MolehillBool straight_alpha;
} MolehillBitmapTarget;

// A `flash.geom.Point`.
typedef struct {
  // Pixels.
  double x;
  // Pixels.
  double y;
} MolehillPoint;

// A `BitmapData` that is read: rows from top to bottom, four bytes per pixel. If the last three fields are 0, the
// format is that of Flash's own `BitmapData`: B, G, R, A, premultiplied, rows without padding.
typedef struct {
  // sizeof(MolehillBitmap)
  size_t struct_size;
  // Width in pixels.
  uint32_t width;
  // Height in pixels.
  uint32_t height;
  // `length` bytes, only read during the call. A null pointer with length 0 means a disposed bitmap.
  const uint8_t *pixels;
  // Length of `pixels` in bytes. The padding after the last row may be missing.
  size_t length;
  // Bytes from a row to the next; 0: rows without padding.
  size_t stride;
  // The bitmap has an alpha channel.
  MolehillBool transparent;
  // R, G, B, A instead of B, G, R, A.
  MolehillBool rgba;
  // Colour is not multiplied by alpha.
  MolehillBool straight_alpha;
} MolehillBitmap;

// A buffer, program or texture; MOLEHILL_OBJECT converts their handles.
typedef struct {
  // 0 is null.
  uint64_t id;
} MolehillObject;

// A `ByteArray`.
typedef struct {
  // `length` bytes.
  const void *data;
  // Length of `data` in bytes.
  size_t length;
  // The array's `endian` is "bigEndian".
  MolehillBool big_endian;
} MolehillBytes;

// A `Vector.<Number>`.
typedef struct {
  // `length` numbers.
  const double *data;
  // Number of elements.
  size_t length;
} MolehillNumbers;

// A `Vector.<float>`.
typedef struct {
  // `length` numbers.
  const float *data;
  // Number of elements.
  size_t length;
} MolehillFloats;

// A `Vector.<uint>`.
typedef struct {
  // `length` numbers.
  const uint32_t *data;
  // Number of elements.
  size_t length;
} MolehillUints;

// A `Matrix3D`.
typedef struct {
  // `rawData`
  double raw_data[16];
} MolehillMatrix;

// A `Vector.<String>`.
typedef struct {
  // `length` pointers to strings: UTF-8 that ends with 0, or null.
  const char *const *data;
  // Number of elements.
  size_t length;
} MolehillTexts;

// The arguments of a native call. molehill_call reads the arguments one by one, in the order of the declaration. Each
// function converts the next argument as ActionScript does for a parameter of its type. A function returns 1 with the
// value, 0 for null, or -1 if the VM throws an error, such as 1034 for an object of another class. If a function
// returns -1, molehill_call returns MOLEHILL_STATUS_THROWN and executes nothing. Memory that a value points to is used
// until molehill_call returns. The functions may call this library.
typedef struct {
  // sizeof(MolehillArguments)
  size_t struct_size;
  // The argument `user_data` of each function.
  void *user_data;
  // Returns whether another argument was passed; if not, the parameter gets its default. A null function means that
  // the VM fills in the defaults.
  MolehillBool (*is_left)(void *user_data);
  // `int`
  int32_t (*next_int)(void *user_data, int32_t *value);
  // `uint`
  int32_t (*next_uint)(void *user_data, uint32_t *value);
  // `Number`
  int32_t (*next_number)(void *user_data, double *value);
  // `Boolean`
  int32_t (*next_bool)(void *user_data, MolehillBool *value);
  // `String`: UTF-8 that ends with 0.
  int32_t (*next_string)(void *user_data, const char **value);
  // `ByteArray`
  int32_t (*next_bytes)(void *user_data, MolehillBytes *value);
  // `Vector.<Number>`
  int32_t (*next_numbers)(void *user_data, MolehillNumbers *value);
  // `Vector.<float>`, which only AIR has.
  int32_t (*next_floats)(void *user_data, MolehillFloats *value);
  // `Vector.<uint>`
  int32_t (*next_uints)(void *user_data, MolehillUints *value);
  // `Matrix3D`
  int32_t (*next_matrix)(void *user_data, MolehillMatrix *value);
  // `Rectangle`
  int32_t (*next_rectangle)(void *user_data, MolehillRectangle *value);
  // `Point`, which only AIR has.
  int32_t (*next_point)(void *user_data, MolehillPoint *value);
  // `BitmapData` that is read. The value's struct_size is set, and the rest is 0.
  int32_t (*next_bitmap)(void *user_data, MolehillBitmap *value);
  // `BitmapData` that is written. The value's struct_size is set, and the rest is 0.
  int32_t (*next_bitmap_target)(void *user_data, MolehillBitmapTarget *value);
  // A buffer, program or texture that some context created.
  int32_t (*next_object)(void *user_data, MolehillObject *value);
  // `Vector.<String>`
  int32_t (*next_strings)(void *user_data, MolehillTexts *value);
  // Returns whether the Stage3D has a listener for context3DCreate. Null means that there is a listener.
  MolehillBool (*listens)(void *user_data);
} MolehillArguments;

// A property's value.
typedef struct {
  // sizeof(MolehillValue)
  size_t struct_size;
  // The type.
  MolehillValueKind kind;
  // The value of MOLEHILL_VALUE_KIND_NUMBER and _BOOLEAN, else 0.
  double number;
  // The value of MOLEHILL_VALUE_KIND_TEXT, else "". Valid until the context's next molehill_property, or its end.
  const char *text;
} MolehillValue;

// A size in pixels.
typedef struct {
  // Width in pixels.
  uint32_t width;
  // Height in pixels.
  uint32_t height;
} MolehillSize;

// An event that a texture dispatches.
typedef struct {
  // sizeof(MolehillTextureEvent)
  size_t struct_size;
  // The texture that the event belongs to.
  MolehillTexture texture;
  // The host's user data of the texture.
  uint64_t user_data;
  // The event is an `error` event with `error_number` instead of `textureReady`.
  MolehillBool failed;
  // The number of the error, 3790, or 0.
  uint32_t error_number;
  // The text of the `error` event, such as "Error #3790: …", else "". The string is valid until the context ends or
  // its next event is taken with molehill_context_take_texture_event.
  const char *message;
} MolehillTextureEvent;

// Rows of bytes from top to bottom.
typedef struct {
  // `length` bytes, only read during the call.
  const uint8_t *data;
  // Length of `data` in bytes.
  size_t length;
  // Bytes from a row to the next.
  size_t stride;
} MolehillPlane;

// A frame of a video in I420 or NV12, in limited range. The planes of U and V have half the width and height, rounded
// up.
typedef struct {
  // sizeof(MolehillYuvFrame)
  size_t struct_size;
  // Width in pixels.
  uint32_t width;
  // Height in pixels.
  uint32_t height;
  // The plane of Y (luma), with one byte for each pixel.
  MolehillPlane y;
  // I420: U. NV12: U and V in turn.
  MolehillPlane u;
  // I420: V. NV12: all 0.
  MolehillPlane v;
  // The video has the colours of BT.709 (high definition) instead of BT.601.
  MolehillBool bt709;
} MolehillYuvFrame;

// The presented picture as GL objects.
typedef struct {
  // sizeof(MolehillFront)
  size_t struct_size;
  // A `GL_TEXTURE_2D` of `GL_RGBA8` with one level; v = 0 is the picture's top row.
  uint32_t texture;
  // A framebuffer with the texture; row 0 is the picture's top row.
  uint32_t framebuffer;
  // Width in pixels.
  uint32_t width;
  // Height in pixels.
  uint32_t height;
} MolehillFront;

// The position of a picture in its destination.
typedef struct {
  // sizeof(MolehillPlacement)
  size_t struct_size;
  // First column, in pixels.
  int32_t x;
  // First row, in pixels, as GL counts: from the bottom in a window.
  int32_t y;
  // Width in pixels; the picture is scaled if its width differs.
  uint32_t width;
  // Height in pixels; the picture is scaled if its height differs.
  uint32_t height;
  // The first row is the picture's bottom row, as in a window.
  MolehillBool bottom_up;
  // Scales with linear instead of nearest filtering.
  MolehillBool smooth;
} MolehillPlacement;

// A rectangle of whole pixels; the origin is the picture's top left corner.
typedef struct {
  // Left edge, in pixels.
  uint32_t x;
  // Top edge, in pixels.
  uint32_t y;
  // Width in pixels.
  uint32_t width;
  // Height in pixels.
  uint32_t height;
} MolehillRegion;

// The host's memory for pixels.
typedef struct {
  // sizeof(MolehillPixels)
  size_t struct_size;
  // `length` bytes. A null pointer with length 0 requests only the size of the picture.
  uint8_t *pixels;
  // Length of `pixels` in bytes.
  size_t length;
  // Bytes from a row to the next; 0: rows without padding.
  size_t stride;
  // R, G, B, A instead of B, G, R, A.
  MolehillBool rgba;
  // The first row in memory is the picture's bottom row.
  MolehillBool bottom_up;
  // With `MOLEHILL_SCALE`, a picture has more pixels than the program asked for. If `full_size` is nonzero, all
  // pixels are read; if 0, the picture is scaled down to the size that the program asked for. Regions and sizes are
  // in pixels of the result.
  MolehillBool full_size;
} MolehillPixels;

// Pictures from a VM's thread for the thread that shows them.
typedef struct {
  // 0 is null.
  uint64_t id;
} MolehillFrontExchange;

// A `Stage3D`: its position, and the program's request for a context until the host answers it.
typedef struct {
  // 0 is null.
  uint64_t id;
} MolehillStage3D;

// The properties of a `Stage3D`.
typedef struct {
  // sizeof(MolehillStage3DInfo)
  size_t struct_size;
  // Stage pixels; fractions are kept.
  double x;
  // Stage pixels; fractions are kept.
  double y;
  // The picture is visible.
  MolehillBool visible;
  // A request is pending.
  MolehillBool requested;
  // The context that was created for the last request is usable.
  MolehillBool alive;
  // The mode of the pending request: "auto" or "software", which only a device that renders on the CPU answers;
  // null without a request.
  const char *render_mode;
  // The names of the profiles that the request accepts. Valid until the Stage3D's next molehill_stage3d_info, or
  // its end.
  const char *const *profiles;
  // Number of `profiles`; 0 without a request.
  size_t profile_count;
  // The width at which the picture is shown, in stage pixels; 0 without a context. The picture can have more pixels
  // than its displayed size.
  uint32_t width;
  // The height at which the picture is shown, in stage pixels; 0 without a context.
  uint32_t height;
} MolehillStage3DInfo;

// A capture that is being written.
typedef struct {
  // 0 is null.
  uint64_t id;
} MolehillRecording;

// An event to dispatch after a frame.
typedef struct {
  // sizeof(MolehillStageEvent)
  size_t struct_size;
  // Tells which of the other fields are set.
  MolehillStageEventKind kind;
  // The new context of MOLEHILL_STAGE_EVENT_KIND_CONTEXT_CREATED, which the host destroys.
  MolehillContext context;
  // The host's user data of an event's texture. Released textures have no events.
  uint64_t user_data;
  // The error's number, or 0.
  uint32_t error_number;
  // The error's text, such as "Error #3702: …", else "". The string is valid until the next event of the Stage3D or
  // of its context is taken.
  const char *message;
} MolehillStageEvent;

// The description of the program in a capture.
typedef struct {
  // sizeof(MolehillRecordingOptions)
  size_t struct_size;
  // The recording's title; null means an empty title.
  const char *title;
  // The program that writes the recording; null: unknown.
  const char *generator;
  // The SWF's version, 1 to 255.
  uint32_t swf_version;
  // Width of the stage in stage pixels, 1 to 16384.
  uint32_t stage_width;
  // Height of the stage in stage pixels, 1 to 16384.
  uint32_t stage_height;
  // The stage's colour, 0xRRGGBB.
  uint32_t stage_color;
  // Frames per second; 0: unknown.
  double frame_rate;
  // The recording ends before it exceeds about this many bytes; 0: no limit.
  uint64_t limit;
} MolehillRecordingOptions;

// A checked pair of AGAL programs, without a context.
typedef struct {
  // 0 is null.
  uint64_t id;
} MolehillAgal;

// A sampler register. The strings are AGAL keywords, which molehill_context_set_sampler_state_at also accepts.
typedef struct {
  // The program reads the sampler; if 0, the other fields are 0.
  MolehillBool used;
  // The texture is a cube texture; if 0, a 2D or rectangle texture.
  MolehillBool cube;
  // `setSamplerStateAt` overrides `wrap`, `filter` and `mip`.
  MolehillBool ignore_sampler;
  // Bias of the level of detail, in levels. The generated shaders add the bias themselves.
  float lod_bias;
  // "rgba", "dxt1", "dxt5" or "video".
  const char *format;
  // "clamp", "repeat", "clamp_u_repeat_v" or "repeat_u_clamp_v".
  const char *wrap;
  // "nearest", "linear" or "anisotropic2x" to "anisotropic16x".
  const char *filter;
  // "mipnone", "mipnearest" or "miplinear".
  const char *mip;
} MolehillSampler;

// The interface of a pair of shaders. Bit n of a number is register n, such as va0; bit n of an array of numbers is
// bit n % 32 of element n / 32.
typedef struct {
  // sizeof(MolehillAgalInfo)
  size_t struct_size;
  // AGAL's version, 1 to 4.
  uint32_t version;
  // The attributes that the vertex program reads.
  uint32_t attributes;
  // The attributes that affect the position or a varying that the fragment program reads.
  uint32_t live_attributes;
  // The varyings that the fragment program reads.
  uint32_t varyings;
  // The colour outputs that the fragment program writes.
  uint32_t color_outputs;
  // The fragment program writes the depth.
  MolehillBool depth_output;
  // The fragment program has `kil`.
  MolehillBool discards;
  // The fragment program has `ddx` or `ddy`.
  MolehillBool derivatives;
  // The vertex program reads the number of the instance.
  MolehillBool instance_id;
  // Number of vertex constants: one more than the highest register that is read.
  uint32_t vertex_constants;
  // Number of fragment constants: one more than the highest register that is read.
  uint32_t fragment_constants;
  // The vertex constants that are read: all, if an address is indirect.
  uint32_t vertex_constants_read[8];
  // The fragment constants that are read.
  uint32_t fragment_constants_read[8];
  // vs0 to vs3
  MolehillSampler vertex_samplers[4];
  // fs0 to fs15
  MolehillSampler fragment_samplers[16];
} MolehillAgalInfo;

// Options for GLSL. A null pointer means all 0, the default.
typedef struct {
  // sizeof(MolehillGlslTarget)
  size_t struct_size;
  // "330", "150", "300es" (WebGL 2), "120" or "100es" (WebGL 1); null: "330".
  const char *dialect;
  // GL clips depth to 0..w (glClipControl); 0: to -w..w, GL's default.
  MolehillBool zero_to_one;
  // Offset of the position to the left and down, in clip space; 0: none.
  float position_bias;
  // IEEE 754's float rules; 0: those of Direct3D 9, for which Flash's content was made.
  MolehillBool ieee_floats;
  // Adds the AGAL of each statement as a comment.
  MolehillBool comments;
} MolehillGlslTarget;

// Both shaders of a pair. All pointers are valid until the pair ends or is translated to GLSL or WGSL again.
typedef struct {
  // sizeof(MolehillShaders)
  size_t struct_size;
  // The vertex shader.
  const char *vertex;
  // The fragment shader.
  const char *fragment;
  // The register of each element of the array `vc`, such as 0, 1, 2 … Dialects with few uniforms omit registers
  // that are not read.
  const uint16_t *vertex_constants;
  // Length of `vc`; 0: it is not declared.
  size_t vertex_constant_count;
  // The register of each element of the array `fc`.
  const uint16_t *fragment_constants;
  // Length of `fc`; 0: it is not declared.
  size_t fragment_constant_count;
} MolehillShaders;

// `@group` and `@binding` of a resource of WGSL.
typedef struct {
  // `@group`
  uint32_t group;
  // `@binding`
  uint32_t binding;
} MolehillBinding;

// Options for WGSL. A null pointer means all 0, the default.
typedef struct {
  // sizeof(MolehillWgslTarget)
  size_t struct_size;
  // If nonzero, texture and sampler n are at the bindings below + n * step. If 0, the bindings below are not used:
  // vc and fc are at bindings 0 and 1 of group 0. In group 1, texture `fs<n>` is at 2n and texture `vs<n>` at 32 +
  // 2n, each followed by its sampler.
  uint32_t binding_step;
  // The array vc.
  MolehillBinding vertex_constants;
  // The array fc.
  MolehillBinding fragment_constants;
  // Texture vs0.
  MolehillBinding vertex_textures;
  // Sampler vs0_sampler.
  MolehillBinding vertex_samplers;
  // Texture fs0.
  MolehillBinding fragment_textures;
  // Sampler fs0_sampler.
  MolehillBinding fragment_samplers;
  // Name of the vertex shader's function; null: "vertex_main".
  const char *vertex_entry;
  // Name of the fragment shader's function; null: "fragment_main".
  const char *fragment_entry;
  // Bit n: `vs<n>` reads 1 as alpha, because its texture's format has no alpha, but its storage has.
  uint16_t vertex_opaque;
  // Bit n: `fs<n>` reads 1 as alpha.
  uint16_t fragment_opaque;
  // IEEE 754's float rules; 0: those of Direct3D 9, for which Flash's content was made.
  MolehillBool ieee_floats;
  // Adds the AGAL of each statement as a comment.
  MolehillBool comments;
} MolehillWgslTarget;

// Receives a message; `level` is a MolehillLogLevel, `target` the logging module. The strings are valid during the
// call. The function may be called on several threads at once, and must not throw. If the function calls this library
// with a handle in use, the call returns MOLEHILL_STATUS_BUSY. Messages that the function logs are dropped.
typedef void (*MolehillLog)(void *user_data, int32_t level, const char *target, const char *message);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/* Errors */

// Gets the error of this thread's last call that failed, or the error that Flash would raise for a dropped draw. Any
// thread.
MolehillStatus molehill_last_error(MolehillError *error);

// Sets the last error to Flash's error with this number, for checks that the host does itself, and returns
// MOLEHILL_STATUS_FLASH_ERROR. `arguments` are `count` strings for the placeholders %1, %2, … of the error's message.
// Returns MOLEHILL_STATUS_BAD_ARGUMENT if `number` is no error of Stage3D. Any thread.
MolehillStatus molehill_flash_error(uint32_t number, const char *const *arguments, size_t count);

/* Devices */

// Creates a device in the host's GL context (OpenGL 3.3 core or OpenGL ES 3.0, or newer), with the functions that the
// loader returns during this call. MOLEHILL_STATUS_DRIVER if a required function is missing; the message names it.
//
// The context must be current on this thread now, and at every later call with the device and its contexts, unless
// `current` makes it current; `current` may be null. Without a current context GL does nothing: the first call of a
// frame, present, reads and creations then fail with MOLEHILL_STATUS_DRIVER, but other calls are silently lost.
// Molehill can't detect that another context is current: calls then change that context's state and objects.
MolehillStatus molehill_device_from_loader(MolehillLoader loader,
                                           void *user_data,
                                           const MolehillMakeCurrent *current,
                                           const MolehillDeviceOptions *options,
                                           MolehillDevice *device);

// Creates a device with its own GL context without a window, through EGL, WGL or CGL. MOLEHILL_STATUS_UNSUPPORTED if
// the library was built without off-screen devices.
MolehillStatus molehill_device_offscreen(const MolehillDeviceOptions *options, MolehillDevice *device);

// Creates a device on the CPU: the reference renderer, which needs no GL. The reference renderer is exact, but slow.
MolehillStatus molehill_device_software(const MolehillDeviceOptions *options, MolehillDevice *device);

// Call this after the host has used the GL context, before the next call of this library: all GL state is set again.
MolehillStatus molehill_device_invalidate_state(MolehillDevice device);

// Sets GL's state to its defaults, for code of the host that relies on them.
MolehillStatus molehill_device_reset_to_gl_defaults(MolehillDevice device);

// Call this when the GL context is destroyed or about to be: GL is no longer called, and every call returns
// MOLEHILL_STATUS_DEVICE_LOST. The device and its contexts must still be destroyed.
MolehillStatus molehill_device_abandon(MolehillDevice device);

// Makes an off-screen device's context current for GL calls of the host. Functions of this library make the context
// current themselves.
MolehillStatus molehill_device_make_current(MolehillDevice device);

// Frees a device. The device's contexts continue to work; the last context frees the shared objects. Any thread.
MolehillStatus molehill_device_destroy(MolehillDevice device);

// Sets a device's cache of program binaries. Software devices and drivers without program binaries ignore the cache.
//
// The cache is trusted, because drivers run the binaries: an entry must be what was stored under its name, and files
// that another user can write are not safe. Damaged entries and those of other drivers are recognised and ignored.
MolehillStatus molehill_device_set_program_cache(MolehillDevice device, const MolehillProgramCache *cache);

/* Contexts */

// Makes a context on a device. The host may destroy the device before the context.
MolehillStatus molehill_context_create(MolehillDevice device,
                                       const MolehillContextOptions *options,
                                       MolehillContext *context);

// Frees a context and all its objects. The handles of the context and its objects become stale. Any thread.
MolehillStatus molehill_context_destroy(MolehillContext context);

// Changes the options, for a host that learns them late. The new options affect only later calls.
MolehillStatus molehill_context_set_options(MolehillContext context, const MolehillContextOptions *options);

// Sets the host's properties for later calls; null: those of a desktop Flash Player. A context that a Stage3D's
// request creates begins with the properties from molehill_stage3d_set_host.
MolehillStatus molehill_context_set_host(MolehillContext context, const MolehillHost *host);

// Sets the function that is called once before a call fails because memory or the number of objects is exhausted
// (3672, 3691, MOLEHILL_STATUS_OUT_OF_MEMORY): if it has released objects, the call is tried again. Null: none.
MolehillStatus molehill_context_set_collector(MolehillContext context, MolehillCollector collector, void *user_data);

// Checks the position to which a Stage3D moves: 3723 if the back buffer of a `baselineConstrained` context would not
// be inside the stage of MolehillHost. Call this before setting `Stage3D.x` or `y`. A Stage3D whose contexts
// molehill_stage3d_end_frame creates checks the position in its own setters.
MolehillStatus molehill_context_check_position(MolehillContext context, double x, double y);

// Ends a context as if its device were lost, for hosts that detect or simulate a loss. The context must still be
// destroyed.
MolehillStatus molehill_context_lose(MolehillContext context);

// Gets the properties of a context.
MolehillStatus molehill_context_info(MolehillContext context, MolehillContextInfo *info);

/* The calls of Context3D and its objects */

// `Context3D.configureBackBuffer`; in ActionScript enable_depth_and_stencil = true, wants_best_resolution = false, wants_best_resolution_on_browser_zoom = false
MolehillStatus molehill_context_configure_back_buffer(MolehillContext context,
                                                      int32_t width,
                                                      int32_t height,
                                                      int32_t anti_alias,
                                                      MolehillBool enable_depth_and_stencil,
                                                      MolehillBool wants_best_resolution,
                                                      MolehillBool wants_best_resolution_on_browser_zoom);

// `Context3D.clear`; in ActionScript red = 0.0, green = 0.0, blue = 0.0, alpha = 1.0, depth = 1.0, stencil = 0, mask = 0xffffffff
MolehillStatus molehill_context_clear(MolehillContext context,
                                      double red,
                                      double green,
                                      double blue,
                                      double alpha,
                                      double depth,
                                      uint32_t stencil,
                                      uint32_t mask);

// `Context3D.present`
MolehillStatus molehill_context_present(MolehillContext context);

// `Context3D.dispose`; in ActionScript recreate = true
MolehillStatus molehill_context_dispose(MolehillContext context, MolehillBool recreate);

// `Context3D.createVertexBuffer`; in ActionScript buffer_usage = "staticDraw"
MolehillStatus molehill_context_create_vertex_buffer(MolehillContext context,
                                                     int32_t num_vertices,
                                                     int32_t data32_per_vertex,
                                                     const char *buffer_usage,
                                                     MolehillVertexBuffer *created);

// `Context3D.createVertexBufferForInstances`; in ActionScript buffer_usage = "staticDraw"
MolehillStatus molehill_context_create_vertex_buffer_for_instances(MolehillContext context,
                                                                   int32_t num_vertices,
                                                                   int32_t data32_per_vertex,
                                                                   int32_t instances_per_element,
                                                                   const char *buffer_usage,
                                                                   MolehillVertexBuffer *created);

// `Context3D.createIndexBuffer`; in ActionScript buffer_usage = "staticDraw"
MolehillStatus molehill_context_create_index_buffer(MolehillContext context,
                                                    int32_t num_indices,
                                                    const char *buffer_usage,
                                                    MolehillIndexBuffer *created);

// `Context3D.createProgram`
MolehillStatus molehill_context_create_program(MolehillContext context, MolehillProgram *created);

// `Context3D.createTexture`; in ActionScript streaming_levels = 0
MolehillStatus molehill_context_create_texture(MolehillContext context,
                                               int32_t width,
                                               int32_t height,
                                               const char *format,
                                               MolehillBool optimize_for_render_to_texture,
                                               int32_t streaming_levels,
                                               MolehillTexture *created);

// `Context3D.createRectangleTexture`
MolehillStatus molehill_context_create_rectangle_texture(MolehillContext context,
                                                         int32_t width,
                                                         int32_t height,
                                                         const char *format,
                                                         MolehillBool optimize_for_render_to_texture,
                                                         MolehillTexture *created);

// `Context3D.createCubeTexture`; in ActionScript streaming_levels = 0
MolehillStatus molehill_context_create_cube_texture(MolehillContext context,
                                                    int32_t size,
                                                    const char *format,
                                                    MolehillBool optimize_for_render_to_texture,
                                                    int32_t streaming_levels,
                                                    MolehillTexture *created);

// `Context3D.createVideoTexture`
MolehillStatus molehill_context_create_video_texture(MolehillContext context, MolehillTexture *created);

// `Context3D.setProgram`
MolehillStatus molehill_context_set_program(MolehillContext context, MolehillProgram program);

// `Context3D.setProgramConstantsFromMatrix`; in ActionScript transposed_matrix = false
MolehillStatus molehill_context_set_program_constants_from_matrix(MolehillContext context,
                                                                  const char *program_type,
                                                                  int32_t first_register,
                                                                  const double *matrix,
                                                                  MolehillBool transposed_matrix);

// `Context3D.setProgramConstantsFromVector`; in ActionScript num_registers = - 1
MolehillStatus molehill_context_set_program_constants_from_vector(MolehillContext context,
                                                                  const char *program_type,
                                                                  int32_t first_register,
                                                                  const double *data,
                                                                  size_t data_length,
                                                                  int32_t num_registers);

// `Context3D.setProgramConstantsFromFloatVector`; in ActionScript num_registers = - 1
MolehillStatus molehill_context_set_program_constants_from_float_vector(MolehillContext context,
                                                                        const char *program_type,
                                                                        int32_t first_register,
                                                                        const float *data,
                                                                        size_t data_length,
                                                                        int32_t num_registers);

// `Context3D.setProgramConstantsFromByteArray`
MolehillStatus molehill_context_set_program_constants_from_byte_array(MolehillContext context,
                                                                      const char *program_type,
                                                                      int32_t first_register,
                                                                      int32_t num_registers,
                                                                      const void *data,
                                                                      size_t data_length,
                                                                      uint32_t byte_array_offset);

// `Context3D.setVertexBufferAt`; in ActionScript buffer_offset = 0, format = "float4"
MolehillStatus molehill_context_set_vertex_buffer_at(MolehillContext context,
                                                     int32_t index,
                                                     MolehillVertexBuffer buffer,
                                                     int32_t buffer_offset,
                                                     const char *format);

// `Context3D.setTextureAt`
MolehillStatus molehill_context_set_texture_at(MolehillContext context, int32_t sampler, MolehillTexture texture);

// `Context3D.setSamplerStateAt`
MolehillStatus molehill_context_set_sampler_state_at(MolehillContext context,
                                                     int32_t sampler,
                                                     const char *wrap,
                                                     const char *filter,
                                                     const char *mipfilter);

// `Context3D.setBlendFactors`
MolehillStatus molehill_context_set_blend_factors(MolehillContext context,
                                                  const char *source_factor,
                                                  const char *destination_factor);

// `Context3D.setColorMask`
MolehillStatus molehill_context_set_color_mask(MolehillContext context,
                                               MolehillBool red,
                                               MolehillBool green,
                                               MolehillBool blue,
                                               MolehillBool alpha);

// `Context3D.setCulling`
MolehillStatus molehill_context_set_culling(MolehillContext context, const char *triangle_face_to_cull);

// `Context3D.setDepthTest`
MolehillStatus molehill_context_set_depth_test(MolehillContext context,
                                               MolehillBool depth_mask,
                                               const char *pass_compare_mode);

// `Context3D.setStencilActions`; in ActionScript triangle_face = "frontAndBack", compare_mode = "always", action_on_both_pass = "keep", action_on_depth_fail = "keep", action_on_depth_pass_stencil_fail = "keep"
MolehillStatus molehill_context_set_stencil_actions(MolehillContext context,
                                                    const char *triangle_face,
                                                    const char *compare_mode,
                                                    const char *action_on_both_pass,
                                                    const char *action_on_depth_fail,
                                                    const char *action_on_depth_pass_stencil_fail);

// `Context3D.setStencilReferenceValue`; in ActionScript read_mask = 255, write_mask = 255
MolehillStatus molehill_context_set_stencil_reference_value(MolehillContext context,
                                                            uint32_t reference_value,
                                                            uint32_t read_mask,
                                                            uint32_t write_mask);

// `Context3D.setScissorRectangle`
MolehillStatus molehill_context_set_scissor_rectangle(MolehillContext context, const MolehillRectangle *rectangle);

// `Context3D.setRenderToTexture`; in ActionScript enable_depth_and_stencil = false, anti_alias = 0, surface_selector = 0, color_output_index = 0
MolehillStatus molehill_context_set_render_to_texture(MolehillContext context,
                                                      MolehillTexture texture,
                                                      MolehillBool enable_depth_and_stencil,
                                                      int32_t anti_alias,
                                                      int32_t surface_selector,
                                                      int32_t color_output_index);

// `Context3D.setRenderToBackBuffer`
MolehillStatus molehill_context_set_render_to_back_buffer(MolehillContext context);

// `Context3D.drawTriangles`; in ActionScript first_index = 0, num_triangles = - 1
MolehillStatus molehill_context_draw_triangles(MolehillContext context,
                                               MolehillIndexBuffer index_buffer,
                                               int32_t first_index,
                                               int32_t num_triangles);

// `Context3D.drawTrianglesInstanced`; in ActionScript first_index = 0, num_triangles = - 1
MolehillStatus molehill_context_draw_triangles_instanced(MolehillContext context,
                                                         MolehillIndexBuffer index_buffer,
                                                         int32_t num_instances,
                                                         int32_t first_index,
                                                         int32_t num_triangles);

// `Context3D.drawToBitmapData`; in ActionScript source_rect = null, dest_point = null
MolehillStatus molehill_context_draw_to_bitmap_data(MolehillContext context,
                                                    const MolehillBitmapTarget *destination,
                                                    const MolehillRectangle *source_rect,
                                                    const MolehillPoint *dest_point);

// `Context3D.setFillMode`
MolehillStatus molehill_context_set_fill_mode(MolehillContext context, const char *fill_mode);

// `Context3D.enableErrorChecking`
MolehillStatus molehill_context_set_error_checking(MolehillContext context, MolehillBool value);

// `Context3D.maxBackBufferWidth`
MolehillStatus molehill_context_set_max_back_buffer_width(MolehillContext context, int32_t value);

// `Context3D.maxBackBufferHeight`
MolehillStatus molehill_context_set_max_back_buffer_height(MolehillContext context, int32_t value);

// `Context3D.ignoreResourceLimits`
MolehillStatus molehill_context_set_ignore_resource_limits(MolehillContext context, MolehillBool value);

// `VertexBuffer3D.uploadFromByteArray`
MolehillStatus molehill_vertex_buffer_upload_from_byte_array(MolehillVertexBuffer buffer,
                                                             const void *data,
                                                             size_t data_length,
                                                             int32_t byte_array_offset,
                                                             int32_t start_vertex,
                                                             int32_t num_vertices);

// `VertexBuffer3D.uploadFromVector`
MolehillStatus molehill_vertex_buffer_upload_from_vector(MolehillVertexBuffer buffer,
                                                         const double *data,
                                                         size_t data_length,
                                                         int32_t start_vertex,
                                                         int32_t num_vertices);

// `VertexBuffer3D.uploadFromFloatVector`
MolehillStatus molehill_vertex_buffer_upload_from_float_vector(MolehillVertexBuffer buffer,
                                                               const float *data,
                                                               size_t data_length,
                                                               int32_t start_vertex,
                                                               int32_t num_vertices);

// `VertexBuffer3D.dispose`
MolehillStatus molehill_vertex_buffer_dispose(MolehillVertexBuffer buffer);

// `IndexBuffer3D.uploadFromByteArray`
MolehillStatus molehill_index_buffer_upload_from_byte_array(MolehillIndexBuffer buffer,
                                                            const void *data,
                                                            size_t data_length,
                                                            int32_t byte_array_offset,
                                                            int32_t start_offset,
                                                            int32_t count);

// `IndexBuffer3D.uploadFromVector`
MolehillStatus molehill_index_buffer_upload_from_vector(MolehillIndexBuffer buffer,
                                                        const uint32_t *data,
                                                        size_t data_length,
                                                        int32_t start_offset,
                                                        int32_t count);

// `IndexBuffer3D.dispose`
MolehillStatus molehill_index_buffer_dispose(MolehillIndexBuffer buffer);

// `Program3D.upload`
MolehillStatus molehill_program_upload(MolehillProgram program,
                                       const void *vertex_program,
                                       size_t vertex_program_length,
                                       MolehillBool vertex_program_big_endian,
                                       const void *fragment_program,
                                       size_t fragment_program_length,
                                       MolehillBool fragment_program_big_endian);

// `Program3D.dispose`
MolehillStatus molehill_program_dispose(MolehillProgram program);

// `Texture, RectangleTexture, CubeTexture.uploadFromBitmapData`; in ActionScript miplevel = 0
MolehillStatus molehill_texture_upload_from_bitmap_data(MolehillTexture texture,
                                                        const MolehillBitmap *source,
                                                        int64_t side,
                                                        uint32_t miplevel);

// `Texture, RectangleTexture, CubeTexture.uploadFromByteArray`; in ActionScript miplevel = 0
MolehillStatus molehill_texture_upload_from_byte_array(MolehillTexture texture,
                                                       const void *data,
                                                       size_t data_length,
                                                       uint32_t byte_array_offset,
                                                       int64_t side,
                                                       uint32_t miplevel);

// `Texture, RectangleTexture, CubeTexture.uploadFromBitmapDataAsync`; in ActionScript miplevel = 0
MolehillStatus molehill_texture_upload_from_bitmap_data_async(MolehillTexture texture,
                                                              const MolehillBitmap *source,
                                                              int64_t side,
                                                              uint32_t miplevel);

// `Texture, RectangleTexture, CubeTexture.uploadFromByteArrayAsync`; in ActionScript miplevel = 0
MolehillStatus molehill_texture_upload_from_byte_array_async(MolehillTexture texture,
                                                             const void *data,
                                                             size_t data_length,
                                                             uint32_t byte_array_offset,
                                                             int64_t side,
                                                             uint32_t miplevel);

// `Texture, CubeTexture.uploadCompressedTextureFromByteArray`; in ActionScript is_async = false
MolehillStatus molehill_texture_upload_compressed_from_byte_array(MolehillTexture texture,
                                                                  const void *data,
                                                                  size_t data_length,
                                                                  uint32_t byte_array_offset,
                                                                  MolehillBool is_async);

// `Texture, CubeTexture.uploadBlocks`
MolehillStatus molehill_texture_upload_blocks(MolehillTexture texture,
                                              const void *data,
                                              size_t data_length,
                                              const char *format,
                                              int64_t side,
                                              uint32_t miplevel);

// `Texture, RectangleTexture, CubeTexture, VideoTexture.dispose`
MolehillStatus molehill_texture_dispose(MolehillTexture texture);

// `VideoTexture.videoFrame`
MolehillStatus molehill_video_texture_frame(MolehillTexture texture, const MolehillBitmap *source);

/* Calls by name, for the natives of a VM */

// Makes the call of a method, or the assignment to a property, that MOLEHILL_METHODS or MOLEHILL_SETTERS lists. `on`
// is the Stage3D, context or object, as MOLEHILL_OBJECT(handle). `class_name` is the class of `on`; it selects among
// the methods with one name of the texture classes. `created` receives the created object, or null if the call creates
// none; only for such calls may the pointer be null. Returns the status of the call's C function,
// MOLEHILL_STATUS_ATTACH for attachNetStream and attachCamera, or MOLEHILL_STATUS_THROWN. If an argument is an object
// of another class (1034 in ActionScript), returns MOLEHILL_STATUS_BAD_HANDLE.
MolehillStatus molehill_call(MolehillObject on,
                             const char *class_name,
                             const char *method,
                             const MolehillArguments *arguments,
                             MolehillObject *created);

// Reads a property that MOLEHILL_PROPERTIES lists; `on` and `class_name` are those of molehill_call.
MolehillStatus molehill_property(MolehillObject on, const char *class_name, const char *property, MolehillValue *value);

/* Objects and their events */

// Releases an object to which the program has no reference any more, for finalisers of a garbage collector. Any
// thread. The object is freed at the next present, creation or molehill_context_collect_released when it is not
// bound. The handle becomes stale. Returns MOLEHILL_STATUS_NOTHING if the handle was already stale, because the object
// was disposed; MOLEHILL_STATUS_BAD_HANDLE for a handle of another kind, such as a context's.
MolehillStatus molehill_object_release(MolehillObject object);

// Sets the host's user data of an object, such as a pointer; initially 0. Any thread.
MolehillStatus molehill_object_set_user_data(MolehillObject object, uint64_t user_data);

// Gets the host's user data of an object. Any thread.
MolehillStatus molehill_object_user_data(MolehillObject object, uint64_t *user_data);

// Names an object, for example by the program's own name of a texture. The context's recordings contain the name. On a
// device in a debug context, debuggers show at most 255 bytes of the name, and a program loses its name with the next
// upload. Null: "".
MolehillStatus molehill_object_set_name(MolehillObject object, const char *name);

// Gets `VideoTexture.videoWidth` and `videoHeight`: the size of the last frame, 0 before the first.
MolehillStatus molehill_texture_video_size(MolehillTexture texture, MolehillSize *size);

// Frees released objects that are not bound.
MolehillStatus molehill_context_collect_released(MolehillContext context);

// Gets the next texture event, until MOLEHILL_STATUS_NOTHING. Call this function repeatedly after each frame. The
// first call determines the frame's events. If a handler uploads again, the next frame gets that event.
MolehillStatus molehill_context_take_texture_event(MolehillContext context, MolehillTextureEvent *event);

// Sets the next frame of a `VideoTexture` from planes of Y, U and V, as molehill_video_texture_frame does from a
// bitmap. Dispatch `textureReady` afterwards.
MolehillStatus molehill_video_texture_yuv_frame(MolehillTexture texture, const MolehillYuvFrame *frame);

/* The picture, on the context's thread */

// Gets the GL objects of the picture of the last present. The objects are valid until the next present or
// configureBackBuffer, and may only be read and sampled. MOLEHILL_STATUS_NOTHING before the first present.
MolehillStatus molehill_context_front(MolehillContext context, MolehillFront *front);

// Copies the picture of the last present into a framebuffer of the host; 0: the default framebuffer, such as a
// window's. MOLEHILL_STATUS_NOTHING before the first present.
MolehillStatus molehill_context_present_into_framebuffer(MolehillContext context,
                                                         uint32_t framebuffer,
                                                         const MolehillPlacement *place);

// Copies the picture of the last present into level 0 of a `GL_TEXTURE_2D` of the host that has storage and can be
// rendered to. MOLEHILL_STATUS_NOTHING before the first present. If another GL context reads the texture, the host
// must synchronize with a fence; a front exchange synchronizes with its own fences.
MolehillStatus molehill_context_present_into_texture(MolehillContext context,
                                                     uint32_t texture,
                                                     const MolehillPlacement *place);

// Reads a region of the picture of the last present into the host's memory; null: all of it. `size` receives the size
// of the region's part inside the picture, 0 and 0 if there is none; it may be null. Waits until GL has drawn the
// picture. If `pixels->pixels` is null and its length 0, writes only `size`, so that the host can allocate the memory.
// MOLEHILL_STATUS_NOTHING before the first present.
MolehillStatus molehill_context_read_front(MolehillContext context,
                                           const MolehillRegion *region,
                                           const MolehillPixels *pixels,
                                           MolehillSize *size);

// Like molehill_context_read_front, but without waiting. Call it once per frame after present: it starts reading the
// current picture, and returns the picture of the previous call, in the size of that call. The first call returns
// MOLEHILL_STATUS_NOTHING. A software device never waits, and returns the current picture. With null `pixels->pixels`
// and length 0, gets the current picture's size, and starts nothing.
MolehillStatus molehill_context_read_front_delayed(MolehillContext context,
                                                   const MolehillRegion *region,
                                                   const MolehillPixels *pixels,
                                                   MolehillSize *size);

/* The picture, on another thread */

// Creates a front exchange, which passes the presented pictures of one Stage3D to the thread that shows them. The GL
// context of that thread shares objects with the device's GL context. Neither thread waits for the other; pictures
// that come faster than they are shown are dropped. Any thread.
MolehillStatus molehill_front_exchange_create(MolehillFrontExchange *exchange);

// Frees a front exchange; its textures are freed with the contexts that publish into it. The thread that shows
// pictures must call molehill_front_exchange_release first. Any thread.
MolehillStatus molehill_front_exchange_destroy(MolehillFrontExchange exchange);

// Copies the picture of the last present into a front exchange. Call this function once a frame, on the context's
// thread. MOLEHILL_STATUS_NOTHING if the exchange has the picture already, or before the first present. The exchange
// becomes empty when the context is destroyed.
MolehillStatus molehill_context_publish_front(MolehillContext context, MolehillFrontExchange exchange);

// Gets the newest picture on the thread that shows it, where a GL context that shares objects with the device's is
// current. GL waits for `front->texture`, which may be sampled until the next call of this function;
// `front->framebuffer` is 0, because framebuffers are not shared. The first call loads the GL functions of the current
// context with `loader`. Returns MOLEHILL_STATUS_NOTHING if there is no picture.
MolehillStatus molehill_front_exchange_acquire(MolehillFrontExchange exchange,
                                               MolehillLoader loader,
                                               void *user_data,
                                               MolehillFront *front);

// Returns the displayed picture to the exchange, and frees the GL function pointers that were loaded for the display
// context. Call this on the thread that shows pictures, before its GL context ends.
MolehillStatus molehill_front_exchange_release(MolehillFrontExchange exchange);

/* Stage3Ds */

// Creates a `Stage3D` at 0, 0, visible.
MolehillStatus molehill_stage3d_create(MolehillStage3D *stage);

// Frees a `Stage3D`. Any thread.
MolehillStatus molehill_stage3d_destroy(MolehillStage3D stage);

// Sets `Stage3D.x`.
MolehillStatus molehill_stage3d_set_x(MolehillStage3D stage, double value);

// Sets `Stage3D.y`.
MolehillStatus molehill_stage3d_set_y(MolehillStage3D stage, double value);

// Sets `Stage3D.visible`.
MolehillStatus molehill_stage3d_set_visible(MolehillStage3D stage, MolehillBool value);

// Sets the host's properties; null: those of a desktop Flash Player. A context that a request of the Stage3D creates
// begins with the host's properties. Only `x`, `y` and `software` come from the Stage3D and the request. Changes
// affect only later calls.
MolehillStatus molehill_stage3d_set_host(MolehillStage3D stage, const MolehillHost *host);

// Gets the properties of a `Stage3D`.
MolehillStatus molehill_stage3d_info(MolehillStage3D stage, MolehillStage3DInfo *info);

// Calls `requestContext3D(context3DRenderMode, profile)`. `listens`: there is a listener for context3DCreate.
MolehillStatus molehill_stage3d_request(MolehillStage3D stage,
                                        const char *render_mode,
                                        const char *profile,
                                        MolehillBool listens);

// Calls `requestContext3DMatchingProfiles(profiles)`, with `count` names.
MolehillStatus molehill_stage3d_request_matching(MolehillStage3D stage,
                                                 const char *const *profiles,
                                                 size_t count,
                                                 MolehillBool listens);

// Answers the request; call it after each frame and before the next `enterFrame`. MOLEHILL_STATUS_OK with profile and
// SWF version in the options for molehill_context_create, before context3DCreate is dispatched;
// MOLEHILL_STATUS_FLASH_ERROR with the number (3702) of the `error` event to dispatch; MOLEHILL_STATUS_NOTHING
// without a request. `device` is the device for the request's mode, 0 if there is none; if it is lost, returns
// MOLEHILL_STATUS_DEVICE_LOST, and the request stays pending. `others` is the number of working contexts of other
// Stage3Ds. The Stage3D's former context ends: call molehill_context_dispose.
MolehillStatus molehill_stage3d_answer(MolehillStage3D stage,
                                       MolehillDevice device,
                                       uint32_t swf_version,
                                       uint32_t others,
                                       MolehillContextOptions *options);

// Call this when the Stage3D's context has ended (see molehill_context_info): if Flash creates another context, the
// request is pending again. Returns MOLEHILL_STATUS_NOTHING while the context is usable.
MolehillStatus molehill_stage3d_context_ended(MolehillStage3D stage, MolehillContext context);

// Records a Stage3D as `stage.stage3Ds[index]`: its calls, its refused requests, and the contexts of
// molehill_stage3d_end_frame. Begin the recording before the program's first call. The handle 0 ends the recording.
MolehillStatus molehill_stage3d_record(MolehillStage3D stage, MolehillRecording recording, uint32_t index);

// Begins the frame of a Stage3D: call it before `enterFrame` and with an empty stack. Gets the event that answers a
// request that the program made since the last frame, as in a timer's or loader's event. A program that receives the
// event context3DCreate draws in the next `enterFrame`. Returns MOLEHILL_STATUS_NOTHING without a request, and after
// the request's event. The arguments are those of molehill_stage3d_end_frame.
MolehillStatus molehill_stage3d_begin_frame(MolehillStage3D stage,
                                            MolehillDevice device,
                                            uint32_t swf_version,
                                            uint32_t others,
                                            MolehillStageEvent *event);

// Ends the frame of a Stage3D: call it after its code ran and with an empty stack. Gets the next event to dispatch,
// until MOLEHILL_STATUS_NOTHING. The events of a frame are the texture events that are pending at the first call, and
// the result of one request. If a handler uploads or requests again, the next frame gets that event.
//
// A request is answered with a new context, and the former context ends as by `dispose(false)`. A context that was
// lost, or ended by `dispose(true)`, is replaced. This function replaces molehill_stage3d_answer,
// molehill_context_create, molehill_context_record, molehill_stage3d_context_ended and
// molehill_context_take_texture_event. `device` is the device for the request's mode (MolehillStage3DInfo). If
// `device` is 0, the request is rejected; if the device is lost, the request stays pending. `others` is the number of
// working contexts of other Stage3Ds. After the last Stage3D, call molehill_recording_end_frame.
MolehillStatus molehill_stage3d_end_frame(MolehillStage3D stage,
                                          MolehillDevice device,
                                          uint32_t swf_version,
                                          uint32_t others,
                                          MolehillStageEvent *event);

/* Recordings */

// Starts recording the calls on a context, as those of `stage.stage3Ds[stage3d_index]`; the handle 0 stops recording.
// `render_mode` is the argument of requestContext3D; null: "auto". Call this before the first call on the context,
// otherwise objects are missing in the recording.
MolehillStatus molehill_context_record(MolehillContext context,
                                       MolehillRecording recording,
                                       uint32_t stage3d_index,
                                       const char *render_mode);

// Starts a capture in a file: binary if its name ends in `.s3d`, else JSON Lines (`.s3d.jsonl`); null: the file in
// the environment variable MOLEHILL_RECORD. An existing file is kept: the capture then has a number before its
// ending, as in `game.1.s3d`. If the variable is not set: MOLEHILL_STATUS_NOTHING and the handle 0, which
// molehill_context_record accepts.
MolehillStatus molehill_recording_start(const char *path,
                                        const MolehillRecordingOptions *options,
                                        MolehillRecording *recording);

// Ends an SWF frame. MOLEHILL_STATUS_IO if the recording has ended, because of its limit or an error of the file.
MolehillStatus molehill_recording_end_frame(MolehillRecording recording);

// Records `stage.stage3Ds[index].x = value`.
MolehillStatus molehill_recording_set_x(MolehillRecording recording, uint32_t index, double value);

// Records `stage.stage3Ds[index].y = value`.
MolehillStatus molehill_recording_set_y(MolehillRecording recording, uint32_t index, double value);

// Records `stage.stage3Ds[index].visible = value`.
MolehillStatus molehill_recording_set_visible(MolehillRecording recording, uint32_t index, MolehillBool value);

// Ends a recording. Recorded contexts continue to work. Returns MOLEHILL_STATUS_IO if the recording had already ended,
// or its file can't be written. Any thread may call this function; on a foreign thread, the file is completed later,
// and a failure is only logged.
MolehillStatus molehill_recording_stop(MolehillRecording recording);

// Names an object in a recording; null: "". Objects of a context that is not recorded get no name.
// molehill_object_set_name needs no recording, and also names the object in debuggers.
MolehillStatus molehill_recording_name(MolehillRecording recording, MolehillObject object, const char *name);

// Opens a marker region of the frame in a recording, such as a pass; regions nest. Null: closes the region that was
// opened last. molehill_recording_end_frame closes all.
MolehillStatus molehill_recording_marker(MolehillRecording recording, const char *name);

// Sets the ActionScript call stack of the following calls: a line for each function, the innermost first, as
// `Error.getStackTrace()` lists them. Null: unknown.
MolehillStatus molehill_recording_stack(MolehillRecording recording, const char *functions);

/* AGAL without a context */

// Checks a vertex and a fragment program as Program3D.upload does, but without a context, and links them.
// MOLEHILL_STATUS_FLASH_ERROR with the error that Flash raises: its number, class and message, and the token where it
// is. `profile` is that of MolehillContextOptions; null: "baseline".
MolehillStatus molehill_agal_create(const void *vertex_program,
                                    size_t vertex_program_length,
                                    MolehillBool vertex_program_big_endian,
                                    const void *fragment_program,
                                    size_t fragment_program_length,
                                    MolehillBool fragment_program_big_endian,
                                    const char *profile,
                                    MolehillAgal *agal);

// Frees a pair. Any thread.
MolehillStatus molehill_agal_destroy(MolehillAgal agal);

// Gets the interface of a pair.
MolehillStatus molehill_agal_info(MolehillAgal agal, MolehillAgalInfo *info);

// Translates a pair to GLSL. Attributes are `va<n>`, constants the arrays `uniform vec4 vc[]` and `fc[]`, samplers
// `vs<n>` and `fs<n>`. Attribute and colour output n have location n; in "150", "120" and "100es" the host binds
// attributes with glBindAttribLocation, and in "150" outputs (oc, or `fo<n>` of several) with glBindFragDataLocation.
// Surfaces have their top row first: the vertex shader mirrors y. MOLEHILL_STATUS_UNSUPPORTED if "120" or "100es"
// lacks what the pair uses.
MolehillStatus molehill_agal_glsl(MolehillAgal agal, const MolehillGlslTarget *target, MolehillShaders *shaders);

// Translates a pair to two modules of WGSL. Attribute, varying and colour output n have location n; constants are the
// arrays `var<uniform> vc: array<vec4f, N>` and `fc`, samplers the textures `vs<n>` and `fs<n>` and the samplers
// `vs<n>_sampler` and `fs<n>_sampler`.
MolehillStatus molehill_agal_wgsl(MolehillAgal agal, const MolehillWgslTarget *target, MolehillShaders *shaders);

/* The log, and versions */

// Sets the process's log function, which receives messages of a level (a MolehillLogLevel) and of more severe levels;
// null: none. Returns after all calls of the previous function have returned, on all threads, so that its data can be
// freed; don't hold a lock that the function waits for. If the log function calls molehill_set_log, the call returns
// at once, while other threads may still be in the previous function. Returns MOLEHILL_STATUS_BUSY if a Rust program
// has its own logger. Any thread.
MolehillStatus molehill_set_log(MolehillLog log, void *user_data, int32_t level);

// Returns the library's version, such as "0.2.0". Any thread.
const char *molehill_version(void);

// Returns the version of the library's binary interface, MOLEHILL_ABI_VERSION of the header that the library was
// built with. A program runs with every library that has the same version. Any thread.
uint32_t molehill_abi_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MOLEHILL_H */


/* Lists for hosts that make their natives by molehill_call: each row is an m(…). */

/* Methods: class, name, how many parameters have no default, how many Flash Player's declaration has, class of the object that it
   creates or void. `dispose` of textures is declared by TextureBase, and works by each class. */
#define MOLEHILL_METHODS(m) \
    m(Stage3D, requestContext3D, 0, 2, void) \
    m(Stage3D, requestContext3DMatchingProfiles, 1, 1, void) \
    m(Context3D, configureBackBuffer, 3, 6, void) \
    m(Context3D, clear, 0, 7, void) \
    m(Context3D, present, 0, 0, void) \
    m(Context3D, dispose, 0, 1, void) \
    m(Context3D, createVertexBuffer, 2, 3, VertexBuffer3D) \
    m(Context3D, createVertexBufferForInstances, 3, 4, VertexBuffer3D) \
    m(Context3D, createIndexBuffer, 1, 2, IndexBuffer3D) \
    m(Context3D, createProgram, 0, 0, Program3D) \
    m(Context3D, createTexture, 4, 5, Texture) \
    m(Context3D, createRectangleTexture, 4, 4, RectangleTexture) \
    m(Context3D, createCubeTexture, 3, 4, CubeTexture) \
    m(Context3D, createVideoTexture, 0, 0, VideoTexture) \
    m(Context3D, setProgram, 1, 1, void) \
    m(Context3D, setProgramConstantsFromMatrix, 3, 4, void) \
    m(Context3D, setProgramConstantsFromVector, 3, 4, void) \
    m(Context3D, setProgramConstantsFromFloatVector, 3, 4, void) \
    m(Context3D, setProgramConstantsFromByteArray, 5, 5, void) \
    m(Context3D, setVertexBufferAt, 2, 4, void) \
    m(Context3D, setTextureAt, 2, 2, void) \
    m(Context3D, setSamplerStateAt, 4, 4, void) \
    m(Context3D, setBlendFactors, 2, 2, void) \
    m(Context3D, setColorMask, 4, 4, void) \
    m(Context3D, setCulling, 1, 1, void) \
    m(Context3D, setDepthTest, 2, 2, void) \
    m(Context3D, setStencilActions, 0, 5, void) \
    m(Context3D, setStencilReferenceValue, 1, 3, void) \
    m(Context3D, setScissorRectangle, 1, 1, void) \
    m(Context3D, setRenderToTexture, 1, 5, void) \
    m(Context3D, setRenderToBackBuffer, 0, 0, void) \
    m(Context3D, drawTriangles, 1, 3, void) \
    m(Context3D, drawTrianglesInstanced, 2, 4, void) \
    m(Context3D, drawToBitmapData, 1, 1, void) \
    m(Context3D, setFillMode, 1, 1, void) \
    m(VertexBuffer3D, uploadFromByteArray, 4, 4, void) \
    m(VertexBuffer3D, uploadFromVector, 3, 3, void) \
    m(VertexBuffer3D, uploadFromFloatVector, 3, 3, void) \
    m(VertexBuffer3D, dispose, 0, 0, void) \
    m(IndexBuffer3D, uploadFromByteArray, 4, 4, void) \
    m(IndexBuffer3D, uploadFromVector, 3, 3, void) \
    m(IndexBuffer3D, dispose, 0, 0, void) \
    m(Program3D, upload, 2, 2, void) \
    m(Program3D, dispose, 0, 0, void) \
    m(Texture, uploadFromBitmapData, 1, 2, void) \
    m(RectangleTexture, uploadFromBitmapData, 1, 1, void) \
    m(CubeTexture, uploadFromBitmapData, 2, 3, void) \
    m(Texture, uploadFromByteArray, 2, 3, void) \
    m(RectangleTexture, uploadFromByteArray, 2, 2, void) \
    m(CubeTexture, uploadFromByteArray, 3, 4, void) \
    m(Texture, uploadFromBitmapDataAsync, 1, 2, void) \
    m(RectangleTexture, uploadFromBitmapDataAsync, 1, 1, void) \
    m(CubeTexture, uploadFromBitmapDataAsync, 2, 3, void) \
    m(Texture, uploadFromByteArrayAsync, 2, 3, void) \
    m(RectangleTexture, uploadFromByteArrayAsync, 2, 2, void) \
    m(CubeTexture, uploadFromByteArrayAsync, 3, 4, void) \
    m(Texture, uploadCompressedTextureFromByteArray, 2, 3, void) \
    m(CubeTexture, uploadCompressedTextureFromByteArray, 2, 3, void) \
    m(Texture, dispose, 0, 0, void) \
    m(RectangleTexture, dispose, 0, 0, void) \
    m(CubeTexture, dispose, 0, 0, void) \
    m(VideoTexture, dispose, 0, 0, void) \
    m(VideoTexture, attachNetStream, 1, 1, void) \
    m(VideoTexture, attachCamera, 1, 1, void)

/* Properties that are assigned to by molehill_call, with one argument: class, name. */
#define MOLEHILL_SETTERS(m) \
    m(Stage3D, x) \
    m(Stage3D, y) \
    m(Stage3D, visible) \
    m(Context3D, enableErrorChecking) \
    m(Context3D, maxBackBufferWidth) \
    m(Context3D, maxBackBufferHeight) \
    m(Context3D, ignoreResourceLimits)

/* Properties that molehill_property reads: class, name, type, whether it is the class's. */
#define MOLEHILL_PROPERTIES(m) \
    m(Stage3D, context3D, Context3D, 0) \
    m(Stage3D, x, Number, 0) \
    m(Stage3D, y, Number, 0) \
    m(Stage3D, visible, Boolean, 0) \
    m(Context3D, driverInfo, String, 0) \
    m(Context3D, enableErrorChecking, Boolean, 0) \
    m(Context3D, profile, String, 0) \
    m(Context3D, backBufferWidth, int, 0) \
    m(Context3D, backBufferHeight, int, 0) \
    m(Context3D, maxBackBufferWidth, int, 0) \
    m(Context3D, maxBackBufferHeight, int, 0) \
    m(Context3D, supportsVideoTexture, Boolean, 1) \
    m(Context3D, totalGPUMemory, Number, 0) \
    m(Context3D, ignoreResourceLimits, Boolean, 0) \
    m(VideoTexture, videoWidth, int, 0) \
    m(VideoTexture, videoHeight, int, 0)

/* Constants that are strings: class, name, value. */
#define MOLEHILL_CONSTANTS(m) \
    m(Context3DBlendFactor, ZERO, "zero") \
    m(Context3DBlendFactor, ONE, "one") \
    m(Context3DBlendFactor, SOURCE_COLOR, "sourceColor") \
    m(Context3DBlendFactor, ONE_MINUS_SOURCE_COLOR, "oneMinusSourceColor") \
    m(Context3DBlendFactor, SOURCE_ALPHA, "sourceAlpha") \
    m(Context3DBlendFactor, ONE_MINUS_SOURCE_ALPHA, "oneMinusSourceAlpha") \
    m(Context3DBlendFactor, DESTINATION_ALPHA, "destinationAlpha") \
    m(Context3DBlendFactor, ONE_MINUS_DESTINATION_ALPHA, "oneMinusDestinationAlpha") \
    m(Context3DBlendFactor, DESTINATION_COLOR, "destinationColor") \
    m(Context3DBlendFactor, ONE_MINUS_DESTINATION_COLOR, "oneMinusDestinationColor") \
    m(Context3DBufferUsage, STATIC_DRAW, "staticDraw") \
    m(Context3DBufferUsage, DYNAMIC_DRAW, "dynamicDraw") \
    m(Context3DCompareMode, ALWAYS, "always") \
    m(Context3DCompareMode, EQUAL, "equal") \
    m(Context3DCompareMode, GREATER, "greater") \
    m(Context3DCompareMode, GREATER_EQUAL, "greaterEqual") \
    m(Context3DCompareMode, LESS, "less") \
    m(Context3DCompareMode, LESS_EQUAL, "lessEqual") \
    m(Context3DCompareMode, NEVER, "never") \
    m(Context3DCompareMode, NOT_EQUAL, "notEqual") \
    m(Context3DFillMode, SOLID, "solid") \
    m(Context3DFillMode, WIREFRAME, "wireframe") \
    m(Context3DMipFilter, MIPNONE, "mipnone") \
    m(Context3DMipFilter, MIPNEAREST, "mipnearest") \
    m(Context3DMipFilter, MIPLINEAR, "miplinear") \
    m(Context3DProfile, BASELINE_CONSTRAINED, "baselineConstrained") \
    m(Context3DProfile, BASELINE, "baseline") \
    m(Context3DProfile, BASELINE_EXTENDED, "baselineExtended") \
    m(Context3DProfile, STANDARD_CONSTRAINED, "standardConstrained") \
    m(Context3DProfile, STANDARD, "standard") \
    m(Context3DProfile, STANDARD_EXTENDED, "standardExtended") \
    m(Context3DProgramType, VERTEX, "vertex") \
    m(Context3DProgramType, FRAGMENT, "fragment") \
    m(Context3DRenderMode, AUTO, "auto") \
    m(Context3DRenderMode, SOFTWARE, "software") \
    m(Context3DStencilAction, KEEP, "keep") \
    m(Context3DStencilAction, ZERO, "zero") \
    m(Context3DStencilAction, SET, "set") \
    m(Context3DStencilAction, INVERT, "invert") \
    m(Context3DStencilAction, INCREMENT_SATURATE, "incrementSaturate") \
    m(Context3DStencilAction, DECREMENT_SATURATE, "decrementSaturate") \
    m(Context3DStencilAction, INCREMENT_WRAP, "incrementWrap") \
    m(Context3DStencilAction, DECREMENT_WRAP, "decrementWrap") \
    m(Context3DTextureFilter, NEAREST, "nearest") \
    m(Context3DTextureFilter, LINEAR, "linear") \
    m(Context3DTextureFilter, ANISOTROPIC2X, "anisotropic2x") \
    m(Context3DTextureFilter, ANISOTROPIC4X, "anisotropic4x") \
    m(Context3DTextureFilter, ANISOTROPIC8X, "anisotropic8x") \
    m(Context3DTextureFilter, ANISOTROPIC16X, "anisotropic16x") \
    m(Context3DTextureFormat, BGRA, "bgra") \
    m(Context3DTextureFormat, BGR_PACKED, "bgrPacked565") \
    m(Context3DTextureFormat, BGRA_PACKED, "bgraPacked4444") \
    m(Context3DTextureFormat, COMPRESSED, "compressed") \
    m(Context3DTextureFormat, COMPRESSED_ALPHA, "compressedAlpha") \
    m(Context3DTextureFormat, RGBA_HALF_FLOAT, "rgbaHalfFloat") \
    m(Context3DTriangleFace, NONE, "none") \
    m(Context3DTriangleFace, BACK, "back") \
    m(Context3DTriangleFace, FRONT, "front") \
    m(Context3DTriangleFace, FRONT_AND_BACK, "frontAndBack") \
    m(Context3DVertexBufferFormat, FLOAT_1, "float1") \
    m(Context3DVertexBufferFormat, FLOAT_2, "float2") \
    m(Context3DVertexBufferFormat, FLOAT_3, "float3") \
    m(Context3DVertexBufferFormat, FLOAT_4, "float4") \
    m(Context3DVertexBufferFormat, BYTES_4, "bytes4") \
    m(Context3DWrapMode, CLAMP, "clamp") \
    m(Context3DWrapMode, REPEAT, "repeat") \
    m(Context3DWrapMode, CLAMP_U_REPEAT_V, "clamp_u_repeat_v") \
    m(Context3DWrapMode, REPEAT_U_CLAMP_V, "repeat_u_clamp_v")

/* Constants that are int: class, name, value. */
#define MOLEHILL_INT_CONSTANTS(m) \
    m(Context3DClearMask, COLOR, 1) \
    m(Context3DClearMask, DEPTH, 2) \
    m(Context3DClearMask, STENCIL, 4) \
    m(Context3DClearMask, ALL, 7)

/* Classes of flash.display3D and flash.display3D.textures: class, superclass. */
#define MOLEHILL_CLASSES(m) \
    m(Context3D, EventDispatcher) \
    m(VertexBuffer3D, Object) \
    m(IndexBuffer3D, Object) \
    m(Program3D, Object) \
    m(TextureBase, EventDispatcher) \
    m(Texture, TextureBase) \
    m(RectangleTexture, TextureBase) \
    m(CubeTexture, TextureBase) \
    m(VideoTexture, TextureBase) \
    m(Context3DBlendFactor, Object) \
    m(Context3DBufferUsage, Object) \
    m(Context3DClearMask, Object) \
    m(Context3DCompareMode, Object) \
    m(Context3DFillMode, Object) \
    m(Context3DMipFilter, Object) \
    m(Context3DProfile, Object) \
    m(Context3DProgramType, Object) \
    m(Context3DRenderMode, Object) \
    m(Context3DStencilAction, Object) \
    m(Context3DTextureFilter, Object) \
    m(Context3DTextureFormat, Object) \
    m(Context3DTriangleFace, Object) \
    m(Context3DVertexBufferFormat, Object) \
    m(Context3DWrapMode, Object)
