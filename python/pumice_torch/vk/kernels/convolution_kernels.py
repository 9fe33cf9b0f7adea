"""Triton kernels for convolutions: products whose operands are never laid out.

All kernels see three dimensions of space, of which some may have size 1. `F` are filters and `C` channels of one group;
a place is one of KD x KH x KW in a filter. The axis that is contiguous in memory should be the last one of a tile: tiles
of results have pixels along the rows if PIXELS_FIRST, and along the columns otherwise. If CHANNELS_LAST, the channels of
`x` are contiguous.
"""
from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def _multiply(x, y, sum, USES_DOT: tl.constexpr):
    if USES_DOT:
        return tl.dot(x, y, sum)
    return sum + tl.sum(x.to(sum.dtype)[:, :, None] * y.to(sum.dtype)[None, :, :], 1)


@triton.jit
def lay_filters(w, out, count, F, C, w_f, w_c, w_d, w_h, w_w, KD: tl.constexpr, KH: tl.constexpr, KW: tl.constexpr,
                FILTERS_LAST: tl.constexpr, BLOCK: tl.constexpr):
    """Copies filters so that each place of a group is a matrix. `count` are all filters' elements."""
    places: tl.constexpr = KD * KH * KW
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if FILTERS_LAST:
        f, c = at % F, at // F % C
    else:
        c, f = at % C, at // C % F
    place = at // (F * C) % places
    f += at // (F * C * places) * F
    kd, kh, kw = place // (KH * KW), place // KW % KH, place % KW
    value = tl.load(w + f * w_f + c * w_c + kd * w_d + kh * w_h + kw * w_w, mask=at < count)
    tl.store(out + at, value, mask=at < count)


@triton.jit
def lay_channels(x, out, images, C, D, H, W, x_n, x_c, x_d, x_h, x_w, CHANNELS: tl.constexpr, PIXELS: tl.constexpr):
    """Copies images so that channels are the last dimension."""
    across = tl.cdiv(C, CHANNELS)
    pixel = tl.program_id(0) // across * PIXELS + tl.arange(0, PIXELS)
    c = tl.program_id(0) % across * CHANNELS + tl.arange(0, CHANNELS)
    n, d, h, v = pixel // (D * H * W), pixel // (H * W) % D, pixel // W % H, pixel % W
    mask = (n < images)[:, None] & (c < C)[None, :]
    value = tl.load(x + (n * x_n + d * x_d + h * x_h + v * x_w)[:, None] + c[None, :] * x_c, mask=mask)
    tl.store(out + pixel[:, None] * C + c[None, :], value, mask=mask)


@triton.jit
def _store_tile(out, sum, at, offset, is_pixel, is_offset, PIXELS_FIRST: tl.constexpr):
    if PIXELS_FIRST:
        tl.store(out + at[:, None] + offset[None, :], sum, mask=is_pixel[:, None] & is_offset[None, :])
    else:
        tl.store(out + at[None, :] + offset[:, None], sum, mask=is_pixel[None, :] & is_offset[:, None])


@triton.jit
def _add_bias(sum, bias, filter, is_filter, PIXELS_FIRST: tl.constexpr):
    if bias is not None:
        more = tl.load(bias + filter, mask=is_filter, other=0).to(sum.dtype)
        if PIXELS_FIRST:
            sum += more[None, :]
        else:
            sum += more[:, None]
    return sum


