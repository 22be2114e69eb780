/** Images for previews, and measurements of the results. Tests that need them are skipped if sharp is missing. */
import { constants, deflateRawSync } from 'node:zlib'

/** Properties of an image. */
export interface Look {
  readonly width: number
  readonly height: number
  readonly format: string
  readonly isProgressive?: boolean
  readonly exif?: Buffer
  readonly icc?: Buffer
}

interface Sharp {
  metadata(): Promise<Look>
  withExif(exif: object): Sharp
  withMetadata(options: { orientation?: number }): Sharp
  toFormat(format: string, options?: object): Sharp
  toBuffer(): Promise<Buffer>
  raw(): Sharp
}
type SharpModule = (input: Buffer | object | readonly Buffer[], options?: object) => Sharp

const name: string = 'sharp'
const sharp = await import(name).then(
  (module: { default: SharpModule }) => module.default,
  () => undefined
)

/** The reason to skip tests with images; `false` if they can run. */
export const noPictures = sharp ? false : 'sharp is not installed'

/** Creates an image of one colour. */
export async function picture(
  width: number,
  height: number,
  { colour = 'red', format = 'jpeg', orientation = 1 } = {}
): Promise<Buffer> {
  return await sharp!({ create: { width, height, channels: 3, background: colour } })
    .withExif({ IFD0: { Artist: 'somebody secret' } })
    .withMetadata({ orientation })
    .toFormat(format)
    .toBuffer()
}

/** Creates a GIF with two frames, one colour each. */
export async function animation(width: number, height: number, colours: readonly string[]): Promise<Buffer> {
  const frames = await Promise.all(
    colours.map(async colour => await picture(width, height, { colour, format: 'png' }))
  )
  return await sharp!(frames, { join: { animated: true } })
    .toFormat('gif', { delay: 100 })
    .toBuffer()
}

export async function lookAt(bytes: Buffer): Promise<Look> {
  return await sharp!(bytes).metadata()
}

/** Returns red, green and blue of the first pixel. */
export async function firstPixel(bytes: Buffer): Promise<number[]> {
  return Array.from((await sharp!(bytes).raw().toBuffer()).subarray(0, 3))
}

/** Creates a small JPEG file of a large image, which has to be processed once for each scan. */
export function manyScans(width: number, height: number, scans: number): Buffer {
  const oneCode = [1, ...Array<number>(15).fill(0)]
  const size = [height >> 8, height & 0xff, width >> 8, width & 0xff]
  const scan = Buffer.concat([segment(0xda, 1, 1, 0, 1, 63, 0), Buffer.alloc(64, 0x7e)])
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, 0, ...Array<number>(64).fill(1)),
    segment(0xc2, 8, ...size, 1, 1, 0x11, 0),
    segment(0xc4, 0x00, ...oneCode, 0),
    segment(0xc4, 0x10, ...oneCode, 0xe0),
    segment(0xda, 1, 1, 0, 0, 0, 0),
    Buffer.alloc((width * height) / 512),
    ...Array<Buffer>(scans).fill(scan),
    Buffer.from([0xff, 0xd9])
  ])
}

/** Creates a WebP with very many frames of one pixel each. */
export function manyFrames(frames: number): Buffer {
  const pixel = chunk('VP8L', Buffer.from('2f0000000007d0fffef7bfff8188880a', 'hex'))
  const frame = chunk('ANMF', Buffer.concat([Buffer.alloc(16), pixel]))
  const canvas = chunk('VP8X', Buffer.from([2, 0, 0, 0, 99, 0, 0, 99, 0, 0]))
  const parts = [canvas, chunk('ANIM', Buffer.alloc(6)), ...Array<Buffer>(frames).fill(frame)]
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...parts]))
}

/** Creates a TIFF with very many pages that are almost empty. */
export function manyPages(pages: number): Buffer {
  const bytes = Buffer.alloc(8 + pages * 18)
  bytes.write('II*\0', 'latin1')
  bytes.writeUInt32LE(8, 4)
  for (let page = 0; page < pages; page++) {
    const at = 8 + page * 18
    bytes.writeUInt16LE(1, at)
    bytes.writeUInt16LE(256, at + 2)
    bytes.writeUInt16LE(4, at + 4)
    bytes.writeUInt32LE(1, at + 6)
    bytes.writeUInt32LE(8, at + 10)
    if (page < pages - 1) bytes.writeUInt32LE(at + 18, at + 14)
  }
  return bytes
}

/**
 * Creates a small PNG of a large image, black, with 64 bits per pixel and interlaced: it must be decoded completely
 * before its first row is available.
 */
export function interlaced(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([16, 6, 0, 0, 1], 8)
  const length = interlacedLength(width, height)
  // A fully flushed block can be repeated: it does not refer to earlier ones.
  const pieceLength = 1 << 20
  const piece = deflateRawSync(Buffer.alloc(pieceLength), { finishFlush: constants.Z_FULL_FLUSH })
  const last = deflateRawSync(Buffer.alloc(length % pieceLength))
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE((length % 65_521) * 65_536 + 1)
  const pieces = Array<Buffer>(Math.floor(length / pieceLength)).fill(piece)
  const data = Buffer.concat([Buffer.from([0x78, 0x01]), ...pieces, last, sum])
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0))
  ])
}

/** Returns the size of the seven passes, each row with its filter. */
function interlacedLength(width: number, height: number): number {
  const passes = [
    [0, 8, 0, 8],
    [4, 8, 0, 8],
    [0, 4, 4, 8],
    [2, 4, 0, 4],
    [0, 2, 2, 4],
    [1, 2, 0, 2],
    [0, 1, 1, 2]
  ] as const
  let length = 0
  for (const [left, across, top, down] of passes) {
    const columns = Math.ceil((width - left) / across)
    const rows = Math.ceil((height - top) / down)
    if (columns > 0 && rows > 0) length += rows * (1 + 8 * columns)
  }
  return length
}

function pngChunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(data.length)
  sum.writeUInt32BE(crcOf(named))
  return Buffer.concat([size, named, sum])
}

function crcOf(bytes: Buffer): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1))
  }
  return ~sum >>> 0
}

function segment(marker: number, ...bytes: number[]): Buffer {
  return Buffer.from([0xff, marker, (bytes.length + 2) >> 8, (bytes.length + 2) & 0xff, ...bytes])
}

function chunk(name: string, data: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(data.length)
  return Buffer.concat([Buffer.from(name), size, data, Buffer.alloc(data.length % 2)])
}
