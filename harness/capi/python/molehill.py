"""Stage3D for emulators: molehill.h for Python."""

# Written by `UPDATE=1 cargo test -p molehill-c --test generated`.
# fmt: off

import os
import sys
from ctypes import *

NAMES = {"darwin": "libmolehill.0.2.dylib", "win32": "molehill_c.dll"}
library = CDLL(os.environ.get("MOLEHILL_LIBRARY", NAMES.get(sys.platform, "libmolehill.so.0.2")))
if library.molehill_abi_version() != 2:
    raise ImportError("another version of libmolehill")


class Text(c_char_p):
    """A text: a string, bytes, or None."""

    @classmethod
    def from_param(cls, value):
        return c_char_p(value.encode() if isinstance(value, str) else value)


class Sized(Structure):
    """A struct that knows its size."""

    def __init__(self, **fields):
        super().__init__(struct_size=sizeof(self), **fields)


class MolehillException(Exception):
    """A call that failed; its text is ActionScript's for an error of Flash."""

    def __init__(self):
        error = Error()
        library.molehill_last_error(byref(error))
        self.status, self.number, self.token = error.status, error.number, error.token
        self.error_class = error.class_name.decode()
        super().__init__((error.as3_message if error.number else error.message).decode())


# The value that a function returns through its last pointer is its result.
RESULTS = {"created", "device", "context", "stage", "recording", "agal"}


def _call(name, result, *parameters):
    """A function: names, types and ActionScript's defaults of its parameters."""
    last = parameters[-1] if parameters else ("", None)
    returns = last[0] in RESULTS and isinstance(last[1], type) and issubclass(last[1], POINTER(Device).__base__)
    flags = [(1, *parameter[:1], *parameter[2:]) for parameter in parameters]
    if returns:
        flags[-1] = (2, last[0])
    types = (parameter[1] for parameter in parameters)
    function = CFUNCTYPE(result, *types)(("molehill_" + name, library), tuple(flags))

    def check(status, _, arguments):
        if status < 0:
            raise MolehillException
        return arguments if returns else status

    if result is c_int32:
        function.errcheck = check
    return function


def data(values):
    """The pointer and the length of bytes or an array of ctypes."""
    return values, len(values)

STATUS_OK = 0
STATUS_SKIPPED = 1
STATUS_NOTHING = 2
STATUS_ATTACH = 3
STATUS_FLASH_ERROR = -1
STATUS_UNSUPPORTED = -2
STATUS_OUT_OF_MEMORY = -3
STATUS_DEVICE_LOST = -4
STATUS_DRIVER = -5
STATUS_BAD_HANDLE = -6
STATUS_BAD_ARGUMENT = -7
STATUS_WRONG_THREAD = -8
STATUS_BUSY = -9
STATUS_IO = -10
STATUS_INTERNAL = -11
STATUS_THROWN = -12
ERROR_CLASS_NONE = 0
ERROR_CLASS_ERROR = 1
ERROR_CLASS_ARGUMENT_ERROR = 2
ERROR_CLASS_RANGE_ERROR = 3
ERROR_CLASS_TYPE_ERROR = 4
ENDED_ALIVE = 0
ENDED_DISPOSED = 1
ENDED_DISPOSED_TO_RECREATE = 2
ENDED_LOST = 3
VALUE_KIND_NULL = 0
VALUE_KIND_BOOLEAN = 1
VALUE_KIND_NUMBER = 2
VALUE_KIND_TEXT = 3
VALUE_KIND_CONTEXT = 4
STAGE_EVENT_KIND_CONTEXT_CREATED = 0
STAGE_EVENT_KIND_ERROR = 1
STAGE_EVENT_KIND_TEXTURE_READY = 2
STAGE_EVENT_KIND_TEXTURE_ERROR = 3
LOG_LEVEL_OFF = 0
LOG_LEVEL_ERROR = 1
LOG_LEVEL_WARN = 2
LOG_LEVEL_INFO = 3
LOG_LEVEL_DEBUG = 4
LOG_LEVEL_TRACE = 5
class Error(Sized):
    _fields_ = [("struct_size", c_size_t), ("status", c_int32), ("number", c_uint32), ("token", c_uint32), ("error_class", c_int32), ("class_name", c_char_p), ("message", c_char_p), ("as3_message", c_char_p)]
