/** Converts problems of fields, found here or by the service, to errors that forms show at the fields. */
import { Refusal } from '../../api.js'
import type { ContentField, FieldProblems } from './fields.js'

/** Creates an error that makes a form show problems at its fields. */
export function createFieldError(problems: FieldProblems): Refusal {
  return new Refusal(
    'invalid-parameters-format',
    '',
    [...problems].map(([path, code]) => ({ code: `wrong-${code}`, path }))
  )
}

/**
 * Converts an error of the service to one of the fields concerned; returns it unchanged if there are none.
 * (docs/spec/errors.md#violations)
 */
export function toFieldError(error: unknown, fields: readonly ContentField[]): unknown {
  if (!(error instanceof Refusal) || error.id !== 'invalid-parameters-format' || !Array.isArray(error.data))
    return error
  const problems = new Map<string, string>()
  for (const violation of error.data as readonly Readonly<Record<string, unknown>>[]) {
    const path = toText(violation['path']).replace(/^#\/(?:update\/)?/, '')
    const missing = Array.isArray(violation['params'])
      ? violation['params'].map(name => `${path}/${String(name)}`)
      : []
    for (const name of [path, ...missing]) {
      const field = fields.find(known => known.name === name || name.startsWith(`${known.name}/`))
      if (field) problems.set(field.name, codes[toText(violation['code'])] ?? 'service')
    }
  }
  return problems.size === 0 ? error : createFieldError(problems)
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Problem codes by schema error code. */
const codes: Readonly<Record<string, string>> = {
  OBJECT_MISSING_REQUIRED_PROPERTY: 'missing',
  MINIMUM: 'small',
  MAXIMUM: 'large',
  MAX_LENGTH: 'long'
}
