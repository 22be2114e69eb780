/** Receives the heartbeats of WakaTime's editor plugins. (https://wakatime.com/developers#heartbeats) */
import { fail } from '../../../core/errors.js'
import { getNumber, getText, isObject } from '../../../imports/formats/json-files.js'
import type { Dialect, DialectAnswer, Reading, ReceivedRequest } from '../dialect.js'
import { parseJsonBody, ReadingBuilder } from '../reading-builder.js'

/** Heartbeats of one project that are closer than this, in seconds, belong to one activity. */
const maxPause = 15 * 60
const heartbeatsPath = /^(?:api\/)?(?:v1\/)?(?:users\/[^/]+\/)?heartbeats?(\.bulk)?$/

interface Heartbeat {
  /** Seconds. */
  readonly time: number
  readonly project: string
  readonly language: string
}

export const wakatime: Dialect = {
  id: 'wakatime',
  name: 'WakaTime',
  read(request) {
    const reading = new ReadingBuilder()
    if (!heartbeatsPath.test(request.path) || request.method === 'GET') return reading
    const heartbeats = listHeartbeats(request).flatMap(each => {
      reading.received++
      const heartbeat = readHeartbeat(each)
      if (!heartbeat) reading.skip('heartbeat')
      return heartbeat ?? []
    })
    const byProject = new Map<string, Heartbeat[]>()
    for (const heartbeat of heartbeats) {
      const list = byProject.get(heartbeat.project)
      if (list) list.push(heartbeat)
      else byProject.set(heartbeat.project, [heartbeat])
    }
    const machine = request.headers['x-machine-name']
    for (const [project, list] of byProject)
      for (const activity of joinHeartbeats(list))
        reading.add({
          kind: 'heartbeat',
          source: machine || request.connection.name,
          type: 'activity/plain',
          stream: 'Programming',
          isEvent: true,
          time: activity.from,
          duration: activity.to - activity.from,
          identity: project,
          ...(project !== '' && { description: project }),
          ...(activity.languages.length > 0 && { clientData: { 'wakatime:languages': activity.languages } }),
          joinWithin: maxPause
        })
    return reading
  },
  answer: toAnswer
}

/** Returns the answer that plugins expect: to heartbeats, or to the status bar. 404 for other paths. */
function toAnswer(request: ReceivedRequest, { received }: Reading): DialectAnswer {
  const match = heartbeatsPath.exec(request.path)
  if (!match) {
    const summary = { data: { grand_total: { text: '', total_seconds: 0 }, categories: [] } }
    return request.path.endsWith('statusbar/today')
      ? { status: 200, body: { ...summary, cached_at: new Date(request.now * 1000).toISOString() } }
      : { status: 404, body: { error: 'Not found' } }
  }
  const accepted = [{ data: null }, 201]
  // Plugins expect one response for each heartbeat.
  if (match[1] || Array.isArray(parseJsonBody(request.body)))
    return { status: 202, body: { responses: Array.from({ length: received }, () => accepted) } }
  return { status: 201, body: { data: null } }
}

function listHeartbeats({ body }: ReceivedRequest): readonly unknown[] {
  const parsed = parseJsonBody(body)
  if (Array.isArray(parsed)) return parsed
  return isObject(parsed)
    ? [parsed]
    : fail('invalid-request-structure', 'The body must be a heartbeat or a list of them')
}

function readHeartbeat(value: unknown): Heartbeat | undefined {
  const time = getNumber(value, 'time')
  if (time === undefined || time <= 0 || getText(value, 'entity') === undefined) return undefined
  return { time, project: getText(value, 'project') ?? '', language: getText(value, 'language') ?? '' }
}

interface Activity {
  readonly from: number
  readonly to: number
  readonly languages: readonly string[]
}

/** Joins heartbeats into activities, in the order of time. */
function joinHeartbeats(heartbeats: readonly Heartbeat[]): Activity[] {
  const activities: { from: number; to: number; languages: Set<string> }[] = []
  for (const { language, time } of heartbeats.toSorted((a, b) => a.time - b.time)) {
    let last = activities.at(-1)
    if (!last || time - last.to >= maxPause)
      activities.push((last = { from: time, to: time, languages: new Set() }))
    last.to = time
    if (language !== '') last.languages.add(language)
  }
  return activities.map(({ languages, ...span }) => ({ ...span, languages: [...languages].toSorted() }))
}
