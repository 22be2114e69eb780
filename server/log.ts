/** The operator's log: JSON lines on standard output, with only the fields that `LogFields` names. */
import { pino, type DestinationStream } from 'pino'
import { BoundedMap } from '../core/security/bounded-map.js'
import type { Log, LogFields } from '../core/log.js'
import type { Settings } from '../core/settings/settings.js'
import { systemClock, type Clock } from '../core/time.js'
import { LogOutput } from './log-output.js'

/** Returns a log of the given level and format. Its functions never throw, except what `destination` throws. */
export function createLog(
  { format = 'json', level }: Pick<Settings['log'], 'level'> & Partial<Pick<Settings['log'], 'format'>>,
  destination: DestinationStream = new LogOutput(process.stdout.fd),
  clock: Pick<Clock, 'after'> = systemClock
): Log {
  const isText = format === 'text' || (format === 'auto' && process.stdout.isTTY)
  const logger = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    isText ? { write: line => destination.write(formatTextLine(line)) } : destination
  )
  if (destination instanceof LogOutput) destination.onRecovery(message => logger.error(message))
  return {
    info: (message, fields) => logger.info(pickFields(fields), message),
    warn: limitRate((message, fields) => logger.warn(pickFields(fields), message), clock),
    error: limitRate((message, fields) => logger.error(pickFields(fields), message), clock)
  }
}

type Write = (message: string, fields?: LogFields) => void

/** Maximum number of lines per minute about the same problem, since clients can cause any number of them. */
const maxPerMinute = 60
/** The same for problems with accounts, of which a node may have thousands at once. */
const maxPerMinuteOfAccounts = 10
/** Maximum number of problems that are tracked. */
const maxTracked = 1000

/** Limits how many similar lines are written per minute. At its end, a line reports how many were omitted. */
function limitRate(write: Write, clock: Pick<Clock, 'after'>): Write {
  const minutes = new BoundedMap<string, { written: number; omitted: number }>(maxTracked)
  return (message, fields) => {
    const key = `${message} ${fields?.errorId ?? ''}`
    const existing = minutes.get(key)
    const minute = existing ?? { written: 0, omitted: 0 }
    if (!existing) {
      minutes.set(key, minute)
      clock.after(60, () => {
        if (minutes.get(key) === minute) minutes.delete(key)
        if (minute.omitted > 0) write(`${message} (similar lines omitted: ${minute.omitted})`)
      })
    }
    if (minute.written >= (fields?.accountId === undefined ? maxPerMinute : maxPerMinuteOfAccounts))
      minute.omitted++
    else {
      minute.written++
      write(message, fields)
    }
  }
}

/** Names of pino's levels. */
const levels: ReadonlyMap<number, string> = new Map([
  [20, 'debug'],
  [30, 'info'],
  [40, 'WARNING'],
  [50, 'ERROR']
])

/** Formats a JSON line as text: the time, the message, then the other fields. */
function formatTextLine(line: string): string {
  const { level, time, msg, cause, ...fields } = JSON.parse(line) as Record<string, unknown>
  const { message, stack } = (cause ?? {}) as { message?: string; stack?: string }
  const words = [
    String(time).slice(11, 19),
    levels.get(Number(level)) ?? '',
    String(msg),
    ...Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`),
    ...(cause === undefined
      ? []
      : [`(${message ?? (typeof cause === 'string' ? cause : JSON.stringify(cause))})`])
  ]
  const trace = stack === undefined ? '' : `\n${stack}`
  return `${(words.join(' ') + trace).replaceAll(controlCharacters, ' ')}\n`
}

// oxlint-disable-next-line no-control-regex -- a terminal would obey them
const controlCharacters = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g

/** Copies the known fields, so that nothing else gets into the log. */
function pickFields(fields: LogFields = {}): object {
  const { method, status, errorId, durationMs, accessId, accountId, link, url, cause } = fields
  return {
    method,
    status,
    errorId,
    durationMs,
    accessId,
    accountId,
    link,
    url,
    ...(cause === undefined ? {} : { cause: describeError(cause) })
  }
}

/** Maximum number of nested causes that are logged: they may be circular. */
const maxCauses = 10

/** Describes an error with its stack and its causes. Never throws. */
function describeError(cause: unknown, depth = 1): unknown {
  try {
    if (!(cause instanceof Error)) return String(cause)
    const { name, message, stack } = cause
    return {
      name,
      message,
      stack,
      ...(cause.cause === undefined || cause.cause === cause || depth === maxCauses
        ? {}
        : { cause: describeError(cause.cause, depth + 1) })
    }
  } catch {
    return 'an error that cannot be described'
  }
}
