/** Names of files that every system accepts, each once. (docs/api/exports.md#a-folder-to-read) */

/** Maximum length of a name in bytes of UTF-8, without its folder: most systems allow 255. */
const maxBytes = 200
const maxExtensionLength = 12
/** Names that Windows reserves for devices, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$)(?=\.|$)/i

/** Returns a name without what some system forbids in names or reads as a path, `file` if nothing is left. */
export function toSafeFileName(name: string): string {
  const plain = trimEnd(
    name
      .toWellFormed()
      .normalize('NFC')
      // Control and formatting characters, among them those that reverse the direction of a text.
      .replaceAll(/[\p{C}\\/:*?"<>|]+/gu, ' ')
      .replaceAll(/\s+/g, ' ')
      .replace(/^[ .]+/, '')
  )
  const dot = plain.lastIndexOf('.')
  const hasExtension = dot > 0 && plain.length - dot <= maxExtensionLength
  const [stem, extension] = hasExtension ? [plain.slice(0, dot), plain.slice(dot)] : [plain, '']
  const short = trimEnd(truncateBytes(stem, maxBytes - Buffer.byteLength(extension)))
  const safe = `${short === '' ? 'file' : short}${extension}`
  return deviceName.test(safe) ? `_${safe}` : safe
}

/** Gives each path of an archive once, also on systems that do not distinguish case: others get a number. */
export class FreePaths {
  readonly #taken = new Set<string>()
  /** The last number given, by the path without a number. */
  readonly #numbers = new Map<string, number>()

  /**
   * Returns the path of a file in a folder, both safe names, and takes it: the next file of this name gets a
   * number. Letter case makes no difference.
   */
  take(folder: string, name: string): string {
    const dot = name.lastIndexOf('.')
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
    const first = `${folder}${name}`.toLowerCase()
    for (let number = this.#numbers.get(first) ?? 1; ; number++) {
      const path = `${folder}${number === 1 ? name : `${stem} (${number})${extension}`}`
      const key = path.toLowerCase()
      if (this.#taken.has(key)) continue
      this.#taken.add(key)
      if (number > 1) this.#numbers.set(first, number)
      return path
    }
  }
}

/** Returns a text without the spaces and dots at its end. */
function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && ' .'.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** Truncates a text to bytes of UTF-8, between characters. */
function truncateBytes(text: string, max: number): string {
  let size = 0
  let end = 0
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, max))) {
    size += Buffer.byteLength(segment)
    if (size > max) break
    end += segment.length
  }
  return text.slice(0, end)
}
