/** The footprint of the service: startup time, memory, disk. */
import { statSync } from 'node:fs'
import SQLite from 'better-sqlite3'
import { Layout } from '../../../storage/files/layout.js'
import type { Bench } from '../bench.js'
import type { Ask } from '../load/ask.js'
import { send } from '../load/client.js'
import { idleMb, median, memoryGrowth, residentMb } from '../load/statistics.js'
import { Target } from '../load/target.js'
import { batch, batchSize } from '../rows.js'
import { postedEvent } from '../seed/sample.js'
import { rootStream, seeded, type SeededUser } from '../seed/seeder.js'
import { measure, type Line } from '../table.js'

/** Points of a series whose size is measured, on disk and when it is read. */
const pointCount = 3_000_000
/** Starts before the one that is measured further. */
const starts = 4
/** Events posted to measure their size on disk. */
const diskEvents = 10_000
const huge: Ask = { path: '/events', body: postedEvent(rootStream), megabytes: 2048 }

export async function measureFootprint(bench: Bench): Promise<Line[]> {
  const lines: Line[] = []
  let file = ''
  const textBytes = await bench.onServer(
    'footprint',
    async dataDir => {
      const [user, reader] = await seeded(dataDir, async seeder => [
        await seeder.user('disk'),
        await seeder.user('reader', { points: pointCount })
      ])
      const [empty, full] = [user, reader].map(({ id }) => statSync(new Layout(dataDir).userFile(id)).size)
      lines.push(measure('disk of a point of a series, bytes', (full! - empty!) / pointCount))
      file = new Layout(dataDir).userFile(user.id)
      const seconds: number[] = []
      for (let n = 0; n < starts; n++) seconds.push(await startSeconds(dataDir))
      return { reader, user, seconds }
    },
    async (target, { reader, seconds, user }) => {
      const idle = await idleMb(target.pid)
      const posted = await postEvents(target, user)
      lines.push(
        measure('from spawn to first answer, s', median([...seconds, target.startSeconds]), 0.4),
        measure('memory when idle, MB', idle, 90),
        measure('memory after 10,000 creates, MB', residentMb(target.pid), 250)
      )
      const read = await growthOf(target, reader, {
        path: `/events/${reader.seriesIds[0]}/series?toDeltaTime=1e9`
      })
      lines.push(measure('memory growth while 3 million points are read, MB', read))
      if (!bench.options.quick)
        lines.push(measure('memory growth while 2 GB come in, MB', await growthOf(target, user, huge), 50))
      return posted
    }
  )
  const [{ size }, audit] = [statSync(file), auditBytes(file)]
  return [
    ...lines,
    measure('disk by JSON text of the events, without audit', (size - audit) / textBytes, 1.6),
    measure('disk for 10,000 events of 300 bytes as posted, without audit, MB', (size - audit) / 1e6),
    measure('disk for the audit of a call that creates one, bytes', audit / diskEvents)
  ]
}

async function startSeconds(dataDir: string): Promise<number> {
  const target = await Target.start(dataDir)
  await target.stop()
  return target.startSeconds
}

/** Posts events. Returns the length of their JSON text as returned by the server. */
async function postEvents({ origin }: Target, { token, username }: SeededUser): Promise<number> {
  for (let posted = 0; posted < diskEvents; posted += batchSize)
    await send(origin, { path: `/${username}/`, token, body: batch })
  const { text } = await send(origin, { path: `/${username}/events?limit=${diskEvents}`, token })
  return /"events":\[(.*)\]/s.exec(text)?.[1]?.length ?? 0
}

/** The growth of memory while a request of a user is served, in MB. */
async function growthOf({ origin, pid }: Target, { token, username }: SeededUser, ask: Ask): Promise<number> {
  return await memoryGrowth(pid, () => send(origin, { ...ask, path: `/${username}${ask.path}`, token }))
}

/** Bytes of the audit in a user's file. */
function auditBytes(file: string): number {
  const db = new SQLite(file, { readonly: true })
  try {
    return db.prepare("SELECT sum(pgsize) FROM dbstat WHERE name GLOB 'audit_*'").pluck().get() as number
  } finally {
    db.close()
  }
}