Loader = CFUNCTYPE(c_void_p, c_void_p, c_char_p)
class MakeCurrent(Sized):
    _fields_ = [("struct_size", c_size_t), ("make_current", CFUNCTYPE(c_int32, c_void_p)), ("is_current", CFUNCTYPE(c_int32, c_void_p)), ("release", CFUNCTYPE(None, c_void_p)), ("user_data", c_void_p)]
class DeviceOptions(Sized):
    _fields_ = [("struct_size", c_size_t), ("workarounds", c_char_p), ("gles", c_int32), ("debug", c_int32), ("restore", c_int32), ("threads", c_uint32), ("share_context", c_void_p), ("share_display", c_void_p)]
class Device(Structure):
    _fields_ = [("id", c_uint64)]
class ProgramCache(Sized):
    _fields_ = [("struct_size", c_size_t), ("load", CFUNCTYPE(c_size_t, c_void_p, c_char_p, c_void_p, c_size_t)), ("store", CFUNCTYPE(None, c_void_p, c_char_p, c_void_p, c_size_t)), ("user_data", c_void_p)]
class Recovery(Sized):
    _fields_ = [("struct_size", c_size_t), ("open", CFUNCTYPE(Device, c_void_p)), ("user_data", c_void_p), ("forget_rendered_textures", c_int32), ("frame_bytes", c_uint64)]
class ContextOptions(Sized):
    _fields_ = [("struct_size", c_size_t), ("profile", c_char_p), ("swf_version", c_uint32), ("recovery", POINTER(Recovery))]
class Context(Structure):
    _fields_ = [("id", c_uint64)]
class Rectangle(Structure):
    _fields_ = [("x", c_double), ("y", c_double), ("width", c_double), ("height", c_double)]
class Host(Sized):
    _fields_ = [("struct_size", c_size_t), ("background", c_int32), ("has_descriptor", c_int32), ("descriptor_depth_and_stencil", c_int32), ("has_placement", c_int32), ("x", c_double), ("y", c_double), ("stage", Rectangle), ("no_runtime_compression", c_int32), ("no_video_textures", c_int32), ("software", c_int32), ("ignored_limits_memory", c_uint64), ("contents_scale", c_double), ("browser_zoom", c_double), ("ignore_resource_limits", c_int32), ("max_back_buffer", c_uint32), ("no_error_texts", c_int32)]
Collector = CFUNCTYPE(c_int32, c_void_p)
class ContextInfo(Sized):
    _fields_ = [("struct_size", c_size_t), ("ended", c_int32), ("error_checking", c_int32), ("ignores_resource_limits", c_int32), ("supports_video_texture", c_int32), ("back_buffer_width", c_uint32), ("back_buffer_height", c_uint32), ("back_buffer_pixels_width", c_uint32), ("back_buffer_pixels_height", c_uint32), ("max_back_buffer_width", c_uint32), ("max_back_buffer_height", c_uint32), ("total_gpu_memory", c_uint64), ("profile", c_char_p), ("driver_info", c_char_p), ("restored", c_uint64)]
class VertexBuffer(Structure):
    _fields_ = [("id", c_uint64)]
class IndexBuffer(Structure):
    _fields_ = [("id", c_uint64)]
class Program(Structure):
    _fields_ = [("id", c_uint64)]
class Texture(Structure):
    _fields_ = [("id", c_uint64)]
class BitmapTarget(Sized):
    _fields_ = [("struct_size", c_size_t), ("width", c_uint32), ("height", c_uint32), ("pixels", c_void_p), ("length", c_size_t), ("stride", c_size_t), ("transparent", c_int32), ("rgba", c_int32), ("straight_alpha", c_int32)]
class Point(Structure):
    _fields_ = [("x", c_double), ("y", c_double)]
class Bitmap(Sized):
    _fields_ = [("struct_size", c_size_t), ("width", c_uint32), ("height", c_uint32), ("pixels", c_void_p), ("length", c_size_t), ("stride", c_size_t), ("transparent", c_int32), ("rgba", c_int32), ("straight_alpha", c_int32)]
class Object(Structure):
    _fields_ = [("id", c_uint64)]
class Bytes(Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t), ("big_endian", c_int32)]
class Numbers(Structure):
    _fields_ = [("data", POINTER(c_double)), ("length", c_size_t)]
class Floats(Structure):
    _fields_ = [("data", POINTER(c_float)), ("length", c_size_t)]
class Uints(Structure):
    _fields_ = [("data", POINTER(c_uint32)), ("length", c_size_t)]
class Matrix(Structure):
    _fields_ = [("raw_data", c_double * 16)]
class Texts(Structure):
    _fields_ = [("data", POINTER(c_char_p)), ("length", c_size_t)]
