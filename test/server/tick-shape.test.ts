/** Ticks keep one shape, whatever is garbage collected. */
import { execFileSync } from 'node:child_process'
import { test } from 'tap'

const module = new URL('../../server/tick-shape.js', import.meta.url).href

/**
 * Creates a tick, collects all garbage, and creates another: both must have the shape of the one that is kept. The
 * natives are V8's own.
 */
const script = `
const { createHook } = await import('node:async_hooks')
const { getKeptTick } = await import(${JSON.stringify(module)})
let latest
const hook = createHook({ init(id, type, trigger, tick) { if (type === 'TickObject') latest = tick } })
function hasKeptShape() {
  hook.enable()
  process.nextTick(() => {})
  hook.disable()
  const isSame = %HaveSameMap(getKeptTick(), latest)
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

test('ticks have the same shape after garbage collection', t => {
  const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module', '-e', script]
  const answers = JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' })) as boolean[]
  t.same(answers, [true, true, true, true, true, true])
  t.end()
})