@triton.jit
def _add_place(sum, x_at, w_at, is_pixel, is_filter, K, x_k, w_k, BLOCK_K: tl.constexpr, USES_DOT: tl.constexpr,
               IS_EVEN: tl.constexpr, PIXELS_FIRST: tl.constexpr, CHANNELS_LAST: tl.constexpr):
    """Adds the product for one place of the filters, over K channels. `x_at` and `w_at` are pointers."""
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        if CHANNELS_LAST:
            is_x = is_pixel[:, None] if IS_EVEN else is_pixel[:, None] & (k < K)[None, :]
            part = tl.load(x_at[:, None] + k[None, :] * x_k, mask=is_x, other=0)
        else:
            is_x = is_pixel[None, :] if IS_EVEN else is_pixel[None, :] & (k < K)[:, None]
            part = tl.load(x_at[None, :] + k[:, None] * x_k, mask=is_x, other=0)
        if PIXELS_FIRST:
            is_w = is_filter[None, :] if IS_EVEN else is_filter[None, :] & (k < K)[:, None]
            right = tl.load(w_at[None, :] + k[:, None] * w_k, mask=is_w, other=0)
            sum = _multiply(part if CHANNELS_LAST else tl.trans(part), right, sum, USES_DOT)
        else:
            is_w = is_filter[:, None] if IS_EVEN else is_filter[:, None] & (k < K)[None, :]
            left = tl.load(w_at[:, None] + k[None, :] * w_k, mask=is_w, other=0)
            sum = _multiply(left, tl.trans(part) if CHANNELS_LAST else part, sum, USES_DOT)
    return sum


@triton.jit
def forward(x, w, bias, out, images, C, D, H, W, F, OD, OH, OW, x_n, x_c, x_d, x_h, x_w, w_g, w_p, w_f, w_c,
            out_n, out_c, out_d, out_h, out_w, SD: tl.constexpr, SH: tl.constexpr, SW: tl.constexpr, PD: tl.constexpr,
            PH: tl.constexpr, PW: tl.constexpr, DD: tl.constexpr, DH: tl.constexpr, DW: tl.constexpr, KD: tl.constexpr,
            KH: tl.constexpr, KW: tl.constexpr, KIND: tl.constexpr, PIXELS: tl.constexpr, FILTERS: tl.constexpr,
            BLOCK_K: tl.constexpr, USES_DOT: tl.constexpr, IS_FLAT: tl.constexpr, IS_EVEN: tl.constexpr,
            PIXELS_FIRST: tl.constexpr, CHANNELS_LAST: tl.constexpr):
    """Sums over places and channels. If IS_FLAT, both are one index: channels are few."""
    places: tl.constexpr = KD * KH * KW
    down = tl.cdiv(images * OD * OH * OW, PIXELS)
    across = tl.cdiv(F, FILTERS)
    tile = tl.program_id(0) % (down * across)
    group = tl.program_id(0) // (down * across)
    pixel = tile // across * PIXELS + tl.arange(0, PIXELS)
    filter = tile % across * FILTERS + tl.arange(0, FILTERS)
    n = pixel // (OD * OH * OW)
    d = pixel // (OH * OW) % OD * SD - PD
    h = pixel // OW % OH * SH - PH
    v = pixel % OW * SW - PW
    is_pixel = n < images
    is_filter = filter < F
    x += group * C * x_c
    w += group * w_g
    sum = tl.zeros((PIXELS, FILTERS) if PIXELS_FIRST else (FILTERS, PIXELS), KIND)
    if IS_FLAT:
        for start in range(0, C * places, BLOCK_K):
            k = start + tl.arange(0, BLOCK_K)
            c, place = k // places, k % places
            kd, kh, kw = place // (KH * KW), place // KW % KH, place % KW
            w_at = c * w_c + place * w_p
            x_at = c * x_c + kd * DD * x_d + kh * DH * x_h + kw * DW * x_w
            if PIXELS_FIRST:
                at_d, at_h, at_w = d[:, None] + (kd * DD)[None, :], h[:, None] + (kh * DH)[None, :], \
                    v[:, None] + (kw * DW)[None, :]
                inside = (at_d >= 0) & (at_d < D) & (at_h >= 0) & (at_h < H) & (at_w >= 0) & (at_w < W)
                left = tl.load(x + (n * x_n + d * x_d + h * x_h + v * x_w)[:, None] + x_at[None, :],
                               mask=inside & is_pixel[:, None] & (c < C)[None, :], other=0)
                right = tl.load(w + filter[None, :] * w_f + w_at[:, None],
                                mask=is_filter[None, :] & (c < C)[:, None], other=0)
            else:
                at_d, at_h, at_w = d[None, :] + (kd * DD)[:, None], h[None, :] + (kh * DH)[:, None], \
                    v[None, :] + (kw * DW)[:, None]
                inside = (at_d >= 0) & (at_d < D) & (at_h >= 0) & (at_h < H) & (at_w >= 0) & (at_w < W)
                left = tl.load(w + filter[:, None] * w_f + w_at[None, :],
                               mask=is_filter[:, None] & (c < C)[None, :], other=0)
                right = tl.load(x + (n * x_n + d * x_d + h * x_h + v * x_w)[None, :] + x_at[:, None],
                                mask=inside & is_pixel[None, :] & (c < C)[:, None], other=0)
            sum = _multiply(left, right, sum, USES_DOT)
    else:
        for place in range(places):
            kd, kh, kw = place // (KH * KW), place // KW % KH, place % KW
            at_d, at_h, at_w = d + kd * DD, h + kh * DH, v + kw * DW
            inside = (at_d >= 0) & (at_d < D) & (at_h >= 0) & (at_h < H) & (at_w >= 0) & (at_w < W) & is_pixel
            sum = _add_place(sum, x + (n * x_n + at_d * x_d + at_h * x_h + at_w * x_w), w + place * w_p + filter * w_f,
                             inside, is_filter, C, x_c, w_c, BLOCK_K, USES_DOT, IS_EVEN, PIXELS_FIRST,
                             CHANNELS_LAST)
    filter += group * F
    sum = _add_bias(sum, bias, filter, is_filter, PIXELS_FIRST)
    at = n * out_n + pixel // (OH * OW) % OD * out_d + pixel // OW % OH * out_h + pixel % OW * out_w
    _store_tile(out, sum, at, filter * out_c, is_pixel, is_filter, PIXELS_FIRST)


