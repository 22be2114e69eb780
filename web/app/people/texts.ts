/** Declares the keys of the texts of people, and explains failures: why an offer cannot be read or accepted, or a message has not arrived. */
import { Refusal } from '../../api.js'
import { isKey, t } from '../../language.js'
import type texts from './messages/en.json'

type Own = Readonly<Record<keyof typeof texts, string>>
declare module '../../language.js' {
  interface Texts extends Own {}
}

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
