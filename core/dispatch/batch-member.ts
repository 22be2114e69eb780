/** A member of a batch, as it came and as it is answered. */
import { members } from '../json/json-text.js'
import type { Failure } from '../call/outcome.js'
import { refuseParams } from '../validation/params.js'

/** An error in the place of a result. */
export function errorText({ error }: Pick<Failure, 'error'>): string {
  return `{${members({ error })}}`
}

export function methodOf(call: unknown): string {
  return (call as { method: string }).method
}

export function paramsOf(call: unknown): unknown {
  return (call as { params?: unknown }).params
}

/** Raises `invalid-parameters-format` for a call without params. */
export function mustHaveParams(call: unknown): void {
  if (paramsOf(call) === undefined) refuseParams([withoutParams])
}

const withoutParams = {
  code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
  message: 'The call has no "params"',
  path: '#',
  params: ['params']
}
