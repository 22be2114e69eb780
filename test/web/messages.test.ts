/** The texts of the pages: all languages are complete, in all folders. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { unsupportedKinds } from '../../imports/unsupported-kinds.js'
import { messages } from '../../imports/messages.js'
import { skipReasons } from '../../imports/skip-reasons.js'
import {
  listKeys,
  listLanguages,
  listPluralKeys,
  messageFolders,
  readMessages,
  webDirectory,
  type Messages
} from '../support/messages.js'

/** Prefixes of the folders whose keys must be in use. */
const checkedForUse = ['app/']

function placeholders(text: unknown): string[] {
  return [...new Set(String(text).match(/\{\w+\}/g))].toSorted()
}

/** Returns the English text of a translation, whatever its plural category. */
function originalOf(english: Messages, key: string): unknown {
  return english[key] ?? english[key.replace(/\.\w+$/, '.other')]
}

t.ok(messageFolders.includes('messages') && messageFolders.includes('app/shell/messages'), 'there are texts')

t.test('every folder of the app has all languages', async t => {
  const appFolders = messageFolders.filter(folder => folder.startsWith('app/'))
  const languages = [...new Set(appFolders.flatMap(listLanguages))].toSorted()
  t.ok(languages.includes('en') && languages.length > 1)
  for (const folder of appFolders) t.same(listLanguages(folder), languages, folder)
})

for (const folder of messageFolders)
  t.test(`web/${folder}`, async t => {
    const english = readMessages(folder, 'en')
    for (const tag of listLanguages(folder)) {
      const texts = readMessages(folder, tag)
      t.same(listKeys(texts), listKeys(english), `${tag} has the keys of English`)
      const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions()
      for (const key of listPluralKeys(english))
        t.same(
          Object.keys(texts)
            .filter(each => each.startsWith(`${key}.`) && !each.slice(key.length + 1).includes('.'))
            .toSorted(),
          pluralCategories.map(category => `${key}.${category}`).toSorted(),
          `${key} has the plural forms of ${tag}`
        )
      const keys = Object.keys(texts)
      const empty = keys.filter(key => typeof texts[key] !== 'string' || texts[key].trim() === '')
      t.same(empty, [], `no text is missing in ${tag}`)
      const other = keys.filter(
        key => placeholders(texts[key]).join() !== placeholders(originalOf(english, key)).join()
      )
      t.same(other, [], `the placeholders in ${tag} are those of English`)
    }
  })

t.test('every text is used', async t => {
  const sources = readdirSync(webDirectory, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => readFileSync(join(webDirectory, name), 'utf8'))
    .join('\n')
  // Keys are written in full, or composed: `span.${each}`, `import.reason.${reason}`.
  const names = new Set(Array.from(sources.matchAll(/'([a-z][\w.-]*)'/gi), ([, name]) => name))
  const templates = Array.from(sources.matchAll(/`([a-z]+\.[^`\n]*\$\{[^`\n]*)`/gi), ([, text]) => {
    const [first = '', ...parts] = text!.split(/\$\{[^}]*\}/)
    // After a single word, as in `data.${name}`, only one word follows: otherwise its whole folder would count as used.
    const word = first.split('.').length > 2 ? '.+' : '[^.]+'
    return new RegExp(`^${escapePattern(first)}${word}${parts.map(escapePattern).join('.+')}$`)
  })
  const folders = messageFolders.filter(each => checkedForUse.some(start => each.startsWith(start)))
  for (const folder of folders)
    t.same(
      listKeys(readMessages(folder, 'en')).filter(
        key => !names.has(key) && !templates.some(pattern => pattern.test(key))
      ),
      [],
      folder
    )
})

t.test(
  'Today and the timeline, which load first, and links use only their own texts and those of all pages',
  t => {
    const folders = ['today', 'timeline', 'lanes', 'shell', 'guest'].map(each =>
      join(webDirectory, 'app', each)
    )
    const used = folders.flatMap(folder =>
      readdirSync(folder, { encoding: 'utf8' })
        .filter(name => /\.tsx?$/.test(name))
        .flatMap(name => [...readFileSync(join(folder, name), 'utf8').matchAll(/['`]data\.[\w.$-]+/g)])
        .map(([key]) => key)
    )
    t.same(used, [])
    t.end()
  }
)

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

t.test('every reason to skip records in an import has a text', async t => {
  const prefix = 'import.reason.'
  const keys = listKeys(readMessages('app/import/messages', 'en')).filter(key => key.startsWith(prefix))
  t.same(keys.map(key => key.slice(prefix.length)).toSorted(), [...skipReasons].toSorted())
})

t.test('every message of an import about a file has a text', async t => {
  const keys = listKeys(readMessages('app/import/messages', 'en'))
  const listAfter = (prefix: string): string[] =>
    keys.filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length))
  t.same(listAfter('import.message.').toSorted(), [...messages].toSorted())
  t.same(listAfter('import.is.').toSorted(), [...new Set(unsupportedKinds.map(({ is }) => is))].toSorted())
  t.same(
    listAfter('import.advice.').toSorted(),
    [...new Set(unsupportedKinds.map(({ advice }) => advice))].toSorted()
  )
})

t.test('no key exists in two folders', async t => {
  const all = messageFolders.flatMap(folder => Object.keys(readMessages(folder, 'en')))
  t.same(
    all.filter((key, index) => all.indexOf(key) !== index),
    []
  )
})
