/** The admin key at startup. (docs/spec/administration.md#the-operators-key) */
import t from 'tap'
import { warnAboutShortKey } from '../../../core/auth/admin.js'
import { createLog } from '../../../server/log.js'

t.test('a short key', async t => {
  t.test('causes a warning that does not reveal it', async t => {
    const lines: string[] = []
    const log = createLog({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    for (const adminKey of ['', 'sixteen letters!']) warnAboutShortKey({ adminKey }, log)
    t.same(lines, [])
    warnAboutShortKey({ adminKey: 'fifteen letters' }, log)
    t.match(lines, [/fewer than 16 characters/])
    t.notMatch(lines[0], 'fifteen letters')
  })
})
