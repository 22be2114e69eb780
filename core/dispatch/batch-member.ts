/** A member of a batch, as it came and as it is answered. */
import { members } from '../json/json-text.js'
import type { Failure } from '../call/outcome.js'

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
