/** The numbers within contents, as they lie beside events in the index of streams: samples are made of them, not of bodies. */

/** What the index of streams holds of a content. */
export interface ContentNumbers {
  /** The content itself, where that is a number. */
  readonly value: number | null
  /**
   * The numbers in an object, as JSON: keys joined by dots, and values. Empty text where they are too many to be held: then
   * the content itself tells. `null` where there are none.
   */
  readonly fields: string | null
}

/** Keys that a path can name; see core/methods/events/sample.ts. */
const key = /^[a-zA-Z0-9_:-]+$/

/** Keys of an object, and of those in it, that are looked at. */
const maxKeys = 64
/** Characters that numbers and their names take. */
const maxText = 512

/** The numbers within a content. */
export function extractNumbers(content: unknown): ContentNumbers {
  if (typeof content === 'number') return { value: Number.isFinite(content) ? content : null, fields: null }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return none
  const text = serializeNumbers(content, '', { keys: maxKeys })
  if (text === undefined) return tooMany
  return text === '' ? none : { value: null, fields: `{${text}}` }
}

const none: ContentNumbers = { value: null, fields: null }
const tooMany: ContentNumbers = { value: null, fields: '' }

/** The numbers in an object and in those in it, joined by commas; `undefined` if they are too many. */
function serializeNumbers(object: object, prefix: string, remaining: { keys: number }): string | undefined {
  let text = ''
  for (const name in object) {
    if (--remaining.keys < 0 || text.length > maxText) return undefined
    const value = (object as Record<string, unknown>)[name]
    if (typeof value === 'number') {
      if (Number.isFinite(value) && key.test(name)) text += `${text && ','}"${prefix}${name}":${value}`
    } else if (typeof value === 'object' && value !== null && !Array.isArray(value) && key.test(name)) {
      const nested = serializeNumbers(value, `${prefix}${name}.`, remaining)
      if (nested === undefined) return undefined
      if (nested !== '') text += `${text && ','}${nested}`
    }
  }
  return text.length > maxText ? undefined : text
}
