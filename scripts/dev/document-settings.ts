/** Writes the table of settings into README. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsTable } from '../../core/settings/list.js'
import { packageDirectory } from '../../core/version.js'

const readme = join(packageDirectory, 'README.md')
const between = /(<!-- settings[^>]*-->\n)[\s\S]*?(<!-- end of settings -->)/
writeFileSync(readme, readFileSync(readme, 'utf8').replace(between, `$1\n${settingsTable()}\n\n$2`))
