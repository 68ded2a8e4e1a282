// The header that most files of Lightspark include; build.sh precompiles it.
#include "scripting/abc.h"
#include "scripting/argconv.h"
#include "scripting/class.h"
#include "scripting/flash/display/RootMovieClip.h"
#include "scripting/flash/utils/ByteArray.h"
#include "scripting/toplevel/Vector.h"
#include "scripting/toplevel/toplevel.h"
