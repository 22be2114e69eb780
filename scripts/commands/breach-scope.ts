/** `coffer breach-scope`: lists what an access has read, for the assessment of a data breach. */
import type { BreachScope } from '../../core/audit/breach-scope.js'
import type { OwnedAccess } from '../../core/platform/find-access.js'
import { escapeControls, formatCount, type JsonOption } from '../terminal/output.js'
import { loadExistingDirectory } from '../terminal/directory.js'
import { parseTime, splitArguments, UsageError } from '../terminal/operands.js'
import { withOperator, type Operator } from '../terminal/operator.js'

export interface BreachScopeOptions extends JsonOption {
  readonly access?: string
  readonly user?: string
  readonly since?: string
  readonly until?: string
  readonly csv?: true
}

/**
 * Prints what the access has read, as text, JSON or CSV. Without `--user`, searches all accounts for the
 * owner of the access. Throws {@link UsageError} without `--access`, or with both formats.
 */
export async function printBreachScope(args: readonly string[], options: BreachScopeOptions): Promise<void> {
  const { access, csv, json, since, until, user } = options
  const { flags } = splitArguments(args)
  if (access === undefined) throw new UsageError('Missing option: --access <id> (see --help)')
  if (csv && json) throw new UsageError("--csv and --json can't be combined")
  const range = {
    ...(since !== undefined && { since: parseTime(since, 'UTC', false) }),
    ...(until !== undefined && { until: parseTime(until, 'UTC', true) })
  }
  const { settings } = loadExistingDirectory(flags)
  const result = await withOperator(settings, async operator => {
    const username = user ?? (await findOwner(operator, access))
    return await operator.call('system.getBreachScope', {
      id: access,
      username,
      ...range,
      ...(csv && { format: 'csv' })
    })
  })
  if (csv) return console.log((result['csv'] as string).trimEnd())
  const { meta: _meta, ...found } = result as unknown as Found & { readonly meta?: unknown }
  console.log(json ? JSON.stringify(found, null, 2) : escapeControls(formatFound(found)))
}

interface Found extends OwnedAccess {
  readonly breachScope: BreachScope
}

async function findOwner(operator: Operator, id: string): Promise<string> {
  return ((await operator.call('system.getAccess', { id })) as unknown as OwnedAccess).owner.username
}

/** Formats what an access has read, with a line for each share, stream and address. */
function formatFound({ access, breachScope, owner }: Found): string {
  const {
    addresses,
    calls,
    first,
    isIncomplete,
    last,
    recordCount,
    recordedSince,
    refused,
    shares,
    streams
  } = breachScope
  return [
    `${access.id} (${access.type}, "${access.name}") of ${owner.username}` +
      (access.deleted === undefined ? '' : `, revoked ${formatTime(access.deleted)}`),
    `${formatCount(calls, 'call')} (refused: ${refused}), ${formatCount(recordCount, 'item')} read` +
      (first === null || last === null ? '' : `, from ${formatTime(first)} to ${formatTime(last)}`),
    recordedSince === null
      ? 'The account has no audit records'
      : `The audit of the account begins ${formatTime(recordedSince)}`,
    ...(isIncomplete ? ['The audit does not have everything: some of the numbers are too small'] : []),
    ...shares.map(({ id, name }) => `share\t${id}\t${name}`),
    ...streams.map(({ fromTime, id, kinds, name, recordCount: items, toTime }) =>
      [
        'stream',
        id,
        name ?? '',
        kinds.join(' '),
        `${items}`,
        `${fromTime === null ? '' : formatTime(fromTime)}..${toTime === null ? '' : formatTime(toTime)}`
      ].join('\t')
    ),
    ...addresses.map(({ calls: times, first: begin, ip, last: end }) =>
      ['address', ip, `${times}`, `${formatTime(begin)}..${formatTime(end)}`].join('\t')
    )
  ].join('\n')
}

/** Formats a time in seconds; a time beyond the calendar as the number. */
function formatTime(time: number): string {
  const date = new Date(time * 1000)
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString()
}
