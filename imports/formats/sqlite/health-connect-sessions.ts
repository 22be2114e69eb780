/** Reads sessions of Health Connect: exercises with their routes, and nights with their stages. */
import type { Cell } from '../../sqlite/payload.js'
import { scaled } from '../../text/units.js'
import { nightContent } from '../sleep.js'
import { isPlace } from '../tracks.js'
import { exercises, stages } from './health-connect-tables.js'
import type { Common, HealthRows } from './health-rows.js'
import { Parents } from './parents.js'
import { eachRow, textIn, timeIn } from './rows.js'

export const exercise = 'exercise_session_record_table'
export const route = 'exercise_route_table'
export const night = 'sleep_session_record_table'
export const stage = 'sleep_stages_table'
/** Limit of nights held until their stages have been read. */
const maxNights = 100_000
const unknownKind = 'of a kind without a type here'
const exerciseKinds = exercises.split(', ')

/** Reads exercises and the positions of their routes. */
export async function readExercises(rows: HealthRows): Promise<void> {
  const { sink } = rows
  const parents = new Parents(sink)
  await rows.read(exercise, ['exercise_type', 'title', 'notes'], (common, [type, title, notes], id) => {
    parents.add(id, common.source, common.time)
    const name = (typeof type === 'number' && exerciseKinds[type]) || undefined
    const text = [textIn(title) ?? name, textIn(notes)].filter(part => part !== undefined).join('\n')
    if (Number.isNaN(common.time)) sink.leftOut(exercise, 'without a time')
    else
      sink.datum({
        ...common,
        type: 'activity/plain',
        stream: 'Activities',
        identity: `${common.duration ?? 0} ${String(type)}`,
        ...(text !== '' && { description: text }),
        clientData: {
          'health-connect:exercise': {
            ...(typeof type === 'number' && { number: type }),
            ...(name !== undefined && { type: name })
          }
        }
      })
  })
  await readRoutes(rows, parents)
}

/** Reads the positions of routes, one track for each exercise. */
async function readRoutes({ database, sink }: HealthRows, parents: Parents): Promise<void> {
  const positionColumns = ['altitude', 'horizontal_accuracy', 'vertical_accuracy']
  const positionMembers = ['altitude', 'horizontalAccuracy', 'verticalAccuracy']
  const names = ['parent_key', 'timestamp_millis', 'latitude', 'longitude', ...positionColumns]
  await eachRow(database, route, names, sink, ([key, millis, latitude, longitude, ...otherCells]) => {
    const parent = parents.find(key)
    const time = timeIn(millis)
    const isValidPosition =
      typeof latitude === 'number' && typeof longitude === 'number' && isPlace(latitude, longitude)
    if (Number.isNaN(time)) sink.leftOut(route, 'without a time')
    else if (!isValidPosition) sink.leftOut(route, 'at coordinates beyond the earth')
    else {
      const content: Record<string, number> = { latitude, longitude }
      for (const [index, cell] of otherCells.entries())
        if (typeof cell === 'number' && cell !== Number.MIN_VALUE) content[positionMembers[index]!] = cell
      sink.datum({
        kind: route,
        source: parent?.source ?? '',
        type: 'position/wgs84',
        stream: 'Positions',
        time,
        content,
        ...(parent && { track: `exercise ${parent.start}` })
      })
    }
  })
}

/** Reads nights. A night without stages becomes a record; of a night with stages, only its note does. */
export async function readNights(rows: HealthRows): Promise<void> {
  const { sink } = rows
  const parents = new Parents(sink)
  const nights: { common: Common; id: Cell; note: string }[] = []
  await rows.read(night, ['title', 'notes'], (common, [title, notes], id) => {
    parents.add(id, common.source, common.time)
    const note = [title, notes].flatMap(cell => textIn(cell) ?? []).join('\n')
    if (Number.isNaN(common.time)) sink.leftOut(night, 'without a time')
    else if (nights.length >= maxNights)
      sink.leftOut(night, 'beyond the number of sources and tracks that one file may have')
    else nights.push({ common, id, note })
  })
  const nightsWithStages = await readStages(rows, parents)
  for (const { common, id, note } of nights) {
    const { duration = 0 } = common
    if (!nightsWithStages.has(id))
      sink.datum({
        ...common,
        type: 'sleep/analysis',
        stream: 'Sleep',
        content: nightContent(undefined, duration ?? undefined),
        identity: `session ${duration ?? 0}`,
        ...(note !== '' && { description: note })
      })
    else if (note !== '')
      sink.datum({ ...common, type: 'note/txt', stream: 'Notes of nights', content: note })
    else sink.leftOut(night, 'a group of records that are in the file themselves')
  }
}

/** Reads sleep stages; returns the ids of the nights that have any. */
async function readStages({ database, sink }: HealthRows, parents: Parents): Promise<Set<Cell>> {
  const nightsWithStages = new Set<Cell>()
  const names = ['parent_key', 'stage_start_time', 'stage_end_time', 'stage_type']
  await eachRow(database, stage, names, sink, ([key, start, finish, type]) => {
    const [time, end, known] = [timeIn(start), timeIn(finish), stages.get(type)]
    if (Number.isNaN(time)) sink.leftOut(stage, 'without a time')
    else if (!(end >= time)) sink.leftOut(stage, 'of an end that cannot be read')
    else if (!known) sink.leftOut(stage, unknownKind)
    else {
      const parent = parents.find(key)
      if (parent) nightsWithStages.add(key)
      sink.datum({
        kind: stage,
        source: parent?.source ?? '',
        type: 'sleep/analysis',
        stream: 'Sleep',
        time,
        duration: scaled(end - time),
        content: { analysis: known.analysis },
        identity: `${known.stage} ${end}`,
        clientData: { 'health-connect:sleep': { stage: known.stage } }
      })
    }
  })
  return nightsWithStages
}
