/**
 * How many parts a picture has that its decoder goes through one by one, whatever it shows of them: nothing stops it on the
 * way, and a small file can hold parts enough for hours.
 */

/** Parts of pictures that are made to be looked at; a progressive JPEG has about ten. */
const mostScans = 100
const mostFrames = 1000

/** Whether a picture has more scans, frames or pages than any that is made to be looked at. */
export function hasManyParts(picture: Buffer): boolean {
  if (picture.length < 16) return false
  if (picture[0] === 0xff && picture[1] === 0xd8) return hasManyScans(picture)
  const start = picture.toString('latin1', 0, 4)
  if (start === 'RIFF') return hasManyChunks(picture)
  if (start.startsWith('II')) return hasManyPages(picture, true)
  return start.startsWith('MM') && hasManyPages(picture, false)
}

/** Each scan of a JPEG goes over all of it, however few bytes it has. */
function hasManyScans(picture: Buffer): boolean {
  let scans = 0
  for (let at = picture.indexOf(0xff, 2); at >= 0; at = picture.indexOf(0xff, at)) {
    while (picture[at] === 0xff) at++
    const marker = picture[at] ?? 0xd9
    at++
    if (marker === 0xd9) return false
    // Bytes of the picture, or marks within it.
    if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue
    if (marker === 0xda && ++scans > mostScans) return true
    if (at + 2 > picture.length) return false
    at += picture.readUInt16BE(at)
  }
  return false
}

/** All frames of a WebP are looked for before the first one is shown. */
function hasManyChunks(picture: Buffer): boolean {
  let chunks = 0
  for (let at = 12; at + 8 <= picture.length; chunks++) {
    if (chunks > mostFrames) return true
    const size = picture.readUInt32LE(at + 4)
    at += 8 + size + (size % 2)
  }
  return false
}

/** So are the pages of a TIFF, each of which says where the next one is. */
function hasManyPages(picture: Buffer, isLittle: boolean): boolean {
  const uint = (at: number, size: 2 | 4): number =>
    at + size > picture.length ? 0 : isLittle ? picture.readUIntLE(at, size) : picture.readUIntBE(at, size)
  const isBig = uint(2, 2) === 43
  // Offsets beyond 4 GB lead out of any file that is taken.
  const half = isBig && !isLittle ? 4 : 0
  let at = uint((isBig ? 8 : 4) + half, 4)
  for (let pages = 0; at > 0; pages++) {
    if (pages > mostFrames) return true
    const entries = isBig ? uint(at + (isLittle ? 0 : 6), 2) : uint(at, 2)
    at = uint(at + (isBig ? 8 + 20 * entries : 2 + 12 * entries) + half, 4)
  }
  return false
}
