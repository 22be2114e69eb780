/** Validates values of account fields: text or a number that matches the operator's pattern. (docs/spec/accounts.md#values) */
import { mailable } from '../../schemas/account.js'
import type { AccountField } from './fields.js'
import type { Violation } from '../validation/params.js'
import { maxFieldLength } from '../settings/custom-streams.js'

/** Maximum length of the fields that differ from the general limit, in characters. */
const maxLengths: ReadonlyMap<string, number> = new Map([
  ['email', 300],
  ['language', 5]
])

const mailablePattern = new RegExp(mailable, 'u')

/** Returns what is wrong with a value; `undefined` if it is valid. */
export function checkFieldValue(field: AccountField, value: unknown, path: string): Violation | undefined {
  const { name, pattern, patternError } = field
  if (typeof value !== 'string' && typeof value !== 'number')
    return { code: 'INVALID_TYPE', message: `The ${name} must be a string or a number`, path, param: name }
  const text = String(value)
  const length = maxLengths.get(name)
  // The operator's pattern may be slow: it is never tested against long text.
  const isLong = text.length > (length ?? maxFieldLength)
  if (isLong || (pattern && !pattern.test(text))) {
    const { code = `${name}-invalid`, message = `The ${name} is invalid` } = (pattern && patternError) ?? {}
    return { code, message, path, param: name }
  }
  const isFitting = length === undefined || (typeof value === 'string' && text !== '')
  const isMailable = name !== 'email' || mailablePattern.test(text)
  if (isFitting && isMailable) return undefined
  return { code: `${name}-invalid`, message: `The ${name} is invalid`, path, param: name }
}
