/** A client is connected once it is subscribed to changes, however long that takes. */
import { EventEmitter, once } from 'node:events'
import { io } from 'socket.io-client'
import t, { type Test } from 'tap'
import type { Subscriber, AdmittedAccess, SubscribedAccess } from '../../../core/call/dispatcher.js'
import { LiveNotifier } from '../../../core/notifications/live-notifier.js'
import { openCoffer } from '../../support/coffer.js'
import { socketOf, until, versions } from '../../support/socket.js'

/** Delays subscriptions until `release`, as in another thread or node; they start before or after a test's changes. */
async function start(t: Test, isSubscribedFirst: boolean) {
  const service = await openCoffer(t)
  const released = gate()
  const asked = gate()
  const { join } = LiveNotifier.prototype
  const left: string[] = []
  const slowly = async function (this: LiveNotifier, admission: AdmittedAccess, subscriber: Subscriber) {
    const subscribe = (): SubscribedAccess | undefined => join.call(this, admission, subscriber)
    const early = isSubscribedFirst ? subscribe() : undefined
    asked.open()
    await released.opened
    const subscription = early ?? subscribe()
    return (
      subscription && {
        runMethod: (method: string, params: unknown) => subscription.runMethod(method, params),
        unsubscribe: () => {
          left.push(admission.account.username)
          subscription.unsubscribe()
        }
      }
    )
  }
  Object.assign(LiveNotifier.prototype, { join: slowly })
  t.teardown(() => Object.assign(LiveNotifier.prototype, { join }))
  await service.alice.stream('diary')
  return { service, alice: service.alice, asked: asked.opened, release: released.open, left }
}

/** Returns a promise, and the function that resolves it. */
function gate() {
  const emitter = new EventEmitter()
  return { open: () => void emitter.emit('open'), opened: once(emitter, 'open') }
}

for (const version of versions) {
  t.test(`${version.name} is connected after it was subscribed`, async t => {
    const { alice, asked, left, release } = await start(t, false)
    let isConnected = false
    const connecting = socketOf(t, alice, { version }).finally(() => (isConnected = true))
    await asked
    await alice.stream('before')
    t.notOk(isConnected)
    release()
    const socket = await connecting
    await alice.stream('after')
    t.same(await socket.news(), ['streamsChanged'])
    socket.raw.close()
    await until(() => left.length === 1, 'the subscription to end')
  })

  t.test(`${version.name} is notified of changes made while it was connecting`, async t => {
    const { alice, asked, release } = await start(t, true)
    const connecting = socketOf(t, alice, { version })
    await asked
    await alice.stream('one')
    await alice.stream('two')
    release()
    const socket = await connecting
    await until(() => socket.heard.length > 0, 'the changes')
    t.same(await socket.news(), ['streamsChanged'], 'merged')
  })

  for (const isSubscribedFirst of [true, false])
    t.test(
      `${version.name} is refused if its access ends ${isSubscribedFirst ? 'after' : 'before'} subscribing`,
      async t => {
        const { alice, asked, release } = await start(t, isSubscribedFirst)
        const reader = await alice.grant('read', 'diary')
        const refused = t.rejects(socketOf(t, reader, { version }), {
          message: /Cannot find access from token/
        })
        await asked
        await alice.do('accesses.delete', { id: reader.access.id })
        release()
        await refused
      }
    )
}

for (const isSubscribedFirst of [true, false])
  t.test(
    `closing a connection ${isSubscribedFirst ? 'after' : 'before'} its subscription ends the subscription`,
    async t => {
      const { alice, asked, left, release, service } = await start(t, isSubscribedFirst)
      const raw = io(`${service.server.url}/alice?auth=${alice.token}`, {
        transports: ['websocket'],
        forceNew: true,
        reconnection: false
      })
      await asked
      raw.close()
      release()
      await until(() => left.length === 1, 'the subscription to end')
    }
  )
