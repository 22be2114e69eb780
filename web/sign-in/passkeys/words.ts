/** Converts errors about passkeys to ids for which there are texts. */
import { Refusal } from '../../api.js'

/** Returns an error that pages can explain; other errors unchanged. */
export function toPasskeyError(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { data, id, message } = error
  const code = typeof data === 'object' && data !== null && 'code' in data ? data.code : undefined
  if (id === 'invalid-credentials') return new Refusal('passkey-refused', message)
  if (code === 'passkey-refused') return new Refusal('passkey-late', message)
  // Errors of a field are shown beside it.
  return typeof code === 'string' && code !== 'password-wrong' ? new Refusal(code, message) : error
}
