/**
 * `coffer cluster rescue`: lists the copies of an account that cannot be served, or recovers it from one of them.
 * (docs/cluster.md#an-account-cannot-be-served)
 */
import type { ScannedEnd } from '../../cluster/scan-log.js'
import type { FoundCopy } from '../../cluster/rescue.js'
import type { NatsEngine } from '../../cluster/nats-engine.js'
import { Members } from '../../cluster/nodes/members.js'
import {
  parseControlResponse,
  encodeControlRequest,
  type ControlResponse
} from '../../server/nodes/control.js'
import { printResult, type JsonOption } from '../terminal/output.js'
import { splitArguments, UsageError } from '../terminal/operands.js'
import { loadClusterSettings, sendControl, withEngine } from './cluster.js'

export interface RescueOptions extends JsonOption {
  readonly from?: string
  readonly acceptLoss?: true
}

/** Timeout for finding or restoring copies. Reading a large file takes long. */
const timeoutMs = 600_000

/**
 * Lists the copies that nodes have of an account, or makes a node recover the account from one of these
 * copies. The exit code is 1 if the account's log was not found, or if recovering failed.
 */
export async function rescueAccount(args: readonly string[], options: RescueOptions): Promise<void> {
  const { flags, operands } = splitArguments(args, 'user')
  const username = operands[0]!
  const { cluster } = await loadClusterSettings(flags)
  await withEngine(cluster, async engine => {
    if (options.from === undefined) return await printCopies(engine, username, options)
    const [node = '', place = '', ...rest] = options.from.split('/')
    if (node === '' || place === '' || rest.length > 0)
      throw new UsageError('--from must be a node and a copy, such as n1/file')
    const isLossAccepted = options.acceptLoss === true
    const control = { do: 'rescue', username, place, isLossAccepted } as const
    await sendControl(engine, node, control, timeoutMs, options.json)
  })
}

/**
 * Asks all nodes for their copies of an account, and prints them. The exit code is 1 if no node answers with the end
 * of the log.
 */
async function printCopies(engine: NatsEngine, username: string, { json }: JsonOption): Promise<void> {
  const members = new Members()
  members.update(await engine.register.list('node.'))
  const nodes = members.living.map(({ node }) => node)
  const answers = await Promise.all(
    nodes.map(async node => ({ node, ...(await listCopies(engine, node, username)) }))
  )
  const refusals = answers.filter(({ ok }) => !ok)
  const end: ScannedEnd | undefined = answers.find(({ found }) => found)?.found?.end
  const copies = mergeCopies(answers)
  const lines = [
    ...(end
      ? [`log\tends with commit ${end.lsn}${end.damaged > 0 ? `, unreadable records: ${end.damaged}` : ''}`]
      : []),
    ...copies.map(
      ({ bytes, from, lsn }) => `${from}\tends with commit ${lsn}\t${Math.ceil(bytes / 1024)} KB`
    ),
    ...refusals.map(({ message, node }) => `${node}\t${message}`),
    ...(end && copies.length === 0 ? ['No complete copy found'] : [])
  ]
  printResult(
    json,
    { end, copies, refusals: refusals.map(({ message, node }) => ({ node, message })) },
    ...lines
  )
  if (!end) process.exitCode = 1
}

/** Returns the copies of all nodes, the latest first. Copies that all nodes share are listed once. */
function mergeCopies(
  answers: readonly { node: string; found?: ControlResponse['found'] }[]
): (FoundCopy & { from: string })[] {
  const copies = new Map<string, FoundCopy & { from: string }>()
  for (const { found, node } of answers)
    for (const copy of found?.copies ?? []) {
      const isOwn = copy.place === 'file' || copy.place === 'aside'
      const key = isOwn ? `${node}/${copy.place}` : copy.place
      if (!copies.has(key)) copies.set(key, { ...copy, from: `${node}/${copy.place}` })
    }
  return Array.from(copies.values()).toSorted((one, other) => other.lsn - one.lsn)
}

async function listCopies(engine: NatsEngine, node: string, username: string): Promise<ControlResponse> {
  try {
    return parseControlResponse(
      await engine.send(node, encodeControlRequest({ do: 'copies', username }), timeoutMs)
    )
  } catch (error) {
    return { ok: false, message: (error as Error).message }
  }
}
