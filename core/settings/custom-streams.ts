/** Account and other streams that an operator defines in the settings, and their validation. (docs/spec/accounts.md#custom-fields) */
import { Type, type Static } from 'typebox'
import { closed, Name } from '../../schemas/scalars.js'
import { findViolations } from './schema-check.js'
import { findSlowText } from '../validation/slow-patterns.js'

const flag = Type.Optional(Type.Boolean())

const Definition = Type.Object(
  {
    id: Type.String({ minLength: 2, maxLength: 100, pattern: '^[A-Za-z0-9_-]+$' }),
    name: Type.Optional(Name),
    type: Type.String({ pattern: '^[a-z0-9-]+/[a-z0-9-]+$' }),
    isIndexed: flag,
    isUnique: flag,
    isShown: flag,
    isEditable: flag,
    isRequiredInValidation: flag,
    regexValidation: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    regexError: Type.Optional(
      Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()])
    ),
    default: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
    children: Type.Optional(Type.Array(Type.Unknown()))
  },
  closed
)

/** A stream as defined in the settings. */
export type CustomStream = Omit<Static<typeof Definition>, 'children'> & {
  readonly children?: readonly CustomStream[]
  readonly isCounted?: true
}

/** Flags that only account fields have. */
const accountFlags = ['isIndexed', 'isUnique', 'isRequiredInValidation'] as const

/** Names used by the service or by registration. */
const reserved = new Set(
  [
    'account,language,appId,invitationToken,referer,storageUsed,dbDocuments,attachedFiles,helpers,active,unique',
    'emails,username,password,hosting,languageCode,appid,invitationtoken,id'
  ].flatMap(names => names.split(','))
)

/**
 * Returns all problems of the definitions, each with its place; empty if there are none. Patterns that would
 * be slow count as problems.
 */
export function findStreamProblems({ account, other }: Record<'account' | 'other', unknown>): string[] {
  const problems: string[] = []
  const seen = new Set<string>()
  const check = (list: unknown, place: string, isOther: boolean): void => {
    // The schema check reports a setting that is not a list.
    if (!Array.isArray(list)) return
    for (const [index, each] of (list as unknown[]).entries()) {
      const at = `${place}[${index}]`
      const violations = findViolations(Definition, each)
      for (const violation of violations) problems.push(`${at}${violation.place} ${violation.problem}`)
      if (violations.length > 0) continue
      const stream = each as CustomStream
      for (const problem of listDefinitionProblems(stream, isOther))
        problems.push(`${at} ("${stream.id}") ${problem}`)
      if (seen.has(stream.id)) problems.push(`${at} ("${stream.id}") is defined twice`)
      seen.add(stream.id)
      if (stream.children) check(stream.children, `${at}.children`, isOther)
    }
  }
  check(account, 'custom.systemStreams.account', false)
  check(other, 'custom.systemStreams.other', true)
  return problems
}

/** Yields what is wrong with a stream of the settings. `isOther`: it is not one of the account. */
function* listDefinitionProblems(stream: CustomStream, isOther: boolean): Generator<string> {
  const { children, id, isIndexed, isUnique, regexValidation } = stream
  if (reserved.has(id)) yield 'has a reserved ID'
  if (id === 'email' && (isOther || children)) yield 'is already a field of every account'
  if (isOther) {
    for (const name of accountFlags)
      if (stream[name]) yield `can't have "${name}", because it is not an account stream`
    if (stream.isShown === false) yield "can't be hidden, because it is not an account stream"
  }
  if (isUnique && !isIndexed && id !== 'email') yield 'must be indexed, because it is unique'
  if (children && (isUnique || stream.isRequiredInValidation))
    yield "has children, so it can't hold a value itself"
  if (typeof regexValidation === 'string') yield* listPatternProblems(regexValidation)
}

function* listPatternProblems(source: string): Generator<string> {
  const pattern = compilePattern(source)
  if (!pattern) yield 'has a "regexValidation" that is not a valid regular expression'
  // Any client that registers can send such values.
  const text = pattern && findSlowText(pattern, maxFieldLength)
  if (text !== undefined)
    yield `has a "regexValidation" that is too slow for text such as ${JSON.stringify(text)}: rewrite it so that each part of the text matches in only one way`
}

function compilePattern(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u')
  } catch {
    return undefined
  }
}

/** Maximum length of a value, in characters, unless a field has another limit. */
export const maxFieldLength = 1000
