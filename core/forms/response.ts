/** Checks a QuestionnaireResponse against its questionnaire. (docs/api/forms.md#responses) */
import type { FhirResource } from '../../schemas/plans/form.js'
import { parseDate } from '../../schemas/zones.js'
import { isObject } from '../validation/is-object.js'
import { refuse, type Json } from './fhir-json.js'
import type { Item, QuestionType } from './items.js'
import type { Questionnaire } from './questionnaire.js'

/** An answer: a number, a text, a boolean, or the code of a choice. */
export type AnswerValue = number | string | boolean

/** Members of FHIR's answers, by type of the question. */
const members: Readonly<Record<QuestionType, string>> = {
  choice: 'valueCoding',
  integer: 'valueInteger',
  decimal: 'valueDecimal',
  boolean: 'valueBoolean',
  string: 'valueString',
  text: 'valueString',
  date: 'valueDate'
}

/** Limits. */
const [maxDepth, maxTextLength, maxAnswers] = [6, 10_000, 1000]

/** Returns the answers by linkId. Throws `invalid-parameters-format` for all that the questionnaire does not ask for. */
export function readResponse(
  questionnaire: Questionnaire,
  given: FhirResource
): ReadonlyMap<string, AnswerValue> {
  const path = '#/response'
  if (given['resourceType'] !== 'QuestionnaireResponse')
    refuse(`${path}/resourceType`, 'must be "QuestionnaireResponse"')
  if (given['status'] !== undefined && given['status'] !== 'completed')
    refuse(`${path}/status`, 'must be "completed"')
  const answers = new Map<string, AnswerValue>()
  readLevel(given, { questionnaire, answers, parent: undefined, depth: 1, path })
  assertComplete(questionnaire, answers)
  return answers
}

/** Returns the items that are asked, given the answers: their conditions hold, and those of their groups. */
export function listAsked(
  { items }: Pick<Questionnaire, 'items'>,
  answers: ReadonlyMap<string, AnswerValue>
): ReadonlySet<string> {
  const asked = new Set<string>()
  for (const item of items.values()) {
    const { conditions, isAny, linkId, parent } = item
    if (parent !== undefined && !asked.has(parent)) continue
    const holds = conditions.map(({ exists, question, value }) => {
      const answer = asked.has(question) ? answers.get(question) : undefined
      return exists === undefined
        ? answer !== undefined && answer === value
        : (answer !== undefined) === exists
    })
    if (holds.length === 0 || (isAny ? holds.some(Boolean) : holds.every(Boolean))) asked.add(linkId)
  }
  return asked
}

interface Place {
  readonly questionnaire: Questionnaire
  readonly answers: Map<string, AnswerValue>
  readonly parent: string | undefined
  readonly depth: number
  readonly path: string
}

/**
 * Reads the items below a group or the response, and adds their values to `answers`. Refuses items that are unknown,
 * repeated or at the wrong place.
 */
function readLevel(holder: Json, { questionnaire, answers, parent, depth, path }: Place): void {
  const list = holder['item'] ?? []
  if (!Array.isArray(list) || list.length > maxAnswers || depth > maxDepth)
    return refuse(`${path}/item`, 'must be a list of items')
  const seen = new Set<string>()
  for (const [index, given] of (list as unknown[]).entries()) {
    const at = `${path}/item/${index}`
    if (!isObject(given)) refuse(at, 'must be an object')
    const { linkId } = given
    const item = typeof linkId === 'string' ? questionnaire.items.get(linkId) : undefined
    if (!item || item.parent !== parent) refuse(`${at}/linkId`, 'must be that of an item at this place')
    if (seen.has(item.linkId)) refuse(`${at}/linkId`, 'must be given once')
    seen.add(item.linkId)
    if (item.type === 'group') {
      if (given['answer'] !== undefined) refuse(`${at}/answer`, 'must not be given for a group')
      readLevel(given, { questionnaire, answers, parent: item.linkId, depth: depth + 1, path: at })
    } else {
      if (given['item'] !== undefined) refuse(`${at}/item`, 'must be in a group')
      const value = readAnswer(given, item, at)
      if (value !== undefined) answers.set(item.linkId, value)
    }
  }
}

