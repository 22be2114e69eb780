/** `coffer export-data`: writes events in a form for other programs. (docs/api/exports.md) */
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { accountId, helpersId } from '../../core/system-ids.js'
import { getDayStart, isZone } from '../../schemas/zones.js'
import { accountIn } from '../maintenance/place-account.js'
import { print, type JsonOption } from '../terminal/answer.js'
import { presentDirectoryOf } from '../terminal/directory.js'
import { split, UsageError } from '../terminal/operands.js'
import { eachPiece, writeEvents, type ExportParams } from '../transfer/export-events.js'
import { TransferError } from '../transfer/transfer-error.js'

export interface ExportDataOptions extends JsonOption {
  readonly format: string
  readonly streams?: string
  readonly types?: string
  readonly from?: string
  readonly to?: string
  readonly zone?: string
  readonly series?: true
  readonly out?: string
}

/** Writes to `out`, or to the standard output. */
export async function exportData(args: readonly string[], options: ExportDataOptions): Promise<void> {
  const { flags, operands } = split(args, 'user')
  const [username = ''] = operands
  const params = paramsOf(options)
  const { layout, settings } = presentDirectoryOf(flags)
  const account = accountIn(layout, username)
  if (account?.state !== 'active') throw new TransferError(`No account ${username}`)
  const { format, json, out } = options
  if (out === undefined) return await eachPiece(settings, layout, account, params, toOutput)
  const file = resolve(out)
  await writeEvents(settings, layout, account, params, file)
  print(json, { username, format, file }, `${username}: exported to ${file}`)
}

/** Writes to the standard output, until it fails: that is told elsewhere. */
async function toOutput(pieces: AsyncIterable<string>): Promise<void> {
  let failure: unknown
  process.stdout.once('error', error => (failure = error))
  try {
    await pipeline(pieces, process.stdout, { end: false })
  } catch (error) {
    if (failure === undefined) throw error
  }
}

/** All streams, without those in which the service keeps what it knows of the account. */
const allButOwn = [{ any: ['*'], not: [accountId, helpersId] }]

/** Times before and after all others, in seconds. */
const furthest = 8.64e12
const daySeconds = 86_400

function paramsOf({
  format,
  from,
  series,
  streams,
  to,
  types,
  zone = 'UTC'
}: ExportDataOptions): ExportParams {
  if (!isZone(zone))
    throw new UsageError(`"${String(zone)}" is not a valid time zone. Use a name such as Europe/Zurich`)
  const isWithin = from !== undefined || to !== undefined
  return {
    format,
    zone,
    sortAscending: true,
    streams: streams === undefined ? allButOwn : namesIn(streams),
    ...(types !== undefined && { types: namesIn(types) }),
    ...(isWithin && { fromTime: from === undefined ? -furthest : timeOf(from, zone, false) }),
    ...(isWithin && { toTime: to === undefined ? furthest : timeOf(to, zone, true) }),
    ...(series && { series })
  }
}

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
}

/** The time of a text in seconds: a day, of which the beginning or the end counts, or a moment. */
function timeOf(text: string, zone: string, isEnd: boolean): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw new UsageError(`"${text}" is not a valid date or time. Use a date such as 2026-03-29`)
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return ms / 1000
  const day = ms / 1000 / daySeconds
  return isEnd ? getDayStart(zone, day + 1) - 0.001 : getDayStart(zone, day)
}
