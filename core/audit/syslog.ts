/** Records of the audit as messages of syslog: RFC 5424, with text by a template. (docs/spec/audit.md#syslog) */
import { hostname } from 'node:os'
import type { AuditEntry } from '../../storage/audit/record.js'
import type { Config } from '../settings/config.js'
import { auditFields } from './view.js'

/** Makes the message of a call on an account; of one without an account where there is no id. */
export type SyslogFormat = (entry: AuditEntry, accountId: string | undefined) => Buffer

const severities = { emerg: 0, alert: 1, critical: 2, error: 3, warning: 4, notice: 5, info: 6 } as const

/** Longest message in bytes: what common receivers take. */
const longest = 8000

/** How messages are made, as the settings say. */
export function syslogFormat(config: Config): SyslogFormat {
  const { appName, errorLevel, facility, level, template } = config.audit.syslog
  const source = `${word(hostname(), 255)} ${word(appName, 48)} ${process.pid}`
  // Every second part is the path of a field.
  const parts = template.split(/\{([^{}]*)\}/)
  return (entry, accountId) => {
    const fields = { userid: accountId ?? '-', ...auditFields(config, entry) }
    // What is kept as text until it is written, such as a query, becomes plain here.
    const plain = JSON.parse(JSON.stringify(fields)) as unknown
    const text = parts.map((part, index) => (index % 2 === 0 ? part : textAt(plain, part))).join('')
    const priority = facility * 8 + severities[entry.errorId === undefined ? level : errorLevel]
    const time = new Date(entry.time * 1000).toISOString()
    const header = `<${priority}>1 ${time} ${source} ${word(entry.action, 32)} -`
    return cut(Buffer.from(`${header} ${oneLine(text)}`))
  }
}

/** The field at a path of keys with dots; what is not a text becomes JSON, what is not there nothing. */
function textAt(fields: unknown, path: string): string {
  let value = fields
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return ''
    value = (value as Record<string, unknown>)[key]
  }
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Nobody may begin a line of their own. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
}

/** A word of a header: visible ASCII. */
function word(text: string, length: number): string {
  return text.replaceAll(/[^!-~]/g, '').slice(0, length) || '-'
}

/** Cuts between characters. */
function cut(message: Buffer): Buffer {
  if (message.length <= longest) return message
  let end = longest
  while ((message[end]! & 0xc0) === 0x80) end--
  return message.subarray(0, end)
}
