/* Encodes, recodes and decodes files in memory with jxrlib. `reference.rs` has the other side of these declarations.
 *
 * jxrlib's encoder always gives all tiles the same quantisers, though it can do more: `requantise` steps in between its
 * initialisation and the first pixel and writes the headers again, as jxrlib's own transcoder does. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <JXRGlue.h>
#include "strcodec.h"
#include "encode.h"

/* Parts of jxrlib that its headers don't declare. */
extern ERR WriteContainerPre(PKImageEncode *);
extern ERR WriteContainerPost(PKImageEncode *);
extern ERR PKImageEncode_EncodeContent_Init(PKImageEncode *, PKPixelInfo, U32, U8 *, U32);
extern ERR PKImageEncode_EncodeContent_Encode(PKImageEncode *, U32, U8 *, U32);
extern ERR PKImageEncode_EncodeContent_Term(PKImageEncode *);
extern ERR PKImageEncode_EncodeAlpha(PKImageEncode *, PKPixelInfo, U32, U8 *, U32);
extern Int WriteWMIHeader(CWMImageStrCodec *);
extern Int WriteImagePlaneHeader(CWMImageStrCodec *);
extern Int writeIndexTableNull(CWMImageStrCodec *);

enum { MOST_TILES = 16 };

struct settings {
    uint32_t width, height;
    uint32_t format;      /* Place in `formats`. */
    uint32_t colour;      /* COLORFORMAT of the codestream. */
    uint32_t overlap;     /* 0 to 2. */
    uint32_t frequency;   /* Packets by band; */
    uint32_t progressive; /* and those of a band together. */
    uint32_t bands;       /* SUBBAND: what is left out. */
    uint32_t alpha;       /* 0 none, 2 planar, 3 interleaved. */
    uint32_t trim;        /* Flexbits cut off. */
    uint32_t hard_tiles;
    uint32_t unscaled;
    uint32_t steps[10];   /* Quantiser indices: Y U V of DC, of LP, of HP, and alpha. */
    uint32_t columns, rows;
    uint32_t column_widths[MOST_TILES], row_heights[MOST_TILES]; /* In macroblocks. */
    uint32_t requantise;  /* Whether the next three count. */
    uint32_t mode;        /* jxrlib's uQPMode. */
    uint32_t scaled;
    uint32_t seed;        /* Of jxrlib's random choice of quantisers. */
};

static const PKPixelFormatGUID *const formats[] = {
    &GUID_PKPixelFormat8bppGray, &GUID_PKPixelFormat16bppRGB555, &GUID_PKPixelFormat16bppRGB565,
    &GUID_PKPixelFormat24bppBGR, &GUID_PKPixelFormat24bppRGB,    &GUID_PKPixelFormat32bppBGRA,
};

static CWMIStrCodecParam parameters(const struct settings *s)
{
    CWMIStrCodecParam p;
    memset(&p, 0, sizeof p);
    p.cfColorFormat = (COLORFORMAT)s->colour;
    p.bdBitDepth = BD_LONG;
    p.bfBitstreamFormat = s->frequency ? FREQUENCY : SPATIAL;
    p.bProgressiveMode = s->progressive;
    p.olOverlap = (OVERLAP)s->overlap;
    p.sbSubband = (SUBBAND)s->bands;
    p.uAlphaMode = (U8)s->alpha;
    p.uiTrimFlexBits = (U8)s->trim;
    p.bUseHardTileBoundaries = s->hard_tiles;
    p.bUnscaledArith = s->unscaled;
    p.uiDefaultQPIndex = (U8)s->steps[0];
    p.uiDefaultQPIndexU = (U8)s->steps[1];
    p.uiDefaultQPIndexV = (U8)s->steps[2];
    p.uiDefaultQPIndexYLP = (U8)s->steps[3];
    p.uiDefaultQPIndexULP = (U8)s->steps[4];
    p.uiDefaultQPIndexVLP = (U8)s->steps[5];
    p.uiDefaultQPIndexYHP = (U8)s->steps[6];
    p.uiDefaultQPIndexUHP = (U8)s->steps[7];
    p.uiDefaultQPIndexVHP = (U8)s->steps[8];
    p.uiDefaultQPIndexAlpha = (U8)s->steps[9];
    p.cNumOfSliceMinus1V = s->columns - 1;
    p.cNumOfSliceMinus1H = s->rows - 1;
    memcpy(p.uiTileX, s->column_widths, sizeof s->column_widths);
    memcpy(p.uiTileY, s->row_heights, sizeof s->row_heights);
    return p;
}

