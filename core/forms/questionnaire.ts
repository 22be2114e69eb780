/**
 * Reads a Questionnaire of FHIR R4: the subset that forms can show and check. What is not understood is refused where it would change
 * what is asked, and kept otherwise. (docs/api/forms.md#questionnaires)
 */
import type { FhirResource } from '../../schemas/plans/form.js'
import { isObject } from '../validation/is-object.js'
import { readBinding, readScores } from './bindings.js'
import { findExtension, readList, readText, refuse, type Json } from './fhir-json.js'
import { questionTypes, type Condition, type Item, type Option, type Score } from './items.js'

/** A questionnaire that has been checked. */
export interface Questionnaire {
  readonly title: string
  readonly items: ReadonlyMap<string, Item>
  readonly scores: readonly Score[]
}

/** Limits. Lengths in characters. */
const maxJsonLength = 200_000
const [maxItems, maxDepth, maxOptions, maxConditions] = [300, 5, 100, 20]
const [maxTextLength, maxIdLength] = [4000, 255]

/** Checks a questionnaire. Throws `invalid-parameters-format`. */
export function readQuestionnaire(given: FhirResource, path = '#/questionnaire'): Questionnaire {
  if (JSON.stringify(given).length > maxJsonLength)
    refuse(path, `must not be longer than ${maxJsonLength} characters`)
  if (given['resourceType'] !== 'Questionnaire') refuse(`${path}/resourceType`, 'must be "Questionnaire"')
  assertUnmodified(given, path)
  const title = readText(given['title'], `${path}/title`, 500) ?? refuse(`${path}/title`, 'must be a text')
  const items = new Map<string, Item>()
  readItems(given, { items, parent: undefined, depth: 1, path })
  if (items.size === 0) refuse(`${path}/item`, 'must have items')
  return { title, items, scores: readScores(given, items, path) }
}

interface Place {
  readonly items: Map<string, Item>
  readonly parent: string | undefined
  readonly depth: number
  readonly path: string
}

/**
 * Adds the items below a holder to `place.items`, those of groups after their group. Throws `invalid-parameters-format`
 * for what is wrong.
 */
function readItems(holder: Json, place: Place): void {
  const { depth, items, path } = place
  for (const [index, given] of readList(holder['item'], `${path}/item`, maxItems).entries()) {
    const at = `${path}/item/${index}`
    const item = readItem(given, place, at)
    if (items.size >= maxItems) refuse(at, `must not be the item after ${maxItems}`)
    items.set(item.linkId, item)
    if (given['item'] === undefined) continue
    if (item.type !== 'group') refuse(`${at}/item`, 'must be in a group')
    if (depth >= maxDepth) refuse(`${at}/item`, `must not be deeper than ${maxDepth} groups`)
    readItems(given, { items, parent: item.linkId, depth: depth + 1, path: at })
  }
}

/** Reads an item of a questionnaire. Refuses types and properties that forms cannot show. */
function readItem(given: Json, { items: known, parent }: Place, path: string): Item {
  assertUnmodified(given, path)
  const linkId =
    readText(given['linkId'], `${path}/linkId`, maxIdLength) ?? refuse(`${path}/linkId`, 'must be a text')
  if (known.has(linkId)) refuse(`${path}/linkId`, 'must be the only one of its kind')
  const type = ([...questionTypes, 'group', 'display'] as const).find(each => each === given['type'])
  if (!type) refuse(`${path}/type`, `must be group, display, ${questionTypes.join(', ')}`)
  if (given['repeats'] === true) refuse(`${path}/repeats`, 'must not be true')
  if (given['answerValueSet'] !== undefined) refuse(`${path}/answerValueSet`, 'must be answerOption')
  const options = readOptions(given, path)
  if ((type === 'choice') !== options.length > 0)
    refuse(`${path}/answerOption`, 'must be given for items of type choice only')
  const maxLength = given['maxLength']
  return {
    linkId,
    parent,
    type,
    text: readText(given['text'], `${path}/text`, maxTextLength),
    isRequired: given['required'] === true,
    options,
    conditions: readConditions(given, known, path),
    isAny: given['enableBehavior'] === 'any',
    min: readLimit(given, 'minValue'),
    max: readLimit(given, 'maxValue'),
    maxLength: typeof maxLength === 'number' ? maxLength : undefined,
    binding: readBinding(given, type, path)
  }
}

/**
 * Reads the options of a choice, with their scores; empty if there are none. Refuses codes that are missing or occur
 * twice.
 */
function readOptions(given: Json, path: string): Option[] {
  const codes = new Set<string>()
  return readList(given['answerOption'], `${path}/answerOption`, maxOptions).map((option, index) => {
    const at = `${path}/answerOption/${index}/valueCoding`
    const coding = isObject(option['valueCoding']) ? option['valueCoding'] : refuse(at, 'must be an object')
    const code = readText(coding['code'], `${at}/code`, maxIdLength) ?? refuse(`${at}/code`, 'must be a text')
    if (codes.has(code)) refuse(`${at}/code`, 'must be the only one of its kind')
    codes.add(code)
    const score = findExtension(option, ordinalUrl) ?? findExtension(coding, ordinalUrl)
    const value = score?.['valueDecimal']
    return {
      code,
      system: readText(coding['system'], `${at}/system`, maxIdLength),
      display: readText(coding['display'], `${at}/display`, maxTextLength),
      score: typeof value === 'number' ? value : undefined
    }
  })
}

const ordinalUrl = 'http://hl7.org/fhir/StructureDefinition/ordinalValue'

/** Conditions refer to items before them, so they can be evaluated in order. */
function readConditions(given: Json, known: ReadonlyMap<string, Item>, path: string): Condition[] {
  return readList(given['enableWhen'], `${path}/enableWhen`, maxConditions).map((each, index) => {
    const at = `${path}/enableWhen/${index}`
    const question = each['question']
    const type = typeof question === 'string' ? known.get(question)?.type : undefined
    if (typeof question !== 'string' || !type || type === 'group' || type === 'display')
      refuse(`${at}/question`, 'must be the linkId of a question before it')
    if (each['operator'] === 'exists') {
      const exists = each['answerBoolean']
      if (typeof exists !== 'boolean') refuse(`${at}/answerBoolean`, 'must be true or false')
      return { question, exists, value: undefined }
    }
    if (each['operator'] !== '=') refuse(`${at}/operator`, 'must be = or exists')
    const answers = Object.entries(each).filter(([name]) => name.startsWith('answer'))
    const value: unknown = answers.length === 1 ? answers[0]![1] : refuse(at, 'must have one answer')
    return { question, exists: undefined, value: isObject(value) ? value['code'] : value }
  })
}

/** Reads the smallest or largest value. */
function readLimit(given: Json, name: string): number | string | undefined {
  const found = findExtension(given, `http://hl7.org/fhir/StructureDefinition/${name}`)
  const value = found?.['valueInteger'] ?? found?.['valueDecimal'] ?? found?.['valueDate']
  return typeof value === 'number' || typeof value === 'string' ? value : undefined
}

/** Refuses extensions that change the meaning of what they are on. */
function assertUnmodified(given: Json, path: string): void {
  if (given['modifierExtension'] !== undefined)
    refuse(`${path}/modifierExtension`, 'must not be given: it is not understood')
}
