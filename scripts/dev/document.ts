/** Generates the list of settings in docs/settings.md, and the types of the client's methods. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatSettingsPage } from '../../core/settings/list.js'
import { packageDirectory } from '../../core/version.js'
import { generateClientFiles, clientMethodsFolder } from './client-methods.js'

const page = join(packageDirectory, 'docs', 'settings.md')
const generated = /(<!-- settings[^>]*-->\n)[\s\S]*/
writeFileSync(
  page,
  readFileSync(page, 'utf8').replace(generated, (_all, begin) => `${begin}\n${formatSettingsPage()}\n`)
)

const files = await generateClientFiles()
rmSync(clientMethodsFolder, { recursive: true, force: true })
mkdirSync(clientMethodsFolder, { recursive: true })
for (const [name, text] of files) writeFileSync(join(clientMethodsFolder, name), text)
