/** What users read from the servers of other accounts, a few at a time: hanging servers must not hold many connections. */
import type { Account } from '../../../storage/platform/account.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import type { PeerAccess, PeerOffer, Services } from '../../call/services.js'
import { ConcurrencyLimiter } from '../../outgoing/concurrency.js'
import { readOffer } from '../acceptance.js'
import { PeerUnavailable } from '../failures.js'
import type { PeerCalls } from './peer-calls.js'
import { readPeerAccess } from './read-peer-access.js'

/** Reads at a time, of all accounts and of one. */
const concurrency = 32
const maxPerAccount = 4
const maxPerSecond = 100

/** Reads from peers: at most 32 at a time, and 4 for one account; the others wait. */
export class PeerReads {
  readonly #limiter = new ConcurrencyLimiter({
    concurrency,
    perSecond: maxPerSecond,
    limitFor: () => maxPerAccount
  })

  constructor(
    private readonly services: Services,
    private readonly getPeers: () => PeerCalls
  ) {}

  /** Reads an offer for an account, and checks who makes it. Rejects with `TriggerFailed` or `PeerUnavailable`. */
  async readOffer(account: Account, capabilityUrl: string): Promise<PeerOffer> {
    return await this.#run(account, () => readOffer(this.services, this.getPeers(), account, capabilityUrl))
  }

  /**
   * Reads what the peer that holds an access has granted in turn; `undefined` if there is no such peer, or it
   * has given no endpoint. If the peer's server refuses, the permissions are empty, and `hasEnded` tells
   * whether the access has ended there. Rejects with `PeerUnavailable`.
   */
  async readPeerAccess(
    call: { readonly account: Account; readonly store: UserStore },
    accessId: string
  ): Promise<PeerAccess | undefined> {
    return await this.#run(call.account, () => readPeerAccess(this.getPeers(), call, accessId))
  }

  /** Starts no more reads. */
  close(): void {
    this.#limiter.close()
  }

  async #run<T>({ id }: Account, read: () => Promise<T>): Promise<T> {
    const done = await this.#limiter.run([`user ${id}`], async () => ({ value: await read() }))
    if (!done) throw new PeerUnavailable('the service is stopping')
    return done.value
  }
}
