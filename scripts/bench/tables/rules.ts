/** What a rule costs with each write: on another measure, and on the measure that is written. */
import type { Bench } from '../bench.js'
import { send } from '../load/client.js'
import type { RequestSpec } from '../load/request-spec.js'
import type { Subject } from '../load/meter.js'
import { createEventParams } from '../seed/sample.js'
import { rootStream, withSeeder, type SeededUser } from '../seed/seeder.js'
import { createLine, type Line } from '../table.js'

/** Accounts of each kind: few enough that all files stay open. */
const accounts = 30
const connections = 4
/** Maximum share of a write that a rule on another measure may cost, and microseconds of one on the measure. */
const limits = { share: 1.05, extraUs: 30 }
const kinds = ['without', 'other', 'own'] as const
type Kind = (typeof kinds)[number]

/** Measures writes of numbers that change nothing for the rules. */
export async function measureRules(bench: Bench): Promise<Line[]> {
  const { meter, options } = bench
  return await bench.withServer('rules', createUsers, async ({ origin, pid, port }, users) => {
    for (const user of users.other) await addRule(origin, user, 'weight')
    for (const user of users.own) await addRule(origin, user, 'blood-pressure')
    const subjects = kinds.map((kind): Subject => {
      const requests = users[kind].map(toWrite)
      return { name: kind, pid, port, requests, connections }
    })
    await meter.waitUntilIdle(pid)
    await meter.measureInTurns(subjects, options.rounds, options.seconds)
    const [without, other, own] = kinds.map(kind => meter.figures(kind).cpuUs) as [number, number, number]
    return [
      createLine('events.create without rules, µs', without),
      createLine('with a rule on another measure', other, without * limits.share),
      createLine('with a rule on its measure', own, without + limits.extraUs)
    ]
  })
}

async function createUsers(dataDir: string): Promise<Record<Kind, SeededUser[]>> {
  return await withSeeder(dataDir, async seeder => ({
    without: await seeder.createUsers('without', accounts),
    other: await seeder.createUsers('other', accounts),
    own: await seeder.createUsers('own', accounts)
  }))
}

function toWrite({ token, username }: SeededUser): RequestSpec {
  return { path: `/${username}/events`, token, body: createEventParams(rootStream) }
}

/** Adds a rule with a limit that is not reached. */
async function addRule(origin: string, { token, username }: SeededUser, measure: string): Promise<void> {
  const condition = { kind: 'above', measure, value: 1000 }
  const body = { name: 'bench', channelIds: [], condition }
  await send(origin, { path: `/${username}/rules`, token, body })
}
