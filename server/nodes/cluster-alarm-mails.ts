/** Mails the operator about the alarms of all nodes. The node whose name comes first among those alive sends the mails. */
import type { Engine } from '../../cluster/engine.js'
import type { Lease } from '../../cluster/nodes/lease.js'
import type { Members } from '../../cluster/nodes/members.js'
import type { Config } from '../../core/settings/config.js'
import type { Log } from '../../core/log.js'
import type { Clock } from '../../core/time.js'
import {
  AlarmMails,
  LocalAlarmLedger,
  type AlarmLedger,
  type AlarmLedgerState,
  type MailedAlarm
} from '../alarm-mails.js'
import type { ActiveAlarm } from './active-alarms.js'
import { requestAlarms } from './control.js'

interface ClusterAlarmMailsOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly engine: Pick<Engine, 'register' | 'send'>
  readonly lease: Pick<Lease, 'isSteady' | 'isValid'>
  readonly members: Pick<Members, 'all'>
  /** The alarms of this node. */
  readonly listOwnAlarms: () => readonly ActiveAlarm[]
}

/** The key of the ledger in the register. */
const ledgerKey = 'alarms'
const engineAlarm: MailedAlarm = {
  kind: 'engine',
  about: '',
  text: 'The engine of the cluster is not responding, so no one can be served. At least two of its three servers must be running'
}

/** Starts to send mails. Returns a function that ends this. */
export async function startAlarmMails(options: ClusterAlarmMailsOptions): Promise<() => Promise<void>> {
  const { config, engine, lease, members, listOwnAlarms } = options
  const { createOverview } = await import('../../cluster/nodes/overview.js')
  const { node } = config.cluster
  const isSender = (): boolean =>
    members.all
      .filter(({ state }) => state === 'alive')
      .map(each => each.node)
      .toSorted()[0] === node
  const listAlarms = async (other: string): Promise<readonly ActiveAlarm[] | undefined> =>
    other === node ? listOwnAlarms() : await requestAlarms(engine, other)
  const shared = new AlarmMails({
    ...options,
    ledger: await openSharedLedger(engine),
    collect: async () =>
      lease.isSteady() && isSender() ? (await createOverview(engine.register, listAlarms)).alarms : undefined
  })
  // Without the engine there is no shared ledger: this node mails if, as far as it knows, it is the sender.
  const local = new AlarmMails({
    ...options,
    ledger: new LocalAlarmLedger(),
    collect: async () =>
      await Promise.resolve(isSender() ? (lease.isValid() ? [] : [engineAlarm]) : undefined)
  })
  shared.start()
  local.start()
  return async () => void (await Promise.all([shared.stop(), local.stop()]))
}

/** Opens the ledger that all nodes share, in the register. Unreadable content counts as empty. */
export async function openSharedLedger({ register }: Pick<Engine, 'register'>): Promise<AlarmLedger> {
  const { Conflict } = await import('../../cluster/engine.js')
  const { readJson } = await import('../../cluster/nodes/json.js')
  return {
    async read() {
      const found = await register.get(ledgerKey)
      const { sent, told }: Partial<AlarmLedgerState> = (found && readJson(found.bytes)) ?? {}
      const state = { told: toList(told).filter(isAlarm), sent: toList(sent).filter(isTime) }
      return { revision: found?.revision ?? 0, state }
    },
    async write(revision, state) {
      try {
        await register.cas(ledgerKey, revision, Buffer.from(JSON.stringify(state)))
        return true
      } catch (error) {
        if (error instanceof Conflict) return false
        throw error
      }
    }
  }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isAlarm(value: unknown): value is MailedAlarm {
  const { about, kind, text } = Object(value) as Partial<MailedAlarm>
  return [about, kind, text].every(each => typeof each === 'string')
}

function isTime(value: unknown): value is number {
  return typeof value === 'number'
}
