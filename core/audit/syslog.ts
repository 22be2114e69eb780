/** Audit records as syslog messages (RFC 5424), whose text follows a template. (docs/spec/audit.md#syslog) */
import { hostname } from 'node:os'
import type { AuditEntry } from '../../storage/audit/record.js'
import type { Config } from '../settings/config.js'
import { toEventFields } from './audit-event.js'

/** Formats the message about a call; without `accountId`, about a call that concerns no account. */
export type SyslogFormat = (entry: AuditEntry, accountId: string | undefined) => Buffer

const severities = { emerg: 0, alert: 1, critical: 2, error: 3, warning: 4, notice: 5, info: 6 } as const

/** Longest message in bytes that common receivers accept. */
const maxBytes = 8000

/** Creates the configured format. */
export function createSyslogFormat(config: Config): SyslogFormat {
  const { appName, errorLevel, facility, level, template } = config.audit.syslog
  const source = `${toHeaderWord(hostname(), 255)} ${toHeaderWord(appName, 48)} ${process.pid}`
  // Every second part is the path of a field.
  const parts = template.split(/\{([^{}]*)\}/)
  return (entry, accountId) => {
    const fields = { userid: accountId ?? '-', ...toEventFields(config, entry) }
    // Calls the `toJSON` of values that have one, such as queries, so that paths can reach into the result.
    const plain = JSON.parse(JSON.stringify(fields)) as unknown
    const text = parts.map((part, index) => (index % 2 === 0 ? part : getTextAt(plain, part))).join('')
    const priority = facility * 8 + severities[entry.errorId === undefined ? level : errorLevel]
    const time = new Date(entry.time * 1000).toISOString()
    const header = `<${priority}>1 ${time} ${source} ${toHeaderWord(entry.action, 32)} -`
    return cutMessage(Buffer.from(`${header} ${toOneLine(text)}`))
  }
}

/** Returns the field at a path of keys with dots; values other than text as JSON, missing fields as empty text. */
function getTextAt(fields: unknown, path: string): string {
  let value = fields
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return ''
    value = (value as Record<string, unknown>)[key]
  }
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Replaces line breaks and control characters, so that clients cannot forge messages. */
function toOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
}

/** Converts text to a word of a header: visible ASCII. */
function toHeaderWord(text: string, length: number): string {
  return text.replaceAll(/[^!-~]/g, '').slice(0, length) || '-'
}

/** Cuts a message to {@link maxBytes}, between UTF-8 characters. */
function cutMessage(message: Buffer): Buffer {
  if (message.length <= maxBytes) return message
  let end = maxBytes
  while ((message[end]! & 0xc0) === 0x80) end--
  return message.subarray(0, end)
}
