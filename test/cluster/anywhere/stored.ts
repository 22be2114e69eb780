/** What the engine keeps of objects, by its own accounts: subjects of their pieces, and of what describes them. */
import { callApi } from '../../../cluster/nats/jetstream.js'
import { objectsStream } from '../../../cluster/nats/object-subjects.js'
import type { ThreeNodes } from './three-nodes.js'

/** The ids of objects of which there are pieces. */
export async function piecesOf(three: ThreeNodes): Promise<Set<string>> {
  const subjects = await subjectsLike(three, 'coffer.object.bytes.>')
  return new Set(subjects.map(subject => subject.split('.')[3]!))
}

/** The subjects of objects that a pattern fits. */
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

/** The id that what describes an object names. */
export async function idIn({ engine }: ThreeNodes, subject: string): Promise<string> {
  const { message } = await callApi<{ message: { data: string } }>(
    engine.connection,
    `STREAM.MSG.GET.${objectsStream}`,
    { last_by_subj: subject },
    5000
  )
  return (JSON.parse(Buffer.from(message.data, 'base64').toString()) as { id: string }).id
}
