/** Reads the message catalogues of the pages. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { packageDirectory } from '../../core/version.js'

export const webDirectory = join(packageDirectory, 'web')

/** Folders of message catalogues, relative to `web`. */
export const messageFolders: readonly string[] = readdirSync(webDirectory, {
  recursive: true,
  encoding: 'utf8'
})
  .map(name => name.replaceAll('\\', '/'))
  .filter(name => /(?:^|\/)messages$/.test(name) && !name.startsWith('assets/'))
  .toSorted()

export type Messages = Readonly<Record<string, unknown>>

/** Returns the language tags of a folder. */
export function listLanguages(folder: string): string[] {
  return readdirSync(join(webDirectory, folder))
    .map(file => basename(file, '.json'))
    .toSorted()
}

/** Reads the messages of a folder in a language. */
export function readMessages(folder: string, tag: string): Messages {
  return JSON.parse(readFileSync(join(webDirectory, folder, `${tag}.json`), 'utf8')) as Messages
}

const category = /\.(?:one|few|many|other)$/

/** Returns the keys of messages with plural forms, without their categories: those that have a `.one`. */
export function listPluralKeys(messages: Messages): string[] {
  return Object.keys(messages).flatMap(key => (key.endsWith('.one') ? [key.slice(0, -'.one'.length)] : []))
}

/** Returns the keys as used in code: plural ones without their categories. */
export function listKeys(messages: Messages): string[] {
  const plurals = new Set(listPluralKeys(messages))
  const names = Object.keys(messages).map(key => {
    const base = key.replace(category, '')
    return plurals.has(base) ? base : key
  })
  return [...new Set(names)].toSorted()
}
