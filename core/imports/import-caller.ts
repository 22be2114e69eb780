/** Creates the calls of an import, on behalf of the access that started it. */
import type { Access } from '../../schemas/access.js'
import type { Party } from '../../storage/scheduler.js'
import { writeSteps, type Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Account } from '../../storage/platform/account.js'
import { createCall, type AnyMethod, type Call, type UserMethod } from '../call/method.js'
import type { Services } from '../call/services.js'
import type { Changes } from '../changes.js'
import { beginWrite } from '../dispatch/run-write.js'
import { fail } from '../errors.js'
import { Caller } from '../permissions/caller.js'
import { isInForce } from '../permissions/effective-grants.js'
import type { Job } from './job.js'

/** The methods with which an import writes, so that all their rules apply. */
export interface WriteMethods {
  readonly createEvent: UserMethod
  readonly createStream: UserMethod
  readonly deleteStream: UserMethod
}

/** Finds the methods with which an import writes. They must be among the given definitions. */
export function findWriteMethods(definitions: readonly AnyMethod[]): WriteMethods {
  const find = (id: string): UserMethod => definitions.find(each => each.id === id) as UserMethod
  return {
    createEvent: find('events.create'),
    createStream: find('streams.create'),
    deleteStream: find('streams.delete')
  }
}

/** The access id of imports that an operator started. */
export const operatorAccessId = 'system'

/** The access of an operator, with all permissions of the user. */
const operatorAccess: Access = {
  id: operatorAccessId,
  token: '',
  type: 'personal',
  name: operatorAccessId,
  created: 0,
  createdBy: operatorAccessId,
  modified: 0,
  modifiedBy: operatorAccessId
}

/** Keeps the caller of a job up to date with changes of accesses. */
export class ImportCaller {
  #caller: Caller | undefined
  #store: UserStore | undefined

  constructor(
    private readonly services: Services,
    private readonly account: Account,
    private readonly job: Pick<Job, 'accessId' | 'callerId' | 'parentId'>
  ) {}

  /** The party by which the import is scheduled. */
  get party(): Party {
    return { account: this.account.id, access: this.job.accessId }
  }

  /** Creates a call. Error: `forbidden` if the access has ended, or may no longer manage the streams. */
  createCall(store: UserStore = this.services.accounts.openStore(this.account)): Call {
    const { account, services } = this
    const now = services.clock.now()
    const caller = this.#findCaller(store, now)
    return createCall(
      { services, credentials: { ip: '127.0.0.1', via: 'http' }, now },
      { account, caller, store }
    )
  }

  /**
   * Runs `work` in one transaction, checks the quota, and publishes the changes. `work` receives a call that
   * is valid within it. Resolves at the commit. Errors: the errors of {@link createCall}, and
   * `user-intervention-required` for an exceeded quota unless `rules` allow it.
   */
  async commit<T>(rules: Pick<UserMethod, 'mayExceedQuota'>, work: (current: Call) => T): Promise<T> {
    // oxlint-disable-next-line require-yield -- the work is one step
    return await this.commitSteps(rules, function* (current) {
      return work(current)
    })
  }

  /** Like {@link commit}, for work that may pause; at once unless it throws `NeedsSteps`. */
  async commitSteps<T>(
    rules: Pick<UserMethod, 'mayExceedQuota'>,
    work: (current: Call) => Steps<T>
  ): Promise<T> {
    let changes: Changes | undefined
    const stepsIn = function* (this: ImportCaller, store: UserStore): Steps<T> {
      const current = this.createCall(store)
      changes = current.changes
      const finish = beginWrite(rules, current)
      const value = yield* work(current)
      yield* finish(true)
      return value
    }.bind(this)
    const store = this.services.accounts.openStore(this.account)
    const result = await writeSteps(store, stepsIn, { access: this.party.access, isDurable: false })
    if (changes) this.services.bus.publish(this.account, changes)
    return result
  }

  /**
   * Returns the caller with the access that started the import; the same one until the access changes. Throws
   * `forbidden` if it may no longer import.
   */
  #findCaller(store: UserStore, now: number): Caller {
    const { accessId, callerId, parentId } = this.job
    const access = accessId === operatorAccessId ? operatorAccess : store.accesses.find(accessId)
    if (!access || !isInForce(store, access, now))
      fail(
        'forbidden',
        'The access that started the import is no longer valid. Run the import again with another access'
      )
    if (this.#caller?.access !== access || this.#store !== store) {
      this.#caller = new Caller(store, access, callerId)
      this.#store = store
    }
    const caller = this.#caller
    if (!caller.may('manage', parentId ?? '*'))
      fail('forbidden', 'The access that started the import can no longer manage its streams')
    return caller
  }
}
