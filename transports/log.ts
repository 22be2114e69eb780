/** The operator's log as lines of JSON on standard output: the fields of the port and nothing else. (security: secrets in logs) */
import { pino, type DestinationStream } from 'pino'
import type { Log, LogFields } from '../core/log.js'
import type { Settings } from '../core/settings.js'

/** A log of the given level. Lines are written at once: the last ones of a crash are those that matter. */
export function createLog(
  { level }: Pick<Settings['log'], 'level'>,
  destination: DestinationStream = pino.destination({ sync: true })
): Log {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  return {
    info: (message, fields) => logger.info(listed(fields), message),
    warn: (message, fields) => logger.warn(listed(fields), message),
    error: (message, fields) => logger.error(listed(fields), message)
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
