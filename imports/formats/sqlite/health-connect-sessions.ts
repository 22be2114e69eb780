/** Reads sessions of Health Connect: exercises with their routes, and nights with their stages. */
import type { Cell } from '../../sqlite/payload.js'
import { scaleValue } from '../../text/units.js'
import { getNightContent } from '../../night-record.js'
import { isValidPosition } from '../track-writer.js'
import { exerciseNames, sleepStages } from './health-connect-tables.js'
import type { BaseRecord, HealthRows } from './health-rows.js'
import { ParentRows } from './parent-rows.js'
import { readRows, toText, toTime } from './rows.js'

export const exerciseTable = 'exercise_session_record_table'
export const routeTable = 'exercise_route_table'
export const nightTable = 'sleep_session_record_table'
export const stageTable = 'sleep_stages_table'
/** Maximum number of nights held until their stages have been read. */
const maxNights = 100_000
const unknownKind = 'of a kind without a type here'
const exerciseKinds = exerciseNames.split(', ')

/** Reads exercises and the positions of their routes. */
export async function readExercises(rows: HealthRows): Promise<void> {
  const { sink } = rows
  const parents = new ParentRows(sink)
  await rows.read(exerciseTable, ['exercise_type', 'title', 'notes'], (common, [type, title, notes], id) => {
    parents.add(id, common.source, common.time)
    const name = (typeof type === 'number' && exerciseKinds[type]) || undefined
    const text = [toText(title) ?? name, toText(notes)].filter(part => part !== undefined).join('\n')
    if (Number.isNaN(common.time)) sink.skip(exerciseTable, 'without a time')
    else
      sink.addRecord({
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
async function readRoutes({ database, sink }: HealthRows, parents: ParentRows): Promise<void> {
  const positionColumns = ['altitude', 'horizontal_accuracy', 'vertical_accuracy']
  const positionMembers = ['altitude', 'horizontalAccuracy', 'verticalAccuracy']
  const names = ['parent_key', 'timestamp_millis', 'latitude', 'longitude', ...positionColumns]
  await readRows(database, routeTable, names, sink, ([key, millis, latitude, longitude, ...otherCells]) => {
    const parent = parents.find(key)
    const time = toTime(millis)
    const isAtPosition =
      typeof latitude === 'number' && typeof longitude === 'number' && isValidPosition(latitude, longitude)
    if (Number.isNaN(time)) sink.skip(routeTable, 'without a time')
    else if (!isAtPosition) sink.skip(routeTable, 'at coordinates beyond the earth')
    else {
      const content: Record<string, number> = { latitude, longitude }
      for (const [index, cell] of otherCells.entries())
        if (typeof cell === 'number' && cell !== Number.MIN_VALUE) content[positionMembers[index]!] = cell
      sink.addRecord({
        kind: routeTable,
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
  const parents = new ParentRows(sink)
  const nights: { common: BaseRecord; id: Cell; note: string }[] = []
  await rows.read(nightTable, ['title', 'notes'], (common, [title, notes], id) => {
    parents.add(id, common.source, common.time)
    const note = [title, notes].flatMap(cell => toText(cell) ?? []).join('\n')
    if (Number.isNaN(common.time)) sink.skip(nightTable, 'without a time')
    else if (nights.length >= maxNights)
      sink.skip(nightTable, 'beyond the number of sources and tracks that one file may have')
    else nights.push({ common, id, note })
  })
  const nightsWithStages = await readStages(rows, parents)
  for (const { common, id, note } of nights) {
    const { duration = 0 } = common
    if (!nightsWithStages.has(id))
      sink.addRecord({
        ...common,
        type: 'sleep/analysis',
        stream: 'Sleep',
        content: getNightContent(undefined, duration ?? undefined),
        identity: `session ${duration ?? 0}`,
        ...(note !== '' && { description: note })
      })
    else if (note !== '')
      sink.addRecord({ ...common, type: 'note/txt', stream: 'Notes of nights', content: note })
    else sink.skip(nightTable, 'a group of records that are in the file themselves')
  }
}

/** Reads sleep stages; returns the ids of the nights that have stages. */
async function readStages({ database, sink }: HealthRows, parents: ParentRows): Promise<Set<Cell>> {
  const nightsWithStages = new Set<Cell>()
  const names = ['parent_key', 'stage_start_time', 'stage_end_time', 'stage_type']
  await readRows(database, stageTable, names, sink, ([key, start, finish, type]) => {
    const [time, end, known] = [toTime(start), toTime(finish), sleepStages.get(type)]
    if (Number.isNaN(time)) sink.skip(stageTable, 'without a time')
    else if (!(end >= time)) sink.skip(stageTable, 'of an end that cannot be read')
    else if (!known) sink.skip(stageTable, unknownKind)
    else {
      const parent = parents.find(key)
      if (parent) nightsWithStages.add(key)
      sink.addRecord({
        kind: stageTable,
        source: parent?.source ?? '',
        type: 'sleep/analysis',
        stream: 'Sleep',
        time,
        duration: scaleValue(end - time),
        content: { analysis: known.analysis },
        identity: `${known.stage} ${end}`,
        clientData: { 'health-connect:sleep': { stage: known.stage } }
      })
    }
  })
  return nightsWithStages
}
