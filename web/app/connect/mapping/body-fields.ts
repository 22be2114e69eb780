/** Lists the fields of a body that waits for a mapping, for the page: bounded, whatever the body contains. */
import { foldText, toPlainText } from '../../../plain-text.js'

/** A field, list or object of a body. */
export interface BodyField {
  /** JSON pointer from the body. Only the first entry of a list is shown. */
  readonly pointer: string
  /** Levels below the body. */
  readonly depth: number
  /** Safe to display; empty for the body itself and for entries of lists. */
  readonly name: string
  readonly kind: 'list' | 'object' | 'value'
  /** Beginning of a text. */
  readonly value?: string | number | boolean | null
  /** Number of entries of a list. */
  readonly count?: number
}

interface Listed {
  readonly fields: readonly BodyField[]
  /** True if there are more. */
  readonly isCut: boolean
}

/** Limits: of fields that are shown and searched, of levels, and of characters of names, values and pointers. */
const maxFields = 100
const maxSearched = 20_000
const maxDepth = 12
const maxNameLength = 60
const maxValueLength = 60
const maxPointerLength = 500

/**
 * Lists the fields of a body in their order. `search`: only those whose names contain it, with the objects
 * that hold them. A list is represented by its first entry. `isCut`: there are more fields than are listed.
 */
export function listFields(body: unknown, search = ''): Listed {
  const wanted = foldText(search.trim())
  const fields: BodyField[] = []
  /** Lists and objects above the current field that are not listed yet. */
  const above: BodyField[] = []
  let searched = 0
  let isCut = false
  add(body, { pointer: '', depth: 0, name: '' })
  return { fields, isCut }

  function add(value: unknown, place: Pick<BodyField, 'depth' | 'name' | 'pointer'>): void {
    if (fields.length >= maxFields || ++searched > maxSearched || place.pointer.length > maxPointerLength) {
      isCut = true
      return
    }
    if (typeof value !== 'object' || value === null) {
      if (wanted !== '' && !foldText(place.name).includes(wanted)) return
      fields.push(...above.splice(0), { ...place, kind: 'value', value: shorten(value) })
      return
    }
    const isList = Array.isArray(value)
    const entry: BodyField = isList
      ? { ...place, kind: 'list', count: value.length }
      : { ...place, kind: 'object' }
    // Entries of lists and the body itself need no line.
    const isShown = isList ? place.pointer !== '' : place.name !== ''
    if (isShown) above.push(entry)
    if (place.depth >= maxDepth) isCut = true
    else addChildren(value, place)
    if (isShown && above.at(-1) === entry) above.pop()
  }

  function addChildren(
    value: object,
    { depth, name, pointer }: Pick<BodyField, 'depth' | 'name' | 'pointer'>
  ): void {
    if (Array.isArray(value)) {
      const isOfValues = typeof value[0] !== 'object' || value[0] === null
      if (value.length > 0)
        add(value[0], { pointer: `${pointer}/0`, depth: depth + 1, name: isOfValues ? name : '' })
      return
    }
    const isNamed = name !== '' || pointer === ''
    for (const key of Object.keys(value)) {
      if (fields.length >= maxFields || searched > maxSearched) {
        isCut = true
        return
      }
      const part = key.replaceAll('~', '~0').replaceAll('/', '~1')
      const shown = toPlainText(key.slice(0, maxNameLength)) || '""'
      add((value as Record<string, unknown>)[key], {
        pointer: `${pointer}/${part}`,
        depth: isNamed && pointer !== '' ? depth + 1 : depth,
        name: shown
      })
    }
  }
}

/** Returns the pointer of a field from an entry of a list, or from the body; undefined if the field is outside. */
export function toItemPointer(pointer: string, list: string | undefined): string | undefined {
  const base = list === undefined ? '' : `${list}/0`
  if (pointer === base) return ''
  return pointer.startsWith(`${base}/`) ? pointer.slice(base.length) : undefined
}

/** Returns the beginning of a value, safe to display. */
function shorten(value: unknown): string | number | boolean | null {
  if (typeof value === 'string') return toPlainText(value.slice(0, maxValueLength))
  return typeof value === 'number' || typeof value === 'boolean' ? value : null
}
