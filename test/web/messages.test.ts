/** The texts of the pages: every language says everything that English does, in all rooms. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { kinds } from '../../imports/kinds.js'
import { messages } from '../../imports/messages.js'
import { reasons } from '../../imports/reasons.js'
import { packageDirectory } from '../../core/version.js'

const web = join(packageDirectory, 'web')
/** Folders of texts, relative to `web`. */
const folders = readdirSync(web, { recursive: true, encoding: 'utf8' })
  .map(name => name.replaceAll('\\', '/'))
  .filter(name => /(?:^|\/)messages$/.test(name) && !name.startsWith('assets/'))

type Texts = Readonly<Record<string, unknown>>

function textsIn(folder: string, file: string): Texts {
  return JSON.parse(readFileSync(join(web, folder, file), 'utf8')) as Texts
}

function filesOf(folder: string): string[] {
  return readdirSync(join(web, folder)).toSorted()
}

function placeholders(text: unknown): string[] {
  return [...new Set(String(text).match(/\{\w+\}/g))].toSorted()
}

t.ok(folders.includes('messages') && folders.includes('app/shell/messages'), 'there are rooms with texts')

t.test('every language is spoken in all rooms of the app', async t => {
  const rooms = folders.filter(folder => folder.startsWith('app/'))
  const languages = [...new Set(rooms.flatMap(filesOf))].toSorted()
  t.ok(languages.includes('en.json') && languages.length > 1)
  for (const room of rooms) t.same(filesOf(room), languages, room)
})

for (const folder of folders)
  t.test(`web/${folder}`, async t => {
    const english = textsIn(folder, 'en.json')
    const keys = Object.keys(english).toSorted()
    for (const file of filesOf(folder)) {
      const tag = basename(file, '.json')
      const texts = textsIn(folder, file)
      t.same(Object.keys(texts).toSorted(), keys, `${tag} has the keys of English`)
      const empty = keys.filter(key => typeof texts[key] !== 'string' || texts[key].trim() === '')
      t.same(empty, [], `no text is missing in ${tag}`)
      const other = keys.filter(key => placeholders(texts[key]).join() !== placeholders(english[key]).join())
      t.same(other, [], `the placeholders in ${tag} are those of English`)
    }
    const lacking = keys.filter(key => key.endsWith('.one') && !keys.includes(key.replace(/one$/, 'other')))
    t.same(lacking, [], 'each text with a singular has a plural')
  })

t.test('every reason for which an import leaves records out has a text', async t => {
  const prefix = 'import.reason.'
  const keys = Object.keys(textsIn('app/import/messages', 'en.json')).filter(key => key.startsWith(prefix))
  t.same(keys.map(key => key.slice(prefix.length)).toSorted(), [...reasons].toSorted())
})

t.test('all that imports tell of a file has a text', async t => {
  const texts = [textsIn('app/import/messages', 'en.json')].flatMap(Object.keys)
  const keysOf = (prefix: string): string[] =>
    texts.filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length))
  t.same(keysOf('import.message.').toSorted(), [...messages].toSorted())
  t.same(keysOf('import.is.').toSorted(), [...new Set(kinds.map(({ is }) => is))].toSorted())
  t.same(keysOf('import.advice.').toSorted(), [...new Set(kinds.map(({ advice }) => advice))].toSorted())
})

t.test('no key stands in two rooms', async t => {
  const all = folders.flatMap(folder => Object.keys(textsIn(folder, 'en.json')))
  t.same(
    all.filter((key, index) => all.indexOf(key) !== index),
    []
  )
})
