/** The streams of a demo, and the accesses to some of them. */
import type { Call } from './target.js'
import { doctorName } from './person/letters.js'

/** A stream with its children. */
interface Branch {
  readonly id: string
  readonly name: string
  readonly children?: readonly Branch[]
}

const tree: readonly Branch[] = [
  {
    id: 'body',
    name: 'Body',
    children: [
      { id: 'heart-rate', name: 'Heart rate' },
      { id: 'weight', name: 'Weight' },
      { id: 'blood-pressure', name: 'Blood pressure' },
      { id: 'temperature', name: 'Temperature' },
      { id: 'glucose', name: 'Glucose' }
    ]
  },
  { id: 'sleep', name: 'Sleep' },
  {
    id: 'activity',
    name: 'Activity',
    children: [
      { id: 'steps', name: 'Steps' },
      { id: 'runs', name: 'Runs' }
    ]
  },
  {
    id: 'diary',
    name: 'Diary',
    children: [
      { id: 'notes', name: 'Notes' },
      { id: 'mood', name: 'Mood' },
      { id: 'photos', name: 'Photos' }
    ]
  },
  { id: 'places', name: 'Places' },
  {
    id: 'home',
    name: 'Home sensors',
    children: [
      { id: 'room-temperature', name: 'Living room temperature' },
      { id: 'room-humidity', name: 'Living room humidity' }
    ]
  },
  { id: 'letters', name: 'From my doctor' },
  { id: 'medication', name: 'Medication' }
]

/** Creates the calls that create all streams, parents first. */
export function createStreamCalls(branches = tree, parentId: string | null = null): Call[] {
  return branches.flatMap(({ children = [], id, name }) => [
    { method: 'streams.create', params: { id, name, parentId } },
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
