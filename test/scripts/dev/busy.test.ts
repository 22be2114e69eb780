/** Runs tasks concurrently: more while processors are idle, within a limit. */
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { runTasks } from '../../../scripts/dev/run-tasks.js'

/** Tasks that end on request, with a simulated idle time of the processors. */
class Things {
  readonly begun: number[] = []
  idle = 0.05
  readonly #ends: (() => void)[] = []
  #looks = 0

  begin(count: number): Promise<void> {
    const work = Array.from({ length: count }, (_, at) => async () => {
      this.begun.push(at)
      await new Promise<void>(resolve => this.#ends.push(resolve))
    })
    return runTasks(work, {
      initialTasks: 2,
      maxTasks: 4,
      intervalMs: 1,
      idle: () => (this.#looks++, this.idle)
    })
  }

  /** Ends the first tasks, and waits until that is processed. */
  async end(count: number): Promise<void> {
    for (const end of this.#ends.splice(0, count)) end()
    await turn()
  }

  /** Waits until idle time was measured several times. */
  async look(): Promise<void> {
    for (const until = this.#looks + 5; this.#looks < until;) await turn()
  }
}

t.test('tasks', async t => {
  t.test('start in order, more of them concurrently while processors are idle', async t => {
    const things = new Things()
    const done = things.begin(8)
    await things.look()
    t.same(things.begun, [0, 1], 'they have enough to do')
    things.idle = 0.5
    await things.look()
    t.same(things.begun, [0, 1, 2, 3], 'no more than the limit')
    await things.end(1)
    t.same(things.begun, [0, 1, 2, 3, 4])
    things.idle = 0
    await things.look()
    await things.end(2)
    t.same(things.begun, [0, 1, 2, 3, 4], 'two still run')
    await things.end(1)
    t.same(things.begun, [0, 1, 2, 3, 4, 5])
    while (things.begun.length < 8) await things.end(1)
    await things.end(2)
    await done
    t.same(things.begun, [0, 1, 2, 3, 4, 5, 6, 7])
  })

  t.test('complete immediately if there are none, and report errors', async t => {
    await runTasks([])
    await t.rejects(runTasks([() => Promise.reject(new Error('broken'))]), { message: 'broken' })
  })
})
