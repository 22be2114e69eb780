/** Mails the operator about alarms, by one node for all of them: the one whose name comes first among those that live. */
import type { Engine } from '../../cluster/engine.js'
import type { Lease } from '../../cluster/nodes/lease.js'
import type { Members } from '../../cluster/nodes/members.js'
import type { Config } from '../../core/settings/config.js'
import type { Log } from '../../core/log.js'
import type { Clock } from '../../core/time.js'
import { AlarmMails, OwnLedger, type Ledger, type LedgerState, type Told } from '../alarm-mails.js'
import type { StandingAlarm } from './alarms.js'
import { alarmsAt } from './control.js'

export interface TellingOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly engine: Pick<Engine, 'register' | 'send'>
  readonly lease: Pick<Lease, 'isSteady' | 'isValid'>
  readonly members: Pick<Members, 'all'>
  /** The alarms of this node. */
  readonly own: () => readonly StandingAlarm[]
}

/** Where it stands what has been told. */
const key = 'alarms'
const engineAway: Told = {
  kind: 'engine',
  about: '',
  text: 'The engine of the cluster is not responding, so no one can be served. At least two of its three servers must be running'
}

/** Begins. Returns what ends it. */
export async function tellOperator(options: TellingOptions): Promise<() => Promise<void>> {
  const { config, engine, lease, members, own } = options
  const { createOverview: overviewOf } = await import('../../cluster/nodes/overview.js')
  const { node } = config.cluster
  const isUpToUs = (): boolean =>
    members.all
      .filter(({ state }) => state === 'alive')
      .map(each => each.node)
      .toSorted()[0] === node
  const ask = async (other: string): Promise<readonly StandingAlarm[] | undefined> =>
    other === node ? own() : await alarmsAt(engine, other)
  const shared = new AlarmMails({
    ...options,
    ledger: await sharedLedger(engine),
    collect: async () =>
      lease.isSteady() && isUpToUs() ? (await overviewOf(engine.register, ask)).alarms : undefined
  })
  // What nobody can write down: as far as this node knows, it would be the one to tell.
  const alone = new AlarmMails({
    ...options,
    ledger: new OwnLedger(),
    collect: async () => await Promise.resolve(isUpToUs() ? (lease.isValid() ? [] : [engineAway]) : undefined)
  })
  shared.start()
  alone.start()
  return async () => void (await Promise.all([shared.stop(), alone.stop()]))
}

/** What all nodes have told, in a register of theirs. One that cannot be read says that nothing has been told. */
export async function sharedLedger({ register }: Pick<Engine, 'register'>): Promise<Ledger> {
  const { Conflict } = await import('../../cluster/engine.js')
  const { readJson } = await import('../../cluster/nodes/json.js')
  return {
    async read() {
      const found = await register.get(key)
      const { sent, told }: Partial<LedgerState> = (found && readJson(found.bytes)) ?? {}
      const state = { told: listOf(told).filter(isTold), sent: listOf(sent).filter(isTime) }
      return { revision: found?.revision ?? 0, state }
    },
    async write(revision, state) {
      try {
        await register.cas(key, revision, Buffer.from(JSON.stringify(state)))
        return true
      } catch (error) {
        if (error instanceof Conflict) return false
        throw error
      }
    }
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isTold(value: unknown): value is Told {
  const { about, kind, text } = Object(value) as Partial<Told>
  return [about, kind, text].every(each => typeof each === 'string')
}

function isTime(value: unknown): value is number {
  return typeof value === 'number'
}
