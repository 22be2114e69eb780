/** Previews that wait: the places of accounts, and those that no request waits for any more. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Previews } from '../../../core/previews/previews.js'
import type { PictureRenderer } from '../../../core/previews/renderer.js'
import { Layout } from '../../../storage/files/layout.js'
import { PreviewCache } from '../../../storage/files/previews.js'
import { coffer, type Answer } from '../../support/coffer.js'

type Ask = (user: string, length: number, signal?: AbortSignal) => Promise<unknown>

interface World {
  readonly previews: Previews
  /** Asks for a preview of a user's picture. */
  readonly ask: Ask
  /** Resolves once the first picture is being rendered. */
  readonly begun: Promise<void>
  /** Resolves once so many previews wait. */
  readonly untilWaiting: (count: number) => Promise<void>
  /** Lets pictures be rendered. */
  readonly go: () => void
  /** The number of pictures that were rendered. */
  readonly countRendered: () => number
}

/** Starts a service with two places for previews that wait, and a renderer that waits for `go`. */
async function create(t: Test): Promise<World> {
  const service = await coffer(t, { previews: { concurrency: 1, maxWaiting: 2 } })
  const { services } = service.server
  let [begin, go] = [(): void => {}, (): void => {}]
  let rendered = 0
  const end = new AbortController()
  t.teardown(() => end.abort())
  const begun = new Promise<void>(resolve => (begin = resolve))
  const mayGo = new Promise<void>(resolve => (go = resolve))
  const renderer: PictureRenderer = {
    measure: () => Promise.resolve({ width: 1, height: 1 }),
    async render() {
      begin()
      await mayGo
      rendered++
      return Buffer.from('a preview')
    },
    close() {}
  }
  const previews = new Previews(services, new PreviewCache(new Layout(service.directory)), renderer)
  const events = new Map<string, Answer>()
  for (const client of [service.alice, await service.user('bobby'), await service.user('carol')]) {
    await client.stream('diary')
    const form = new FormData()
    form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'picture/attached' }))
    form.append('file', new Blob(['a picture']), 'picture')
    events.set(client.username, (await client.http('POST', '/events', form)).body.event)
  }
  return {
    previews,
    begun,
    ask: (user, width, signal) =>
      previews.ensurePreview(services.accounts.find(user)!, events.get(user), { width }, signal),
    untilWaiting: async count => {
      while (previews.waiting !== count) await nextTurn(undefined, { signal: end.signal })
    },
    go,
    countRendered: () => rendered
  }
}

t.test('two accounts that fill all places leave one for every other account', async t => {
  const { ask, begun, go, previews, untilWaiting } = await create(t)
  const asked = [ask('alice', 1)]
  await begun
  asked.push(ask('bobby', 1))
  await untilWaiting(1)
  asked.push(ask('alice', 300))
  await untilWaiting(2)
  await t.rejects(ask('alice', 600), { message: /^Too many previews/ })
  await t.rejects(ask('bobby', 300), { message: /^Too many previews/ })
  const third = ask('carol', 1)
  await Promise.race([third, untilWaiting(3)])
  t.equal(previews.waiting, 3)
  go()
  await Promise.all([...asked, third])
})

t.test('a preview that no request waits for any more is not rendered', async t => {
  const { ask, begun, countRendered, go, previews, untilWaiting } = await create(t)
  const [first, second] = [new AbortController(), new AbortController()]
  const running = ask('alice', 1)
  await begun
  const gone = new Error('gone')
  const left: Promise<unknown>[] = []
  for (const { signal } of [first, second]) left.push(t.rejects(ask('bobby', 1, signal), gone))
  await untilWaiting(1)
  first.abort(gone)
  t.equal(previews.waiting, 1, 'another request waits for it')
  second.abort(gone)
  t.equal(previews.waiting, 0)
  const again = ask('bobby', 1)
  go()
  await Promise.all([running, again, ...left])
  t.equal(countRendered(), 2)
})
