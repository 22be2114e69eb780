/**
 * Counts the parts of a picture that a decoder processes one by one. Decoding cannot be interrupted, and a small file
 * can hold enough parts to keep the decoder busy for hours.
 */

/** Limits that no real picture exceeds; a progressive JPEG has about ten scans. */
const maxScans = 100
const maxFrames = 1000

/** Whether a picture has more scans, frames or pages than any real one. */
export function hasManyParts(picture: Buffer): boolean {
  if (picture.length < 16) return false
  if (picture[0] === 0xff && picture[1] === 0xd8) return hasManyScans(picture)
  const start = picture.toString('latin1', 0, 4)
  if (start === 'RIFF') return hasManyChunks(picture)
  if (start.startsWith('II')) return hasManyPages(picture, true)
  return start.startsWith('MM') && hasManyPages(picture, false)
}

/** Every scan of a JPEG covers the whole picture, however few bytes it has. */
function hasManyScans(picture: Buffer): boolean {
  let scans = 0
  for (let at = picture.indexOf(0xff, 2); at >= 0; at = picture.indexOf(0xff, at)) {
    while (picture[at] === 0xff) at++
    const marker = picture[at] ?? 0xd9
    at++
    if (marker === 0xd9) return false
    // Image data, or markers within it.
    if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue
    if (marker === 0xda && ++scans > maxScans) return true
    if (at + 2 > picture.length) return false
    at += picture.readUInt16BE(at)
  }
  return false
}

/** The decoder searches all frames of a WebP before it renders the first one. */
function hasManyChunks(picture: Buffer): boolean {
  let chunks = 0
  for (let at = 12; at + 8 <= picture.length; chunks++) {
    if (chunks > maxFrames) return true
    const size = picture.readUInt32LE(at + 4)
    at += 8 + size + (size % 2)
  }
  return false
}

/** The same goes for the pages of a TIFF, a linked list. */
function hasManyPages(picture: Buffer, isLittle: boolean): boolean {
  const uint = (at: number, size: 2 | 4): number =>
    at + size > picture.length ? 0 : isLittle ? picture.readUIntLE(at, size) : picture.readUIntBE(at, size)
  const isBig = uint(2, 2) === 43
  // Offsets beyond 4 GB point outside of any accepted file.
  const lowHalf = isBig && !isLittle ? 4 : 0
  let at = uint((isBig ? 8 : 4) + lowHalf, 4)
  for (let pages = 0; at > 0; pages++) {
    if (pages > maxFrames) return true
    const entries = isBig ? uint(at + (isLittle ? 0 : 6), 2) : uint(at, 2)
    at = uint(at + (isBig ? 8 + 20 * entries : 2 + 12 * entries) + lowHalf, 4)
  }
  return false
}
