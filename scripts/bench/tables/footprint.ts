/** The footprint of the service: startup time, memory, disk. */
import { statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import { Layout } from '../../../storage/files/layout.js'
import type { Bench } from '../bench.js'
import { send, SocketClient } from '../load/client.js'
import { measureIdleMb, median, getResidentMb } from '../load/statistics.js'
import { ServiceProcess } from '../load/service-process.js'
import { batch, batchSize } from '../rows.js'
import { withSeeder, type SeededUser } from '../seed/seeder.js'
import { createLine, type Line } from '../table.js'

/** Points of the series whose size on disk is measured. */
const pointCount = 3_000_000
/** Number of starts before the start on which everything else is measured. */
const starts = 4
/** Events posted to measure their size on disk. */
const diskEvents = 10_000
/** Number of sockets opened to measure the memory of a socket. */
const socketCount = 1000

/** Measures what the service needs: disk, memory and the time of a start. */
export async function measureFootprint(bench: Bench): Promise<Line[]> {
  const lines: Line[] = []
  let file = ''
  const textBytes = await bench.withServer(
    'footprint',
    async dataDir => {
      const [user, reader] = await withSeeder(dataDir, async seeder => [
        await seeder.createUser('disk'),
        await seeder.createUser('reader', { points: pointCount })
      ])
      const [empty, full] = [user, reader].map(({ id }) => statSync(new Layout(dataDir).userFile(id)).size)
      lines.push(createLine('disk of a point of a series, bytes', (full! - empty!) / pointCount))
      file = new Layout(dataDir).userFile(user.id)
      const seconds: number[] = []
      for (let n = 0; n < starts; n++) seconds.push(await measureStart(dataDir))
      return { user, seconds }
    },
    async (target, { seconds, user }) => {
      lines.push(
        createLine('startup time, s', median([...seconds, target.startSeconds]), 0.4),
        createLine('memory when idle, MB', await measureIdleMb(target.pid), 90),
        createLine('memory of an open socket, KB', await measureSocketKb(target, user), 45)
      )
      const posted = await postEvents(target, user)
      lines.push(createLine('memory after 10,000 creates, MB', getResidentMb(target.pid), 250))
      return posted
    }
  )
  const [{ size }, audit] = [statSync(file), getAuditBytes(file)]
  return [
    ...lines,
    createLine('disk by JSON text of the events, without audit', (size - audit) / textBytes, 1.6),
    createLine('disk for 10,000 events of 300 bytes as posted, without audit, MB', (size - audit) / 1e6),
    createLine('disk for the audit of a call that creates one, bytes', audit / diskEvents)
  ]
}

async function measureStart(dataDir: string): Promise<number> {
  const target = await ServiceProcess.start(dataDir)
  await target.stop()
  return target.startSeconds
}

/** Returns the memory of an open socket, in KB. */
async function measureSocketKb(
  { origin, pid }: ServiceProcess,
  { token, username }: SeededUser
): Promise<number> {
  const before = getResidentMb(pid)
  const sockets: SocketClient[] = []
  for (let n = 0; n < socketCount; n++) sockets.push(await SocketClient.open(origin, `/${username}`, token))
  await wait(500)
  const socketKb = ((getResidentMb(pid) - before) * 1000) / socketCount
  for (const socket of sockets) socket.close()
  return socketKb
}

/** Posts events. Returns the length of their JSON text as returned by the server. */
async function postEvents({ origin }: ServiceProcess, { token, username }: SeededUser): Promise<number> {
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
