/** The types of the client's methods match those of the server. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { methods } from '../../core/methods/index.js'
import { generateClientFiles, clientMethodsFolder } from '../../scripts/dev/client-methods.js'

t.test('client/src/methods', async t => {
  const files = await generateClientFiles()
  t.same(readdirSync(clientMethodsFolder).toSorted(), [...files.keys()].toSorted())
  for (const [name, text] of files)
    t.equal(
      readFileSync(join(clientMethodsFolder, name), 'utf8'),
      text,
      `${name}: \`npm run document\` writes it anew`
    )
  const all = [...files.values()].join('\n')
  for (const { id } of methods) t.match(all, new RegExp(`^  '?${id.replaceAll('.', '\\.')}'?: \\{`, 'm'), id)
  t.notMatch(all, /\bany\b[^:' .]/, 'nothing is untyped')
})
