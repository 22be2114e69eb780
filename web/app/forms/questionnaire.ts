/** The items of a questionnaire of FHIR, which the service has checked, and the response to them. (docs/api/forms.md) */

type QuestionType = 'choice' | 'integer' | 'decimal' | 'boolean' | 'string' | 'text' | 'date'

export interface Item {
  readonly linkId: string
  readonly type: QuestionType | 'group' | 'display'
  readonly text?: string
  readonly required?: boolean
  readonly maxLength?: number
  readonly answerOption?: readonly {
    readonly valueCoding: { readonly code: string; readonly display?: string }
  }[]
  readonly enableWhen?: readonly Condition[]
  readonly enableBehavior?: 'all' | 'any'
  readonly item?: readonly Item[]
}

interface Condition {
  readonly question: string
  readonly operator: 'exists' | '='
  readonly [answer: `answer${string}`]: unknown
}

/** A form as the API returns it. */
export interface Form {
  readonly id: string
  readonly title: string
  readonly questionnaire: { readonly item: readonly Item[]; readonly copyright?: unknown }
}

/** What has been entered, by linkId, which may be any text: codes, texts, and `true` or `false` for booleans. */
export type Entries = ReadonlyMap<string, string>

/**
 * Lists the items that are asked, in order, without groups whose conditions do not hold. Adds their link ids
 * to `asked`.
 */
export function listAsked(
  items: readonly Item[],
  entries: Entries,
  asked = new Set<string>()
): readonly Item[] {
  return items.flatMap(item => {
    if (!isEnabled(item, entries, asked)) return []
    asked.add(item.linkId)
    return [item, ...listAsked(item.item ?? [], entries, asked)]
  })
}

/** Returns whether a question is asked, by the answers to the questions that are asked before it. */
function isEnabled(
  { enableBehavior, enableWhen = [] }: Item,
  entries: Entries,
  asked: ReadonlySet<string>
): boolean {
  const found = enableWhen.map(condition => {
    const entry = asked.has(condition.question) ? (entries.get(condition.question) ?? '') : ''
    if (condition.operator === 'exists') return (entry !== '') === condition['answerBoolean']
    const answer = Object.entries(condition).find(([name]) => name.startsWith('answer'))?.[1]
    const value: unknown =
      typeof answer === 'object' && answer !== null && 'code' in answer ? answer.code : answer
    const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    return isText && entry !== '' && entry === String(value)
  })
  return found.length === 0 || (enableBehavior === 'any' ? found.some(Boolean) : found.every(Boolean))
}

/** Builds the response, with what is asked and answered. */
export function buildResponse(items: readonly Item[], entries: Entries): object {
  const asked = new Set(listAsked(items, entries).map(({ linkId }) => linkId))
  const build = (level: readonly Item[]): object[] =>
    level.flatMap((item): object[] => {
      const { linkId, type } = item
      if (!asked.has(linkId)) return []
      if (type === 'group') return [{ linkId, item: build(item.item ?? []) }]
      const entry = entries.get(linkId)?.trim() ?? ''
      return type === 'display' || entry === '' ? [] : [{ linkId, answer: [toAnswer(type, entry)] }]
    })
  return { resourceType: 'QuestionnaireResponse', status: 'completed', item: build(items) }
}

/** Converts an entry to an answer of FHIR. */
function toAnswer(type: QuestionType, entry: string): object {
  switch (type) {
    case 'choice':
      return { valueCoding: { code: entry } }
    case 'boolean':
      return { valueBoolean: entry === 'true' }
    case 'integer':
      return { valueInteger: toNumber(entry) }
    case 'decimal':
      return { valueDecimal: toNumber(entry) }
    case 'date':
      return { valueDate: entry }
    default:
      return { valueString: entry }
  }
}

/** Returns a number; the text itself if it is none, which the service refuses with a message. */
function toNumber(entry: string): number | string {
  const number = Number(entry.replace(',', '.'))
  return Number.isNaN(number) ? entry : number
}