/* Formats the quantisers that all tiles share for another mode. */
static void share_quantisers(CWMImageStrCodec *codec)
{
    const U32 mode = codec->m_param.uQPMode;
    const Bool scaled = codec->m_param.bScaledArith;
    const size_t channels = codec->m_param.cNumChannels;
    const SUBBAND bands = codec->WMISCP.sbSubband;
    CWMITile *tile = codec->pTile;

    if (!(mode & 1)) {
        formatQuantizer(tile->pQuantizerDC, mode >> 3 & 3, channels, 0, TRUE, scaled);
        for (size_t i = 0; i < channels; i++)
            tile->pQuantizerDC[i]->iOffset = tile->pQuantizerDC[i]->iQP >> 1;
    }
    if (bands == SB_DC_ONLY)
        return;
    if (!(mode & 2)) {
        if (mode & 0x200)
            formatQuantizer(tile->pQuantizerLP, mode >> 5 & 3, channels, 0, TRUE, scaled);
        else
            useDCQuantizer(codec, 0);
    }
    if (bands == SB_NO_HIGHPASS)
        return;
    if (!(mode & 4)) {
        if (mode & 0x400)
            formatQuantizer(tile->pQuantizerHP, mode >> 7 & 3, channels, 0, FALSE, scaled);
        else
            useLPQuantizer(codec, 1, 0);
    }
}

static void requantise(const struct settings *s, CWMImageStrCodec *image)
{
    CWMImageStrCodec *const alpha = image->m_pNextSC;
    CWMImageStrCodec *const codecs[] = { image, alpha };

    srand(s->seed);
    for (int i = 0; i < (alpha ? 2 : 1); i++) {
        codecs[i]->m_param.uQPMode = s->mode;
        codecs[i]->m_param.bScaledArith = s->scaled;
        share_quantisers(codecs[i]);
    }
    attachISWrite(image->pIOHeader, image->WMISCP.pWStream);
    WriteWMIHeader(image);
    if (alpha)
        WriteImagePlaneHeader(alpha);
    writeIndexTableNull(image);
}

/* Gives the file's length, or a negative error of jxrlib. */
int64_t reference_encode(const struct settings *s, uint8_t *pixels, uint32_t stride, uint8_t *out, size_t capacity)
{
    ERR err = WMP_errSuccess;
    PKImageEncode *encoder = NULL;
    struct WMPStream *stream = NULL;
    PKPixelInfo info;
    size_t length = 0;
    CWMIStrCodecParam p = parameters(s);

    Call(CreateWS_Memory(&stream, out, capacity));
    Call(PKImageEncode_Create_WMP(&encoder));
    Call(encoder->Initialize(encoder, stream, &p, sizeof p));
    encoder->WMP.wmiSCP_Alpha.uiDefaultQPIndex = p.uiDefaultQPIndexAlpha;
    encoder->WMP.wmiSCP_Alpha.uiDefaultQPIndexYLP = p.uiDefaultQPIndexAlpha;
    encoder->WMP.wmiSCP_Alpha.uiDefaultQPIndexYHP = p.uiDefaultQPIndexAlpha;
    Call(encoder->SetPixelFormat(encoder, *formats[s->format]));
    Call(encoder->SetSize(encoder, s->width, s->height));
    Call(encoder->SetResolution(encoder, 96, 96));
    info.pGUIDPixFmt = &encoder->guidPixFormat;
    Call(PixelFormatLookup(&info, LOOKUP_FORWARD));
    encoder->WMP.bHasAlpha = !!(info.grBit & PK_pixfmtHasAlpha);

    Call(WriteContainerPre(encoder));
    encoder->fHeaderDone = TRUE;
    Call(stream->GetPos(stream, &length));
    encoder->WMP.nOffImage = (Long)length;
    Call(PKImageEncode_EncodeContent_Init(encoder, info, s->height, pixels, stride));
    if (s->requantise)
        requantise(s, (CWMImageStrCodec *)encoder->WMP.ctxSC);
    Call(PKImageEncode_EncodeContent_Encode(encoder, s->height, pixels, stride));
    Call(PKImageEncode_EncodeContent_Term(encoder));
    Call(stream->GetPos(stream, &length));
    encoder->WMP.nCbImage = (Long)length - encoder->WMP.nOffImage;
    if (s->alpha == 2) {
        Call(PKImageEncode_EncodeAlpha(encoder, info, s->height, pixels, stride));
        Call(stream->GetPos(stream, &length));
    }
    Call(WriteContainerPost(encoder));

Cleanup:
    if (encoder)
        encoder->Release(&encoder);
    return Failed(err) ? err : (int64_t)length;
}

