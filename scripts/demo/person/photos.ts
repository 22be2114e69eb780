/** Photographs, most of them taken on weekends and holidays: small landscapes, written as PNG without a library. */
import { crc32, deflateSync } from 'node:zlib'
import type { Day, Plan } from './days.js'
import { createEvent, type EventWithFile } from './event-params.js'
import { Random } from './random.js'

const hour = 3600
const captions = [
  'By the lake',
  'From the jetty',
  'On the way up',
  'Evening light',
  'After the rain',
  'Nobody about',
  'The long way home',
  'Clouds coming in',
  'Seen on a run',
  'First light'
]

/** Returns the photographs taken on a day. Returns none during a cold. */
export function createPhotos({ seed }: Plan, day: Day): EventWithFile[] {
  const random = new Random(seed, day.number, 'photos')
  if (day.illness > 0) return []
  const count = day.isAway ? random.whole(0, 3) : random.chance(day.isWeekend ? 0.3 : 0.055) ? 1 : 0
  return Array.from({ length: count }, (_, index) => {
    const time = day.from + (9 + 3.2 * index + random.between(0, 3)) * hour
    const description = day.isAway ? `${random.pick(captions)}, on holiday` : random.pick(captions)
    const name = `${day.date}-${index + 1}.png`
    return {
      fact: createEvent(day, 'photos', 'picture/attached', time, { description }),
      file: { name, type: 'image/png', bytes: drawLandscape(random) }
    }
  })
}

/** Size of an image in pixels. */
const [width, height] = [480, 320]

/** The colours of the light. */
interface Light {
  readonly top: Colour
  readonly horizon: Colour
  readonly sun: Colour
}

const lights: readonly Light[] = [
  { top: [64, 122, 190], horizon: [205, 226, 238], sun: [255, 250, 225] },
  { top: [52, 60, 110], horizon: [247, 172, 116], sun: [255, 226, 160] },
  { top: [120, 136, 150], horizon: [214, 217, 216], sun: [236, 236, 228] },
  { top: [88, 84, 140], horizon: [240, 190, 190], sun: [255, 236, 214] },
  { top: [16, 24, 52], horizon: [58, 80, 118], sun: [238, 240, 226] }
]

/** Centre and radius of the sun in pixels. */
interface Sun {
  readonly x: number
  readonly y: number
  readonly radius: number
}

/** A ridge: its upper edge in pixels from the top for each column, and its colour. */
interface Ridge {
  readonly edge: Float64Array
  readonly colour: Colour
}

/** Draws a landscape. Returns it as PNG. */
function drawLandscape(random: Random): Buffer {
  const light = random.pick(lights)
  const shore = Math.round(height * random.between(0.6, 0.78))
  const sun = {
    x: random.between(60, width - 60),
    y: random.between(30, shore - 60),
    radius: random.between(12, 26)
  }
  const ridges = [0.9, 0.62, 0.34].map(distance => createRidge(random, light, shore, distance))
  const pixels = new Uint8Array(width * height * 3)
  for (let y = 0; y < shore; y++)
    for (let x = 0; x < width; x++)
      pixels.set(getColour(light, sun, ridges, shore, x, y), (y * width + x) * 3)
  drawReflection(pixels, shore, light.top, random.between(0, 6))
  return encodePng(pixels)
}

/** Returns the colour of a pixel: of the ridge in front, or of the sky with the sun. */
function getColour(
  light: Light,
  sun: Sun,
  ridges: readonly Ridge[],
  shore: number,
  x: number,
  y: number
): Colour {
  const ridge = ridges.findLast(({ edge }) => y >= edge[x]!)
  if (ridge) return ridge.colour
  const sky = mixColours(light.top, light.horizon, y / shore)
  const away = Math.hypot(x - sun.x, y - sun.y) / sun.radius
  return away > 4
    ? sky
    : mixColours(light.sun, sky, Math.min(1, Math.max(0, 0.3 * away + (away > 1 ? 0.1 : -0.3))))
}

/** Creates a ridge. Distant ridges are high, smooth and pale. */
function createRidge(random: Random, { horizon, top }: Light, shore: number, distance: number): Ridge {
  const waves = [1, 2.3, 5.1, 11.7, 23].map(frequency => ({
    frequency: frequency * random.between(0.8, 1.2) * (1.4 - distance),
    phase: random.between(0, 2 * Math.PI),
    size: (0.5 * shore * distance) / (1.5 + frequency)
  }))
  const level = shore * (1 - 0.5 * distance)
  const edge = Float64Array.from({ length: width }, (_, x) => {
    const sum = waves.reduce(
      (all, { frequency, phase, size }) =>
        all + size * Math.sin((x / width) * 2 * Math.PI * frequency + phase),
      0
    )
    return Math.min(shore - 2, level + sum)
  })
  const forest: Colour = [28 + random.whole(0, 20), 52 + random.whole(0, 24), 46 + random.whole(0, 16)]
  return { edge, colour: mixColours(mixColours(forest, top, 0.35), horizon, distance * 0.7) }
}

/** Draws the reflection in the water: darker, and in waves. */
function drawReflection(pixels: Uint8Array, shore: number, water: Colour, phase: number): void {
  for (let y = shore; y < height; y++) {
    const depth = (y - shore) / (height - shore)
    const above = Math.max(0, shore - 1 - Math.round((y - shore) * 1.3))
    const shift = Math.round(Math.sin(y * 0.9 + phase) * (1 + 5 * depth))
    for (let x = 0; x < width; x++) {
      const from = (above * width + Math.min(width - 1, Math.max(0, x + shift))) * 3
      for (let part = 0; part < 3; part++)
        pixels[(y * width + x) * 3 + part] = pixels[from + part]! * (0.78 - 0.2 * depth) + water[part]! * 0.16
    }
  }
}

/** Mixes two colours. `part` 0 is the first colour, 1 the second. */
function mixColours(a: Colour, b: Colour, part: number): Colour {
  return [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2])]
}

/** A colour: red, green and blue, each from 0 to 255. */
type Colour = readonly [red: number, green: number, blue: number]

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Header: eight bits per colour channel, RGB, not interlaced. */
const trueColour = [8, 2, 0, 0, 0]
/** Filter type: each row is stored as its difference from the row above. */
const differenceUp = 2

/** Encodes an image of three bytes per pixel, row by row, as PNG. */
function encodePng(pixels: Uint8Array): Buffer {
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
