/** Resource usage of the processes of a running cluster: memory, descriptors, disk, and the streams of the engine. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { bucketStream, platformStream } from '../../../cluster/nats/subjects.js'
import { fetchJetStreamState } from '../../../cluster/nats/monitor.js'
import { objectsStream } from '../../../cluster/nats/object-subjects.js'
import { getCpuUs, median } from '../../../scripts/bench/load/statistics.js'
import type { Machines } from './machines.js'

/** Values by name: in megabytes (10^6 bytes) unless the name has another unit. */
export type Sample = Readonly<Record<string, number>>

const blockBytes = 512

/** Samples all processes that currently run. */
export async function takeSample({ nodes, servers }: Machines): Promise<Sample> {
  const sample: Record<string, number> = {}
  for (const [index, { name, options, pid, url }] of nodes.entries()) {
    const { folder, pid: serverPid } = servers.members[index]!
    if (url !== '' && pid !== undefined) Object.assign(sample, figuresOf(`node ${name}`, pid))
    if (serverPid !== undefined) Object.assign(sample, figuresOf(`server ${name}`, serverPid))
    sample[`disk of node ${name}`] = megabytes(bytesIn(options.directory))
    sample[`disk of server ${name}`] = megabytes(bytesIn(folder))
  }
  return {
    ...sample,
    ...(await streamFigures(servers.monitors)),
    'processes that run or wait': loadavg()[0]!
  }
}

/** Returns the values of one name, in the order of the samples that have it. */
export function valuesOf(samples: readonly Sample[], name: string): number[] {
  return samples.flatMap(sample => sample[name] ?? [])
}

/** Returns the medians of the first and the second half of some values. */
export function halves(values: readonly number[]): readonly [first: number, second: number] {
  const middle = values.length >> 1
  return [median(values.slice(0, middle)), median(values.slice(middle))]
}

/** Returns current and peak memory, descriptors, and CPU seconds of a process; nothing if it is gone. */
function figuresOf(name: string, pid: number): Sample {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const bytes = (field: string): number =>
      Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
    return {
      [`memory of ${name}`]: megabytes(bytes('VmRSS')),
      [`most memory of ${name}`]: megabytes(bytes('VmHWM')),
      [`descriptors of ${name}, number`]: readdirSync(`/proc/${pid}/fd`).length,
      [`CPU of ${name}, s`]: getCpuUs(pid) / 1e6
    }
  } catch {
    return {}
  }
}

/** Returns the largest size that any server reports for each stream; for account logs, their sum and the largest. */
async function streamFigures(monitors: readonly string[]): Promise<Sample> {
  const most = new Map<string, { bytes: number; messages: number; last: number }>()
  for (const jetStream of await Promise.all(monitors.map(fetchJetStreamState)))
    for (const [name, { state }] of jetStream?.streams ?? []) {
      const known = most.get(name) ?? { bytes: 0, messages: 0, last: 0 }
      most.set(name, {
        bytes: Math.max(known.bytes, state.bytes),
        messages: Math.max(known.messages, state.messages),
        last: Math.max(known.last, state.last_seq)
      })
    }
  if (most.size === 0) return {}
  const logs = Array.from(most).flatMap(([name, { bytes }]) => (name.startsWith('COFFER_WAL_') ? bytes : []))
  const bytesOf = (name: string): number => megabytes(most.get(name)?.bytes ?? 0)
  return {
    'logs of accounts': megabytes(logs.reduce((sum, bytes) => sum + bytes, 0)),
    'largest log of a shard': megabytes(Math.max(...logs)),
    'log of the platform': bytesOf(platformStream),
    'log of the platform, records': most.get(platformStream)?.messages ?? 0,
    'log of the platform, last record': most.get(platformStream)?.last ?? 0,
    registers: bytesOf(bucketStream),
    objects: bytesOf(objectsStream)
  }
}

/** Returns the disk usage of a folder in bytes. Files may come and go meanwhile. */
function bytesIn(folder: string): number {
  let sum = 0
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) sum += bytesIn(path)
      else sum += (statSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * blockBytes
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return sum
}

function megabytes(bytes: number): number {
  return bytes / 1e6
}