@triton.jit
def spread(x, w, bias, out, images, C, D, H, W, F, OD, OH, OW, x_n, x_c, x_d, x_h, x_w, w_g, w_p, w_f, w_c,
           out_n, out_c, out_d, out_h, out_w, SD: tl.constexpr, SH: tl.constexpr, SW: tl.constexpr, PD: tl.constexpr,
           PH: tl.constexpr, PW: tl.constexpr, DD: tl.constexpr, DH: tl.constexpr, DW: tl.constexpr, KD: tl.constexpr,
           KH: tl.constexpr, KW: tl.constexpr, KIND: tl.constexpr, PIXELS: tl.constexpr, FILTERS: tl.constexpr,
           BLOCK_K: tl.constexpr, USES_DOT: tl.constexpr, IS_EVEN: tl.constexpr, PIXELS_FIRST: tl.constexpr,
           CHANNELS_LAST: tl.constexpr):
    """Transposes `forward`: `x` has F filters of OD x OH x OW, `out` has C channels of D x H x W.

    A program computes pixels that are a stride apart, to which the same places of the filters contribute.
    """
    ND, NH, NW = tl.cdiv(D, SD), tl.cdiv(H, SH), tl.cdiv(W, SW)
    down = tl.cdiv(images * ND * NH * NW, PIXELS)
    across = tl.cdiv(C, FILTERS)
    tile = tl.program_id(0) % (down * across)
    first = tl.program_id(0) // (down * across) % (SD * SH * SW)
    group = tl.program_id(0) // (down * across * (SD * SH * SW))
    pixel = tile // across * PIXELS + tl.arange(0, PIXELS)
    channel = tile % across * FILTERS + tl.arange(0, FILTERS)
    n = pixel // (ND * NH * NW)
    d0, h0, v0 = first // (SH * SW) + PD, first // SW % SH + PH, first % SW + PW
    d = pixel // (NH * NW) % ND * SD + d0
    h = pixel // NW % NH * SH + h0
    v = pixel % NW * SW + v0
    is_pixel = (n < images) & (d - PD < D) & (h - PH < H) & (v - PW < W)
    is_channel = channel < C
    x += group * F * x_c
    w += group * w_g
    sum = tl.zeros((PIXELS, FILTERS) if PIXELS_FIRST else (FILTERS, PIXELS), KIND)
    for place in range(KD * KH * KW):
        kd, kh, kw = place // (KH * KW), place // KW % KH, place % KW
        if ((d0 - kd * DD) % SD == 0) & ((h0 - kh * DH) % SH == 0) & ((v0 - kw * DW) % SW == 0):
            far_d, far_h, far_w = d - kd * DD, h - kh * DH, v - kw * DW
            at_d, at_h, at_w = far_d // SD, far_h // SH, far_w // SW
            inside = (far_d >= 0) & (at_d < OD) & (far_h >= 0) & (at_h < OH) & (far_w >= 0) & (at_w < OW) & is_pixel
            sum = _add_place(sum, x + (n * x_n + at_d * x_d + at_h * x_h + at_w * x_w), w + place * w_p + channel * w_c,
                             inside, is_channel, F, x_c, w_f, BLOCK_K, USES_DOT, IS_EVEN, PIXELS_FIRST,
                             CHANNELS_LAST)
    channel += group * C
    sum = _add_bias(sum, bias, channel, is_channel, PIXELS_FIRST)
    at = n * out_n + (d - PD) * out_d + (h - PH) * out_h + (v - PW) * out_w
    _store_tile(out, sum, at, channel * out_c, is_pixel, is_channel, PIXELS_FIRST)


