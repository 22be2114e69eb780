/** Error messages for users: our own texts where they are clearer than the server's. */
import { h, type ComponentChild } from 'preact'
import { Refusal } from './api.js'
import { formatDate, formatDuration, isKey, rich, t } from './language.js'

/** A text, possibly with a link. */
export type Message = string | ComponentChild[]

export interface Problem {
  readonly message: Message
  /** Error messages of fields, by name. */
  readonly fields: ReadonlyMap<string, string>
  /** The earliest time for another attempt, in milliseconds. */
  readonly retryAt?: number
}

const noFields: ReadonlyMap<string, string> = new Map()

/**
 * Converts a thrown error to messages for the user: one for all, and one for each field concerned. Errors
 * that are not of the service are reported to the console, and get a general message.
 */
export function explainError(error: unknown): Problem {
  if (isOfflineImport(error)) return { message: t('error.offline'), fields: noFields }
  if (!(error instanceof Refusal)) {
    reportError(error)
    return { message: t('error.unexpected'), fields: noFields }
  }
  const { data, id, message, retryAfter = 0, subErrors } = error
  if (retryAfter > 0)
    return {
      message: t('error.wait', { duration: formatDuration(retryAfter) }),
      fields: noFields,
      retryAt: Date.now() + retryAfter * 1000
    }
  const fields = explainFields(id, data, subErrors)
  if (fields.size > 0) return { message: t('error.fields'), fields }
  if (id === 'invalid-operation' && isObject(data) && typeof data['passwordCanBeChanged'] === 'number')
    return { message: t('error.password-new', { date: formatDate(data['passwordCanBeChanged']) }), fields }
  if (id === 'invalid-credentials') return { message: explainCredentials(data), fields }
  if (id === 'user-account-relocated' && typeof data === 'string')
    return { message: linkToNewService(data), fields }
  const code = `error.${isObject(data) ? String(data['code']) : ''}`
  const key = isKey(code) ? code : `error.${id}`
  return { message: isKey(key) ? t(key) : joinTexts(data) || message || t('error.unexpected'), fields }
}

/** Returns whether a part of the page could not be loaded. Browsers differ in what they say. */
function isOfflineImport(error: unknown): boolean {
  return error instanceof TypeError && /module script|imported module/i.test(error.message)
}

/**
 * Returns the message for refused credentials. Expired passwords are refused like wrong ones, with the time of expiry.
 * (docs/spec/authentication.md#password-rules)
 */
function explainCredentials(data: unknown): string {
  const expired = isObject(data) ? data['expiredTime'] : undefined
  return typeof expired === 'number'
    ? t('error.expired-password', { date: formatDate(expired) })
    : t('error.credentials')
}

/** Returns a message with a link to the new service. Pages have the same path on every service. */
function linkToNewService(server: string): Message {
  const { host, href } = new URL('access/access.html', server)
  return rich('error.moved', { place: h('a', { href, rel: 'noreferrer' }, host) })
}

/** Joins texts sent instead of error codes. */
function joinTexts(data: unknown): string {
  return Array.isArray(data) ? data.filter(each => typeof each === 'string').join(' ') : ''
}

/**
 * Returns error messages by field: from codes and paths, or from names of values that are taken. (docs/spec/errors.md#violations)
 */
function explainFields(
  id: string,
  data: unknown,
  subErrors: readonly unknown[]
): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  if (id === 'item-already-exists' && isObject(data))
    for (const name of Object.keys(data)) {
      const key = `error.${name}-taken`
      if (isKey(key)) fields.set(name, t(key))
    }
  const details = subErrors.map(each => (isObject(each) ? each['data'] : undefined))
  // Most errors list several fields; those about passwords concern one.
  for (const each of [data, ...details].flat()) {
    if (!isObject(each)) continue
    const { code, message, minimum, param, path } = each
    const name = param ?? path
    const key = `error.${typeof code === 'string' ? code : ''}`
    if (typeof name === 'string' && isKey(key))
      fields.set(name.replace(/^#\//, ''), t(key, { count: Number(minimum), message: String(message) }))
  }
  return fields
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
