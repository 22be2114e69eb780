/** Starts the server on what a power cut has left; then cuts the power again while it starts, works and stops. */
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Random } from '../../support/random.js'
import { ServerProcess } from '../server-process.js'
import { Disk } from './disk.js'
import { examine } from './examination.js'
import { readRecording, recorded } from './recording.js'
import type { Examine } from './replay.js'

/** Returns an {@link Examine} that makes this number of further cuts. */
export function secondCut(library: string, cuts: number, seed: number): Examine {
  const random = new Random(seed)
  return async (dataDir, people) => {
    const root = dirname(dataDir)
    const log = `${root}.log`
    const scratch = `${root}.again`
    rmSync(log, { force: true })
    const disk = Disk.holding(root)
    const server = await ServerProcess.start(dataDir, [], recorded(library, root, log))
    const problems: string[] = []
    for (const { promises, token, username } of people) {
      if (promises.calls.length === 0 || token === '') continue
      const url = `${server.url}/${username}/events?limit=1000`
      const { status } = await fetch(url, { headers: { authorization: token } })
      if (status !== 200 && promises.isKept && !promises.mayBeGone)
        problems.push(`${username} is answered ${status}`)
    }
    await server.stop()
    const entries = readRecording(log)
    const indexes = Array.from({ length: cuts }, () => random.below(entries.length)).toSorted((a, b) => a - b)
    let at = 0
    for (const index of indexes) {
      for (; at <= index; at++) disk.apply(entries[at]!)
      rmSync(scratch, { recursive: true, force: true })
      mkdirSync(scratch)
      disk.write(scratch, random.pick([random, 'lost', 'kept']))
      const found = await examine(join(scratch, dataDir.slice(root.length)), people)
      problems.push(
        ...found.map(problem => `cut again after entry ${index} of ${entries.length}: ${problem}`)
      )
    }
    return [...problems, ...(await examine(dataDir, people))]
  }
}