@triton.jit
def correlate(x, y, parts, images, groups, C, D, H, W, F, OD, OH, OW, x_n, x_c, x_d, x_h, x_w, y_n, y_c, y_d, y_h, y_w,
              splits, SD: tl.constexpr, SH: tl.constexpr, SW: tl.constexpr, PD: tl.constexpr, PH: tl.constexpr,
              PW: tl.constexpr, DD: tl.constexpr, DH: tl.constexpr, DW: tl.constexpr, KD: tl.constexpr,
              KH: tl.constexpr, KW: tl.constexpr, KIND: tl.constexpr, FILTERS: tl.constexpr, CHANNELS: tl.constexpr,
              BLOCK_K: tl.constexpr, USES_DOT: tl.constexpr, IS_FLAT: tl.constexpr, PIXELS_FIRST: tl.constexpr):
    """Computes the filters' gradient: `x` has C channels of D x H x W, `y` has F filters of OD x OH x OW.

    Each of `splits` parts sums over some of the pixels, so that there are enough programs. A part has for each filter
    its channels, and for each channel its places. If IS_FLAT, a tile has several places.
    """
    places: tl.constexpr = KD * KH * KW
    down = tl.cdiv(F, FILTERS)
    across = tl.cdiv(C * places, CHANNELS) if IS_FLAT else tl.cdiv(C, CHANNELS) * places
    tile = tl.program_id(0) % (down * across)
    group = tl.program_id(0) // (down * across) % groups
    split = tl.program_id(0) // (down * across * groups)
    f = tile // across * FILTERS + tl.arange(0, FILTERS)
    if IS_FLAT:
        right = tile % across * CHANNELS + tl.arange(0, CHANNELS)
        c, place = right // places, right % places
    else:
        c = tile % across // places * CHANNELS + tl.arange(0, CHANNELS)
        place = tile % across % places
        right = c * places + place
    kd, kh, kw = place // (KH * KW) * DD - PD, place // KW % KH * DH - PH, place % KW * DW - PW
    y_at = y + (group * F + f) * y_c
    x_at = x + (group * C + c) * x_c + (kd * x_d + kh * x_h + kw * x_w)
    pixels = images * OD * OH * OW
    steps = tl.cdiv(tl.cdiv(pixels, splits), BLOCK_K)
    first = split * steps * BLOCK_K
    sum = tl.zeros((FILTERS, CHANNELS), KIND)
    for step in range(steps):
        pixel = first + step * BLOCK_K + tl.arange(0, BLOCK_K)
        n, d, h, v = pixel // (OD * OH * OW), pixel // (OH * OW) % OD, pixel // OW % OH, pixel % OW
        is_pixel = pixel < pixels
        y_pixel = n * y_n + d * y_d + h * y_h + v * y_w
        d, h, v = d * SD, h * SH, v * SW
        x_pixel = n * x_n + d * x_d + h * x_h + v * x_w
        if IS_FLAT:
            at_d, at_h, at_w = d[None, :] + kd[:, None], h[None, :] + kh[:, None], v[None, :] + kw[:, None]
            inside = (at_d >= 0) & (at_d < D) & (at_h >= 0) & (at_h < H) & (at_w >= 0) & (at_w < W) & is_pixel[None, :]
            columns = tl.load(x_at[:, None] + x_pixel[None, :], mask=inside & (c < C)[:, None], other=0)
            columns = tl.trans(columns)
        else:
            at_d, at_h, at_w = d + kd, h + kh, v + kw
            inside = (at_d >= 0) & (at_d < D) & (at_h >= 0) & (at_h < H) & (at_w >= 0) & (at_w < W) & is_pixel
            if PIXELS_FIRST:
                columns = tl.load(x_at[None, :] + x_pixel[:, None], mask=inside[:, None] & (c < C)[None, :], other=0)
            else:
                columns = tl.load(x_at[:, None] + x_pixel[None, :], mask=inside[None, :] & (c < C)[:, None], other=0)
                columns = tl.trans(columns)
        if PIXELS_FIRST:
            rows = tl.load(y_at[None, :] + y_pixel[:, None], mask=(f < F)[None, :] & is_pixel[:, None], other=0)
            rows = tl.trans(rows)
        else:
            rows = tl.load(y_at[:, None] + y_pixel[None, :], mask=(f < F)[:, None] & is_pixel[None, :], other=0)
        sum = _multiply(rows, columns, sum, USES_DOT)
    at = parts + ((split * groups + group) * F + f)[:, None] * (C * places) + right[None, :]
    tl.store(at, sum, mask=(f < F)[:, None] & (c < C)[None, :])


