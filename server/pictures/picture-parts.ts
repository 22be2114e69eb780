/**
 * Counts the parts of a picture that a decoder processes one by one. Decoding cannot be interrupted, and a small file
 * can hold enough parts to keep the decoder busy for hours.
 */

/** Limits that no real picture exceeds; a progressive JPEG has about ten scans. */
const maxScans = 100
const maxFrames = 1000

/**
 * Returns whether a picture has more scans, frames or pages than any real picture. Returns false for other
 * formats.
 */
export function hasManyParts(picture: Buffer): boolean {
  if (picture.length < 16) return false
  if (picture[0] === 0xff && picture[1] === 0xd8) return hasManyScans(picture)
  const start = picture.toString('latin1', 0, 4)
  if (start === 'RIFF') return hasManyChunks(picture)
  if (start.startsWith('II')) return hasManyPages(picture, true)
  return start.startsWith('MM') && hasManyPages(picture, false)
}

/** Counts the scans of a JPEG. Each scan covers the whole picture, however few bytes it has. */
function hasManyScans(picture: Buffer): boolean {
  let scans = 0
  for (let offset = picture.indexOf(0xff, 2); offset >= 0; offset = picture.indexOf(0xff, offset)) {
    while (picture[offset] === 0xff) offset++
    const marker = picture[offset] ?? 0xd9
    offset++
    if (marker === 0xd9) return false
    // Image data, or markers within it.
    if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue
    if (marker === 0xda && ++scans > maxScans) return true
    if (offset + 2 > picture.length) return false
    offset += picture.readUInt16BE(offset)
  }
  return false
}

/** Counts the chunks of a WebP. The decoder searches all frames before it renders the first one. */
function hasManyChunks(picture: Buffer): boolean {
  let chunks = 0
  for (let offset = 12; offset + 8 <= picture.length; chunks++) {
    if (chunks > maxFrames) return true
    const size = picture.readUInt32LE(offset + 4)
    offset += 8 + size + (size % 2)
  }
  return false
}

/** Counts the pages of a TIFF, which are a linked list. The decoder searches all pages, too. */
function hasManyPages(picture: Buffer, isLittleEndian: boolean): boolean {
  const readUint = (offset: number, size: 2 | 4): number =>
    offset + size > picture.length
      ? 0
      : isLittleEndian
        ? picture.readUIntLE(offset, size)
        : picture.readUIntBE(offset, size)
  const isBigTiff = readUint(2, 2) === 43
  // Offsets beyond 4 GB point outside of any accepted file.
  const lowHalf = isBigTiff && !isLittleEndian ? 4 : 0
  let offset = readUint((isBigTiff ? 8 : 4) + lowHalf, 4)
  for (let pages = 0; offset > 0; pages++) {
    if (pages > maxFrames) return true
    const entries = isBigTiff ? readUint(offset + (isLittleEndian ? 0 : 6), 2) : readUint(offset, 2)
    offset = readUint(offset + (isBigTiff ? 8 + 20 * entries : 2 + 12 * entries) + lowHalf, 4)
  }
  return false
}