class Arguments(Sized):
    _fields_ = [("struct_size", c_size_t), ("user_data", c_void_p), ("is_left", CFUNCTYPE(c_int32, c_void_p)), ("next_int", CFUNCTYPE(c_int32, c_void_p, POINTER(c_int32))), ("next_uint", CFUNCTYPE(c_int32, c_void_p, POINTER(c_uint32))), ("next_number", CFUNCTYPE(c_int32, c_void_p, POINTER(c_double))), ("next_bool", CFUNCTYPE(c_int32, c_void_p, POINTER(c_int32))), ("next_string", CFUNCTYPE(c_int32, c_void_p, POINTER(c_char_p))), ("next_bytes", CFUNCTYPE(c_int32, c_void_p, POINTER(Bytes))), ("next_numbers", CFUNCTYPE(c_int32, c_void_p, POINTER(Numbers))), ("next_floats", CFUNCTYPE(c_int32, c_void_p, POINTER(Floats))), ("next_uints", CFUNCTYPE(c_int32, c_void_p, POINTER(Uints))), ("next_matrix", CFUNCTYPE(c_int32, c_void_p, POINTER(Matrix))), ("next_rectangle", CFUNCTYPE(c_int32, c_void_p, POINTER(Rectangle))), ("next_point", CFUNCTYPE(c_int32, c_void_p, POINTER(Point))), ("next_bitmap", CFUNCTYPE(c_int32, c_void_p, POINTER(Bitmap))), ("next_bitmap_target", CFUNCTYPE(c_int32, c_void_p, POINTER(BitmapTarget))), ("next_object", CFUNCTYPE(c_int32, c_void_p, POINTER(Object))), ("next_strings", CFUNCTYPE(c_int32, c_void_p, POINTER(Texts))), ("listens", CFUNCTYPE(c_int32, c_void_p))]
class Value(Sized):
    _fields_ = [("struct_size", c_size_t), ("kind", c_int32), ("number", c_double), ("text", c_char_p)]
class Size(Structure):
    _fields_ = [("width", c_uint32), ("height", c_uint32)]
class TextureEvent(Sized):
    _fields_ = [("struct_size", c_size_t), ("texture", Texture), ("user_data", c_uint64), ("failed", c_int32), ("error_number", c_uint32), ("message", c_char_p)]
class Plane(Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t), ("stride", c_size_t)]
class YuvFrame(Sized):
    _fields_ = [("struct_size", c_size_t), ("width", c_uint32), ("height", c_uint32), ("y", Plane), ("u", Plane), ("v", Plane), ("bt709", c_int32)]
class Front(Sized):
    _fields_ = [("struct_size", c_size_t), ("texture", c_uint32), ("framebuffer", c_uint32), ("width", c_uint32), ("height", c_uint32)]
class Placement(Sized):
    _fields_ = [("struct_size", c_size_t), ("x", c_int32), ("y", c_int32), ("width", c_uint32), ("height", c_uint32), ("bottom_up", c_int32), ("smooth", c_int32)]
class Region(Structure):
    _fields_ = [("x", c_uint32), ("y", c_uint32), ("width", c_uint32), ("height", c_uint32)]
class Pixels(Sized):
    _fields_ = [("struct_size", c_size_t), ("pixels", c_void_p), ("length", c_size_t), ("stride", c_size_t), ("rgba", c_int32), ("bottom_up", c_int32), ("full_size", c_int32)]
class FrontExchange(Structure):
    _fields_ = [("id", c_uint64)]
class Stage3D(Structure):
    _fields_ = [("id", c_uint64)]
class Stage3DInfo(Sized):
    _fields_ = [("struct_size", c_size_t), ("x", c_double), ("y", c_double), ("visible", c_int32), ("requested", c_int32), ("alive", c_int32), ("render_mode", c_char_p), ("profiles", POINTER(c_char_p)), ("profile_count", c_size_t), ("width", c_uint32), ("height", c_uint32)]
class Recording(Structure):
    _fields_ = [("id", c_uint64)]
class StageEvent(Sized):
    _fields_ = [("struct_size", c_size_t), ("kind", c_int32), ("context", Context), ("user_data", c_uint64), ("error_number", c_uint32), ("message", c_char_p)]
class RecordingOptions(Sized):
    _fields_ = [("struct_size", c_size_t), ("title", c_char_p), ("generator", c_char_p), ("swf_version", c_uint32), ("stage_width", c_uint32), ("stage_height", c_uint32), ("stage_color", c_uint32), ("frame_rate", c_double), ("limit", c_uint64)]
