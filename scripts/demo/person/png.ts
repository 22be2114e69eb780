/** Writes images as PNG, without a library. */
import { crc32, deflateSync } from 'node:zlib'

/** A colour: red, green and blue, each from 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number]

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Header: eight bits per colour channel, RGB, not interlaced. */
const trueColour = [8, 2, 0, 0, 0]
/** Filter type: each row is stored as its difference from the row above. */
const differenceUp = 2

/** Encodes an image of `width` by `height` pixels of three bytes each, row by row. */
export function encodePng(width: number, height: number, pixels: Uint8Array): Buffer {
  const rowBytes = width * 3
  const rows = Buffer.alloc((rowBytes + 1) * height)
  for (let y = 0; y < height; y++) {
    const at = y * (rowBytes + 1)
    rows[at] = differenceUp
    for (let x = 0; x < rowBytes; x++) {
      const here = y * rowBytes + x
      rows[at + 1 + x] = pixels[here]! - (y === 0 ? 0 : pixels[here - rowBytes]!)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set(trueColour, 8)
  return Buffer.concat([
    signature,
    encodeChunk('IHDR', header),
    encodeChunk('IDAT', deflateSync(rows, { level: 4 })),
    encodeChunk('IEND', Buffer.alloc(0))
  ])
}

function encodeChunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
