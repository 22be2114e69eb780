/**
 * The numbers within contents, stored beside events in the index of streams: samples are computed from them, not from
 * bodies.
 */

/** What the index of streams holds of a content. */
export interface ContentNumbers {
  /** The content itself, where that is a number. */
  readonly value: number | null
  /**
   * The numbers in an object, as JSON: keys joined by dots, and values. Empty if they are too many to store: then the
   * content itself has to be read. `null` if there are none.
   */
  readonly fields: string | null
}

/** Keys that a path can name; see core/methods/events/sample.ts. */
const key = /^[a-zA-Z0-9_:-]+$/

/** Maximum number of keys examined, including the keys of nested objects. */
const maxKeys = 64
/** Maximum length of the stored text, in characters. */
const maxText = 512

/** Extracts the numbers within a content. */
export function extractNumbers(content: unknown): ContentNumbers {
  if (typeof content === 'number') return { value: Number.isFinite(content) ? content : null, fields: null }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return none
  const text = serializeNumbers(content, '', { keys: maxKeys })
  if (text === undefined) return tooMany
  return text === '' ? none : { value: null, fields: `{${text}}` }
}

const none: ContentNumbers = { value: null, fields: null }
const tooMany: ContentNumbers = { value: null, fields: '' }

/** Serializes the numbers in an object and in nested ones, joined by commas; `undefined` if they are too many. */
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
