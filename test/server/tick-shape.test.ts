/** Ticks keep one shape, whatever the collector takes. */
import { execFileSync } from 'node:child_process'
import { test } from 'tap'

const module = new URL('../../server/tick-shape.js', import.meta.url).href

/**
 * Makes a tick, has everything collected that nobody holds, and makes another: whether both have the shape of the one that is
 * kept. Natives are V8's own names for such questions.
 */
const script = `
const { createHook } = await import('node:async_hooks')
const { keptTick } = await import(${JSON.stringify(module)})
let latest
const hook = createHook({ init(id, type, trigger, tick) { if (type === 'TickObject') latest = tick } })
function hasKeptShape() {
  hook.enable()
  process.nextTick(() => {})
  hook.disable()
  const isSame = %HaveSameMap(keptTick(), latest)
  latest = undefined
  return isSame
}
const answers = [hasKeptShape()]
for (let round = 0; round < 5; round++) {
  await new Promise(resolve => setImmediate(resolve))
  gc()
  answers.push(hasKeptShape())
}
console.log(JSON.stringify(answers))
`

test('ticks have the same shape after everything unused has been collected', t => {
  const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module', '-e', script]
  const answers = JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' })) as boolean[]
  t.same(answers, [true, true, true, true, true, true])
  t.end()
})