class Agal(Structure):
    _fields_ = [("id", c_uint64)]
class Sampler(Structure):
    _fields_ = [("used", c_int32), ("cube", c_int32), ("ignore_sampler", c_int32), ("lod_bias", c_float), ("format", c_char_p), ("wrap", c_char_p), ("filter", c_char_p), ("mip", c_char_p)]
class AgalInfo(Sized):
    _fields_ = [("struct_size", c_size_t), ("version", c_uint32), ("attributes", c_uint32), ("live_attributes", c_uint32), ("varyings", c_uint32), ("color_outputs", c_uint32), ("depth_output", c_int32), ("discards", c_int32), ("derivatives", c_int32), ("instance_id", c_int32), ("vertex_constants", c_uint32), ("fragment_constants", c_uint32), ("vertex_constants_read", c_uint32 * 8), ("fragment_constants_read", c_uint32 * 8), ("vertex_samplers", Sampler * 4), ("fragment_samplers", Sampler * 16)]
class GlslTarget(Sized):
    _fields_ = [("struct_size", c_size_t), ("dialect", c_char_p), ("zero_to_one", c_int32), ("position_bias", c_float), ("ieee_floats", c_int32), ("comments", c_int32)]
class Shaders(Sized):
    _fields_ = [("struct_size", c_size_t), ("vertex", c_char_p), ("fragment", c_char_p), ("vertex_constants", POINTER(c_uint16)), ("vertex_constant_count", c_size_t), ("fragment_constants", POINTER(c_uint16)), ("fragment_constant_count", c_size_t)]
class Binding(Structure):
    _fields_ = [("group", c_uint32), ("binding", c_uint32)]
class WgslTarget(Sized):
    _fields_ = [("struct_size", c_size_t), ("binding_step", c_uint32), ("vertex_constants", Binding), ("fragment_constants", Binding), ("vertex_textures", Binding), ("vertex_samplers", Binding), ("fragment_textures", Binding), ("fragment_samplers", Binding), ("vertex_entry", c_char_p), ("fragment_entry", c_char_p), ("vertex_opaque", c_uint16), ("fragment_opaque", c_uint16), ("ieee_floats", c_int32), ("comments", c_int32)]
