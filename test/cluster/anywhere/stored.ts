/** What the engine stores of objects, read without the code under test: subjects of their chunks and descriptions. */
import { callApi } from '../../../cluster/nats/jetstream.js'
import { objectsStream } from '../../../cluster/nats/object-subjects.js'
import type { ThreeNodes } from './three-nodes.js'

/** Returns the ids of objects that have chunks. */
export async function piecesOf(three: ThreeNodes): Promise<Set<string>> {
  const subjects = await subjectsLike(three, 'coffer.object.bytes.>')
  return new Set(subjects.map(subject => subject.split('.')[3]!))
}

/** Returns the subjects of objects that match a pattern. */
export async function subjectsLike({ engine }: ThreeNodes, filter: string): Promise<string[]> {
  const wanted = { subjects_filter: filter }
  const { state } = await callApi<{ state: { subjects?: Record<string, number> } }>(
    engine.connection,
    `STREAM.INFO.${objectsStream}`,
    wanted,
    5000
  )
  return Object.keys(state.subjects ?? {})
}

/** Returns the object id in a description. */
export async function idIn({ engine }: ThreeNodes, subject: string): Promise<string> {
  const { message } = await callApi<{ message: { data: string } }>(
    engine.connection,
    `STREAM.MSG.GET.${objectsStream}`,
    { last_by_subj: subject },
    5000
  )
  return (JSON.parse(Buffer.from(message.data, 'base64').toString()) as { id: string }).id
}
