/** Errors about passkeys, with ids for which there are texts. */
import { Refusal } from '../../api.js'

/** Returns an error as the pages can explain it. */
export function inWords(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { data, id, message } = error
  const code = typeof data === 'object' && data !== null && 'code' in data ? data.code : undefined
  if (id === 'invalid-credentials') return new Refusal('passkey-refused', message)
  if (code === 'passkey-refused') return new Refusal('passkey-late', message)
  // What concerns a field is shown beside it.
  return typeof code === 'string' && code !== 'password-wrong' ? new Refusal(code, message) : error
}
