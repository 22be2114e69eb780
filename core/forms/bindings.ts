/** What a questionnaire says about events: which answers become events, and which sums. (docs/api/forms.md#events) */
import { isObject } from '../validation/is-object.js'
import { findExtension, refuse, type Json } from './fhir-json.js'
import type { Binding, Item, Score } from './items.js'

/** URLs of the extensions. */
const [eventUrl, scoreUrl] = ['urn:coffer:event', 'urn:coffer:score']
const typePattern = /^[a-z0-9-]{1,80}\/[a-z0-9-]{1,80}$/
const maxScores = 10

/**
 * Reads the event that the answer to an item becomes; `undefined` if it becomes none. Throws
 * `invalid-parameters-format`.
 */
export function readBinding(given: Json, type: Item['type'], path: string): Binding | undefined {
  const extension = findExtension(given, eventUrl)
  if (!extension) return undefined
  if (type === 'group' || type === 'display') refuse(`${path}/extension`, 'must be on a question')
  return readMembers(extension, path)
}

/** Reads the sums of a questionnaire. Throws `invalid-parameters-format`. */
export function readScores(given: Json, items: ReadonlyMap<string, Item>, path: string): Score[] {
  const extensions = Array.isArray(given['extension']) ? (given['extension'] as unknown[]) : []
  const found = extensions.filter((each): each is Json => isObject(each) && each['url'] === scoreUrl)
  if (found.length > maxScores) refuse(`${path}/extension`, `must not have more than ${maxScores} scores`)
  return found.map(extension => {
    const linkIds = listTexts(extension, 'linkId')
    for (const linkId of linkIds)
      if (!isCountable(items.get(linkId)))
        refuse(`${path}/extension`, 'must add up numbers and choices with values')
    if (linkIds.length === 0) refuse(`${path}/extension`, 'must name the items of a score')
    return { ...readMembers(extension, path), linkIds: [...new Set(linkIds)] }
  })
}

function readMembers(extension: Json, path: string): Binding {
  const [type = ''] = listTexts(extension, 'type')
  const [streamId] = listTexts(extension, 'streamId')
  if (!typePattern.test(type)) refuse(`${path}/extension`, 'must have the type of an event')
  return { type, streamId }
}

/** Lists the texts of inner extensions with a URL. */
function listTexts(extension: Json, url: string): string[] {
  const inner = Array.isArray(extension['extension']) ? (extension['extension'] as unknown[]) : []
  return inner.flatMap(each => {
    const value = isObject(each) && each['url'] === url ? each['valueString'] : undefined
    return typeof value === 'string' && value.length <= 1024 ? [value] : []
  })
}

function isCountable(item: Item | undefined): boolean {
  if (item?.type === 'choice') return item.options.every(({ score }) => score !== undefined)
  return item?.type === 'integer' || item?.type === 'decimal'
}
