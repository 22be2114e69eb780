/** Time limits in tests: they tolerate busy or slow machines, and detect a blocked event loop. */
import t from 'tap'
import { coffer } from './coffer.js'
import { assertTakesLessThan, Probe, slowness, stopwatch } from './probe.js'

/** Blocks the event loop of this process. */
function standStill(ms: number): void {
  for (const elapsed = stopwatch(); elapsed() < ms;);
}

/** Records the assertions of a test. */
class Verdict {
  readonly told: boolean[] = []

  ok(isTrue: unknown): boolean {
    this.told.push(Boolean(isTrue))
    return Boolean(isTrue)
  }
}

t.test('a time limit', async t => {
  t.test('fails what is too slow each time, after three attempts', async t => {
    const verdict = new Verdict()
    let attempts = 0
    await assertTakesLessThan(verdict, 100, () => (attempts++, 100_000))
    t.same(verdict.told, [false])
    t.equal(attempts, 3)
  })

  t.test('tolerates random delays', async t => {
    const verdict = new Verdict()
    const times = [100_000, 100_000, 10]
    await assertTakesLessThan(verdict, 100, () => times.shift()!)
    t.same(verdict.told, [true])
  })

  t.test('fails a service that blocks, scaled by the speed of the machine', async t => {
    const service = await coffer(t)
    const probe = new Probe(service.alice)
    const verdict = new Verdict()
    await probe.assertServed(verdict, 50, async () => {
      await new Promise(resolve => setTimeout(resolve, 5))
      standStill(300 * slowness())
    })
    t.same(verdict.told, [false])
    const free = new Verdict()
    await probe.assertServed(free, 250, async () => {
      for (let n = 0; n < 50; n++) await service.alice.call('streams.get')
    })
    t.same(free.told, [true])
  })
})
