/** The operator's log as lines of JSON on standard output: the fields of the port and nothing else. */
import { pino, type DestinationStream } from 'pino'
import { BoundedMap } from '../core/security/bounded-map.js'
import type { Log, LogFields } from '../core/log.js'
import type { Settings } from '../core/settings/settings.js'

/** A log of the given level. Lines are written at once: the last ones of a crash are those that matter. */
export function createLog(
  { level }: Pick<Settings['log'], 'level'>,
  destination: DestinationStream = pino.destination({ sync: true }),
  nowMs: () => number = () => performance.now()
): Log {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  return {
    info: (message, fields) => logger.info(listed(fields), message),
    warn: sparing((message, fields) => logger.warn(listed(fields), message), nowMs),
    error: sparing((message, fields) => logger.error(listed(fields), message), nowMs)
  }
}

type Write = (message: string, fields?: LogFields) => void

/** Lines about the same trouble that are written in a minute: what strangers cause they can cause without end. */
const perMinute = 60
/** Troubles that are told apart. */
const remembered = 1000

/** Writes lines as long as there are not too many alike; how many were left out follows with the next one of them. */
function sparing(write: Write, nowMs: () => number): Write {
  const minutes = new BoundedMap<string, { written: number; left: number; endsAtMs: number }>(remembered)
  return (message, fields) => {
    const key = `${message} ${fields?.errorId ?? ''}`
    const now = nowMs()
    const known = minutes.get(key)
    const isSame = known !== undefined && known.endsAtMs > now
    const minute = isSame ? known : { written: 0, left: 0, endsAtMs: now + 60_000 }
    if (!isSame) minutes.set(key, minute)
    if (minute.written >= perMinute) {
      minute.left++
      return
    }
    minute.written++
    if (!isSame && known && known.left > 0) write(`${message} (${known.left} more such lines were left out)`)
    write(message, fields)
  }
}

/** Fields by name, so that whatever else an object holds stays out. */
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

/** What went wrong inside, with where, and what caused that. */
function described(cause: unknown): unknown {
  if (!(cause instanceof Error)) return String(cause)
  const { name, message, stack } = cause
  return {
    name,
    message,
    stack,
    ...(cause.cause === undefined || cause.cause === cause ? {} : { cause: described(cause.cause) })
  }
}
