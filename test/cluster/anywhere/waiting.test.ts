/** A waiting node keeps nothing of its attempts to start. */
import t from 'tap'
import { EngineUnavailable } from '../../../cluster/engine.js'
import { silentLog } from '../../../core/log.js'
import { retryStart } from '../../../server/nodes/retry-start.js'
import { collectGarbage } from '../../support/heap.js'
import { until } from '../../support/socket.js'

t.test('a waiting node releases the errors of its attempts', async t => {
  const ending = new AbortController()
  const failures: WeakRef<Error>[] = []
  const waiting = retryStart(
    async () => {
      const failure = new EngineUnavailable()
      failures.push(new WeakRef(failure))
      return await Promise.reject(failure)
    },
    { log: silentLog, onWait: () => {}, signal: ending.signal }
  )
  await until(() => failures.length > 3, 'some attempts')
  await until(() => {
    collectGarbage()
    return failures.slice(0, 3).every(failure => failure.deref() === undefined)
  }, 'their failures to be forgotten')
  ending.abort()
  await t.rejects(waiting, { name: 'AbortError' })
})

t.test('a pending attempt does not delay cancellation', async t => {
  const ending = new AbortController()
  const under = new Promise<never>(() => {})
  const waiting = retryStart(() => under, { log: silentLog, onWait: () => {}, signal: ending.signal })
  setImmediate(() => ending.abort(new Error('It is enough')))
  await t.rejects(waiting, /It is enough/)
})
