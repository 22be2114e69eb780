/** The streams of a demo, and the accesses that are granted some of these streams. */
import { measureKey } from '../../schemas/measures/measure.js'
import type { Call } from './target.js'
import { doctorName } from './person/letters.js'

/** A stream with its children. */
interface Branch {
  readonly id: string
  readonly name: string
  /** Id of the measure that its events belong to. */
  readonly measure?: string
  readonly children?: readonly Branch[]
}

const tree: readonly Branch[] = [
  {
    id: 'body',
    name: 'Body',
    children: [
      { id: 'heart-rate', name: 'Heart rate', measure: 'heart-rate' },
      { id: 'weight', name: 'Weight', measure: 'weight' },
      { id: 'blood-pressure', name: 'Blood pressure', measure: 'blood-pressure' },
      { id: 'temperature', name: 'Temperature', measure: 'body-temperature' },
      { id: 'glucose', name: 'Glucose', measure: 'glucose' }
    ]
  },
  { id: 'sleep', name: 'Sleep', measure: 'sleep' },
  {
    id: 'activity',
    name: 'Activity',
    children: [
      { id: 'steps', name: 'Steps', measure: 'steps' },
      { id: 'runs', name: 'Runs', measure: 'running' }
    ]
  },
  {
    id: 'diary',
    name: 'Diary',
    children: [
      { id: 'notes', name: 'Notes' },
      { id: 'mood', name: 'Mood', measure: 'mood' },
      { id: 'photos', name: 'Photos' }
    ]
  },
  { id: 'places', name: 'Places' },
  {
    id: 'home',
    name: 'Home sensors',
    children: [
      { id: 'room-temperature', name: 'Living room temperature', measure: 'room-temperature' },
      { id: 'room-humidity', name: 'Living room humidity', measure: 'room-humidity' }
    ]
  },
  { id: 'letters', name: 'From my doctor' },
  { id: 'medication', name: 'Medication', measure: 'active-ingredient' }
]

/** Creates the calls that create all streams, parents first. */
export function createStreamCalls(branches = tree, parentId: string | null = null): Call[] {
  return branches.flatMap(({ children = [], id, measure, name }) => [
    {
      method: 'streams.create',
      params: { id, name, parentId, ...(measure !== undefined && { clientData: { [measureKey]: measure } }) }
    },
    ...createStreamCalls(children, id)
  ])
}

/** Names of streams in reports, by id. */
export const streamNames: ReadonlyMap<string, string> = new Map(
  tree.flatMap(({ children = [], ...branch }) =>
    [branch, ...children].map(({ id, name }) => [id, name] as const)
  )
)

/** Creates the calls that grant accesses to the doctor (for a number of seconds), to the trainer's app, and to a sensor. */
export function createAccessCalls(doctorSeconds: number): Call[] {
  return [
    {
      name: doctorName,
      expireAfter: doctorSeconds,
      permissions: [
        { streamId: 'heart-rate', level: 'read' },
        { streamId: 'blood-pressure', level: 'read' }
      ]
    },
    {
      name: 'demo-trainer',
      type: 'app',
      deviceName: 'Phone',
      permissions: [
        { streamId: 'heart-rate', level: 'read' },
        { streamId: 'runs', level: 'contribute' }
      ]
    },
    {
      name: 'demo-room-sensor',
      type: 'app',
      deviceName: 'Living room',
      permissions: [{ streamId: 'home', level: 'create-only' }]
    }
  ].map(params => ({ method: 'accesses.create', params }))
}
