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
const mostKeys = 64
/** Characters that numbers and their names take. */
const mostText = 512

/** The numbers within a content. */
export function numbersOf(content: unknown): ContentNumbers {
  if (typeof content === 'number') return { value: Number.isFinite(content) ? content : null, fields: null }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return none
  const text = textOf(content, '', { keys: mostKeys })
  if (text === undefined) return beyond
  return text === '' ? none : { value: null, fields: `{${text}}` }
}

const none: ContentNumbers = { value: null, fields: null }
const beyond: ContentNumbers = { value: null, fields: '' }

/** The numbers in an object and in those in it, joined by commas; `undefined` if they are too many. */
function textOf(object: object, above: string, left: { keys: number }): string | undefined {
  let text = ''
  for (const name in object) {
    if (--left.keys < 0 || text.length > mostText) return undefined
    const value = (object as Record<string, unknown>)[name]
    if (typeof value === 'number') {
      if (Number.isFinite(value) && key.test(name)) text += `${text && ','}"${above}${name}":${value}`
    } else if (typeof value === 'object' && value !== null && !Array.isArray(value) && key.test(name)) {
      const within = textOf(value, `${above}${name}.`, left)
      if (within === undefined) return undefined
      if (within !== '') text += `${text && ','}${within}`
    }
  }
  return text.length > mostText ? undefined : text
}
