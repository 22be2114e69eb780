/**
 * The form that browsers use to call across origins: a POST that stands for another call.
 * (docs/spec/conventions.md#method-override)
 */
import { fail } from '../../../core/errors.js'
import { readJsonText } from './body.js'
import type { JsonLimits } from '../../../core/json/reader.js'
import { firstOf, parseQuery, type Query, type QueryLimits } from './query.js'
import type { Party } from '../../../storage/scheduler.js'

/** The call that a form describes. */
export interface FormCall {
  /** Upper case; `POST` unless the form says otherwise. */
  readonly verb: string
  /** Replaces the `Authorization` header. */
  readonly authorization: string | undefined
  readonly body: unknown
}

/** Parses a form. Errors: `invalid-request-structure`. */
export async function formCall(
  text: string,
  limits: QueryLimits & JsonLimits,
  party?: Party
): Promise<FormCall> {
  const form = parseQuery(text, limits)
  const json = firstOf(form, '_json')
  const others = [...form].filter(([name]) => !reserved.has(name))
  return {
    verb: verbIn(form),
    authorization: firstOf(form, '_auth'),
    body:
      json === undefined
        ? Object.fromEntries(others)
        : await readJsonText(json, limits, 'The field "_json"', party)
  }
}

/** Maximum length of a verb; those of HTTP have seven letters at most. */
const maxVerbLength = 20

/**
 * The verb becomes part of messages, and of what is looked up. The response to a form has a body as that to any POST: without one, what
 * follows on the connection would be taken for it.
 */
function verbIn(form: Query): string {
  const verb = firstOf(form, '_method') || 'POST'
  if (verb.length > maxVerbLength)
    fail('invalid-request-structure', `The field "_method" can have at most ${maxVerbLength} characters`)
  const upper = verb.toUpperCase()
  return upper === 'HEAD' ? 'GET' : upper
}

const reserved = new Set(['_method', '_auth', '_json'])
