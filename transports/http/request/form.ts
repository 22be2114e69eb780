/**
 * The form that browsers use to call across origins: a POST that stands for another call.
 * (docs/spec/conventions.md#method-override)
 */
import { readJsonText } from './body.js'
import type { JsonLimits } from '../../../core/json/reader.js'
import { firstOf, parseQuery, type QueryLimits } from './query.js'

/** The call that a form describes. */
export interface FormCall {
  /** Upper case; `POST` unless the form says otherwise. */
  readonly verb: string
  /** Replaces the `Authorization` header. */
  readonly authorization: string | undefined
  readonly body: unknown
}

/** Parses a form. Errors: `invalid-request-structure`. */
export async function formCall(text: string, limits: QueryLimits & JsonLimits): Promise<FormCall> {
  const form = parseQuery(text, limits)
  const json = firstOf(form, '_json')
  const others = [...form].filter(([name]) => !reserved.has(name))
  return {
    verb: (firstOf(form, '_method') || 'POST').toUpperCase(),
    authorization: firstOf(form, '_auth'),
    body:
      json === undefined ? Object.fromEntries(others) : await readJsonText(json, limits, 'The field "_json"')
  }
}

const reserved = new Set(['_method', '_auth', '_json'])
