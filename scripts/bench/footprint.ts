/** What the service takes before anybody asks anything of it: time to start, memory, disk. */
import { statSync } from 'node:fs'
import SQLite from 'better-sqlite3'
import { Layout } from '../../storage/files/layout.js'
import { median } from './meter.js'
import { residentMb } from './process-stats.js'
import { batchSize } from './references.js'
import { postedEvent } from './sample.js'
import { rootStream, type SeededUser } from './seed.js'
import { Target } from './target.js'

/** One figure and the most it may be. */
export interface Measure {
  readonly name: string
  readonly value: number
  readonly goal: number | undefined
  readonly isMet: boolean
}

export function measure(name: string, value: number, goal?: number): Measure {
  return { name, value, goal, isMet: goal === undefined || value <= goal }
}

/** Starts the server some times; the last one is left running. */
export async function startSeveralTimes(
  dataDir: string,
  times: number,
  profile: string | undefined
): Promise<[Target, Measure[]]> {
  const nodeOptions = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const seconds: number[] = []
  for (;;) {
    const target = await Target.start(dataDir, nodeOptions)
    seconds.push(target.startSeconds)
    if (seconds.length < times) {
      await target.stop()
      continue
    }
    const idle = residentMb(target.pid)
    return [
      target,
      [
        measure('from spawn to first answer, s', median(seconds), 1),
        measure('memory when idle, MB', idle, 120)
      ]
    ]
  }
}

/** Events posted for measuring what they take on disk. */
const diskEvents = 10_000

/** Posts events; answers the bytes of the JSON text that they are afterwards. */
export async function postForDisk(target: Target, user: SeededUser): Promise<number> {
  const headers = { authorization: user.token, 'content-type': 'application/json' }
  const calls = Array.from({ length: batchSize }, () => ({
    method: 'events.create',
    params: postedEvent(rootStream)
  }))
  const body = JSON.stringify(calls)
  for (let posted = 0; posted < diskEvents; posted += batchSize) {
    const answer = await fetch(`${target.origin}/${user.username}/`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`A batch was refused: ${await answer.text()}`)
  }
  const answer = await fetch(`${target.origin}/${user.username}/events?limit=${diskEvents}`, { headers })
  const text = await answer.text()
  return Buffer.byteLength(/"events":\[(.*)\]/s.exec(text)?.[1] ?? '')
}

/** The main file of a stopped server's user, by the text of the events in it, without and with the records of its calls. */
export function measureDisk(dataDir: string, user: SeededUser, textBytes: number): Measure[] {
  const file = new Layout(dataDir).userFile(user.id)
  const { size } = statSync(file)
  const audit = auditBytes(file)
  return [
    measure('disk by JSON text of the events, without audit', (size - audit) / textBytes, 1.6),
    measure('disk for 10,000 events of 300 bytes as posted, without audit, MB', (size - audit) / 1e6),
    measure('disk for the audit of a call that creates one, bytes', audit / diskEvents)
  ]
}

/** What the audit takes of a user's file. */
function auditBytes(file: string): number {
  const db = new SQLite(file, { readonly: true })
  try {
    return db.prepare("SELECT sum(pgsize) FROM dbstat WHERE name GLOB 'audit_*'").pluck().get() as number
  } finally {
    db.close()
  }
}
