/** What a copy is made with: the mirror, as it is stored now, and writes to its copy. */
import type { Mirror } from '../../schemas/mirrors/mirror.js'
import type { StoredMirror } from '../../storage/mirrors/mirror-repository.js'
import type { Account } from '../../storage/platform/account.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Call } from '../call/method.js'
import type { Services } from '../call/services.js'
import type { Endpoint, PeerCalls } from '../cmc/peers/peer-calls.js'
import { writeWithinQuota } from '../cmc/service-calls.js'
import type { Progress } from './progress.js'

/** What one contact of a mirror needs. */
export interface CopyContext {
  readonly services: Services
  readonly account: Account
  readonly peers: PeerCalls
  readonly endpoint: Endpoint
  readonly id: string
  /** Whether the service stops, so that the contact has to end. */
  isStopped(): boolean
}

/** Returns the file of the account that keeps the copy. It may be closed and opened again between two turns. */
export function getStore({ account, services }: CopyContext): UserStore {
  return services.accounts.openStore(account)
}

/** Reads the mirror; `undefined` if it has ended. */
export function loadMirror(context: CopyContext): StoredMirror | undefined {
  const store = getStore(context)
  const stored = store.read(() => store.mirrors.find(context.id))
  return stored && isOpen(stored.mirror) ? stored : undefined
}

/** Returns whether a mirror has not ended. */
export function isOpen(mirror: Mirror | undefined): boolean {
  return mirror?.state === 'starting' || mirror?.state === 'live'
}

/**
 * Changes the copy in one transaction, unless the mirror has ended. Returns `undefined` then. Rejects with
 * `user-intervention-required` if the copy would exceed the quota.
 */
export async function writeCopy<T>(
  context: CopyContext,
  work: (call: Call, stored: StoredMirror) => T
): Promise<T | undefined> {
  // oxlint-disable-next-line require-yield -- the work is one step
  return await writeCopyInSteps(context, function* (call, stored) {
    return work(call, stored)
  })
}

/** Like {@link writeCopy}, for work that may pause: at once, but in steps if it `isLong` or throws `NeedsSteps`. */
export async function writeCopyInSteps<T>(
  { account, id, services }: CopyContext,
  work: (call: Call, stored: StoredMirror) => Steps<T>,
  isLong = false
): Promise<T | undefined> {
  const stepsIn = function* (call: Call): Steps<T | undefined> {
    const stored = call.store.mirrors.find(id)
    return stored && isOpen(stored.mirror) ? yield* work(call, stored) : undefined
  }
  return await writeWithinQuota(services, account, stepsIn, isLong)
}

/** Stores how far the copy is, and what is shown of the mirror. */
export function saveProgress(
  call: Call,
  stored: StoredMirror,
  progress: Progress,
  shown: Partial<Mirror> = {}
): void {
  const mirror = { ...stored.mirror, ...shown }
  call.store.mirrors.put({ ...stored, mirror, progress: JSON.stringify(progress) })
}
