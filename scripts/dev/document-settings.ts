/** Generates the list of settings in docs/settings.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatSettingsPage } from '../../core/settings/list.js'
import { packageDirectory } from '../../core/version.js'

const page = join(packageDirectory, 'docs', 'settings.md')
const written = /(<!-- settings[^>]*-->\n)[\s\S]*/
writeFileSync(
  page,
  readFileSync(page, 'utf8').replace(written, (_all, begin) => `${begin}\n${formatSettingsPage()}\n`)
)
