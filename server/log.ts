/** The operator's log: JSON lines on standard output, with only the fields that `LogFields` names. */
import { pino, type DestinationStream } from 'pino'
import { BoundedMap } from '../core/security/bounded-map.js'
import type { Log, LogFields } from '../core/log.js'
import type { Settings } from '../core/settings/settings.js'
import { systemClock, type Clock } from '../core/time.js'
import { LogOutput } from './log-output.js'

/** Returns a log of the given level and form. It does not throw, whatever it is given; what `destination` throws goes on. */
export function createLog(
  { format = 'json', level }: Pick<Settings['log'], 'level'> & Partial<Pick<Settings['log'], 'format'>>,
  destination: DestinationStream = new LogOutput(process.stdout.fd),
  clock: Pick<Clock, 'after'> = systemClock
): Log {
  const isText = format === 'text' || (format === 'auto' && process.stdout.isTTY)
  const logger = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    isText ? { write: line => destination.write(lineForPeople(line)) } : destination
  )
  if (destination instanceof LogOutput) destination.onRecovery(message => logger.error(message))
  return {
    info: (message, fields) => logger.info(listed(fields), message),
    warn: rateLimited((message, fields) => logger.warn(listed(fields), message), clock),
    error: rateLimited((message, fields) => logger.error(listed(fields), message), clock)
  }
}

type Write = (message: string, fields?: LogFields) => void

/** Maximum number of lines per minute about the same problem: clients can cause problems without end. */
const perMinute = 60
/** The same for problems with accounts, of which a node may have thousands at once. */
const perMinuteOfAccounts = 10
/** Number of problems that are tracked. */
const maxTracked = 1000

/** Limits how many similar lines are written per minute. At its end a line tells how many were left out. */
function rateLimited(write: Write, clock: Pick<Clock, 'after'>): Write {
  const minutes = new BoundedMap<string, { written: number; left: number }>(maxTracked)
  return (message, fields) => {
    const key = `${message} ${fields?.errorId ?? ''}`
    const known = minutes.get(key)
    const minute = known ?? { written: 0, left: 0 }
    if (!known) {
      minutes.set(key, minute)
      clock.after(60, () => {
        if (minutes.get(key) === minute) minutes.delete(key)
        if (minute.left > 0) write(`${message} (similar lines omitted: ${minute.left})`)
      })
    }
    if (minute.written >= (fields?.accountId === undefined ? perMinute : perMinuteOfAccounts)) minute.left++
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

/** A line of JSON as people read it: the time, what happened, then the other fields. */
function lineForPeople(line: string): string {
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
  return `${(words.join(' ') + trace).replaceAll(controls, ' ')}\n`
}

// oxlint-disable-next-line no-control-regex -- a terminal would obey them
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g

/** Copies the known fields, so that nothing else gets into the log. */
function listed(fields: LogFields = {}): object {
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
    ...(cause === undefined ? {} : { cause: described(cause) })
  }
}

/** Maximum number of causes that are described of an error: they may lead in a circle. */
const maxCauses = 10

/** Describes an error with its stack and its causes. Never throws, since it runs where all else has failed. */
function described(cause: unknown, depth = 1): unknown {
  try {
    if (!(cause instanceof Error)) return String(cause)
    const { name, message, stack } = cause
    return {
      name,
      message,
      stack,
      ...(cause.cause === undefined || cause.cause === cause || depth === maxCauses
        ? {}
        : { cause: described(cause.cause, depth + 1) })
    }
  } catch {
    return 'an error that cannot be described'
  }
}
