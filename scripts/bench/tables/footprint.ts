/** The footprint of the service: startup time, memory, disk. */
import { statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import { Layout } from '../../../storage/files/layout.js'
import type { Bench } from '../bench.js'
import { send } from '../load/client.js'
import { RawSocket } from '../load/socket.js'
import { idleMb, median, residentMb } from '../load/statistics.js'
import { Target } from '../load/target.js'
import { batch, batchSize } from '../rows.js'
import { seeded, type SeededUser } from '../seed/seeder.js'
import { measure, type Line } from '../table.js'

/** Points of the series whose size on disk is measured. */
const pointCount = 3_000_000
/** Starts before the one on which everything else is measured. */
const starts = 4
/** Events posted to measure their size on disk. */
const diskEvents = 10_000
/** Sockets opened to measure the memory of one. */
const socketCount = 1000

export async function measureFootprint(bench: Bench): Promise<Line[]> {
  const lines: Line[] = []
  let file = ''
  const textBytes = await bench.onServer(
    'footprint',
    async dataDir => {
      const [user, reader] = await seeded(dataDir, async seeder => [
        await seeder.createUser('disk'),
        await seeder.createUser('reader', { points: pointCount })
      ])
      const [empty, full] = [user, reader].map(({ id }) => statSync(new Layout(dataDir).userFile(id)).size)
      lines.push(measure('disk of a point of a series, bytes', (full! - empty!) / pointCount))
      file = new Layout(dataDir).userFile(user.id)
      const seconds: number[] = []
      for (let n = 0; n < starts; n++) seconds.push(await measureStart(dataDir))
      return { user, seconds }
    },
    async (target, { seconds, user }) => {
      lines.push(
        measure('startup time, s', median([...seconds, target.startSeconds]), 0.4),
        measure('memory when idle, MB', await idleMb(target.pid), 90),
        measure('memory of an open socket, KB', await measureSocketKb(target, user), 45)
      )
      const posted = await postEvents(target, user)
      lines.push(measure('memory after 10,000 creates, MB', residentMb(target.pid), 250))
      return posted
    }
  )
  const [{ size }, audit] = [statSync(file), getAuditBytes(file)]
  return [
    ...lines,
    measure('disk by JSON text of the events, without audit', (size - audit) / textBytes, 1.6),
    measure('disk for 10,000 events of 300 bytes as posted, without audit, MB', (size - audit) / 1e6),
    measure('disk for the audit of a call that creates one, bytes', audit / diskEvents)
  ]
}

async function measureStart(dataDir: string): Promise<number> {
  const target = await Target.start(dataDir)
  await target.stop()
  return target.startSeconds
}

/** Returns the memory of an open socket, in KB. */
async function measureSocketKb({ origin, pid }: Target, { token, username }: SeededUser): Promise<number> {
  const before = residentMb(pid)
  const sockets: RawSocket[] = []
  for (let n = 0; n < socketCount; n++) sockets.push(await RawSocket.open(origin, `/${username}`, token))
  await wait(500)
  const socketKb = ((residentMb(pid) - before) * 1000) / socketCount
  for (const socket of sockets) socket.close()
  return socketKb
}

/** Posts events. Returns the length of their JSON text as returned by the server. */
async function postEvents({ origin }: Target, { token, username }: SeededUser): Promise<number> {
  for (let posted = 0; posted < diskEvents; posted += batchSize)
    await send(origin, { path: `/${username}/`, token, body: batch })
  const { text } = await send(origin, { path: `/${username}/events?limit=${diskEvents}`, token })
  return /"events":\[(.*)\]/s.exec(text)?.[1]?.length ?? 0
}

/** Returns the bytes of the audit log in a user's file. */
function getAuditBytes(file: string): number {
  const db = new SQLite(file, { readonly: true })
  try {
    return db.prepare("SELECT sum(pgsize) FROM dbstat WHERE name GLOB 'audit_*'").pluck().get() as number
  } finally {
    db.close()
  }
}