static ERR open_decoder(PKImageDecode **decoder, const uint8_t *file, size_t length)
{
    ERR err = WMP_errSuccess;
    struct WMPStream *stream = NULL;

    Call(PKImageDecode_Create_WMP(decoder));
    Call(CreateWS_Memory(&stream, (void *)file, length));
    (*decoder)->fStreamOwner = TRUE;
    Call((*decoder)->Initialize(*decoder, stream));
    /* Else alpha is left out. */
    (*decoder)->WMP.wmiSCP.uAlphaMode = 2;
Cleanup:
    return err;
}

/* Cuts a part of the picture out of a file without decoding it. Gives the new file's length, or a negative error. */
int64_t reference_cut(const uint8_t *file, size_t length, const uint32_t part[4], uint32_t frequency, uint32_t alpha,
                      uint8_t *out, size_t capacity)
{
    ERR err = WMP_errSuccess;
    PKImageDecode *decoder = NULL;
    PKImageEncode *encoder = NULL;
    struct WMPStream *stream = NULL;
    size_t written = 0;
    CWMIStrCodecParam p;
    CWMTranscodingParam t;

    memset(&p, 0, sizeof p);
    memset(&t, 0, sizeof t);
    t.cLeftX = part[0];
    t.cTopY = part[1];
    t.cWidth = part[2];
    t.cHeight = part[3];
    t.bfBitstreamFormat = frequency ? FREQUENCY : SPATIAL;
    t.uAlphaMode = (U8)alpha;
    Call(open_decoder(&decoder, file, length));
    Call(CreateWS_Memory(&stream, out, capacity));
    Call(PKImageEncode_Create_WMP(&encoder));
    Call(encoder->Initialize(encoder, stream, &p, sizeof p));
    encoder->WMP.wmiSCP.uAlphaMode = (U8)alpha;
    Call(encoder->Transcode(encoder, decoder, &t));
    written = (size_t)(alpha == 2 ? encoder->WMP.nOffAlpha + encoder->WMP.nCbAlpha
                                  : encoder->WMP.nOffImage + encoder->WMP.nCbImage);
Cleanup:
    if (encoder)
        encoder->Release(&encoder);
    if (decoder)
        decoder->Release(&decoder);
    return Failed(err) ? err : (int64_t)written;
}

/* Gives the size in pixels and the bytes of a pixel, and decodes into `out` where that is large enough. */
int32_t reference_decode(const uint8_t *file, size_t length, uint8_t *out, size_t capacity, uint32_t size[3])
{
    ERR err = WMP_errSuccess;
    PKImageDecode *decoder = NULL;
    PKPixelInfo info;
    PKRect rect = { 0, 0, 0, 0 };

    Call(open_decoder(&decoder, file, length));
    Call(decoder->GetSize(decoder, &rect.Width, &rect.Height));
    info.pGUIDPixFmt = &decoder->guidPixFormat;
    Call(PixelFormatLookup(&info, LOOKUP_FORWARD));
    size[0] = (uint32_t)rect.Width;
    size[1] = (uint32_t)rect.Height;
    size[2] = info.cbitUnit / 8;
    if ((uint64_t)size[0] * size[1] * size[2] <= capacity)
        err = decoder->Copy(decoder, &rect, out, size[0] * size[2]);
Cleanup:
    if (decoder)
        decoder->Release(&decoder);
    return err;
}
