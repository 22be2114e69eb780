/** Files in and out, held against the least that can be done with them in the same minutes; memory while a huge one comes in. */
import { measure, type Measure } from '../footprint.js'
import { Child } from '../child.js'
import { median } from '../meter.js'
import type { Options } from '../options.js'
import { residentMb } from '../process-stats.js'
import { postedEvent } from '../sample.js'
import { rootStream, type SeededUser } from '../seed.js'
import type { Target } from '../target.js'
import { download, upload } from './transfer.js'

/** Size of the files that are timed, and of the huge one, in megabytes. */
const size = 100
const hugeSize = 2048
/** Ours may take that many times as long: 60 % of the speed. */
const goal = 1 / 0.6
/** Time between two looks at the memory. */
const lookMs = 20

interface Times {
  readonly up: number[]
  readonly down: number[]
}

/** Times files of 100 MB, round by round beside the reference; `quick` leaves out the huge one. */
export async function benchFiles(
  target: Target,
  user: SeededUser,
  directory: string,
  { quick, rounds }: Options
): Promise<Measure[]> {
  const child = new Child<object, number>(new URL('reference.js', import.meta.url), [directory])
  const reference = `http://127.0.0.1:${await child.hear()}/`
  const ours: Times = { up: [], down: [] }
  const bare: Times = { up: [], down: [] }
  try {
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      const sent = await upload(reference, '', size)
      const fetched = await download(reference, '')
      const event = await newEvent(target, user)
      const taken = await upload(event, user.token, size)
      const given = await download(`${event}/${fileIdOf(taken.text)}`, user.token)
      if (given.bytes !== fetched.bytes) throw new Error(`${given.bytes} of ${fetched.bytes} bytes came back`)
      if (round === 0) continue
      bare.up.push(sent.seconds)
      bare.down.push(fetched.seconds)
      ours.up.push(taken.seconds)
      ours.down.push(given.seconds)
    }
    return [
      measure('upload of 100 MB, s', median(ours.up)),
      measure('upload, times the reference', median(ours.up) / median(bare.up), goal),
      measure('download of 100 MB, s', median(ours.down)),
      measure('download, times the reference', median(ours.down) / median(bare.down), goal),
      ...(quick ? [] : [await growthDuringHugeFile(target, user)])
    ]
  } finally {
    await child.stop()
  }
}

/** How much more memory the server has at most while the huge file comes in than after smaller ones. */
async function growthDuringHugeFile(target: Target, user: SeededUser): Promise<Measure> {
  const event = await newEvent(target, user)
  const before = residentMb(target.pid)
  let most = before
  const timer = setInterval(() => (most = Math.max(most, residentMb(target.pid))), lookMs)
  try {
    await upload(event, user.token, hugeSize)
  } finally {
    clearInterval(timer)
  }
  return measure('memory growth while 2 GB come in, MB', most - before, 50)
}

/** Makes an event; answers its URL. */
async function newEvent({ origin }: Target, { token, username }: SeededUser): Promise<string> {
  const headers = { authorization: token, 'content-type': 'application/json' }
  const body = JSON.stringify(postedEvent(rootStream))
  const answer = await fetch(`${origin}/${username}/events`, { method: 'POST', headers, body })
  const { event } = (await answer.json()) as { event: { id: string } }
  return `${origin}/${username}/events/${event.id}`
}

function fileIdOf(text: string): string {
  const { event } = JSON.parse(text) as { event: { attachments: { id: string }[] } }
  return event.attachments.at(-1)!.id
}
