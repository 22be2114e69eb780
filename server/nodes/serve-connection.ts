/** Answers requests of other nodes: the operations of worker threads, for users that this node serves. */
import { deserialize, serialize } from 'node:v8'
import type { Connection, ConnectionEvents } from '../../cluster/nodes/connection.js'
import type { SharedAttachments } from '../../cluster/objects/shared-attachments.js'
import type { Request } from '../../core/call/outcome.js'
import type { AuthenticatedUser } from '../../core/call/dispatcher.js'
import type { Runtime } from '../runtime.js'
import { getCalledUser } from '../workers/called-user.js'
import { answerRequest, createOperations, type EmitEvent } from '../workers/operations.js'
import type { Operation, Operations, WorkerMessage, WorkerRequest } from '../workers/protocol.js'
import type { LocalCalls } from './local-calls.js'
import { servedElsewhere } from './node-peers.js'
import type { ShardOwnership } from './shard-ownership.js'

interface ServeConnectionOptions {
  readonly runtime: Runtime
  readonly calls: LocalCalls
  readonly ownership: ShardOwnership
  readonly files: Pick<SharedAttachments, 'lendDraft'>
}

/** Returns the user whom an operation concerns. Operations that are not listed are refused to other nodes. */
const userGetters: { readonly [N in Operation]?: (args: readonly unknown[]) => string | undefined } = {
  call: ([request]) => getCalledUser(request as Request),
  callWithText: ([request]) => getCalledUser(request as Request),
  precheck: ([request]) => (request as Request).user,
  recheck: ([request]) => (request as Request).user,
  admit: ([username]) => username as string,
  join: ([username]) => username as string,
  previewBytes: ([account]) => (account as AuthenticatedUser['account']).username,
  pull: () => undefined,
  drop: () => undefined,
  subscribing: () => undefined,
  leave: () => undefined
}

/** Answers a node over a connection that it has opened. Returns the handlers of the connection. */
export function serveConnection(
  { calls, files, runtime, ownership }: ServeConnectionOptions,
  connection: Pick<Connection, 'hasRoom' | 'post'>
): ConnectionEvents {
  const held: Held = { subscribers: new Set(), remainders: new Set(), isLost: false }
  const { subscribers, remainders } = held
  const pending = new Set<Promise<void>>()
  const post = (message: WorkerMessage): void => connection.post(serialize(message))
  const emit: EmitEvent = (name, ...args) => {
    if (name === 'unsubscribed') subscribers.delete(args[0] as number)
    post([name, args])
  }
  const operations = trackResources(createNodeOperations({ calls, files, ownership, runtime }, emit), held)
  return {
    receive(bytes) {
      const request = deserialize(bytes) as WorkerRequest
      const [id, operation, args] = request
      const user = userGetters[operation]
      if (!user) return post([id, undefined, { id: 'invalid-method', message: operation, details: {} }])
      const run = (): Promise<void> => answerRequest(runtime.services.log, operations, request, post)
      const username = user(args)
      const done =
        username === undefined || ownership.isOwned(username)
          ? run()
          : ownership
              .waitUntilMoved(username)
              .then(() => (ownership.isOwned(username) ? run() : post([id, servedElsewhere])))
      pending.add(done)
      void done.finally(() => pending.delete(done))
    },
    waitUntilAnswered: () => Promise.all(pending),
    onLost() {
      held.isLost = true
      for (const id of subscribers) operations.leave(id)
      for (const number of remainders) operations.drop(number)
    },
    // The node that asked may have died in the meantime.
    isWaiting: () => true
  }
}

/**
 * Returns the operations that other nodes may request: those of the runtime, with three differences. What is read while this
 * node is not certain to serve the user any more, because it could not renew its lease, is refused with `api-unavailable`.
 * A call whose user has moved while its long params were read is not made: the response is {@link servedElsewhere}.
 * A file that a call has made, such as an export, is lent: the node that asked fetches it from the shared object storage.
 */
function createNodeOperations(
  { calls, files, ownership, runtime }: ServeConnectionOptions,
  emit: EmitEvent
): Operations {
  const target = {
    services: runtime.services,
    registry: calls,
    feed: runtime.feed,
    gauges: () => runtime.gauges(),
    readiness: () => runtime.readiness(),
    settle: () => runtime.settle(),
    drain: () => runtime.drain(),
    close: () => runtime.close()
  }
  // `userGetters` refuses the operations `forwarded` and `close` to other nodes, so nothing is to be done for them.
  const operations = createOperations(target, emit, ignore, ignore)
  const { accounts, exports } = runtime.services
  return {
    ...operations,
    async call(request) {
      const username = getCalledUser(request)
      if (username !== undefined && !ownership.isOwned(username)) {
        await ownership.waitUntilMoved(username)
        // The other node asks the next one, as if the user had been elsewhere before.
        if (!ownership.isOwned(username)) return servedElsewhere as never
      }
      const outcome = await operations.call(request)
      if (!outcome.ok || outcome.facts?.draft === undefined) return outcome
      const { draft } = outcome.facts
      try {
        return { ...outcome, facts: { ...outcome.facts, draft: await files.lendDraft(draft) } }
      } finally {
        await exports.discard(draft)
      }
    },
    admit: (username, credentials) => calls.read(username, () => operations.admit(username, credentials)),
    join: (username, credentials, id) =>
      calls.read(username, async () => {
        const account = accounts.find(username)
        if (account) await accounts.waitUntilReady(account)
        return await operations.join(username, credentials, id)
      }),
    previewBytes: (account, preview) =>
      calls.read(account.username, () => operations.previewBytes(account, preview))
  }
}

/** What a connection holds, by number: it has to be released when the connection is lost. */
interface Held {
  readonly subscribers: Set<number>
  readonly remainders: Set<number>
  isLost: boolean
}

/** Tracks what a connection holds. What an operation yields after the connection is lost is released at once. */
function trackResources(operations: Operations, held: Held): Operations {
  const { remainders, subscribers } = held
  return {
    ...operations,
    async call(request) {
      const outcome = await operations.call(request)
      if (!outcome.ok || outcome.remainder === undefined) return outcome
      if (held.isLost) operations.drop(outcome.remainder)
      else remainders.add(outcome.remainder)
      return outcome
    },
    async pull(number) {
      try {
        const pulled = await operations.pull(number)
        if (pulled[1]) remainders.delete(number)
        return pulled
      } catch (error) {
        remainders.delete(number)
        throw error
      }
    },
    drop(number) {
      remainders.delete(number)
      operations.drop(number)
    },
    async join(username, credentials, id) {
      let hasJoined = false
      try {
        // Known before it is certain that this node serves the user.
        subscribers.add(id)
        hasJoined = await operations.join(username, credentials, id)
        return hasJoined
      } finally {
        if (held.isLost || !hasJoined) {
          subscribers.delete(id)
          operations.leave(id)
        }
      }
    },
    leave(id) {
      subscribers.delete(id)
      operations.leave(id)
    }
  }
}

function ignore(): void {}
