/** `coffer export-data`: exports events in formats for other programs. (docs/api/exports.md) */
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { accountId, helpersId } from '../../core/system-ids.js'
import { isZone } from '../../schemas/zones.js'
import { findAccount } from '../maintenance/place-account.js'
import { printResult, type JsonOption } from '../terminal/output.js'
import { loadExistingDirectory } from '../terminal/directory.js'
import { parseTime, splitArguments, UsageError } from '../terminal/operands.js'
import { withExport, writeEvents, type ExportParams } from '../transfer/export-events.js'
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

/**
 * Exports to the file `out`, by default to standard output. Throws `TransferError` if there is no active
 * account of that name, and {@link UsageError} for an unknown time zone.
 */
export async function exportData(args: readonly string[], options: ExportDataOptions): Promise<void> {
  const { flags, operands } = splitArguments(args, 'user')
  const [username = ''] = operands
  const params = createParams(options)
  const { layout, settings } = loadExistingDirectory(flags)
  const account = findAccount(layout, username)
  if (account?.state !== 'active') throw new TransferError(`No account ${username}`)
  const { format, json, out } = options
  if (out === undefined) return await withExport(settings, layout, account, params, writeToOutput)
  const file = resolve(out)
  await writeEvents(settings, layout, account, params, file)
  printResult(json, { username, format, file }, `${username}: exported to ${file}`)
}

/** Writes to standard output. Its errors end the export, and are reported by `handleOutputErrors`. */
async function writeToOutput(chunks: AsyncIterable<Buffer>): Promise<void> {
  let failure: unknown
  process.stdout.once('error', error => (failure = error))
  try {
    await pipeline(chunks, process.stdout, { end: false })
  } catch (error) {
    if (failure === undefined) throw error
  }
}

/** All streams except those in which the service stores account fields. */
const allUserStreams = [{ any: ['*'], not: [accountId, helpersId] }]

/** A time after all possible event times, in seconds. */
const maxTime = 8.64e12

/** Converts the options of the command to params. Throws `UsageError` for a zone that is not valid. */
function createParams({
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
  const hasRange = from !== undefined || to !== undefined
  return {
    format,
    zone,
    sortAscending: true,
    streams: streams === undefined ? allUserStreams : splitNames(streams),
    ...(types !== undefined && { types: splitNames(types) }),
    ...(hasRange && { fromTime: from === undefined ? -maxTime : parseTime(from, zone, false) }),
    ...(hasRange && { toTime: to === undefined ? maxTime : parseTime(to, zone, true) }),
    ...(series && { series })
  }
}

function splitNames(list: string): string[] {
  return list
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
}
