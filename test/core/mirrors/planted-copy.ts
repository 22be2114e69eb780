/** A copy full of marks, for tests of who can read it. */
import type { Answer } from '../../support/coffer.js'
import { noPictures, picture as drawPicture } from '../../support/pictures.js'
import { until } from '../../support/socket.js'
import type { Secrets } from '../../isolation/secrets.js'
import { follow, root, type World } from './world.js'

/** The copy of the stream with the marks. */
export const diary = `${root}:diary`
export const everything = { state: 'all', fromTime: -1e12, toTime: 1e12, limit: 1000 }
/** Contents of the copy of `diary`, which no answer may contain. */
const marks = ['canary', '73137.5']

/** Lets Paul share a note, points, a weight, a picture and a file; Dora keeps a copy. Returns ids of the copy. */
export async function plant(world: World): Promise<Readonly<Record<string, string>>> {
  const { dora, paul } = world
  const at = { streamIds: ['diary'], time: 1.7e9 }
  const texts = { description: 'canary description', clientData: { canary: 'canary' } }
  await paul.do('events.create', { ...at, type: 'note/txt', content: 'canary note', ...texts })
  await paul.do('events.create', { ...at, type: 'mass/kg', content: 73_137.5 })
  const { event } = await paul.do('events.create', { ...at, type: 'series:mass/kg' })
  const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 73_137.5]] }
  await paul.do('hfs.add', { id: event.id, ...points })
  const form = new FormData()
  form.append('event', JSON.stringify({ ...at, type: 'picture/attached' }))
  const bytes = noPictures ? 'canary' : new Uint8Array(await drawPicture(30, 20))
  form.append('file', new Blob([bytes], { type: 'image/png' }), 'canary.png')
  form.append('file', new Blob(['canary bytes'], { type: 'text/plain' }), 'canary.txt')
  await paul.http('POST', '/events', form)
  await paul.do('events.create', { ...at, streamIds: ['health'], type: 'note/txt', content: 'shown note' })
  const mirror = await follow(world)
  let copies: Answer[] = []
  const find = (type: string): Answer => copies.find(each => each.type === type)
  await until(async () => {
    copies = (await dora.do('events.get', { ...everything, streams: [diary] })).events
    if (copies.length < 4 || find('picture/attached').attachments?.length !== 2) return false
    return (await dora.do('hfs.get', { id: find('series:mass/kg').id, toDeltaTime: 1e9 })).points.length === 1
  }, 'the copy')
  const [image, text] = find('picture/attached').attachments
  const [note, picture, holder] = ['note/txt', 'picture/attached', 'series:mass/kg'].map(
    type => find(type).id
  )
  return { mirror, note, picture, holder, image: image.id, text: text.id, token: text.readToken }
}

/** Returns an object whose members, named in a list, have one value. */
function each(names: string, id: string): object {
  return Object.fromEntries(names.split(' ').map(name => [name, id]))
}

/** Returns what the calls of the isolation test aim at: everything hidden is of the copy. */
export function listTargets(ids: Readonly<Record<string, string>>, event: string): Secrets {
  const nothing = 'cnothing0000000000000000'
  const { holder = '', image = '', mirror = '', note = '', picture = '', text = '' } = ids
  return {
    inner: [],
    hook: undefined as never,
    open: { event, file: nothing, holder: nothing },
    ids: {
      ...each(
        'app shared former session webhook slice connection channel reminder form rule passkey',
        nothing
      ),
      ...each('below binned gone closed followedDiary', diary),
      ...each('hidden followed', root),
      ...each('note both lower trashed deleted followedNote', note),
      ...each('picture followedPicture', picture),
      ...each('holder followedHolder', holder),
      ...each('fileId followedText', text),
      ...each('pictureFile followedFile', image),
      mirror
    }
  }
}

/** Returns the marks that a text contains, other than in what was asked for. */
export function leaksIn(text: string): string[] {
  return marks.filter(mark => text.replaceAll('text=canary', '').includes(mark))
}