Log = CFUNCTYPE(None, c_void_p, c_int32, c_char_p, c_char_p)
last_error = _call("last_error", c_int32, ("error", POINTER(Error)))
flash_error = _call("flash_error", c_int32, ("number", c_uint32), ("arguments", POINTER(c_char_p)), ("count", c_size_t))
device_from_loader = _call("device_from_loader", c_int32, ("loader", Loader), ("user_data", c_void_p), ("current", POINTER(MakeCurrent)), ("options", POINTER(DeviceOptions)), ("device", POINTER(Device)))
device_offscreen = _call("device_offscreen", c_int32, ("options", POINTER(DeviceOptions)), ("device", POINTER(Device)))
device_software = _call("device_software", c_int32, ("options", POINTER(DeviceOptions)), ("device", POINTER(Device)))
device_invalidate_state = _call("device_invalidate_state", c_int32, ("device", Device))
device_reset_to_gl_defaults = _call("device_reset_to_gl_defaults", c_int32, ("device", Device))
device_abandon = _call("device_abandon", c_int32, ("device", Device))
device_make_current = _call("device_make_current", c_int32, ("device", Device))
device_destroy = _call("device_destroy", c_int32, ("device", Device))
device_set_program_cache = _call("device_set_program_cache", c_int32, ("device", Device), ("cache", POINTER(ProgramCache)))
context_create = _call("context_create", c_int32, ("device", Device), ("options", POINTER(ContextOptions)), ("context", POINTER(Context)))
context_destroy = _call("context_destroy", c_int32, ("context", Context))
context_set_options = _call("context_set_options", c_int32, ("context", Context), ("options", POINTER(ContextOptions)))
context_set_host = _call("context_set_host", c_int32, ("context", Context), ("host", POINTER(Host)))
context_set_collector = _call("context_set_collector", c_int32, ("context", Context), ("collector", Collector), ("user_data", c_void_p))
context_check_position = _call("context_check_position", c_int32, ("context", Context), ("x", c_double), ("y", c_double))
context_lose = _call("context_lose", c_int32, ("context", Context))
context_info = _call("context_info", c_int32, ("context", Context), ("info", POINTER(ContextInfo)))
context_configure_back_buffer = _call("context_configure_back_buffer", c_int32, ("context", Context), ("width", c_int32), ("height", c_int32), ("anti_alias", c_int32), ("enable_depth_and_stencil", c_int32, 1), ("wants_best_resolution", c_int32, 0), ("wants_best_resolution_on_browser_zoom", c_int32, 0))
context_clear = _call("context_clear", c_int32, ("context", Context), ("red", c_double, 0.0), ("green", c_double, 0.0), ("blue", c_double, 0.0), ("alpha", c_double, 1.0), ("depth", c_double, 1.0), ("stencil", c_uint32, 0), ("mask", c_uint32, 0xffffffff))
context_present = _call("context_present", c_int32, ("context", Context))
context_dispose = _call("context_dispose", c_int32, ("context", Context), ("recreate", c_int32, 1))
context_create_vertex_buffer = _call("context_create_vertex_buffer", c_int32, ("context", Context), ("num_vertices", c_int32), ("data32_per_vertex", c_int32), ("buffer_usage", Text, "staticDraw"), ("created", POINTER(VertexBuffer)))
context_create_vertex_buffer_for_instances = _call("context_create_vertex_buffer_for_instances", c_int32, ("context", Context), ("num_vertices", c_int32), ("data32_per_vertex", c_int32), ("instances_per_element", c_int32), ("buffer_usage", Text, "staticDraw"), ("created", POINTER(VertexBuffer)))
context_create_index_buffer = _call("context_create_index_buffer", c_int32, ("context", Context), ("num_indices", c_int32), ("buffer_usage", Text, "staticDraw"), ("created", POINTER(IndexBuffer)))
context_create_program = _call("context_create_program", c_int32, ("context", Context), ("created", POINTER(Program)))
context_create_texture = _call("context_create_texture", c_int32, ("context", Context), ("width", c_int32), ("height", c_int32), ("format", Text), ("optimize_for_render_to_texture", c_int32), ("streaming_levels", c_int32, 0), ("created", POINTER(Texture)))
context_create_rectangle_texture = _call("context_create_rectangle_texture", c_int32, ("context", Context), ("width", c_int32), ("height", c_int32), ("format", Text), ("optimize_for_render_to_texture", c_int32), ("created", POINTER(Texture)))
context_create_cube_texture = _call("context_create_cube_texture", c_int32, ("context", Context), ("size", c_int32), ("format", Text), ("optimize_for_render_to_texture", c_int32), ("streaming_levels", c_int32, 0), ("created", POINTER(Texture)))
context_create_video_texture = _call("context_create_video_texture", c_int32, ("context", Context), ("created", POINTER(Texture)))
context_set_program = _call("context_set_program", c_int32, ("context", Context), ("program", Program))
context_set_program_constants_from_matrix = _call("context_set_program_constants_from_matrix", c_int32, ("context", Context), ("program_type", Text), ("first_register", c_int32), ("matrix", POINTER(c_double)), ("transposed_matrix", c_int32, 0))
context_set_program_constants_from_vector = _call("context_set_program_constants_from_vector", c_int32, ("context", Context), ("program_type", Text), ("first_register", c_int32), ("data", POINTER(c_double)), ("data_length", c_size_t), ("num_registers", c_int32, - 1))
context_set_program_constants_from_float_vector = _call("context_set_program_constants_from_float_vector", c_int32, ("context", Context), ("program_type", Text), ("first_register", c_int32), ("data", POINTER(c_float)), ("data_length", c_size_t), ("num_registers", c_int32, - 1))
context_set_program_constants_from_byte_array = _call("context_set_program_constants_from_byte_array", c_int32, ("context", Context), ("program_type", Text), ("first_register", c_int32), ("num_registers", c_int32), ("data", c_void_p), ("data_length", c_size_t), ("byte_array_offset", c_uint32))
context_set_vertex_buffer_at = _call("context_set_vertex_buffer_at", c_int32, ("context", Context), ("index", c_int32), ("buffer", VertexBuffer), ("buffer_offset", c_int32, 0), ("format", Text, "float4"))
context_set_texture_at = _call("context_set_texture_at", c_int32, ("context", Context), ("sampler", c_int32), ("texture", Texture))
context_set_sampler_state_at = _call("context_set_sampler_state_at", c_int32, ("context", Context), ("sampler", c_int32), ("wrap", Text), ("filter", Text), ("mipfilter", Text))
context_set_blend_factors = _call("context_set_blend_factors", c_int32, ("context", Context), ("source_factor", Text), ("destination_factor", Text))
context_set_color_mask = _call("context_set_color_mask", c_int32, ("context", Context), ("red", c_int32), ("green", c_int32), ("blue", c_int32), ("alpha", c_int32))
context_set_culling = _call("context_set_culling", c_int32, ("context", Context), ("triangle_face_to_cull", Text))
context_set_depth_test = _call("context_set_depth_test", c_int32, ("context", Context), ("depth_mask", c_int32), ("pass_compare_mode", Text))
context_set_stencil_actions = _call("context_set_stencil_actions", c_int32, ("context", Context), ("triangle_face", Text, "frontAndBack"), ("compare_mode", Text, "always"), ("action_on_both_pass", Text, "keep"), ("action_on_depth_fail", Text, "keep"), ("action_on_depth_pass_stencil_fail", Text, "keep"))
context_set_stencil_reference_value = _call("context_set_stencil_reference_value", c_int32, ("context", Context), ("reference_value", c_uint32), ("read_mask", c_uint32, 255), ("write_mask", c_uint32, 255))
context_set_scissor_rectangle = _call("context_set_scissor_rectangle", c_int32, ("context", Context), ("rectangle", POINTER(Rectangle)))
context_set_render_to_texture = _call("context_set_render_to_texture", c_int32, ("context", Context), ("texture", Texture), ("enable_depth_and_stencil", c_int32, 0), ("anti_alias", c_int32, 0), ("surface_selector", c_int32, 0), ("color_output_index", c_int32, 0))
context_set_render_to_back_buffer = _call("context_set_render_to_back_buffer", c_int32, ("context", Context))
context_draw_triangles = _call("context_draw_triangles", c_int32, ("context", Context), ("index_buffer", IndexBuffer), ("first_index", c_int32, 0), ("num_triangles", c_int32, - 1))
context_draw_triangles_instanced = _call("context_draw_triangles_instanced", c_int32, ("context", Context), ("index_buffer", IndexBuffer), ("num_instances", c_int32), ("first_index", c_int32, 0), ("num_triangles", c_int32, - 1))
context_draw_to_bitmap_data = _call("context_draw_to_bitmap_data", c_int32, ("context", Context), ("destination", POINTER(BitmapTarget)), ("source_rect", POINTER(Rectangle), None), ("dest_point", POINTER(Point), None))
context_set_fill_mode = _call("context_set_fill_mode", c_int32, ("context", Context), ("fill_mode", Text))
context_set_error_checking = _call("context_set_error_checking", c_int32, ("context", Context), ("value", c_int32))
context_set_max_back_buffer_width = _call("context_set_max_back_buffer_width", c_int32, ("context", Context), ("value", c_int32))
context_set_max_back_buffer_height = _call("context_set_max_back_buffer_height", c_int32, ("context", Context), ("value", c_int32))
context_set_ignore_resource_limits = _call("context_set_ignore_resource_limits", c_int32, ("context", Context), ("value", c_int32))
vertex_buffer_upload_from_byte_array = _call("vertex_buffer_upload_from_byte_array", c_int32, ("buffer", VertexBuffer), ("data", c_void_p), ("data_length", c_size_t), ("byte_array_offset", c_int32), ("start_vertex", c_int32), ("num_vertices", c_int32))
vertex_buffer_upload_from_vector = _call("vertex_buffer_upload_from_vector", c_int32, ("buffer", VertexBuffer), ("data", POINTER(c_double)), ("data_length", c_size_t), ("start_vertex", c_int32), ("num_vertices", c_int32))
vertex_buffer_upload_from_float_vector = _call("vertex_buffer_upload_from_float_vector", c_int32, ("buffer", VertexBuffer), ("data", POINTER(c_float)), ("data_length", c_size_t), ("start_vertex", c_int32), ("num_vertices", c_int32))
vertex_buffer_dispose = _call("vertex_buffer_dispose", c_int32, ("buffer", VertexBuffer))
index_buffer_upload_from_byte_array = _call("index_buffer_upload_from_byte_array", c_int32, ("buffer", IndexBuffer), ("data", c_void_p), ("data_length", c_size_t), ("byte_array_offset", c_int32), ("start_offset", c_int32), ("count", c_int32))
index_buffer_upload_from_vector = _call("index_buffer_upload_from_vector", c_int32, ("buffer", IndexBuffer), ("data", POINTER(c_uint32)), ("data_length", c_size_t), ("start_offset", c_int32), ("count", c_int32))
index_buffer_dispose = _call("index_buffer_dispose", c_int32, ("buffer", IndexBuffer))
program_upload = _call("program_upload", c_int32, ("program", Program), ("vertex_program", c_void_p), ("vertex_program_length", c_size_t), ("vertex_program_big_endian", c_int32), ("fragment_program", c_void_p), ("fragment_program_length", c_size_t), ("fragment_program_big_endian", c_int32))
program_dispose = _call("program_dispose", c_int32, ("program", Program))
texture_upload_from_bitmap_data = _call("texture_upload_from_bitmap_data", c_int32, ("texture", Texture), ("source", POINTER(Bitmap)), ("side", c_int64, -1), ("miplevel", c_uint32, 0))
texture_upload_from_byte_array = _call("texture_upload_from_byte_array", c_int32, ("texture", Texture), ("data", c_void_p), ("data_length", c_size_t), ("byte_array_offset", c_uint32), ("side", c_int64, -1), ("miplevel", c_uint32, 0))
texture_upload_from_bitmap_data_async = _call("texture_upload_from_bitmap_data_async", c_int32, ("texture", Texture), ("source", POINTER(Bitmap)), ("side", c_int64, -1), ("miplevel", c_uint32, 0))
texture_upload_from_byte_array_async = _call("texture_upload_from_byte_array_async", c_int32, ("texture", Texture), ("data", c_void_p), ("data_length", c_size_t), ("byte_array_offset", c_uint32), ("side", c_int64, -1), ("miplevel", c_uint32, 0))
texture_upload_compressed_from_byte_array = _call("texture_upload_compressed_from_byte_array", c_int32, ("texture", Texture), ("data", c_void_p), ("data_length", c_size_t), ("byte_array_offset", c_uint32), ("is_async", c_int32, 0))
texture_upload_blocks = _call("texture_upload_blocks", c_int32, ("texture", Texture), ("data", c_void_p), ("data_length", c_size_t), ("format", Text), ("side", c_int64, -1), ("miplevel", c_uint32))
texture_dispose = _call("texture_dispose", c_int32, ("texture", Texture))
video_texture_frame = _call("video_texture_frame", c_int32, ("texture", Texture), ("source", POINTER(Bitmap)))
call = _call("call", c_int32, ("on", Object), ("class_name", Text), ("method", Text), ("arguments", POINTER(Arguments)), ("created", POINTER(Object)))
property = _call("property", c_int32, ("on", Object), ("class_name", Text), ("property", Text), ("value", POINTER(Value)))
object_release = _call("object_release", c_int32, ("object", Object))
object_set_user_data = _call("object_set_user_data", c_int32, ("object", Object), ("user_data", c_uint64))
object_user_data = _call("object_user_data", c_int32, ("object", Object), ("user_data", POINTER(c_uint64)))
object_set_name = _call("object_set_name", c_int32, ("object", Object), ("name", Text))
texture_video_size = _call("texture_video_size", c_int32, ("texture", Texture), ("size", POINTER(Size)))
context_collect_released = _call("context_collect_released", c_int32, ("context", Context))
context_take_texture_event = _call("context_take_texture_event", c_int32, ("context", Context), ("event", POINTER(TextureEvent)))
video_texture_yuv_frame = _call("video_texture_yuv_frame", c_int32, ("texture", Texture), ("frame", POINTER(YuvFrame)))
context_front = _call("context_front", c_int32, ("context", Context), ("front", POINTER(Front)))
context_present_into_framebuffer = _call("context_present_into_framebuffer", c_int32, ("context", Context), ("framebuffer", c_uint32), ("place", POINTER(Placement)))
context_present_into_texture = _call("context_present_into_texture", c_int32, ("context", Context), ("texture", c_uint32), ("place", POINTER(Placement)))
context_read_front = _call("context_read_front", c_int32, ("context", Context), ("region", POINTER(Region)), ("pixels", POINTER(Pixels)), ("size", POINTER(Size)))
context_read_front_delayed = _call("context_read_front_delayed", c_int32, ("context", Context), ("region", POINTER(Region)), ("pixels", POINTER(Pixels)), ("size", POINTER(Size)))
front_exchange_create = _call("front_exchange_create", c_int32, ("exchange", POINTER(FrontExchange)))
front_exchange_destroy = _call("front_exchange_destroy", c_int32, ("exchange", FrontExchange))
context_publish_front = _call("context_publish_front", c_int32, ("context", Context), ("exchange", FrontExchange))
front_exchange_acquire = _call("front_exchange_acquire", c_int32, ("exchange", FrontExchange), ("loader", Loader), ("user_data", c_void_p), ("front", POINTER(Front)))
front_exchange_release = _call("front_exchange_release", c_int32, ("exchange", FrontExchange))
stage3d_create = _call("stage3d_create", c_int32, ("stage", POINTER(Stage3D)))
stage3d_destroy = _call("stage3d_destroy", c_int32, ("stage", Stage3D))
stage3d_set_x = _call("stage3d_set_x", c_int32, ("stage", Stage3D), ("value", c_double))
stage3d_set_y = _call("stage3d_set_y", c_int32, ("stage", Stage3D), ("value", c_double))
stage3d_set_visible = _call("stage3d_set_visible", c_int32, ("stage", Stage3D), ("value", c_int32))
stage3d_set_host = _call("stage3d_set_host", c_int32, ("stage", Stage3D), ("host", POINTER(Host)))
stage3d_info = _call("stage3d_info", c_int32, ("stage", Stage3D), ("info", POINTER(Stage3DInfo)))
stage3d_request = _call("stage3d_request", c_int32, ("stage", Stage3D), ("render_mode", Text), ("profile", Text), ("listens", c_int32))
stage3d_request_matching = _call("stage3d_request_matching", c_int32, ("stage", Stage3D), ("profiles", POINTER(c_char_p)), ("count", c_size_t), ("listens", c_int32))
stage3d_answer = _call("stage3d_answer", c_int32, ("stage", Stage3D), ("device", Device), ("swf_version", c_uint32), ("others", c_uint32), ("options", POINTER(ContextOptions)))
stage3d_context_ended = _call("stage3d_context_ended", c_int32, ("stage", Stage3D), ("context", Context))
stage3d_record = _call("stage3d_record", c_int32, ("stage", Stage3D), ("recording", Recording), ("index", c_uint32))
stage3d_begin_frame = _call("stage3d_begin_frame", c_int32, ("stage", Stage3D), ("device", Device), ("swf_version", c_uint32), ("others", c_uint32), ("event", POINTER(StageEvent)))
stage3d_end_frame = _call("stage3d_end_frame", c_int32, ("stage", Stage3D), ("device", Device), ("swf_version", c_uint32), ("others", c_uint32), ("event", POINTER(StageEvent)))
context_record = _call("context_record", c_int32, ("context", Context), ("recording", Recording), ("stage3d_index", c_uint32), ("render_mode", Text))
recording_start = _call("recording_start", c_int32, ("path", Text), ("options", POINTER(RecordingOptions)), ("recording", POINTER(Recording)))
recording_end_frame = _call("recording_end_frame", c_int32, ("recording", Recording))
recording_set_x = _call("recording_set_x", c_int32, ("recording", Recording), ("index", c_uint32), ("value", c_double))
recording_set_y = _call("recording_set_y", c_int32, ("recording", Recording), ("index", c_uint32), ("value", c_double))
recording_set_visible = _call("recording_set_visible", c_int32, ("recording", Recording), ("index", c_uint32), ("value", c_int32))
recording_stop = _call("recording_stop", c_int32, ("recording", Recording))
recording_name = _call("recording_name", c_int32, ("recording", Recording), ("object", Object), ("name", Text))
recording_marker = _call("recording_marker", c_int32, ("recording", Recording), ("name", Text))
recording_stack = _call("recording_stack", c_int32, ("recording", Recording), ("functions", Text))
agal_create = _call("agal_create", c_int32, ("vertex_program", c_void_p), ("vertex_program_length", c_size_t), ("vertex_program_big_endian", c_int32), ("fragment_program", c_void_p), ("fragment_program_length", c_size_t), ("fragment_program_big_endian", c_int32), ("profile", Text), ("agal", POINTER(Agal)))
agal_destroy = _call("agal_destroy", c_int32, ("agal", Agal))
agal_info = _call("agal_info", c_int32, ("agal", Agal), ("info", POINTER(AgalInfo)))
agal_glsl = _call("agal_glsl", c_int32, ("agal", Agal), ("target", POINTER(GlslTarget)), ("shaders", POINTER(Shaders)))
agal_wgsl = _call("agal_wgsl", c_int32, ("agal", Agal), ("target", POINTER(WgslTarget)), ("shaders", POINTER(Shaders)))
set_log = _call("set_log", c_int32, ("log", Log), ("user_data", c_void_p), ("level", c_int32))
version = _call("version", Text)
abi_version = _call("abi_version", c_uint32)