@triton.jit
def add_parts(parts, out, splits, filters, C, out_f, out_c, out_d, out_h, out_w, KD: tl.constexpr, KH: tl.constexpr,
              KW: tl.constexpr, BLOCK: tl.constexpr):
    """Adds the parts of the filters' gradient."""
    places: tl.constexpr = KD * KH * KW
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    count = filters * C * places
    sum = tl.load(parts + at, mask=at < count, other=0)
    for split in range(1, splits):
        sum += tl.load(parts + split * count + at, mask=at < count, other=0)
    place = at % places
    to = at // (C * places) * out_f + at // places % C * out_c
    to += place // (KH * KW) * out_d + place // KW % KH * out_h + place % KW * out_w
    tl.store(out + to, sum, mask=at < count)


@triton.jit
def slide(x, w, bias, out, images, groups, D, H, W, OD, OH, OW, x_n, x_c, x_d, x_h, x_w, w_f, w_d, w_h, w_w,
          out_n, out_c, out_d, out_h, out_w, SD: tl.constexpr, SH: tl.constexpr, SW: tl.constexpr, PD: tl.constexpr,
          PH: tl.constexpr, PW: tl.constexpr, DD: tl.constexpr, DH: tl.constexpr, DW: tl.constexpr, KD: tl.constexpr,
          KH: tl.constexpr, KW: tl.constexpr, KIND: tl.constexpr, IS_BACKWARD: tl.constexpr,
          PIXELS_FIRST: tl.constexpr, BLOCK: tl.constexpr):
    """Convolves each channel with a filter of its own, or transposes that if IS_BACKWARD: `out` is D x H x W then."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    depth, height, width = (D, H, W) if IS_BACKWARD else (OD, OH, OW)
    if PIXELS_FIRST:
        g, rest = i % groups, i // groups
        v, h, d, n = rest % width, rest // width % height, rest // (width * height) % depth, rest // (width * height * depth)
    else:
        v, h, d, rest = i % width, i // width % height, i // (width * height) % depth, i // (width * height * depth)
        g, n = rest % groups, rest // groups
    sum = tl.zeros((BLOCK,), KIND)
    if bias is not None:
        sum += tl.load(bias + g).to(KIND)
    for place in range(KD * KH * KW):
        kd, kh, kw = place // (KH * KW), place // KW % KH, place % KW
        if IS_BACKWARD:
            far_d, far_h, far_w = d + PD - kd * DD, h + PH - kh * DH, v + PW - kw * DW
            at_d, at_h, at_w = far_d // SD, far_h // SH, far_w // SW
            inside = (far_d >= 0) & (at_d < OD) & (far_h >= 0) & (at_h < OH) & (far_w >= 0) & (at_w < OW)
            inside &= (far_d % SD == 0) & (far_h % SH == 0) & (far_w % SW == 0)
        else:
            at_d, at_h, at_w = d * SD - PD + kd * DD, h * SH - PH + kh * DH, v * SW - PW + kw * DW
            inside = (at_d >= 0) & (at_d < D) & (at_h >= 0) & (at_h < H) & (at_w >= 0) & (at_w < W)
        factor = tl.load(w + g * w_f + kd * w_d + kh * w_h + kw * w_w).to(KIND)
        sum += tl.load(x + n * x_n + g * x_c + at_d * x_d + at_h * x_h + at_w * x_w, mask=inside & (n < images),
                       other=0).to(KIND) * factor
    tl.store(out + n * out_n + g * out_c + d * out_d + h * out_h + v * out_w, sum, mask=n < images)


@triton.jit
def correlate_channels(x, y, parts, images, groups, D, H, W, OD, OH, OW, x_n, x_c, x_d, x_h, x_w, y_n, y_c, y_d, y_h,
                       y_w, splits, SD: tl.constexpr, SH: tl.constexpr, SW: tl.constexpr, PD: tl.constexpr,
                       PH: tl.constexpr, PW: tl.constexpr, DD: tl.constexpr, DH: tl.constexpr, DW: tl.constexpr,
                       KD: tl.constexpr, KH: tl.constexpr, KW: tl.constexpr, KIND: tl.constexpr, GROUPS: tl.constexpr,
                       BLOCK: tl.constexpr):
    """Computes the filters' gradient of `slide`. A program sums one place of GROUPS channels over some of the pixels."""
    places: tl.constexpr = KD * KH * KW
    across = tl.cdiv(groups, GROUPS)
    g = tl.program_id(0) % across * GROUPS + tl.arange(0, GROUPS)
    place = tl.program_id(0) // across % places
    split = tl.program_id(0) // (across * places)
    kd, kh, kw = place // (KH * KW) * DD - PD, place // KW % KH * DH - PH, place % KW * DW - PW
    pixels = images * OD * OH * OW
    steps = tl.cdiv(tl.cdiv(pixels, splits), BLOCK)
    sum = tl.zeros((GROUPS, BLOCK), KIND)
    for step in range(steps):
        pixel = (split * steps + step) * BLOCK + tl.arange(0, BLOCK)
        n, d, h, v = pixel // (OD * OH * OW), pixel // (OH * OW) % OD, pixel // OW % OH, pixel % OW
        at_d, at_h, at_w = d * SD + kd, h * SH + kh, v * SW + kw
        inside = (at_d >= 0) & (at_d < D) & (at_h >= 0) & (at_h < H) & (at_w >= 0) & (at_w < W) & (pixel < pixels)
        mask = inside[None, :] & (g < groups)[:, None]
        left = tl.load(y + g[:, None] * y_c + (n * y_n + d * y_d + h * y_h + v * y_w)[None, :], mask=mask, other=0)
        right = tl.load(x + g[:, None] * x_c + (n * x_n + at_d * x_d + at_h * x_h + at_w * x_w)[None, :], mask=mask,
                        other=0)
        sum += left.to(KIND) * right.to(KIND)
    tl.store(parts + (split * groups + g) * places + place, tl.sum(sum, 1), mask=g < groups)
