/** Counts what is read of copies, so that the owners of what is copied can be told. (docs/api/mirrors.md#reports) */
import type { CopyRead } from '../../schemas/mirrors/kept-copy.js'
import type { AuditScope } from '../../storage/audit/scope.js'
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { CopyReads, Services } from '../call/services.js'
import { writeAsService } from '../cmc/service-calls.js'
import type { Caller } from '../permissions/caller.js'
import { getRootOfCopy } from '../system-ids.js'
import { isObject } from '../validation/is-object.js'
import { followedKey } from './copied-streams.js'

/** Seconds after which reads are stored: by then, most responses have been sent. */
const delaySeconds = 2
/** Maximum number of reads that wait. */
const maxWaiting = 10_000
const daySeconds = 86_400

interface Noted {
  readonly reader: string
  readonly day: number
  readonly scope: AuditScope
}

/** Notes reads in memory, and stores them after two seconds. */
export class StoredCopyReads implements CopyReads {
  readonly #waiting = new Map<string, { readonly account: Account; readonly reads: Noted[] }>()
  #count = 0
  #cancelTimer: (() => void) | undefined
  #storing: Promise<void> = Promise.resolve()

  constructor(private readonly getServices: () => Services) {}

  note(account: Account, { access }: Caller, scope: AuditScope): void {
    const { clock } = this.getServices()
    const reader = access?.type === 'personal' ? '' : (access?.name.slice(0, 200) ?? '')
    const found = this.#waiting.get(account.id) ?? { account, reads: [] }
    found.reads.push({ reader, day: Math.floor(clock.now() / daySeconds), scope })
    this.#waiting.set(account.id, found)
    if (++this.#count >= maxWaiting) return this.#store()
    this.#cancelTimer ??= clock.after(delaySeconds, () => this.#store())
  }

  /** Stores what waits. */
  async flush(): Promise<void> {
    this.#store()
    await this.#storing
  }

  #store(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    this.#count = 0
    this.#storing = this.#storing.then(async () => {
      for (const { account, reads } of waiting) await this.#storeOf(account, reads)
    })
  }

  async #storeOf(account: Account, reads: readonly Noted[]): Promise<void> {
    const services = this.getServices()
    try {
      await writeAsService(services, account, ({ store }) => {
        const roots = new Map(store.mirrors.list().map(({ mirror }) => [mirror.streamId, mirror.id]))
        for (const each of reads)
          for (const [mirror, read] of listReads(store, roots, each)) store.mirrors.addRead(mirror, read)
      })
    } catch (cause) {
      services.log.warn('reads of copies could not be counted', { accountId: account.id, cause })
    }
  }
}

/** Returns the reads of each mirror; `roots`: their ids by their streams. How many events are of which stream is known only if there is one. */
function listReads(
  store: UserStore,
  roots: ReadonlyMap<string, string>,
  { day, reader, scope }: Noted
): Map<string, CopyRead> {
  const { copies = [], count } = scope
  const isSingle = copies.length === 1
  const reads = new Map<string, CopyRead>()
  for (const id of copies) {
    const mirror = roots.get(getRootOfCopy(id))
    if (mirror === undefined) continue
    const mark = store.streams.find(id)?.stream.clientData?.[followedKey]
    const remoteId = isObject(mark) && typeof mark['id'] === 'string' ? mark['id'] : ''
    reads.set(mirror, {
      day,
      reader,
      streamId: isSingle ? remoteId : '',
      calls: 1,
      events: isSingle ? count : 0
    })
  }
  return reads
}
