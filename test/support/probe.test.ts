/** Limits on how long things may take: they hold on machines that are busy or slow, and against whatever stands still. */
import t from 'tap'
import { coffer } from './coffer.js'
import { assertTakesLessThan, Probe, slowness, stopwatch } from './probe.js'

/** Keeps everything in this process waiting. */
function standStill(ms: number): void {
  for (const elapsed = stopwatch(); elapsed() < ms;);
}

/** Takes what a test would be told. */
class Verdict {
  readonly told: boolean[] = []

  ok(isTrue: unknown): boolean {
    this.told.push(Boolean(isTrue))
    return Boolean(isTrue)
  }
}

t.test('a limit on the time that something takes', async t => {
  t.test('fails whatever takes too long each time, after three attempts', async t => {
    const verdict = new Verdict()
    let attempts = 0
    await assertTakesLessThan(verdict, 100, () => (attempts++, 100_000))
    t.same(verdict.told, [false])
    t.equal(attempts, 3)
  })

  t.test('forgives what chance has delayed', async t => {
    const verdict = new Verdict()
    const times = [100_000, 100_000, 10]
    await assertTakesLessThan(verdict, 100, () => times.shift()!)
    t.same(verdict.told, [true])
  })

  t.test('fails a service that stands still for as long as the machine makes of it', async t => {
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
