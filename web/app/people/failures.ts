/** Explains failures: why an offer cannot be read or accepted, or a message has not arrived. */
import { Refusal } from '../../api.js'
import { isKey, t } from '../../language.js'

/** Returns the text for the id of a reason; a general text for other reasons. */
export function describeFailure(reason: string | undefined): string {
  const key = `people.failure.${reason ?? ''}`
  return isKey(key) ? t(key) : t('people.failure')
}

/** Returns an error whose text explains the reason that the service gave; other errors are returned unchanged. */
export function explainFailure(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.id !== 'invalid-operation') return error
  const { id } = Object(error.data) as { readonly id?: unknown }
  return typeof id === 'string' ? new Refusal('people-failed', describeFailure(id)) : error
}