function readAnswer(given: Json, item: Item, path: string): AnswerValue | undefined {
  const { answer } = given
  if (answer === undefined || (Array.isArray(answer) && answer.length === 0)) return undefined
  const first: unknown = Array.isArray(answer) && answer.length === 1 ? answer[0] : undefined
  if (item.type === 'display' || !isObject(first))
    return refuse(`${path}/answer`, 'must be one answer to a question')
  const at = `${path}/answer/0/${members[item.type as QuestionType]}`
  const names = Object.keys(first).filter(name => name.startsWith('value'))
  const value = first[members[item.type as QuestionType]]
  if (names.length !== 1 || value === undefined) return refuse(at, 'must be the only value')
  return readValue(item, value, at)
}

/** Returns an answer that fits the type and limits of its item; refuses any other. */
function readValue(item: Item, value: unknown, path: string): AnswerValue {
  const { max, maxLength = maxTextLength, min, options, type } = item
  if (type === 'choice') {
    const code = isObject(value) ? value['code'] : undefined
    const found = options.find(each => each.code === code)
    return found ? found.code : refuse(path, 'must be one of the options')
  }
  if (type === 'boolean') return typeof value === 'boolean' ? value : refuse(path, 'must be true or false')
  if (type === 'integer' || type === 'decimal') {
    if (typeof value !== 'number' || !Number.isFinite(value)) return refuse(path, 'must be a number')
    if (type === 'integer' && !Number.isSafeInteger(value)) return refuse(path, 'must be an integer')
    if (typeof min === 'number' && value < min) return refuse(path, `must not be less than ${min}`)
    if (typeof max === 'number' && value > max) return refuse(path, `must not be more than ${max}`)
    return value
  }
  if (typeof value !== 'string' || value.length > Math.min(maxLength, maxTextLength))
    return refuse(path, `must be a text of at most ${Math.min(maxLength, maxTextLength)} characters`)
  if (type === 'date') {
    if (parseDate(value) === undefined) return refuse(path, 'must be a date such as 2026-03-29')
    if (typeof min === 'string' && value < min) return refuse(path, `must not be before ${min}`)
    if (typeof max === 'string' && value > max) return refuse(path, `must not be after ${max}`)
  }
  return value
}

/** Requires answers to what is asked and required, and none to what is not asked. */
function assertComplete(questionnaire: Questionnaire, answers: ReadonlyMap<string, AnswerValue>): void {
  const asked = listAsked(questionnaire, answers)
  for (const { isRequired, linkId, type } of questionnaire.items.values()) {
    const isAnswered = answers.has(linkId)
    const name = JSON.stringify(linkId.slice(0, 100))
    if (isAnswered && !asked.has(linkId)) refuse('#/response', `must not answer ${name}, which is not asked`)
    if (isRequired && !isAnswered && asked.has(linkId) && type !== 'group' && type !== 'display')
      refuse('#/response', `must answer ${name}`)
  }
}

/** Builds the response to store: what was checked, and nothing else. */
export function buildResponse(
  { items }: Questionnaire,
  answers: ReadonlyMap<string, AnswerValue>,
  { formId, time }: { readonly formId: string; readonly time: number }
): FhirResource {
  const build = (parent: string | undefined): object[] =>
    [...items.values()].flatMap((item): object[] => {
      if (item.parent !== parent) return []
      const { linkId, text } = item
      const shown = { linkId, ...(text !== undefined && { text }) }
      if (item.type === 'group') {
        const inner = build(linkId)
        return inner.length === 0 ? [] : [{ ...shown, item: inner }]
      }
      const value = answers.get(linkId)
      return value === undefined ? [] : [{ ...shown, answer: [toAnswer(item, value)] }]
    })
  const authored = new Date(time * 1000)
  return {
    resourceType: 'QuestionnaireResponse',
    questionnaire: `urn:coffer:form:${formId}`,
    status: 'completed',
    // An event may have a time that is no date.
    ...(!Number.isNaN(authored.getTime()) && { authored: authored.toISOString() }),
    item: build(undefined)
  }
}

function toAnswer({ options, type }: Item, value: AnswerValue): object {
  if (type !== 'choice') return { [members[type as QuestionType]]: value }
  const option = options.find(({ code }) => code === value)
  const { code, display, system } = option!
  return {
    valueCoding: {
      ...(system !== undefined && { system }),
      code,
      ...(display !== undefined && { display })
    }
  }
}
