/** Statements are prepared once: nothing in their texts may make SQLite prepare them again. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageDirectory } from '../../../core/version.js'

t.test('no statement binds a bare LIMIT, for which it would be prepared again each time', async t => {
  const directory = join(packageDirectory, 'storage')
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const sources = files.filter(name => name.endsWith('.ts') && !name.endsWith('statements.ts'))
  t.ok(sources.length > 10)
  for (const name of sources)
    t.notMatch(readFileSync(join(directory, name), 'utf8'), /(?:LIMIT|OFFSET) \?/, name)
})
