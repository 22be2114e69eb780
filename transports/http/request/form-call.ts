/**
 * Parses forms that browsers use to call across origins: a POST that represents another call.
 * (docs/spec/conventions.md#method-override)
 */
import { fail } from '../../../core/errors.js'
import { readJsonText } from './body.js'
import type { JsonLimits } from '../../../core/json/reader.js'
import { getFirst, parseQuery, type Query, type QueryLimits } from './query.js'
import type { Party } from '../../../storage/scheduler.js'

/** The call that a form describes. */
export interface FormCall {
  /** In upper case; `POST` unless the form names another verb. */
  readonly verb: string
  /** Replaces the `Authorization` header. */
  readonly authorization: string | undefined
  readonly body: unknown
}

/** Parses a form. Errors: `invalid-request-structure`. */
export async function parseFormCall(
  text: string,
  limits: QueryLimits & JsonLimits,
  party?: Party
): Promise<FormCall> {
  const form = parseQuery(text, limits)
  const json = getFirst(form, '_json')
  const others = [...form].filter(([name]) => !reservedFields.has(name))
  return {
    verb: parseVerb(form),
    authorization: getFirst(form, '_auth'),
    body:
      json === undefined
        ? Object.fromEntries(others)
        : await readJsonText(json, limits, 'The field "_json"', party)
  }
}

/** Maximum length of a verb. The verbs of HTTP have seven letters at most. */
const maxVerbLength = 20

/**
 * Returns the verb in upper case, with a limited length, since error messages quote it. `HEAD` becomes `GET`: the
 * client of a POST expects a body, and would read the next response as that body.
 */
function parseVerb(form: Query): string {
  const verb = getFirst(form, '_method') || 'POST'
  if (verb.length > maxVerbLength)
    fail('invalid-request-structure', `The field "_method" can have at most ${maxVerbLength} characters`)
  const upper = verb.toUpperCase()
  return upper === 'HEAD' ? 'GET' : upper
}

const reservedFields = new Set(['_method', '_auth', '_json'])
