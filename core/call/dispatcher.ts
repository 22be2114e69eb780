/** The core as transports reach it: in their own thread, or in the one that owns the user's file. */
import type { AttachmentStore } from '../../storage/files/attachments.js'
import type { ExportDrafts } from '../../storage/transfer/export-drafts.js'
import type { Config } from '../settings/config.js'
import type { EventTypes } from '../event-types/directory.js'
import type { Intakes } from '../security/intake.js'
import type { Log } from '../log.js'
import type { LongAnswers } from '../security/long-answers.js'
import type { AnyMethod } from './method.js'
import type { Failure, Outcome, Request } from './outcome.js'
import type { Previews } from '../previews/previews.js'
import type { Clock } from '../time.js'
import type { Credentials } from './credentials.js'
import type { Account } from '../../storage/platform/account.js'

/** What transports may use of the service directly: nothing that needs a user's file. */
export interface SharedServices {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** Bytes of files do not go through the core: transports move them from and to the disk. */
  readonly attachments: AttachmentStore
  /** So do those of previews. */
  readonly previews: Pick<Previews, 'bytes'>
  /** And exports, made from copies of users' files. */
  readonly exports: Pick<ExportDrafts, 'open' | 'discard'>
  readonly eventTypes: EventTypes
  /** Room for bodies. */
  readonly intakes: Intakes
  /** Places for answers that their clients take a while for. */
  readonly longAnswers: LongAnswers
  readonly accounts: {
    /** An account that may be used. Names are compared as they are: lower case. */
    find(username: string): Account | undefined
    /** The new place of an account that has moved. */
    relocatedTo(username: string): string | undefined
  }
}

/** Files may come. */
export interface Admittance {
  readonly ok: true
  /** Bytes that still fit into the account; `Infinity` without a quota. */
  readonly room: number
}

export interface Dispatcher {
  readonly core: SharedServices
  readonly definitions: readonly AnyMethod[]
  /** Makes one call. Never rejects, never throws; what has not had to wait is answered at once. */
  call(request: Request): Promise<Outcome> | Outcome
  /** As {@link call}, with the result in one piece. Further error: `too-many-results`. */
  callWhole(request: Request): Promise<Outcome>
  /** Refuses at once who could not make the call anyway: before an upload, say. Answers the refusal. */
  precheck(request: Omit<Request, 'params'>): Promise<Failure | undefined> | Failure | undefined
  /** Whether whoever takes the answer to a call bit by bit may have the rest of it: answers the refusal. It counts as no call. */
  recheck(request: Request): Promise<Failure | undefined> | Failure | undefined
  /** As {@link precheck}, of a call that brings files: answers how much may come, or the refusal. */
  admitUpload(request: Omit<Request, 'params'>): Promise<Admittance | Failure> | Admittance | Failure
  /** What a thrown thing is to the caller. What is not meant for callers is logged and becomes a general error. */
  failure(thrown: unknown, method: string): Failure
}

/** Where a listener is reached. Neither function may throw or wait. */
export interface Subscriber {
  notify(message: string, payload?: object): void
  /** Its access has ended: nothing more is told. */
  close(): void
}

/** Somebody whose token has been found valid. */
export interface Admission {
  readonly account: Account
  readonly credentials: Credentials
}

/** Somebody who listens. */
export interface Subscription {
  /** Runs `subscribe`, `unsubscribe` or `getSubscriptions`; answers its result, or raises as any method does. */
  subscribing(method: string, params: unknown): Promise<object> | object
  /** Ends the listening. */
  leave(): void
}

/** Tells those who are connected of what changes. */
export interface Notifier {
  /** Looks at a user's name and a token. Errors as for any call: unknown user, bad token, the operator's own step. */
  admit(username: string, credentials: Credentials): Promise<Admission>
  /** Begins to tell of changes; `undefined` if the access has ended since it was admitted. */
  join(admitted: Admission, ear: Subscriber): Promise<Subscription | undefined> | Subscription | undefined
}
